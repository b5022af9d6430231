package render

import "image"

type shadower struct{}

func (s *shadower) prepare(k *caster, sh *shader) {}

func (s *shader) fine(img *image.RGBA, k *caster, sh *shadower) { s.plain(img, k) }
