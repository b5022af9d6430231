package episode

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// Redactor replaces keys wherever they would be written or shown. nil knows only what keys usually look like. It is not
// changed after NewRedactor: all methods may be called from any goroutine.
type Redactor struct {
	secrets []string
	quoted  [][]byte // the same as they look inside a JSON string
}

const redacted = "[redacted]"

// shortestSecret keeps a key that is set to a word such as "x" from eating the log.
const shortestSecret = 6

var keyShapes = regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{16,}|Bearer [A-Za-z0-9._~+/-]{16,}=*)`)

// NewRedactor replaces these values of keys and what looks like a key. Values of fewer than six characters are left.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, s := range secrets {
		if len(s) < shortestSecret {
			continue
		}
		quoted, err := marshal(s)
		if err != nil {
			continue
		}
		r.secrets = append(r.secrets, s)
		r.quoted = append(r.quoted, quoted[1:len(quoted)-1])
		if std, err := json.Marshal(s); err == nil && !bytes.Equal(std, quoted) {
			r.quoted = append(r.quoted, std[1:len(std)-1])
		}
	}
	return r
}

// Text is text without keys.
func (r *Redactor) Text(text string) string {
	if r != nil {
		for _, s := range r.secrets {
			text = strings.ReplaceAll(text, s, redacted)
		}
	}
	if strings.Contains(text, "sk-") || strings.Contains(text, "Bearer ") {
		text = keyShapes.ReplaceAllString(text, redacted)
	}
	return text
}

// Event is e without keys; e itself when it holds none.
func (r *Redactor) Event(e Event) Event {
	line, err := Entry{Event: e}.MarshalJSON()
	if err != nil {
		return e // whoever writes it tells that it cannot be encoded
	}
	clean := r.bytes(line)
	if bytes.Equal(clean, line) {
		return e
	}
	var out Entry
	if err := out.UnmarshalJSON(clean); err != nil {
		return Unknown{Tag: e.tag(), Name: e.Kind(), Raw: clean}
	}
	return out.Event
}

// bytes is encoded JSON without keys; data itself is left as it is.
func (r *Redactor) bytes(data []byte) []byte {
	if r != nil {
		for _, s := range r.quoted {
			data = bytes.ReplaceAll(data, s, []byte(redacted))
		}
	}
	if bytes.Contains(data, []byte("sk-")) || bytes.Contains(data, []byte("Bearer ")) {
		data = keyShapes.ReplaceAll(data, []byte(redacted))
	}
	return data
}
