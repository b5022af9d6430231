package episode

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// redactor replaces keys in encoded JSON.
type redactor struct {
	secrets [][]byte // as they look inside a JSON string
	shapes  *regexp.Regexp
}

const redacted = "[redacted]"

// shortestSecret keeps a key that is set to a word such as "x" from eating the log.
const shortestSecret = 6

func newRedactor(secrets []string) *redactor {
	r := &redactor{shapes: regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{16,}|Bearer [A-Za-z0-9._~+/-]{16,}=*)`)}
	for _, s := range secrets {
		if len(s) < shortestSecret {
			continue
		}
		quoted, err := marshal(s)
		if err != nil {
			continue
		}
		r.secrets = append(r.secrets, quoted[1:len(quoted)-1])
		if std, err := json.Marshal(s); err == nil && !bytes.Equal(std, quoted) {
			r.secrets = append(r.secrets, std[1:len(std)-1])
		}
	}
	return r
}

// bytes is data without keys; data itself is left as it is.
func (r *redactor) bytes(data []byte) []byte {
	for _, s := range r.secrets {
		data = bytes.ReplaceAll(data, s, []byte(redacted))
	}
	if bytes.Contains(data, []byte("sk-")) || bytes.Contains(data, []byte("Bearer ")) {
		data = r.shapes.ReplaceAll(data, []byte(redacted))
	}
	return data
}
