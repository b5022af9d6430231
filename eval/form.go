package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// form is how one JSON object of a file is read: strictly, so that nothing is taken for what nobody wrote.
type form[T any] struct {
	needs []string // names that must be there, and not null
	check func(T) error
}

// mostLine is the longest object that is read or written, bytes.
const mostLine = 16 << 20

var errLong = fmt.Errorf("the line is longer than %d MB", mostLine>>20)

// decode reads an object. Names that are not known, that come twice, and that are needed and missing are errors.
func (f form[T]) decode(data []byte) (T, error) {
	var v T
	if len(data) > mostLine {
		return v, errLong
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, inWords(err)
	}
	if _, more := d.Token(); more != io.EOF {
		return v, errors.New("there is more than one object on the line")
	}
	names, err := namesOf(data)
	if err != nil {
		return v, err
	}
	for _, n := range f.needs {
		if value, ok := names[n]; !ok || value == nil {
			return v, fmt.Errorf("%s is missing", n)
		}
	}
	return v, f.check(v)
}

// inWords says what is wrong without a word of how it is read.
func inWords(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return fmt.Errorf("%s is no object with names", wrong.Value)
		}
		return fmt.Errorf("%s: %s does not fit", inFile(wrong.Field), wrong.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// inFile is a field's path by the names in a file: those of embedded types, which alone begin with a capital, are not there.
func inFile(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "."), func(p string) bool { return p != "" && 'A' <= p[0] && p[0] <= 'Z' })
	return strings.Join(parts, ".")
}

// namesOf gives the names at the top of an object with what follows them (null is nil, an object or a list its first
// delimiter). A name that comes twice in one object, at any depth and in any case, is an error.
func namesOf(data []byte) (map[string]json.Token, error) {
	type level struct {
		seen map[string]bool // names in small letters; nil = a list
		name string          // whose value comes next; "" = a name does
	}
	top := map[string]json.Token{}
	var open []level
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		t, err := d.Token()
		if err != nil { // the end: it has been read before
			return top, nil
		}
		if t == json.Delim('}') || t == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if n := len(open); n > 0 && open[n-1].seen != nil {
			in := &open[n-1]
			if in.name == "" {
				in.name, _ = t.(string)
				small := strings.ToLower(in.name)
				if in.seen[small] {
					return nil, fmt.Errorf("%q stands there twice", in.name)
				}
				in.seen[small] = true
				in.name = "." + in.name // also of a name that is empty
				continue
			}
			if n == 1 {
				top[in.name[1:]] = t
			}
			in.name = ""
		}
		switch t {
		case json.Delim('{'):
			open = append(open, level{seen: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		}
	}
}
