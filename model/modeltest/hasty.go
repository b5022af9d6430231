package modeltest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/rein-robotics/rein/model"
)

// Hasty opens a port of this machine that answers each connection once: at the second request it closes it without a
// word, as a server does whose time for idle connections is up just then. dropped counts the requests that got no answer.
func (s *Server) Hasty(t testing.TB) (url string, dropped *atomic.Int32) {
	t.Helper()
	type used struct{}
	dropped = new(atomic.Int32)
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before, _ := r.Context().Value(used{}).(*atomic.Bool)
		if before.CompareAndSwap(false, true) {
			s.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // what is left unread would break the connection instead of ending it
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		dropped.Add(1)
		_ = c.Close()
	}))
	h.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, used{}, new(atomic.Bool))
	}
	h.Start()
	t.Cleanup(h.Close)
	return h.URL, dropped
}

// closedConnection: a call on a connection that the server has just closed is made once more on a new one, and no key of
// ours goes with it.
func (d DeciderSuite) closedConnection(t *testing.T) {
	srv := New(t, d.Wire, Rules{}, Step{Answers: []Answer{Yes("released", 0.25), Chose("progress", "failed", 0.7)}})
	url, dropped := srv.Hasty(t)
	p, err := d.Make(model.Endpoint{Provider: d.Wire.Name, Model: "any", BaseURL: url, Key: Key, KeyEnv: "TEST_KEY"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if got, err := p.Decide(t.Context(), Inquire()); err != nil || len(got.Answers) != 2 || got.Answers[0].P != 0.25 {
			t.Errorf("call %d: got %+v, %v", i, got, err)
		}
	}
	if dropped.Load() == 0 {
		t.Error("no connection was used twice: nothing was tried")
	}
	for _, r := range srv.Requests() {
		if _, has := r.Header["Idempotency-Key"]; has {
			t.Errorf("a key was sent: %v", r.Header)
		}
	}
}
