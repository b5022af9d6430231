package model

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // the two kinds of image that are sent
	_ "image/png"
)

// Check holds a request to the limits before it is sent. Its errors are *Error of class TooLarge that say which limit,
// or BadRequest for an image that is none.
func Check(r Request, l Limits) error {
	c := census{limits: l}
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if err := c.block(b); err != nil {
				return err
			}
		}
	}
	bytes := c.bytes + int64(len(r.System))
	for _, t := range r.Tools {
		bytes += int64(len(t.Description) + len(t.Parameters))
	}
	switch {
	case c.images > l.Images:
		return tooLarge("%d images are more than the %d that the model takes in a request", c.images, l.Images)
	case l.ManyImages > 0 && c.images > l.ManyImages && c.side > l.ManySide:
		return tooLarge("with %d images none may be longer than %d pixels; one has %d", c.images, l.ManySide, c.side)
	case bytes > l.RequestBytes:
		return tooLarge("the request has %d MB; the limit is %d MB", bytes>>20, l.RequestBytes>>20)
	}
	return nil
}

// Images is how many images a request holds.
func Images(r Request) int {
	n := 0
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if b.Image != nil {
				n++
			}
			if b.Result != nil {
				n += len(b.Result.Images)
			}
		}
	}
	return n
}

type census struct {
	limits Limits
	images int
	side   int
	bytes  int64
}

func (c *census) block(b Block) error {
	switch {
	case b.Text != nil:
		c.bytes += int64(len(b.Text.Text))
	case b.Image != nil:
		return c.image(b.Image)
	case b.Call != nil:
		c.bytes += int64(len(b.Call.Args))
	case b.Opaque != nil:
		c.bytes += int64(len(b.Opaque.Raw))
	case b.Result != nil:
		c.bytes += int64(len(b.Result.JSON))
		for i := range b.Result.Images {
			if err := c.image(&b.Result.Images[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *census) image(i *ImageBlock) error {
	c.images++
	size := int64(base64.StdEncoding.EncodedLen(len(i.Data)))
	c.bytes += size
	cfg, kind, err := image.DecodeConfig(bytes.NewReader(i.Data))
	if err != nil || "image/"+kind != i.Media {
		return &Error{Class: BadRequest, Msg: fmt.Sprintf("image %s is no %s", i.ID, i.Media)}
	}
	side := max(cfg.Width, cfg.Height)
	c.side = max(c.side, side)
	switch {
	case side > c.limits.Side:
		return tooLarge("image %s is %d pixels long; the limit is %d", i.ID, side, c.limits.Side)
	case size > c.limits.ImageBytes:
		return tooLarge("image %s has %d MB; the limit is %d MB", i.ID, size>>20, c.limits.ImageBytes>>20)
	}
	return nil
}

func tooLarge(format string, args ...any) error {
	return &Error{Class: TooLarge, Msg: fmt.Sprintf(format, args...), Remedy: remedy(TooLarge, Fault{})}
}
