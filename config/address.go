package config

import (
	"net/url"
	"strings"
)

// address says what is wrong with a base URL, and what to write; both "" when nothing is, or when there is none. It never
// shows what may be secret in it: user, password, and what stands behind a question mark.
func address(base string) (wrong, hint string) {
	base = strings.TrimSpace(base)
	if base == "" {
		return "", ""
	}
	u, err := url.Parse(base)
	open := `"` + withoutSecrets(base) + `"`
	switch {
	case !strings.Contains(base, "://"):
		return open + " is no address: http:// is missing", "write it as http://127.0.0.1:8000"
	case err != nil || u.Host == "":
		return open + " is no address", "write it as http://127.0.0.1:8000"
	case u.Scheme != "http" && u.Scheme != "https":
		return open + " is no address of http", "write it as http://127.0.0.1:8000"
	case u.RawQuery != "" || u.Fragment != "":
		return open + " goes on with a question mark or #, which is left out here", "write the root before /v1 only"
	}
	return "", ""
}

func withoutSecrets(base string) string {
	base, _, _ = strings.Cut(base, "#")
	base, _, _ = strings.Cut(base, "?")
	at := strings.LastIndexByte(base, '@')
	if at < 0 {
		return base
	}
	scheme, _, found := strings.Cut(base[:at], "://")
	if !found {
		return base[at+1:]
	}
	return scheme + "://" + base[at+1:]
}
