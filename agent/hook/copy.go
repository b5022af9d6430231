package hook

import (
	"bytes"
	"slices"

	"github.com/rein-robotics/rein/model"
)

// own is a copy of a request: a plugin that writes into it changes nothing that was said. The bytes of images are shared.
func own(r model.Request) model.Request {
	r.Tools, r.Messages = slices.Clone(r.Tools), slices.Clone(r.Messages)
	for i := range r.Tools {
		r.Tools[i].Parameters = bytes.Clone(r.Tools[i].Parameters)
	}
	for i, m := range r.Messages {
		r.Messages[i].Blocks = make([]model.Block, len(m.Blocks))
		for k, b := range m.Blocks {
			r.Messages[i].Blocks[k] = ownBlock(b)
		}
	}
	return r
}

func ownBlock(b model.Block) model.Block {
	switch {
	case b.Text != nil:
		t := *b.Text
		t.Data = bytes.Clone(t.Data)
		b.Text = &t
	case b.Image != nil:
		i := *b.Image
		b.Image = &i
	case b.Call != nil:
		c := ownCall(*b.Call)
		b.Call = &c
	case b.Result != nil:
		r := *b.Result
		r.JSON, r.Images = bytes.Clone(r.JSON), slices.Clone(r.Images)
		b.Result = &r
	case b.Opaque != nil:
		o := *b.Opaque
		o.Raw = bytes.Clone(o.Raw)
		b.Opaque = &o
	}
	return b
}

func ownCall(c model.CallBlock) model.CallBlock {
	c.Args = bytes.Clone(c.Args)
	return c
}

func ownCalls(cs []model.CallBlock) []model.CallBlock {
	out := make([]model.CallBlock, len(cs))
	for i, c := range cs {
		out[i] = ownCall(c)
	}
	return out
}
