package openai

import (
	sdk "github.com/openai/openai-go/v3"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// DecisionsBody is the wire's form of an inquiry. It is pure. Blank texts are left out. The values of choices go as
// texts: on this wire the text "true" and the value true are two different choices.
func DecisionsBody(i model.Inquiry, name string) sdk.DecisionNewParams {
	body := sdk.DecisionNewParams{Model: name}
	add := func(m sdk.DecisionInputMessageUnionParam) {
		body.Input.OfDecisionNewsInputArray = append(body.Input.OfDecisionNewsInputArray,
			sdk.DecisionNewParamsInputArrayItemUnion{OfDecisionInputMessage: &m})
	}
	if !wire.Blank(i.System) {
		add(sdk.DecisionInputMessageParamOfDeveloper(i.System))
	}
	var parts []sdk.DecisionInputPartUnionParam
	for _, b := range i.Blocks {
		switch {
		case b.Text != nil && !wire.Blank(b.Text.Text):
			parts = append(parts, sdk.DecisionInputPartParamOfInputText(b.Text.Text))
		case b.Image != nil:
			parts = append(parts, sdk.DecisionInputPartUnionParam{OfInputImage: &sdk.DecisionInputImageParam{
				ImageURL: wire.DataURL(b.Image), Detail: sdk.DecisionInputImageDetailHigh,
			}})
		}
	}
	add(sdk.DecisionInputMessageParamOfUser(parts))
	for _, q := range i.Questions {
		body.Questions = append(body.Questions, decisionQuestion(q))
	}
	return body
}

func decisionQuestion(q model.Question) sdk.DecisionNewParamsQuestionUnion {
	if len(q.Choices) == 0 {
		return sdk.DecisionNewParamsQuestionUnion{OfPredicate: &sdk.DecisionNewParamsQuestionPredicate{
			Name:         sdk.String(q.Name),
			Instructions: sdk.DecisionNewParamsQuestionPredicateInstructionsUnion{OfString: sdk.String(q.Instructions)},
		}}
	}
	out := &sdk.DecisionNewParamsQuestionChoice{
		Name:         sdk.String(q.Name),
		Instructions: sdk.DecisionNewParamsQuestionChoiceInstructionsUnion{OfString: sdk.String(q.Instructions)},
	}
	for _, c := range q.Choices {
		choice := sdk.DecisionNewParamsQuestionChoiceChoice{
			Value: sdk.DecisionNewParamsQuestionChoiceChoiceValueUnion{OfString: sdk.String(c.Value)},
		}
		if c.Description != "" {
			choice.Description = sdk.String(c.Description)
		}
		out.Choices = append(out.Choices, choice)
	}
	return sdk.DecisionNewParamsQuestionUnion{OfChoice: out}
}
