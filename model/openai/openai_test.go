package openai_test

import (
	"net/http"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/model/openai"
)

func chat(e model.Endpoint, c *http.Client) (model.Provider, error) { return openai.NewChat(e, c) }

func responses(e model.Endpoint, c *http.Client) (model.Provider, error) {
	return openai.NewResponses(e, c)
}

func TestChat(t *testing.T) {
	modeltest.TestProvider(t, modeltest.Suite{Wire: modeltest.Chat(), Make: chat})
}

func TestResponses(t *testing.T) {
	modeltest.TestProvider(t, modeltest.Suite{Wire: modeltest.Responses(), Make: responses})
}
