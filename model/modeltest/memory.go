package modeltest

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Client reaches the server without a network: its goroutines and waits are those of the caller's synctest bubble.
func (s *Server) Client() *http.Client { return &http.Client{Transport: memory{s}} }

type memory struct{ handler http.Handler }

// RoundTrip runs the handler beside the reader of its body and joins it when the body is closed.
func (m memory) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	r, w := io.Pipe()
	rec := &recorder{header: http.Header{}, out: w, began: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer rec.begin(200)
		defer func() {
			if recover() != nil { // a handler that breaks the connection
				w.CloseWithError(io.ErrUnexpectedEOF)
				return
			}
			w.Close()
		}()
		m.handler.ServeHTTP(rec, req.Clone(ctx))
	}()
	stop := context.AfterFunc(ctx, func() { r.CloseWithError(context.Cause(ctx)) })
	body := &memoryBody{PipeReader: r, end: func() {
		stop()
		cancel()
		r.Close()
		<-done
	}}
	select {
	case <-rec.began:
		return &http.Response{StatusCode: rec.status, Status: http.StatusText(rec.status), Header: rec.header, Body: body, Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}, nil
	case <-req.Context().Done():
		body.end()
		return nil, context.Cause(req.Context())
	}
}

type memoryBody struct {
	*io.PipeReader
	once sync.Once
	end  func()
}

func (b *memoryBody) Close() error {
	b.once.Do(b.end)
	return nil
}

// recorder is the writer that a handler in memory gets.
type recorder struct {
	header http.Header
	out    io.Writer
	once   sync.Once
	status int
	began  chan struct{}
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.begin(status) }

func (r *recorder) Write(p []byte) (int, error) {
	r.begin(200)
	return r.out.Write(p)
}

func (r *recorder) begin(status int) {
	r.once.Do(func() {
		r.status = status
		close(r.began)
	})
}
