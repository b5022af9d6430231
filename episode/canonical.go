package episode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// ignored says which fields differ between two runs that are the same: wall-clock times, and where the run was recorded.
func ignored(key string) bool {
	switch key {
	case "t", "latency_s", "wait_s", "wall_s", "run", "episode", "session", "continues_from":
		return true
	}
	return strings.HasSuffix(key, "path")
}

// Canonical is a line without the fields in which two runs of one seed in simulated time may differ (see the contract on
// robots), keys sorted: two such runs give the same bytes.
func Canonical(e Entry) ([]byte, error) {
	line, err := e.MarshalJSON()
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("canonical entry: %w", err)
	}
	return marshal(strip(v))
}

func strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if ignored(k) {
				delete(v, k)
				continue
			}
			v[k] = strip(x)
		}
	case []any:
		for i, x := range v {
			v[i] = strip(x)
		}
	}
	return v
}

// WriteCanonical writes the canonical lines of the episode in folder dir, for a comparison of two runs.
func WriteCanonical(w io.Writer, dir string) error {
	for e, err := range Read(dir) {
		if err != nil {
			return err
		}
		line, err := Canonical(e)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
