package episode

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/rein-robotics/rein/model"
)

// hasImage says whether a file of that name was saved in this session, and whether it has these contents.
func (l *Log) hasImage(name, sha string) (there, same bool) {
	l.mu.Lock()
	dir, ok := l.images[name]
	l.mu.Unlock()
	if !ok {
		return false, false
	}
	s, err := sumFile(filepath.Join(dir, "logs", filepath.FromSlash(name)), -1)
	return true, err == nil && s.SHA256 == sha
}

// logParts is the reply for the file.
func logParts(parts []model.Part) []part {
	out := make([]part, 0, len(parts))
	for _, p := range parts {
		switch p := p.(type) {
		case model.Text:
			out = append(out, part{Type: "text", Text: p.Text})
		case model.Call:
			lp := part{Type: "call", ID: p.ID, Name: p.Name, Args: p.Args}
			if !json.Valid(p.Args) {
				lp.Args, lp.ArgsText = nil, string(p.Args)
			}
			out = append(out, lp)
		case model.Opaque:
			out = append(out, part{Type: "opaque", Provider: p.Provider, Raw: p.Raw})
		case model.Rationale:
			out = append(out, part{Type: "rationale", Text: p.Text})
		case model.Withdrawn:
			out = append(out, part{Type: "withdrawn", Text: p.Why})
		case model.Usage:
			out = append(out, part{Type: "usage", Usage: &p})
		case model.End:
			out = append(out, part{Type: "end", Reason: string(p.Reason)})
		}
	}
	return out
}

func (p part) model() (model.Part, error) {
	switch p.Type {
	case "text":
		return model.Text{Text: p.Text}, nil
	case "call":
		args := p.Args
		if args == nil {
			args = json.RawMessage(p.ArgsText)
		}
		return model.Call{ID: p.ID, Name: p.Name, Args: args}, nil
	case "opaque":
		return model.Opaque{Provider: p.Provider, Raw: p.Raw}, nil
	case "rationale":
		return model.Rationale{Text: p.Text}, nil
	case "withdrawn":
		return model.Withdrawn{Why: p.Text}, nil
	case "usage":
		if p.Usage == nil {
			return nil, errors.New("usage without numbers")
		}
		return *p.Usage, nil
	case "end":
		return model.End{Reason: model.StopReason(p.Reason)}, nil
	}
	return nil, fmt.Errorf("unknown part %q", p.Type)
}

// ReadTurn rebuilds a planner call of the episode in folder dir: the whole request, images included, and the reply. name is
// "turns/0001.json". The request is proved by its hash; an error that wraps ErrHash says that it is not the one that was
// sent (a key in it was replaced, or a file was altered).
func ReadTurn(dir, name string) (Turn, error) {
	return readTurn(dir, name, map[string]bool{})
}

// ErrHash is a rebuilt request whose hash is not the recorded one.
var ErrHash = errors.New("the request's hash is not the recorded one")

func readTurn(dir, name string, seen map[string]bool) (Turn, error) {
	t, want, err := rebuild(dir, name, seen)
	if err != nil {
		return Turn{}, fmt.Errorf("reading %s: %w", name, err)
	}
	got, err := RequestHash(t.Request)
	if err != nil {
		return Turn{}, fmt.Errorf("reading %s: %w", name, err)
	}
	if got != want {
		return t, fmt.Errorf("reading %s: %w", name, ErrHash)
	}
	return t, nil
}

var (
	turnPattern     = regexp.MustCompile(`^turns/[0-9]{4,}\.json$`)
	previousPattern = regexp.MustCompile(`^([A-Za-z0-9_-]+)/([0-9]{6,})/(turns/[0-9]{4,}\.json)$`)
)

// rebuild follows the chain of turns back to the beginning of the segment.
func rebuild(dir, name string, seen map[string]bool) (Turn, string, error) {
	file, err := loadTurn(dir, name)
	if err != nil {
		return Turn{}, "", err
	}
	if at := filepath.Join(dir, name); seen[at] {
		return Turn{}, "", errors.New("turns that name each other as previous")
	} else {
		seen[at] = true
	}
	var t Turn
	if file.Previous != "" && (file.Kept > 0 || file.System == nil || file.Tools == nil) {
		before, beforeDir, err := previous(dir, file.Previous)
		if err != nil {
			return Turn{}, "", err
		}
		if t, _, err = rebuild(beforeDir, before, seen); err != nil {
			return Turn{}, "", err
		}
	}
	if file.Kept > len(t.Request.Messages) || file.Kept < 0 {
		return Turn{}, "", fmt.Errorf("%d messages of the turn before are wanted, and it has %d", file.Kept, len(t.Request.Messages))
	}
	t.Request.Messages = t.Request.Messages[:file.Kept:file.Kept]
	t.Thread, t.Err, t.Response = file.Thread, file.Error, nil
	return t, file.RequestSHA256, file.into(dir, &t)
}

// into adds what the file holds to the turn before.
func (file *turnFile) into(dir string, t *Turn) error {
	if file.System != nil {
		t.Request.System = *file.System
	}
	if file.Tools != nil {
		t.Request.Tools = nil
		if err := json.Unmarshal(file.Tools, &t.Request.Tools); err != nil {
			return fmt.Errorf("tools: %w", err)
		}
	}
	for _, m := range file.Messages {
		mm, err := m.model(dir)
		if err != nil {
			return err
		}
		t.Request.Messages = append(t.Request.Messages, mm)
	}
	for _, p := range file.Response {
		mp, err := p.model()
		if err != nil {
			return err
		}
		t.Response = append(t.Response, mp)
	}
	return nil
}

func loadTurn(dir, name string) (*turnFile, error) {
	if !turnPattern.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a turn", name)
	}
	data, err := os.ReadFile(filepath.Join(dir, "logs", filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	var file turnFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	return &file, nil
}

// previous finds the turn that another names: in the same episode, or in another one of the recordings.
func previous(dir, ref string) (name, inDir string, err error) {
	if m := previousPattern.FindStringSubmatch(ref); m != nil {
		side := filepath.Dir(filepath.Dir(filepath.Dir(dir)))
		return m[3], filepath.Join(side, m[1], "episodes", m[2]), nil
	}
	if !turnPattern.MatchString(ref) {
		return "", "", fmt.Errorf("%q is no name of a turn", ref)
	}
	return ref, dir, nil
}

// model is the message with its images read from the episode.
func (m message) model(dir string) (model.Message, error) {
	out := model.Message{Role: m.Role, Blocks: make([]model.Block, len(m.Blocks))}
	for i, b := range m.Blocks {
		mb := model.Block{Text: b.Text, Call: b.Call, Opaque: b.Opaque}
		if b.Image != nil {
			img, err := b.Image.model(dir)
			if err != nil {
				return out, err
			}
			mb.Image = &img
		}
		if b.Result != nil {
			mb.Result = &model.ResultBlock{CallID: b.Result.CallID, IsError: b.Result.IsError, JSON: b.Result.JSON}
			for _, ref := range b.Result.Images {
				img, err := ref.model(dir)
				if err != nil {
					return out, err
				}
				mb.Result.Images = append(mb.Result.Images, img)
			}
		}
		out.Blocks[i] = mb
	}
	return out, nil
}

func (r imageRef) model(dir string) (model.ImageBlock, error) {
	if !imagePattern.MatchString(r.File) {
		return model.ImageBlock{}, fmt.Errorf("%q is no name of an image", r.File)
	}
	data, err := os.ReadFile(filepath.Join(dir, "logs", filepath.FromSlash(r.File)))
	return model.ImageBlock{ID: r.ID, Media: r.Media, Data: data}, err
}
