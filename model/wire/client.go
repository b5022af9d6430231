package wire

import (
	"net/http"
	"time"
)

// Client is an HTTP client that follows no redirect: a key is sent to the configured place and to no other. A request whose
// kept connection the server had just closed is sent once more on a new one.
func Client() *http.Client {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return &http.Client{CheckRedirect: stay}
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 4
	t.IdleConnTimeout = 30 * time.Second
	return &http.Client{Transport: repeatable{t}, CheckRedirect: stay}
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// repeatable lets net/http repeat a POST as it repeats a GET: only on a connection that had been used before and of which
// not a byte of an answer was read. A request to a model changes nothing there.
type repeatable struct{ http.RoundTripper }

// RoundTrip marks the request with a key that is there and empty: net/http takes it for one that may be repeated, and does
// not send the key.
func (r repeatable) RoundTrip(q *http.Request) (*http.Response, error) {
	const key = "Idempotency-Key"
	if _, has := q.Header[key]; !has {
		q = q.WithContext(q.Context()) // a copy: it is the caller's
		q.Header = q.Header.Clone()
		q.Header[key] = []string{}
	}
	return r.RoundTripper.RoundTrip(q)
}
