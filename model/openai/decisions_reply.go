package openai

import (
	"fmt"
	"slices"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"

	"github.com/rein-robotics/rein/model"
)

// answers holds what came to what was asked. Answers have no other tie to their questions than place and name: if one of
// these is off, none of them counts. An answer that cannot be one to its question is missing, and the others count.
func answers(got []sdk.DecisionAnswerUnion, asked []model.Question) ([]model.Decision, error) {
	if len(got) != len(asked) {
		return nil, incompatible("%d answers came to %d questions", len(got), len(asked))
	}
	out := make([]model.Decision, len(asked))
	for i, q := range asked {
		if got[i].Name != q.Name {
			return nil, incompatible("answer %d is named %q, and the question %q", i+1, got[i].Name, q.Name)
		}
		out[i] = answer(&got[i], q)
	}
	return out, nil
}

// answer goes by the type: the fields of a refusal read as the probability 0.
func answer(a *sdk.DecisionAnswerUnion, q model.Question) model.Decision {
	kind := "predicate"
	if len(q.Choices) > 0 {
		kind = "choice"
	}
	switch {
	case a.Type == "refusal":
		return model.Decision{Name: q.Name, Missing: "the model refuses the question", Refused: true}
	case a.Type != kind:
		return missing(q, "a %s was answered with %q", kind, a.Type)
	case kind == "predicate":
		return predicate(a, q)
	}
	return choice(a, q)
}

func missing(q model.Question, format string, args ...any) model.Decision {
	return model.Decision{Name: q.Name, Missing: fmt.Sprintf(format, args...)}
}

func predicate(a *sdk.DecisionAnswerUnion, q model.Question) model.Decision {
	if !probability(a.JSON.Probability, a.Probability) {
		return missing(q, "%s is no probability", shown(a.JSON.Probability))
	}
	return model.Decision{Name: q.Name, P: a.Probability}
}

// choice takes the probability of the chosen value. The confidence beside it is another number.
func choice(a *sdk.DecisionAnswerUnion, q model.Question) model.Decision {
	c := a.AsChoice()
	if !c.Choice.JSON.OfString.Valid() || !offered(q, c.Choice.OfString) {
		return missing(q, "%s is none of the choices", shown(a.JSON.Choice))
	}
	out := model.Decision{Name: q.Name, Value: c.Choice.OfString}
	all := map[string]float64{} // they need not sum to 1
	for _, p := range c.Probabilities {
		if !p.Value.JSON.OfString.Valid() || !offered(q, p.Value.OfString) {
			return missing(q, "%s is none of the choices", shown(p.JSON.Value))
		}
		if _, twice := all[p.Value.OfString]; twice {
			return missing(q, "the probability of %s comes twice", p.Value.OfString)
		}
		if !probability(p.JSON.Probability, p.Probability) {
			return missing(q, "%s is no probability, of %s", shown(p.JSON.Probability), p.Value.OfString)
		}
		all[p.Value.OfString] = p.Probability
	}
	p, ok := all[out.Value]
	if !ok {
		return missing(q, "the chosen %s has no probability", out.Value)
	}
	out.P = p
	if probability(c.JSON.Confidence, c.Confidence) {
		out.Confidence = &c.Confidence
	}
	return out
}

func offered(q model.Question, value string) bool {
	return slices.ContainsFunc(q.Choices, func(c model.Choice) bool { return c.Value == value })
}

// probability says that a number came, and that it is one. What did not come reads as 0, and a text or a list with a number
// in it as that number.
func probability(f respjson.Field, p float64) bool {
	raw := f.Raw()
	return f.Valid() && raw != "" && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9') && p >= 0 && p <= 1
}

// shown is a field as it came, in short.
func shown(f respjson.Field) string {
	raw := f.Raw()
	if raw == "" {
		return "nothing"
	}
	return fmt.Sprintf("%.40s", raw)
}
