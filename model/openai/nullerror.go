package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// stripNullErrors takes `"error": null` out of the events of servers that send it with each: the SDK would end the
// stream there with an error that says nothing.
func stripNullErrors(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res == nil || res.Body == nil || res.StatusCode >= 400 {
		return res, err
	}
	res.Body = &stripped{body: res.Body, lines: bufio.NewReaderSize(res.Body, 32<<10)}
	return res, nil
}

// stripped gives a stream line by line.
type stripped struct {
	body  io.Closer
	lines *bufio.Reader
	rest  []byte
	err   error
	// within says that the line before was too long and has not ended.
	within bool
}

func (s *stripped) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.rest = s.next()
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// maxLine is how long a line may be to be looked into, bytes; a longer one goes on as it comes.
const maxLine = 4 << 20

// next is the next line, or a piece of one that is too long.
func (s *stripped) next() []byte {
	var line []byte
	for {
		piece, err := s.lines.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case err == nil && !s.within:
			return withoutNullError(line)
		case err == nil:
			s.within = false
			return line
		case err != bufio.ErrBufferFull:
			s.err = err
			return line
		case s.within || len(line) > maxLine:
			s.within = true
			return line
		}
	}
}

func (s *stripped) Close() error { return s.body.Close() }

func withoutNullError(line []byte) []byte {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok || !bytes.Contains(data, []byte(`"error"`)) {
		return line
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil || string(members["error"]) != "null" {
		return line
	}
	delete(members, "error")
	out, err := json.Marshal(members)
	if err != nil { // its members were JSON
		return line
	}
	return append(append([]byte("data: "), out...), '\n')
}
