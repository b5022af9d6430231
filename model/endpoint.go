package model

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Waits are when a stream counts as dead.
type Waits struct {
	Byte time.Duration // without a byte of the reply; 0 = DefaultByteWait
	Part time.Duration // without a sign of the reply going on, pings aside; 0 = DefaultPartWait
}

// Defaults of Waits.
const (
	DefaultByteWait = 60 * time.Second
	DefaultPartWait = 180 * time.Second
)

// WithDefaults fills in what is zero.
func (w Waits) WithDefaults() Waits {
	if w.Byte <= 0 {
		w.Byte = DefaultByteWait
	}
	if w.Part <= 0 {
		w.Part = DefaultPartWait
	}
	return w
}

// Faults of an endpoint's settings.
var (
	ErrNoKey  = errors.New("the key is missing")
	ErrBadKey = errors.New("the key is malformed")
)

// Key trims a key and checks it. env is the variable that it came from: an error names it, and never the key. Without
// a base URL of one's own a key is needed.
func Key(env, value, baseURL string) (string, error) {
	key := strings.TrimSpace(value)
	if key == "" && baseURL == "" {
		return "", fmt.Errorf("%w: put it into the environment variable %s", ErrNoKey, env)
	}
	for _, r := range key {
		switch {
		case r == '"' || r == '\'' || r == '`':
			return "", fmt.Errorf("%w: %s holds a quotation mark; write the key without", ErrBadKey, env)
		case r < 0x21 || r > 0x7e:
			return "", fmt.Errorf("%w: %s holds a space, a control character or one that is not ASCII", ErrBadKey, env)
		}
	}
	return key, nil
}

// Root is the root of a base URL, before /v1 and without a slash at its end. "" stays "".
func Root(base string) (string, error) {
	base = strings.TrimSpace(base)
	if base == "" {
		return "", nil
	}
	u, err := url.Parse(base)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return "", fmt.Errorf("base_url %q is no address; write it as http://127.0.0.1:8000", shown(base))
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("base_url %q holds a query; write the root before /v1 only", shown(base))
	}
	root := strings.TrimRight(base, "/")
	root = strings.TrimSuffix(root, "/v1")
	return strings.TrimRight(root, "/"), nil
}

// shown is an address without what may be secret in it: user and password, and what stands behind a question mark.
func shown(s string) string {
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		scheme, _, found := strings.Cut(s[:i], "://")
		if !found {
			return s[i+1:]
		}
		return scheme + "://" + s[i+1:]
	}
	return s
}

// Versioned is the base URL that a wire with its version in the path is under: the root and /v1. A path that names
// another version ("/v1beta/openai", "/api/v3") is taken as it is. "" stays "".
func Versioned(base string) (string, error) {
	root, err := Root(base)
	if err != nil || root == "" {
		return "", err
	}
	u, err := url.Parse(root)
	if err != nil {
		return "", err
	}
	for seg := range strings.SplitSeq(u.Path, "/") {
		if len(seg) > 1 && seg[0] == 'v' && seg[1] >= '0' && seg[1] <= '9' {
			return root, nil
		}
	}
	return root + "/v1", nil
}
