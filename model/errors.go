package model

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Class is what went wrong with a request, in the words of the log.
type Class string

// The classes.
const (
	Overloaded   Class = "overloaded"
	RateLimit    Class = "rate_limit"
	ServerFault  Class = "server_fault"
	Timeout      Class = "timeout"
	Connection   Class = "connection"
	DeadStream   Class = "dead_stream" // it stopped before the reply was complete
	Auth         Class = "auth"
	Quota        Class = "quota" // money or a quota that waiting does not bring back
	NotFound     Class = "model_not_found"
	BadRequest   Class = "bad_request"
	TooLarge     Class = "too_large" // more than the model or the server takes: a shorter conversation helps
	Refused      Class = "refused"   // the provider's policy refuses the request
	Incompatible Class = "incompatible_server"
)

// Error is a request that brought no complete reply.
type Error struct {
	Class      Class
	Status     int // of HTTP; 0 = none, or a stream that had begun
	Retryable  bool
	RetryAfter time.Duration // the server's wish; 0 = none
	Msg        string        // what the server said, in short; never a key
	Remedy     string        // what a person can do
}

// Error gives the cause and the remedy.
func (e *Error) Error() string {
	if e.Remedy == "" {
		return e.Cause()
	}
	return e.Cause() + "; " + e.Remedy
}

// Cause gives the class, the status and what the server said.
func (e *Error) Cause() string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(string(e.Class), "_", " "))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	if e.Msg != "" {
		b.WriteString(": " + e.Msg)
	}
	return b.String()
}

// ClassOf is the class of an error; "" when it is none of a model.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// Fault is what a wire says of a failed request.
type Fault struct {
	Status int    // of HTTP; 0 = the error came inside a stream
	Type   string // the vendor's type of the error
	Code   string // the vendor's code
	Msg    string
	// Retry is x-should-retry: nil = the server did not say.
	Retry      *bool
	RetryAfter time.Duration
	KeyEnv     string // the variable of the key, for the remedy
	Model      string
}

// Classify turns what a wire says into an Error.
func Classify(f Fault) *Error {
	e := &Error{Class: class(f), Status: f.Status, RetryAfter: f.RetryAfter, Msg: short(f.Msg)}
	if e.Msg == "" {
		e.Msg = strings.TrimSpace(f.Type + " " + f.Code)
	}
	switch e.Class {
	case Overloaded, RateLimit, ServerFault, Timeout, Connection, DeadStream:
		e.Retryable = true
	}
	if f.Retry != nil && e.Class != Quota {
		e.Retryable = *f.Retry
	}
	e.Remedy = remedy(e.Class, f)
	return e
}

func class(f Fault) Class {
	if c := classByName(f.Type + " " + f.Code); c != "" {
		if c == BadRequest {
			return classByText(f)
		}
		return c
	}
	switch {
	case f.Status == 401 || f.Status == 403:
		return Auth
	case f.Status == 402:
		return Quota
	case f.Status == 404:
		return NotFound
	case f.Status == 408:
		return Timeout
	case f.Status == 409:
		return ServerFault
	case f.Status == 413:
		return TooLarge
	case f.Status == 429:
		return RateLimit
	case f.Status == 529 || f.Status == 503:
		return Overloaded
	case f.Status >= 500:
		return ServerFault
	case f.Status >= 400:
		return classByText(f)
	}
	return ServerFault
}

// classByName reads the vendors' types and codes.
func classByName(name string) Class {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(name, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("insufficient_quota", "billing", "credit"):
		return Quota
	case has("context_length_exceeded", "request_too_large", "string_above_max_length"):
		return TooLarge
	case has("overloaded", "server_is_overloaded", "engine_overloaded", "slow_down"):
		return Overloaded
	case has("rate_limit", "too_many_requests", "tokens_per_min"):
		return RateLimit
	case has("timeout"):
		return Timeout
	case has("authentication", "permission", "invalid_api_key"):
		return Auth
	case has("content_policy", "content_filter", "refusal"):
		return Refused
	case has("not_found"):
		return NotFound
	case has("api_error", "server_error", "internal_error", "internal_server"):
		return ServerFault
	case has("invalid_request", "invalid_prompt", "invalid_image", "BadRequest", "unsupported"):
		return BadRequest
	}
	return ""
}

// classByText tells the requests that are too large, and the accounts without money, from those that are wrong in
// another way: some vendors give both as the same plain 400.
func classByText(f Fault) Class {
	msg := strings.ToLower(f.Msg)
	for _, w := range []string{"prompt is too long", "context length", "context window", "maximum context", "too many images", "request too large", "exceeds the limit", "exceed context"} {
		if strings.Contains(msg, w) {
			return TooLarge
		}
	}
	for _, w := range []string{"credit balance", "insufficient_quota", "billing"} {
		if strings.Contains(msg, w) {
			return Quota
		}
	}
	if f.Status == 413 {
		return TooLarge
	}
	return BadRequest
}

func remedy(c Class, f Fault) string {
	key := "check the key"
	if f.KeyEnv != "" {
		key = "check the key in " + f.KeyEnv
	}
	switch c {
	case Auth:
		return key
	case Quota:
		return "check the account's plan and credit"
	case NotFound:
		return fmt.Sprintf("check the model's name (%s) and base_url", f.Model)
	case RateLimit, Overloaded, ServerFault, Timeout, Connection:
		return "it may pass: send a message to go on"
	case TooLarge:
		return "lower max_images_in_context, or /reset"
	case Refused:
		return "say the task in other words, or choose another model"
	case BadRequest:
		return "check its settings and what this model takes"
	}
	return ""
}

// short keeps the first 400 characters of what a server said, on one line.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 400 {
		return string(r[:400]) + "…"
	}
	return s
}
