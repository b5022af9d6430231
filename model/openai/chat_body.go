package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// ChatSetup is what a body says beside the conversation.
type ChatSetup struct {
	Model     string
	Reasoning model.Reasoning
	Echo      model.Echo
	Vendor    bool            // the vendor's own server: it has another word for the limit of tokens
	Counted   bool            // tokens are asked for
	Output    json.RawMessage // a JSON Schema; nil = free text
}

// ChatBody is the wire's form of a request. It is pure. Blank texts and what the model's row does not send back are left
// out; the images of a result, which this wire cannot hold, open the next user message.
func ChatBody(r model.Request, s ChatSetup) (sdk.ChatCompletionNewParams, error) {
	body := sdk.ChatCompletionNewParams{Model: s.Model, ReasoningEffort: shared.ReasoningEffort(s.Reasoning.Effort)}
	if s.Vendor {
		body.MaxCompletionTokens = sdk.Int(int64(s.Reasoning.Output))
	} else {
		body.MaxTokens = sdk.Int(int64(s.Reasoning.Output))
	}
	if s.Counted {
		body.StreamOptions.IncludeUsage = sdk.Bool(true)
	}
	if s.Output != nil {
		body.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: s.Output},
		}
	}
	for _, t := range r.Tools {
		f, err := chatTool(t)
		if err != nil {
			return body, err
		}
		body.Tools = append(body.Tools, sdk.ChatCompletionToolUnionParam{OfFunction: &sdk.ChatCompletionFunctionToolParam{Function: f}})
	}
	if !wire.Blank(r.System) {
		body.Messages = append(body.Messages, sdk.SystemMessage(r.System))
	}
	for _, m := range r.Messages {
		if m.Role == model.RoleAssistant {
			body.Messages = append(body.Messages, chatAssistant(m, s.Echo)...)
			continue
		}
		body.Messages = append(body.Messages, chatUser(m)...)
	}
	return body, nil
}

func chatTool(t model.ToolSpec) (shared.FunctionDefinitionParam, error) {
	f := shared.FunctionDefinitionParam{Name: t.Name}
	if t.Description != "" {
		f.Description = sdk.String(t.Description)
	}
	schema, err := decode(t.Parameters)
	if err != nil {
		return f, fmt.Errorf("tool %s: schema: %w", t.Name, err)
	}
	f.Parameters = schema
	return f, nil
}

// chatUser is a message for each result and one for all the rest.
func chatUser(m model.Message) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, b := range m.Blocks {
		if b.Result == nil {
			continue
		}
		out = append(out, sdk.ToolMessage(string(b.Result.JSON), b.Result.CallID))
		for i := range b.Result.Images {
			pic := &b.Result.Images[i]
			parts = append(parts, sdk.TextContentPart(fmt.Sprintf("%s (of the result of %s)", pic.ID, b.Result.CallID)), chatImage(pic))
		}
	}
	for _, b := range m.Blocks {
		switch {
		case b.Text != nil && !wire.Blank(b.Text.Text):
			parts = append(parts, sdk.TextContentPart(b.Text.Text))
		case b.Image != nil:
			parts = append(parts, chatImage(b.Image))
		}
	}
	switch {
	case len(parts) == 1 && parts[0].OfText != nil: // some servers take nothing else
		out = append(out, sdk.UserMessage(parts[0].OfText.Text))
	case len(parts) > 0:
		out = append(out, sdk.UserMessage(parts))
	}
	return out
}

func chatImage(i *model.ImageBlock) sdk.ChatCompletionContentPartUnionParam {
	return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: wire.DataURL(i)})
}

// chatAssistant is one message, or none when nothing of it can be said.
func chatAssistant(m model.Message, echo model.Echo) []sdk.ChatCompletionMessageParamUnion {
	var text strings.Builder
	var calls []sdk.ChatCompletionMessageToolCallUnionParam
	beside, extra := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, b := range m.Blocks {
		switch {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
		case b.Call != nil:
			calls = append(calls, chatCall(b.Call, beside))
			beside = map[string]json.RawMessage{}
		case b.Opaque != nil && b.Opaque.Provider == ChatName:
			switch e := asExtra(b.Opaque.Raw); {
			case e.At == atCall && echo != model.EchoNone:
				merge(beside, e.Members)
			case e.At == atMessage && echo == model.EchoAll:
				merge(extra, e.Members)
			}
		}
	}
	if len(calls) == 0 && wire.Blank(text.String()) {
		return nil
	}
	msg := &sdk.ChatCompletionAssistantMessageParam{ToolCalls: calls}
	if !wire.Blank(text.String()) {
		msg.Content.OfString = sdk.String(text.String())
	}
	return []sdk.ChatCompletionMessageParamUnion{{OfAssistant: with(msg, extra)}}
}

func chatCall(c *model.CallBlock, beside map[string]json.RawMessage) sdk.ChatCompletionMessageToolCallUnionParam {
	call := &sdk.ChatCompletionMessageFunctionToolCallParam{
		ID: c.ID, Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: wire.CallName(c.Name), Arguments: string(c.Args)},
	}
	return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: with(call, beside)}
}

// with adds members to a parameter, always in the same order: the SDK's own way takes a map as it comes.
func with[T param.ParamStruct, P param.InferPtr[T]](v P, members map[string]json.RawMessage) P {
	if len(members) == 0 {
		return v
	}
	all := map[string]json.RawMessage{}
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil { // it was built of text and JSON a line above
		panic("openai: " + err.Error())
	}
	for k, m := range members {
		if _, taken := all[k]; !taken {
			all[k] = m
		}
	}
	out, err := json.Marshal(all)
	if err != nil {
		panic("openai: " + err.Error())
	}
	o := param.Override[T, P](json.RawMessage(out))
	return &o
}
