package openai_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/openai"
)

// A redirect is not followed, for the key would go with it, and is told as what it is.
func TestRedirectIsTold(t *testing.T) {
	t.Parallel()
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Location", "http://elsewhere.test/v1/chat/completions")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	p, err := openai.NewChat(model.Endpoint{Provider: openai.ChatName, Model: "any", BaseURL: srv.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range p.Stream(t.Context(), model.Request{Messages: []model.Message{{Role: model.RoleUser, Blocks: []model.Block{{Text: &model.TextBlock{Text: "go"}}}}}}, model.Options{}) {
		if err != nil {
			break
		}
	}
	if model.ClassOf(err) != model.Incompatible || !strings.Contains(err.Error(), `a redirect (307) to "http://elsewhere.test/v1/chat/completions"`) {
		t.Errorf("got %v", err)
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
