package regular_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/internal/regular"
)

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skipf("there are no links here: %v", err)
	}
	for name, tt := range map[string]struct {
		path string
		most int64
		want string // of the error; "" = it is read
	}{
		"file":     {file, 4, ""},
		"link":     {link, 4, ""},
		"too_long": {file, 3, "longer than 3 bytes"},
		"missing":  {file + "s", 4, "no such file"},
		"folder":   {dir, 4, "no regular file"},
		"device":   {os.DevNull, 4, "no regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := regular.Read(tt.path, tt.most)
			if tt.want == "" && (err != nil || string(data) != "text") || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %q, %v, want %q", data, err, tt.want)
			}
		})
	}
}
