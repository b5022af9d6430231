package sim

// ArrangeForTest places the objects of a scene for a seed.
func ArrangeForTest(s *Scene, seed uint64) error {
	_, err := s.arrange(seed)
	return err
}
