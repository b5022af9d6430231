package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What docs/connecting-a-model.md shows of a server of one's own is an answer on both wires.
func TestTheDocumentedServersAreMonitors(t *testing.T) {
	doc, err := os.ReadFile("../docs/connecting-a-model.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "### A server of your own\n")
	block := func(fence string) string {
		_, rest, _ := strings.Cut(section, "\n```"+fence+"\n")
		text, _, _ := strings.Cut(rest, "\n```\n")
		return text
	}
	_, stream, _ := strings.Cut(section, "`[DONE]`.\n\n```\n")
	stream, _, _ = strings.Cut(stream, "```\n")
	tests := map[string]struct{ kind, reply, path string }{
		"openai_decisions": {"application/json", block("json"), "/v1/decisions"},
		"openai":           {"text/event-stream", stream + "\n", "/v1/chat/completions"},
	}
	for provider, tc := range tests {
		t.Run(provider, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != tc.path {
					t.Errorf("asked at %s, want %s", r.URL.Path, tc.path)
				}
				w.Header().Set("Content-Type", tc.kind)
				_, _ = io.WriteString(w, tc.reply)
			}))
			defer srv.Close()
			p := newTaped(t, srv.URL)
			p.Conf = filepath.Join(p.root, "own")
			p.conf(t, p.Conf, strings.Replace(monitorBlock(srv.URL, ""), "openai_decisions", provider, 1),
				strings.Replace(pickQuestions, "monitor:\n", "monitor:\n    - {name: hand_in_view, instructions: Is there a hand?}\n", 1))
			p.Question = "progress"
			if err := Evaluate(t.Context(), p.Evaluation); err != nil {
				t.Fatal(err)
			}
			if got := cellOf(p.out.String(), "no answer", 0); got != "0" {
				t.Errorf("without an answer: %s\n%s", got, p.out.String())
			}
		})
	}
}
