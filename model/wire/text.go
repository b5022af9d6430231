package wire

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/rein-robotics/rein/model"
)

// Blank says that a text has nothing to read: no wire takes it as a block of its own.
func Blank(s string) bool { return strings.TrimSpace(s) == "" }

// DataURL is an image as an address.
func DataURL(i *model.ImageBlock) string { return "data:" + i.Media + ";base64," + Base64(i) }

// Base64 is an image's bytes as text.
func Base64(i *model.ImageBlock) string { return base64.StdEncoding.EncodeToString(i.Data) }

// Object says that args are one JSON object.
func Object(args string) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal([]byte(args), &o) == nil && o != nil
}

// longestName is what every vendor takes, bytes.
const longestName = 64

// CallName is the name of a call as it goes back. Models invent names, and call "functions.observe"; one with a dot in the
// history has every later request refused, so each rune that no vendor takes becomes an underscore.
func CallName(name string) string {
	out := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if out == "" {
		return "_"
	}
	return out[:min(len(out), longestName)]
}

// Args are the arguments of a call as they came; none are {}.
func Args(s string) json.RawMessage {
	if Blank(s) {
		return json.RawMessage("{}")
	}
	return json.RawMessage(s)
}
