package openai

import (
	"encoding/json"
	"fmt"

	sdk "github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// ResponsesSetup is what a body says beside the conversation.
type ResponsesSetup struct {
	Model       string
	Reasoning   model.Reasoning
	Reasons     bool // the model may reason: what it thought must come back encrypted, for nothing is stored
	NativeTools []json.RawMessage
	Output      json.RawMessage // a JSON Schema; nil = free text
}

// ResponsesBody is the wire's form of a request. It is pure. Blank texts, a thought at the very end of a cut reply and
// the blocks of other providers cannot be said on this wire and are left out.
func ResponsesBody(r model.Request, s ResponsesSetup) (responses.ResponseNewParams, error) {
	body := responses.ResponseNewParams{
		Model: s.Model, Store: sdk.NewOpt(false), MaxOutputTokens: sdk.NewOpt(int64(s.Reasoning.Output)),
		Reasoning: shared.ReasoningParam{Effort: shared.ReasoningEffort(s.Reasoning.Effort)},
	}
	if s.Reasons {
		body.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if !wire.Blank(r.System) {
		body.Instructions = sdk.NewOpt(r.System)
	}
	if s.Output != nil {
		schema, err := decode(s.Output)
		if err != nil {
			return body, fmt.Errorf("output schema: %w", err)
		}
		body.Text.Format.OfJSONSchema = &responses.ResponseFormatTextJSONSchemaConfigParam{Name: "answer", Schema: schema, Strict: sdk.NewOpt(false)}
	}
	for _, raw := range s.NativeTools {
		body.Tools = append(body.Tools, sdk.Override[responses.ToolUnionParam](raw))
	}
	for _, t := range r.Tools {
		f, err := responsesTool(t)
		if err != nil {
			return body, err
		}
		body.Tools = append(body.Tools, responses.ToolUnionParam{OfFunction: f})
	}
	for _, m := range r.Messages {
		if m.Role == model.RoleAssistant {
			body.Input.OfInputItemList = append(body.Input.OfInputItemList, responsesAssistant(m)...)
			continue
		}
		body.Input.OfInputItemList = append(body.Input.OfInputItemList, responsesUser(m)...)
	}
	return body, nil
}

// responsesTool says strict: false, for left out it means true: the server would make every parameter a required one.
func responsesTool(t model.ToolSpec) (*responses.FunctionToolParam, error) {
	schema, err := decode(t.Parameters)
	if err != nil {
		return nil, fmt.Errorf("tool %s: schema: %w", t.Name, err)
	}
	f := &responses.FunctionToolParam{Name: t.Name, Parameters: schema, Strict: sdk.NewOpt(false)}
	if t.Description != "" {
		f.Description = sdk.NewOpt(t.Description)
	}
	return f, nil
}

// responsesUser is an item for each result, with its images, and one message for all the rest.
func responsesUser(m model.Message) []responses.ResponseInputItemUnionParam {
	var out []responses.ResponseInputItemUnionParam
	var content responses.ResponseInputMessageContentListParam
	for _, b := range m.Blocks {
		switch {
		case b.Result != nil:
			out = append(out, responsesResult(b.Result))
		case b.Text != nil && !wire.Blank(b.Text.Text):
			content = append(content, responses.ResponseInputContentUnionParam{OfInputText: &responses.ResponseInputTextParam{Text: b.Text.Text}})
		case b.Image != nil:
			content = append(content, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
				ImageURL: sdk.NewOpt(wire.DataURL(b.Image)), Detail: responses.ResponseInputImageDetailAuto,
			}})
		}
	}
	if len(content) > 0 {
		out = append(out, responses.ResponseInputItemUnionParam{OfMessage: &responses.EasyInputMessageParam{
			Role: responses.EasyInputMessageRoleUser, Content: responses.EasyInputMessageContentUnionParam{OfInputItemContentList: content},
		}})
	}
	return out
}

func responsesResult(r *model.ResultBlock) responses.ResponseInputItemUnionParam {
	out := &responses.ResponseInputItemFunctionCallOutputParam{CallID: sdk.NewOpt(r.CallID)}
	item := responses.ResponseInputItemUnionParam{OfFunctionCallOutput: out}
	if len(r.Images) == 0 {
		out.Output.OfString = sdk.NewOpt(string(r.JSON))
		return item
	}
	text := func(s string) {
		out.Output.OfResponseFunctionCallOutputItemArray = append(out.Output.OfResponseFunctionCallOutputItemArray,
			responses.ResponseFunctionCallOutputItemUnionParam{OfInputText: &responses.ResponseInputTextContentParam{Text: s}})
	}
	text(string(r.JSON))
	for i := range r.Images {
		text(r.Images[i].ID)
		out.Output.OfResponseFunctionCallOutputItemArray = append(out.Output.OfResponseFunctionCallOutputItemArray,
			responses.ResponseFunctionCallOutputItemUnionParam{OfInputImage: &responses.ResponseInputImageContentParam{
				ImageURL: sdk.NewOpt(wire.DataURL(&r.Images[i])), Detail: responses.ResponseInputImageContentDetailAuto,
			}})
	}
	return item
}

// responsesAssistant is an item for each block. A thought without the item that it led to is a 400.
func responsesAssistant(m model.Message) []responses.ResponseInputItemUnionParam {
	var out []responses.ResponseInputItemUnionParam
	thought := 0 // how many items at the end are reasoning
	for _, b := range m.Blocks {
		switch {
		case b.Text != nil:
			if wire.Blank(b.Text.Text) {
				continue
			}
			out = append(out, responses.ResponseInputItemUnionParam{OfMessage: &responses.EasyInputMessageParam{
				Role: responses.EasyInputMessageRoleAssistant, Content: responses.EasyInputMessageContentUnionParam{OfString: sdk.NewOpt(b.Text.Text)},
			}})
		case b.Call != nil:
			out = append(out, responses.ResponseInputItemUnionParam{OfFunctionCall: &responses.ResponseFunctionToolCallParam{
				CallID: b.Call.ID, Name: wire.CallName(b.Call.Name), Arguments: string(b.Call.Args),
			}})
		case b.Opaque != nil:
			if b.Opaque.Provider != ResponsesName {
				continue
			}
			out = append(out, sdk.Override[responses.ResponseInputItemUnionParam](b.Opaque.Raw))
			if isReasoning(b.Opaque.Raw) {
				thought++
				continue
			}
		}
		thought = 0
	}
	return out[:len(out)-thought]
}

func isReasoning(raw json.RawMessage) bool {
	var item struct{ Type string }
	return json.Unmarshal(raw, &item) == nil && item.Type == "reasoning"
}
