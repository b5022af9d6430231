package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/openai"
)

// A server that sends one line without end is given up long before the memory is full, and a long line that ends is
// read whole.
func TestEndlessLine(t *testing.T) {
	tests := map[string]struct {
		bytes int // of the text in one event; 0 = no end
		want  model.Class
	}{
		"long":    {6 << 20, ""},
		"endless": {0, model.Incompatible},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"`)
				chunk := strings.Repeat("x", 64<<10)
				for n := 0; tc.bytes == 0 || n < tc.bytes; n += len(chunk) {
					if _, err := io.WriteString(w, chunk); err != nil {
						return
					}
				}
				fmt.Fprint(w, `"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
			}))
			defer srv.Close()
			p, err := openai.NewChat(model.Endpoint{Provider: openai.ChatName, Model: "any", BaseURL: srv.URL}, nil)
			if err != nil {
				t.Fatal(err)
			}
			text, class := 0, model.Class("")
			for part, err := range p.Stream(context.Background(), model.Request{Messages: []model.Message{{Role: model.RoleUser, Blocks: []model.Block{{Text: &model.TextBlock{Text: "go"}}}}}}, model.Options{}) {
				if err != nil {
					class = model.ClassOf(err)
				}
				if x, is := part.(model.Text); is {
					text += len(x.Text)
				}
			}
			if class != tc.want || tc.bytes > 0 && text < tc.bytes {
				t.Errorf("got %d bytes and class %q, want %q", text, class, tc.want)
			}
		})
	}
}
