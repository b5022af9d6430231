package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/anthropic"
	"github.com/rein-robotics/rein/model/modeltest"
)

func provider(e model.Endpoint, c *http.Client) (model.Provider, error) { return anthropic.New(e, c) }

func TestProvider(t *testing.T) {
	modeltest.TestProvider(t, modeltest.Suite{Wire: modeltest.Anthropic(), Make: provider})
}
