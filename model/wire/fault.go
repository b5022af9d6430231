package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/rein-robotics/rein/model"
)

// Answer is an HTTP answer that is an error.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// fault reads it: the vendors and their imitators put the error into "error", or at the top.
func (a Answer) fault(e model.Endpoint) model.Fault {
	f := model.Fault{Status: a.Status, KeyEnv: e.KeyEnv, Model: e.Model, Msg: a.Body}
	f.Retry, f.RetryAfter = model.ShouldRetry(a.Header.Get), model.RetryAfter(a.Header.Get, time.Now())
	read(json.RawMessage(a.Body), &f)
	if f.Msg == a.Body && len(a.Body) > 0 && a.Body[0] == '<' {
		f.Msg = http.StatusText(a.Status)
	}
	return f
}

// read finds type, code and message in what a server calls an error: an object, an object in "error", or a text.
func read(raw json.RawMessage, f *model.Fault) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		f.Msg = text
		return
	}
	var o struct {
		Error   json.RawMessage `json:"error"`
		Type    string          `json:"type"`
		Code    any             `json:"code"`
		Message string          `json:"message"`
		Detail  any             `json:"detail"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return
	}
	if len(o.Error) > 0 && string(o.Error) != "null" {
		read(o.Error, f)
		return
	}
	f.Type = o.Type
	switch code := o.Code.(type) {
	case string:
		f.Code = code
	case float64:
		if f.Status == 0 && code >= 400 && code < 600 {
			f.Status = int(code)
		}
	}
	switch {
	case o.Message != "":
		f.Msg = o.Message
	case o.Detail != nil:
		f.Msg = fmt.Sprint(o.Detail)
	}
}

// InStream is the error that a server put into its stream.
func InStream(raw string, e model.Endpoint) *model.Error {
	f := model.Fault{KeyEnv: e.KeyEnv, Model: e.Model, Msg: raw}
	read(json.RawMessage(raw), &f)
	return model.Classify(f)
}

// Broken is what went wrong outside the events: the caller's own cancel, a watch that ran out, an answer that is an
// error, a connection, an event that cannot be read.
func (l *Line) Broken(ctx context.Context, e model.Endpoint, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case l.refused != nil:
		return model.Classify(l.refused.fault(e))
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || l.events > 0 || l.header != nil {
		return dead("the stream broke: %s", plain(err))
	}
	return &model.Error{
		Class: model.Connection, Retryable: true, Msg: plain(err),
		Remedy: "check the network, base_url and that the server runs",
	}
}

// plain leaves out the address, which may carry a password.
func plain(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	return err.Error()
}
