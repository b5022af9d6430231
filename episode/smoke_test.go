package episode_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rein-robotics/rein/episode"
)

func TestSmoke(t *testing.T) {
	l, err := episode.Open(t.TempDir(), episode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Begin(episode.Meta{Task: "x"}); err != nil {
		t.Fatal(err)
	}
	l.Post(episode.ActionStarted{Action: "a1", Args: []byte("{bad")})
	if err := l.Append(episode.ActionEnded{Action: "a1"}); err != nil {
		t.Fatal(err)
	}
	if err := l.Seal(episode.Verdicts{Status: "succeeded"}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for e, err := range l.From(context.Background(), 0) {
		fmt.Println(e.Seq, err)
	}
	for e, err := range episode.Read(l.EpisodeDir()) {
		b, _ := e.MarshalJSON()
		fmt.Println(string(b), err)
	}
}
