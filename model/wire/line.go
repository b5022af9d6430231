// Package wire holds what every wire to a model shares: the watch on a response that has gone quiet, the way of parts to
// their reader, and the reading of HTTP errors.
//
// Its one invariant: nothing waits without an end. A response without a byte, or a reply that does not go on, is given
// up with a model.Error of class DeadStream.
package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/rein-robotics/rein/model"
)

// drainWait is how long the end of the stream is waited for once the reply is complete: only its usage can be missing.
const drainWait = 5 * time.Second

// maxReply is how much of one reply is read, bytes: far more than a model says, and less than a machine can hold.
const maxReply = 16 << 20

// maxRefusal is how much of an error is read, bytes.
const maxRefusal = 64 << 10

// Line is one request in flight. One goroutine uses it: the one that reads the stream.
type Line struct {
	yield  func(model.Part, error) bool
	waits  model.Waits
	cancel context.CancelCauseFunc
	part   *time.Timer
	quiet  *time.Timer // runs during a Read only

	gone     bool // the reader has stopped
	events   int
	header   http.Header
	moved    int // status of an answer that points elsewhere; 0 = none did
	draining bool
	refused  *Answer // an answer that is an error
}

// Open starts the watch; the context given back ends when the stream is dead. The caller closes the line.
func Open(ctx context.Context, w model.Waits, yield func(model.Part, error) bool) (context.Context, *Line) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := &Line{yield: yield, waits: w.WithDefaults(), cancel: cancel}
	l.part = time.AfterFunc(l.waits.Part, func() {
		cancel(dead("nothing of the reply came for %s", l.waits.Part))
	})
	l.quiet = time.AfterFunc(l.waits.Byte, func() {
		cancel(dead("no byte came for %s", l.waits.Byte))
	})
	l.quiet.Stop()
	return ctx, l
}

func dead(format string, args ...any) *model.Error {
	return &model.Error{Class: model.DeadStream, Retryable: true, Msg: fmt.Sprintf(format, args...)}
}

// Close ends the watch and cancels what is left of the request.
func (l *Line) Close() {
	l.part.Stop()
	l.quiet.Stop()
	l.cancel(nil)
}

// Middleware watches the response. Its type is that of both SDKs.
func (l *Line) Middleware(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res == nil {
		return res, err
	}
	l.header = res.Header
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		l.moved = res.StatusCode
	}
	if res.Body != nil {
		res.Body = &watched{body: res.Body, line: l}
	}
	if res.StatusCode >= 400 {
		l.refuse(res)
	}
	return res, nil
}

// refuse keeps the answer, for an SDK does not give every kind of it.
func (l *Line) refuse(res *http.Response) {
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxRefusal)) // what can be read of it is better than nothing
	_ = res.Body.Close()                                        // read already
	res.Body = io.NopCloser(bytes.NewReader(body))
	l.refused = &Answer{Status: res.StatusCode, Header: res.Header, Body: string(body)}
}

// watched counts the time of each Read, and the bytes. That the reader of the parts takes its time between two does not
// count.
type watched struct {
	body io.ReadCloser
	line *Line
	read int
}

func (w *watched) Read(p []byte) (int, error) {
	w.line.quiet.Reset(w.line.quietWait())
	defer w.line.quiet.Stop()
	n, err := w.body.Read(p)
	if w.read += n; w.read > maxReply {
		endless := &model.Error{Class: model.Incompatible, Msg: fmt.Sprintf("the reply is longer than %d MB", maxReply>>20), Remedy: "look at what answers there"}
		w.line.cancel(endless)
		return 0, endless
	}
	return n, err
}

func (w *watched) Close() error { return w.body.Close() }

func (l *Line) quietWait() time.Duration {
	if l.draining {
		return min(drainWait, l.waits.Byte)
	}
	return l.waits.Byte
}

// Event says that the reply goes on. Pings are none.
func (l *Line) Event() {
	l.events++
	l.part.Reset(l.waits.Part)
}

// Drain says that the reply is complete: what may still come is not waited for long.
func (l *Line) Drain() {
	l.draining = true
	l.part.Reset(drainWait)
}

// Put hands one part to the reader; false means that it has stopped. The watch holds still meanwhile.
func (l *Line) Put(p model.Part) bool {
	if l.gone {
		return false
	}
	l.part.Stop()
	l.gone = !l.yield(p, nil)
	l.part.Reset(l.waits.Part)
	return !l.gone
}

// Fail hands an error to the reader.
func (l *Line) Fail(err error) {
	if !l.gone {
		l.gone = true
		l.yield(nil, err)
	}
}

// Moved is the error of an answer that points elsewhere; nil when it does not.
func (l *Line) Moved() error {
	if l.moved == 0 {
		return nil
	}
	return &model.Error{
		Class: model.Incompatible, Msg: fmt.Sprintf("the server answered with a redirect (%d) to %.200q", l.moved, l.header.Get("Location")),
		Remedy: "a key is sent to base_url only; when that place is the right one, write its root there",
	}
}

// Cut is the error of a stream that ended without saying that the reply is complete.
func (l *Line) Cut(ctx context.Context) error {
	if ctx.Err() != nil { // it ended because nobody wanted it any more
		return context.Cause(ctx)
	}
	if err := l.Moved(); err != nil && l.events == 0 {
		return err
	}
	media, _, err := mime.ParseMediaType(l.header.Get("Content-Type"))
	if l.events == 0 && err == nil && media != "text/event-stream" {
		return &model.Error{
			Class: model.Incompatible, Msg: "the server answered with " + media + " and not with a stream of events",
			Remedy: "check base_url, and that the server can stream",
		}
	}
	return dead("the stream ended before the reply was complete")
}
