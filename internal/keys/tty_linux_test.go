package keys_test

import (
	"fmt"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/rein-robotics/rein/internal/keys"
)

// tty is a terminal: what is written to person is typed on tty.
func tty(t *testing.T) (person, tty *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return person, tty
}

func state(t *testing.T, tty *os.File) unix.Termios {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *s
}

// On a terminal each key acts without Enter; arrows and Delete are no digits; Ctrl-D is the end; afterwards the terminal is
// as it was.
func TestKeysOfATerminalActAtOnce(t *testing.T) {
	person, tty := tty(t)
	before := state(t, tty)
	r, err := keys.Open(tty)
	if err != nil {
		t.Fatal(err)
	}
	if now := state(t, tty); now.Lflag&(unix.ICANON|unix.ECHO) != 0 || now.Lflag&unix.ISIG == 0 {
		t.Errorf("modes are %x, want no lines, no echo, and signals", now.Lflag)
	}
	for _, typed := range []struct {
		text string
		want rune
	}{{"1", '1'}, {"ä", 'ä'}, {"\x1b[3~\x1b[A\x1bOP2", '2'}, {"\x1bs3", '3'}} {
		if _, err := person.WriteString(typed.text); err != nil {
			t.Fatal(err)
		}
		if key, err := r.Next(t.Context()); err != nil || key != typed.want {
			t.Errorf("%q: got %q, %v, want %q", typed.text, key, err, typed.want)
		}
	}
	if _, err := person.Write([]byte{4}); err != nil {
		t.Fatal(err)
	}
	if key, err := r.Next(t.Context()); err != io.EOF {
		t.Errorf("Ctrl-D: got %q, %v", key, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if after := state(t, tty); after != before {
		t.Errorf("the terminal is left as %+v, was %+v", after, before)
	}
}
