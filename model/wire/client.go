package wire

import (
	"net/http"
	"time"
)

// Client is an HTTP client that follows no redirect: a key is sent to the configured place and to no other.
func Client() *http.Client {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return &http.Client{CheckRedirect: stay}
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 4
	t.IdleConnTimeout = 30 * time.Second
	return &http.Client{Transport: t, CheckRedirect: stay}
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
