package episode

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/rein-robotics/rein/model"
)

// Turn is one planner call: the whole request, and what came back, also of a reply that was cut.
type Turn struct {
	Thread   string // "" = the planner; a sub-agent's name keeps its calls apart
	Request  model.Request
	Response []model.Part
	Err      string // why the reply is not whole; "" = it is
}

// turnFile is turns/NNNN.json. A request is the first Kept messages of the request of Previous and then Messages; System
// and Tools are there when they are not those of Previous.
type turnFile struct {
	Turn          string          `json:"turn"`
	Thread        string          `json:"thread,omitempty"`
	Previous      string          `json:"previous,omitempty"` // "turns/0003.json", or "<session>/<episode>/turns/0003.json"
	Kept          int             `json:"kept"`
	System        *string         `json:"system,omitempty"`
	Tools         json.RawMessage `json:"tools,omitempty"`
	Messages      []message       `json:"messages"`
	RequestSHA256 string          `json:"request_sha256"`
	Response      []part          `json:"response"`
	Error         string          `json:"error,omitempty"`
}

// message, block and result are those of package model with images by file.
type message struct {
	Role   model.Role `json:"role"`
	Blocks []block    `json:"blocks"`
}

type block struct {
	Text   *model.TextBlock   `json:"text,omitempty"`
	Image  *imageRef          `json:"image,omitempty"`
	Call   *model.CallBlock   `json:"call,omitempty"`
	Result *result            `json:"result,omitempty"`
	Opaque *model.OpaqueBlock `json:"opaque,omitempty"`
}

type result struct {
	CallID  string          `json:"call_id"`
	IsError bool            `json:"is_error,omitempty"`
	JSON    json.RawMessage `json:"json"`
	Images  []imageRef      `json:"images,omitempty"`
}

type imageRef struct {
	ID     string `json:"id"`
	Media  string `json:"media"`
	SHA256 string `json:"sha256"`
	File   string `json:"file,omitempty"` // not a part of the request's hash
}

// part is one part of a reply.
type part struct {
	Type     string          `json:"type"` // text | call | opaque | rationale | usage | end
	Text     string          `json:"text,omitempty"`
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
	ArgsText string          `json:"args_text,omitempty"` // of a call whose arguments are no JSON
	Provider string          `json:"provider,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty"`
	Usage    *model.Usage    `json:"usage,omitempty"`
	Reason   string          `json:"reason,omitempty"`
}

// thread is what a Log remembers of the last turn of a thread.
type thread struct {
	file, episode string
	system, tools string   // hashes
	messages      []string // hashes
}

var threadPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]{0,64}$`)

// SaveTurn writes the next turn file and returns its name, "turns/0001.json", for the planner_turn event. Images that
// are not in the episode yet are saved as they were sent. Keys are replaced. Without an episode it only counts.
func (l *Log) SaveTurn(t Turn) (string, error) {
	if !threadPattern.MatchString(t.Thread) {
		return "", fmt.Errorf("saving turn: %q is no name of a thread", t.Thread)
	}
	l.mu.Lock()
	l.turns++
	name := fmt.Sprintf("turns/%04d.json", l.turns)
	f, err := l.cur, l.err
	last := l.threads[t.Thread]
	l.mu.Unlock()
	if f == nil || err != nil {
		return name, err
	}
	file, now, err := l.turnOf(t, last, f)
	if err != nil {
		return name, err
	}
	file.Turn, now.file, now.episode = name, name, f.id
	data, err := encodeTurn(file)
	if err != nil {
		return name, fmt.Errorf("saving turn: %w", err)
	}
	data = l.opt.Redact.bytes(data)
	path := filepath.Join(f.dir, "logs", filepath.FromSlash(name))
	if err := l.guard("saving a turn", func() error { return writeFile(path, data) }); err != nil {
		return name, err
	}
	l.mu.Lock()
	l.threads[t.Thread] = now
	l.mu.Unlock()
	return name, nil
}

// encodeTurn writes one line for each key, and for each message and part, so that the file can be read as it is and what a
// model said keeps its bytes.
func encodeTurn(file *turnFile) ([]byte, error) {
	data, err := marshal(file)
	if err != nil {
		if data, err = marshal(mend(file)); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	sep := "{\n"
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s %q: %s", sep, key, byLines(value))
		sep = ",\n"
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

// byLines puts each value of a list on a line of its own.
func byLines(value json.RawMessage) []byte {
	var list []json.RawMessage
	if len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &list) != nil || len(list) == 0 {
		return value
	}
	lines := make([][]byte, len(list))
	for i, v := range list {
		lines[i] = v
	}
	return []byte("[\n  " + string(bytes.Join(lines, []byte(",\n  "))) + "\n ]")
}

// turnOf compares the request with the one before.
func (l *Log) turnOf(t Turn, last *thread, f *folder) (*turnFile, *thread, error) {
	if last == nil {
		last = &thread{}
	}
	logged := make([]message, len(t.Request.Messages))
	hashes := make([]string, len(logged))
	for i, m := range t.Request.Messages {
		logged[i] = logMessage(m)
		h, err := hashOf(logged[i])
		if err != nil {
			return nil, nil, fmt.Errorf("saving turn: message %d: %w", i, err)
		}
		hashes[i] = h
	}
	kept := 0
	if len(last.messages) <= len(hashes) {
		for kept < len(last.messages) && hashes[kept] == last.messages[kept] {
			kept++
		}
		if kept < len(last.messages) {
			kept = 0 // a new segment
		}
	}
	file := &turnFile{Thread: t.Thread, Kept: kept, Messages: logged[kept:], Response: logParts(t.Response), Error: t.Err}
	now := &thread{messages: hashes}
	if last.file != "" {
		file.Previous = last.file
		if last.episode != f.id {
			file.Previous = last.episode + "/" + last.file
		}
	}
	if err := file.head(t.Request, last, now); err != nil {
		return nil, nil, err
	}
	for i, m := range t.Request.Messages[kept:] {
		if err := l.saveImages(m, &file.Messages[i]); err != nil {
			return nil, nil, err
		}
	}
	return file, now, nil
}

// head sets the hash of the whole request, and what of system and tools is new.
func (file *turnFile) head(r model.Request, last, now *thread) error {
	tools, err := marshal(r.Tools)
	if err != nil {
		return fmt.Errorf("saving turn: tools: %w", err)
	}
	if now.system, err = hashOf(r.System); err != nil {
		return err
	}
	if now.tools, err = hashOf(json.RawMessage(tools)); err != nil {
		return err
	}
	if now.system != last.system {
		file.System = &r.System
	}
	if now.tools != last.tools {
		file.Tools = tools
	}
	file.RequestSHA256, err = RequestHash(r)
	return err
}

// RequestHash is the SHA-256, in hex, of a request as JSON: {"system", "tools", "messages"}, every image as {"id", "media",
// "sha256"} of its bytes.
func RequestHash(r model.Request) (string, error) {
	logged := make([]message, len(r.Messages))
	for i, m := range r.Messages {
		logged[i] = logMessage(m)
	}
	return hashOf(struct {
		System   string           `json:"system"`
		Tools    []model.ToolSpec `json:"tools"`
		Messages []message        `json:"messages"`
	}{r.System, r.Tools, logged})
}

func hashOf(v any) (string, error) {
	data, err := marshal(v)
	if err != nil {
		if data, err = marshal(mend(v)); err != nil {
			return "", err
		}
	}
	return sum(data), nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// logMessage is m with images by hash.
func logMessage(m model.Message) message {
	out := message{Role: m.Role, Blocks: make([]block, len(m.Blocks))}
	for i, b := range m.Blocks {
		lb := block{Text: b.Text, Call: b.Call, Opaque: b.Opaque}
		if b.Image != nil {
			ref := refOf(*b.Image)
			lb.Image = &ref
		}
		if b.Result != nil {
			lb.Result = &result{CallID: b.Result.CallID, IsError: b.Result.IsError, JSON: b.Result.JSON}
			for _, img := range b.Result.Images {
				lb.Result.Images = append(lb.Result.Images, refOf(img))
			}
		}
		out.Blocks[i] = lb
	}
	return out
}

func refOf(img model.ImageBlock) imageRef {
	return imageRef{ID: img.ID, Media: img.Media, SHA256: sum(img.Data)}
}

// saveImages puts the images of m into the episode and their files into its logged form.
func (l *Log) saveImages(m model.Message, logged *message) error {
	for i, b := range m.Blocks {
		if b.Image != nil {
			if err := l.saveSent(*b.Image, logged.Blocks[i].Image); err != nil {
				return err
			}
		}
		if b.Result == nil {
			continue
		}
		for j, img := range b.Result.Images {
			if err := l.saveSent(img, &logged.Blocks[i].Result.Images[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// saveSent finds the file of an image that a model was sent, or saves it beside the capture.
func (l *Log) saveSent(img model.ImageBlock, ref *imageRef) error {
	if len(img.Data) == 0 {
		return errors.New("saving turn: image " + img.ID + " has no data")
	}
	base := ImageName(img.ID, "image") + ".sent"
	for n := 1; ; n++ {
		ref.File = base + mediaEnding(img.Media)
		if n > 1 {
			ref.File = fmt.Sprintf("%s.%d%s", base, n, mediaEnding(img.Media))
		}
		there, same := l.hasImage(ref.File, ref.SHA256)
		switch {
		case same:
			return l.settleImage(ref.File)
		case !there:
			return l.SaveImage(ref.File, img.Data)
		}
	}
}
