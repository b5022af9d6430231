package openai

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/openai/openai-go/v3/packages/respjson"

	"github.com/rein-robotics/rein/model"
)

// extra is what a server sent beside the text and the calls of a chat reply, as an opaque block holds it.
type extra struct {
	At      string                     `json:"at"` // where it stood
	Members map[string]json.RawMessage `json:"members"`
}

// The places.
const (
	atMessage = "message"
	atCall    = "call" // beside the next call
)

func asExtra(raw json.RawMessage) extra {
	var e extra
	if json.Unmarshal(raw, &e) != nil { // not written here: it stays out
		return extra{}
	}
	return e
}

// opaque is members as a part; none are no part.
func opaque(at string, members map[string]json.RawMessage) []model.Part {
	if len(members) == 0 {
		return nil
	}
	raw, err := json.Marshal(extra{At: at, Members: members})
	if err != nil { // they came as JSON
		panic("openai: " + err.Error())
	}
	return []model.Part{model.Opaque{Provider: ChatName, Raw: raw}}
}

// unknown are the members of a streamed object that the wire does not have.
func unknown(fields map[string]respjson.Field) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		if raw := fields[k].Raw(); raw != "" && raw != "null" {
			out[k] = json.RawMessage(raw)
		}
	}
	return out
}

// merge adds what came later: texts and lists are continued, anything else is replaced.
func merge(into, more map[string]json.RawMessage) {
	for k, m := range more {
		into[k] = join(into[k], m)
	}
}

func join(a, b json.RawMessage) json.RawMessage {
	var s, t string
	if json.Unmarshal(a, &s) == nil && json.Unmarshal(b, &t) == nil {
		if raw, err := json.Marshal(s + t); err == nil {
			return raw
		}
	}
	var l, m []json.RawMessage
	if json.Unmarshal(a, &l) == nil && json.Unmarshal(b, &m) == nil {
		if raw, err := json.Marshal(append(l, m...)); err == nil {
			return raw
		}
	}
	return b
}
