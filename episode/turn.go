package episode

type thread struct{}
