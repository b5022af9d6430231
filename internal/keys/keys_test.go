package keys_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/internal/keys"
)

func reader(t *testing.T, in io.Reader) *keys.Reader {
	t.Helper()
	r, err := keys.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// all reads keys until there are no more.
func all(t *testing.T, r *keys.Reader) string {
	t.Helper()
	var out strings.Builder
	for {
		key, err := r.Next(t.Context())
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		out.WriteRune(key)
	}
}

// What is no terminal is read as it comes, to its end: escape and Ctrl-D are characters there.
func TestWhatIsNoTerminalIsReadToItsEnd(t *testing.T) {
	const typed = "1\nsä€\x1b[3~\x04b\xe2"
	const want = "1\nsä€\x1b[3~\x04b�"
	if got := all(t, reader(t, strings.NewReader(typed))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := all(t, reader(t, r)); got != want {
		t.Errorf("from a pipe: got %q, want %q", got, want)
	}
}

// A wait for a key ends with its context, also while nobody types.
func TestAWaitEndsWithItsContext(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	in := reader(t, r)
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error)
	go func() {
		_, err := in.Next(ctx)
		done <- err
	}()
	cancel(stopped)
	if err := <-done; err != stopped {
		t.Errorf("got %v, want %v", err, stopped)
	}
}
