package episode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// Entry is one line of a log: an event and when it happened. It is immutable.
type Entry struct {
	T   time.Time // wall clock, UTC, microseconds
	Seq uint64    // grows by one with every event of a Log, also across its episodes
	// Sim is the robot clock of a simulated robot; Simulated false means that the line has none.
	Sim       time.Duration
	Simulated bool
	Event     Event
}

// Tag is the event's run and generation.
func (e Entry) Tag() Tag {
	if e.Event == nil {
		return Tag{}
	}
	return e.Event.tag()
}

const timeLayout = "2006-01-02T15:04:05.000000Z07:00"

// head is the envelope in the order of the line.
type head struct {
	T    string   `json:"t"`
	Seq  uint64   `json:"seq"`
	SimS *float64 `json:"sim_s,omitempty"`
	Kind string   `json:"kind"`
}

// MarshalJSON is the line without its newline. An event with a number that is not finite is an error.
func (e Entry) MarshalJSON() ([]byte, error) {
	if e.Event == nil {
		return nil, errors.New("encoding entry: no event")
	}
	if u, ok := e.Event.(Unknown); ok {
		return u.Raw, nil
	}
	h := head{T: e.T.UTC().Format(timeLayout), Seq: e.Seq, Kind: e.Event.Kind()}
	if e.Simulated {
		s := e.Sim.Seconds()
		h.SimS = &s
	}
	line, err := marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", h.Kind, err)
	}
	body, err := marshal(e.Event)
	if err != nil {
		if body, err = marshal(mend(e.Event)); err != nil {
			return nil, fmt.Errorf("encoding %s: %w", h.Kind, err)
		}
	}
	if len(body) == len("{}") {
		return line, nil
	}
	line[len(line)-1] = ','
	return append(line, body[1:]...), nil
}

// UnmarshalJSON reads one line. A kind that this version does not know becomes an Unknown.
func (e *Entry) UnmarshalJSON(line []byte) error {
	var h struct {
		T    string   `json:"t"`
		Seq  *uint64  `json:"seq"`
		SimS *float64 `json:"sim_s"`
		Kind string   `json:"kind"`
		Tag
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("reading event: %w", err)
	}
	if h.Kind == "" || h.Seq == nil {
		return errors.New("reading event: kind or seq is missing")
	}
	t, err := time.Parse(time.RFC3339Nano, h.T)
	if err != nil {
		return fmt.Errorf("reading event %d: time: %w", *h.Seq, err)
	}
	out := Entry{T: t.UTC(), Seq: *h.Seq}
	if h.SimS != nil {
		out.Simulated, out.Sim = true, time.Duration(math.Round(*h.SimS*1e9))
	}
	out.Event = Unknown{Tag: h.Tag, Name: h.Kind, Raw: bytes.Clone(line)}
	if dec := decoder(h.Kind); dec != nil {
		if out.Event, err = dec(line); err != nil {
			return fmt.Errorf("reading event %d: %s: %w", *h.Seq, h.Kind, err)
		}
	}
	*e = out
	return nil
}

// marshal writes v as people read it: <, > and & stay as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// mend is a copy of a value in which raw JSON that is none (a model may send anything) has become a JSON string.
func mend(x any) any {
	v := reflect.New(reflect.TypeOf(x)).Elem()
	v.Set(reflect.ValueOf(x))
	mendValue(v)
	return v.Interface()
}

var rawType = reflect.TypeFor[json.RawMessage]()

func mendValue(v reflect.Value) {
	switch {
	case v.Type() == rawType:
		raw := v.Bytes()
		if len(raw) == 0 {
			v.SetZero()
		} else if !json.Valid(raw) {
			quoted, _ := json.Marshal(strings.ToValidUTF8(string(raw), "\uFFFD")) // a string always encodes
			v.SetBytes(quoted)
		}
	case v.Kind() == reflect.Struct:
		for _, f := range v.Fields() {
			if f.CanSet() {
				mendValue(f)
			}
		}
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			mendValue(c.Elem())
			v.Set(c)
		}
	case v.Kind() == reflect.Slice:
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		for i := range c.Len() {
			mendValue(c.Index(i))
		}
		if !v.IsNil() {
			v.Set(c)
		}
	}
}
