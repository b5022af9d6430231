package model

import (
	"slices"
	"strings"
)

// Thinking is how a model is told to think.
type Thinking string

// The kinds.
const (
	ThinkingNone     Thinking = "none"     // it takes no such parameter
	ThinkingBudget   Thinking = "budget"   // a number of tokens
	ThinkingAdaptive Thinking = "adaptive" // it decides; effort steers it, a budget is refused
	ThinkingEffort   Thinking = "effort"   // only an effort
)

// Points is how a model gives a point of an image.
type Points string

// The forms.
const (
	PointsPixels Points = "pixels" // [x, y], pixels of the image as sent
	PointsYX1000 Points = "yx1000" // [y, x], each 0 to 1000 over the image
)

// Echo is which of the unknown members that a server sends go back to it.
type Echo string

// The kinds. They matter to the openai wire only; blocks and items of the others always go back.
const (
	EchoNone  Echo = "none"
	EchoCalls Echo = "calls" // those beside a call
	EchoAll   Echo = "all"   // those of the message, too
)

// Limits is what a model can take.
type Limits struct {
	Thinking   Thinking
	Efforts    []string // lowest first; empty = no such parameter
	Structured bool     // text that follows a JSON Schema
	Points     Points
	Echo       Echo

	Context      int   // tokens of a request and its reply
	MaxOutput    int   // tokens of a reply when nothing is configured
	Images       int   // of one request
	ManyImages   int   // above so many, no side is longer than ManySide; 0 = no such rule
	ManySide     int   // pixels
	Side         int   // pixels; the longest side of any image
	ImageBytes   int64 // of one image, encoded in base64
	RequestBytes int64
}

// Override is what configuration says of a model. A nil field leaves the row as it is.
type Override struct {
	Thinking   *Thinking
	Efforts    []string
	Structured *bool
	Points     *Points
	Echo       *Echo
	Context    *int
	Images     *int
}

// The effort words of the vendors, lowest first.
func claudeEfforts() []string { return []string{"low", "medium", "high", "max"} }
func claudeXHigh() []string   { return []string{"low", "medium", "high", "xhigh", "max"} }

// unknown is the row of a model that no row names.
func unknown(provider string) Limits {
	l := Limits{
		Thinking: ThinkingNone, Points: PointsPixels, Echo: EchoCalls,
		Context: 200_000, MaxOutput: 8192, Images: 100, Side: 8000, ImageBytes: 20 << 20, RequestBytes: 50 << 20,
	}
	switch provider {
	case "openai_decisions":
		l.Images = 128
	case "anthropic":
		l.ManyImages, l.ManySide, l.ImageBytes, l.RequestBytes = 20, 2000, 10<<20, 32<<20
	}
	return l
}

// LimitsOf is the row of a model; known is false when no row names it and the careful one stands in.
func LimitsOf(provider, model string) (l Limits, known bool) {
	l = unknown(provider)
	best := -1
	for _, r := range rows() {
		if slices.Contains(r.providers, provider) && names(r.prefix, model) && len(r.prefix) > best {
			best = len(r.prefix)
			l = unknown(provider)
			r.set(&l)
		}
	}
	return l, best >= 0
}

// names says that model is prefix, or prefix and what follows a dash or a colon ("-20251001", ":free"), behind an
// optional name of a maker ("google/").
func names(prefix, model string) bool {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:]
	}
	rest, ok := strings.CutPrefix(model, prefix)
	return ok && (rest == "" || rest[0] == '-' || rest[0] == ':' || rest[0] == '@')
}

type row struct {
	providers []string
	prefix    string
	set       func(*Limits)
}

// rows is the table. Longer names win.
func rows() []row {
	claude := []string{"anthropic"}
	gpt := []string{"openai", "openai_responses"}
	chat := []string{"openai"}
	return slices.Concat(claudeRows(claude), gptRows(gpt), []row{
		{chat, "gemini", func(l *Limits) { l.Structured, l.Context, l.Echo = true, 1_000_000, EchoCalls }},
		{chat, "gemini-robotics-er", func(l *Limits) {
			l.Structured, l.Context, l.Echo, l.Points = true, 1_000_000, EchoCalls, PointsYX1000
		}},
		{chat, "deepseek", func(l *Limits) { l.Context, l.Echo = 128_000, EchoAll }},
		{chat, "kimi", func(l *Limits) { l.Context, l.Echo = 200_000, EchoAll }},
	})
}

func claudeRows(p []string) []row {
	budget := func(l *Limits) { l.Thinking, l.Structured = ThinkingBudget, true }
	older := func(l *Limits) { l.Thinking = ThinkingBudget }
	wide := func(l *Limits) { l.Context, l.Images, l.Structured = 1_000_000, 600, true }
	adaptive := func(l *Limits) {
		wide(l)
		l.Thinking, l.Efforts, l.MaxOutput = ThinkingAdaptive, claudeXHigh(), 16_384
	}
	both := func(l *Limits) { // 4.6 takes budgets still, and prefers to decide by itself
		wide(l)
		l.Thinking, l.Efforts = ThinkingAdaptive, claudeEfforts()
	}
	out := []row{
		{p, "claude-3-7-sonnet", older},
		{p, "claude-sonnet-4", older}, {p, "claude-opus-4", older}, {p, "claude-opus-4-1", older},
		{p, "claude-sonnet-4-5", budget}, {p, "claude-haiku-4-5", budget},
		{p, "claude-opus-4-5", func(l *Limits) { budget(l); l.Efforts = []string{"low", "medium", "high"} }},
		{p, "claude-opus-4-6", both}, {p, "claude-sonnet-4-6", both},
	}
	for _, m := range []string{
		"claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5", "claude-fable-5", "claude-mythos-5", "claude-haiku-5",
		"claude-mythos-preview",
	} {
		out = append(out, row{p, m, adaptive})
	}
	return out
}

func gptRows(p []string) []row {
	effort := func(context int, words ...string) func(*Limits) {
		return func(l *Limits) {
			l.Structured, l.Context, l.Images, l.MaxOutput = true, context, 500, 16_384
			if len(words) > 0 {
				l.Thinking, l.Efforts = ThinkingEffort, words
			}
		}
	}
	return []row{
		{p, "gpt-4o", effort(128_000)}, {p, "gpt-4.1", effort(1_000_000)},
		{p, "o1", effort(200_000, "low", "medium", "high")}, {p, "o3", effort(200_000, "low", "medium", "high")},
		{p, "o4-mini", effort(200_000, "low", "medium", "high")},
		{p, "gpt-5", effort(400_000, "minimal", "low", "medium", "high")},
		{p, "gpt-5-chat", effort(128_000)},
		{p, "gpt-5.1", effort(400_000, "none", "low", "medium", "high")},
		{p, "gpt-5.2", effort(400_000, "none", "low", "medium", "high", "xhigh")},
		{p, "gpt-5.4", effort(400_000, "none", "low", "medium", "high", "xhigh")},
		{p, "gpt-5.5", effort(400_000, "none", "low", "medium", "high", "xhigh")},
		{p, "gpt-5.6", effort(400_000, "none", "low", "medium", "high", "xhigh")},
		{p, "gpt-6", effort(400_000, "none", "low", "medium", "high", "xhigh", "max")},
		{p, "gpt-6.1", effort(400_000, "none", "low", "medium", "high", "xhigh", "max")},
	}
}

// With is l with what configuration says; a nil override changes nothing.
func (l Limits) With(o *Override) Limits {
	if o == nil {
		return l
	}
	set(&l.Thinking, o.Thinking)
	set(&l.Structured, o.Structured)
	set(&l.Points, o.Points)
	set(&l.Echo, o.Echo)
	set(&l.Context, o.Context)
	set(&l.Images, o.Images)
	if o.Efforts != nil {
		l.Efforts = slices.Clone(o.Efforts)
	}
	return l
}

func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}
