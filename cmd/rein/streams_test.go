package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stuck is a stream that nobody reads, until it is let go.
type stuck struct {
	let chan struct{}
	buf bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.let
	return s.buf.Write(p)
}

func TestNobodyWaitsForAReaderThatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{let: make(chan struct{})}
		tell := newTeller(s)
		began := time.Now()
		for range keptLines + 11 {
			tell.say("line")
			synctest.Wait()
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("saying took %v", took)
		}
		<-tell.items // room for the mark
		tell.flush(errorsWait)
		tell.flush(errorsWait)
		tell.end()
		if took := time.Since(began); took != errorsWait {
			t.Errorf("the end took %v", took)
		}
		if err := writeWithin(&stuck{let: s.let}, []byte("x"), resultWait); !errors.Is(err, errUnread) {
			t.Errorf("got %v", err)
		}
		close(s.let)
		synctest.Wait()
	})
}

func TestLinesComeInOrderAndMissedOnesAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{let: make(chan struct{})}
		tell := newTeller(s)
		tell.say("first")
		synctest.Wait() // it is being written
		for range keptLines + 7 {
			tell.say("more")
		}
		close(s.let)
		synctest.Wait()
		tell.say("last")
		tell.end()
		got := s.buf.String()
		if !strings.HasPrefix(got, "first\n(7 lines are left out)\nmore\n") || !strings.HasSuffix(got, "more\nlast\n") {
			t.Errorf("got %.60q … %q", got, got[len(got)-20:])
		}
	})
}

func TestOutputRemembersItsFirstFailure(t *testing.T) {
	t.Parallel()
	_, w := io.Pipe()
	_ = w.CloseWithError(errors.New("unused"))
	o := &output{to: w}
	if o.failed() != nil {
		t.Error("nothing was written")
	}
	_, _ = o.Write([]byte("x")) // what failed is asked below
	if o.failed() == nil {
		t.Error("the failure is forgotten")
	}
}

func TestWantsJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		want bool
	}{
		{"run x", false}, {"run --json x", true}, {"run --bogus --json", true}, {"run --json=false", false}, {"run --json --json=0", false},
		{"run --json=maybe", true}, {"run -- --json", false}, {"run --jsonx", false},
	} {
		if got := wantsJSON(strings.Fields(tt.args)); got != tt.want {
			t.Errorf("%s: got %v", tt.args, got)
		}
	}
}
