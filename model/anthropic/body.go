package anthropic

import (
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// Setup is what a body says beside the conversation.
type Setup struct {
	Model       string
	Reasoning   model.Reasoning
	NativeTools []json.RawMessage
	Output      json.RawMessage // a JSON Schema; nil = free text
}

// Body is the wire's form of a request. It is pure. Blank texts, the thought at the very end of a cut reply and the
// blocks of other providers cannot be said on this wire and are left out.
func Body(r model.Request, s Setup) (sdk.MessageNewParams, error) {
	body := sdk.MessageNewParams{Model: s.Model, MaxTokens: int64(s.Reasoning.Output)}
	think(&body, s.Reasoning)
	if s.Output != nil {
		schema, err := object(s.Output)
		if err != nil {
			return body, fmt.Errorf("output schema: %w", err)
		}
		body.OutputConfig.Format = sdk.JSONOutputFormatParam{Schema: schema}
	}
	if !wire.Blank(r.System) {
		body.System = []sdk.TextBlockParam{{Text: r.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	body.Tools = tools(r.Tools, s.NativeTools)
	for _, m := range r.Messages {
		if content := content(m); len(content) > 0 {
			body.Messages = append(body.Messages, sdk.MessageParam{Role: sdk.MessageParamRole(m.Role), Content: content})
		}
	}
	mark(body.Messages)
	return body, nil
}

func think(body *sdk.MessageNewParams, m model.Reasoning) {
	switch {
	case m.Budget > 0: // as JSON, for the SDK writes a warning to stderr otherwise
		body.Thinking = param.Override[sdk.ThinkingConfigParamUnion](json.RawMessage(fmt.Sprintf(`{"type":"enabled","budget_tokens":%d}`, m.Budget)))
	case m.Adaptive:
		body.Thinking = sdk.ThinkingConfigParamUnion{OfAdaptive: &sdk.ThinkingConfigAdaptiveParam{}}
	case m.Off:
		disabled := sdk.NewThinkingConfigDisabledParam()
		body.Thinking = sdk.ThinkingConfigParamUnion{OfDisabled: &disabled}
	}
	if m.Effort != "" {
		body.OutputConfig.Effort = sdk.OutputConfigEffort(m.Effort)
	}
}

// tools are the provider's own first, then ours; the last one carries a cache mark.
func tools(specs []model.ToolSpec, native []json.RawMessage) []sdk.ToolUnionParam {
	var out []sdk.ToolUnionParam
	for _, raw := range native {
		out = append(out, param.Override[sdk.ToolUnionParam](raw))
	}
	for i, t := range specs {
		tool := &sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](t.Parameters)}
		if t.Description != "" {
			tool.Description = sdk.String(t.Description)
		}
		if i == len(specs)-1 {
			tool.CacheControl = sdk.NewCacheControlEphemeralParam()
		}
		out = append(out, sdk.ToolUnionParam{OfTool: tool})
	}
	return out
}

func content(m model.Message) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	thought := 0 // how many blocks at the end are thinking
	for _, b := range m.Blocks {
		switch {
		case b.Text != nil:
			if wire.Blank(b.Text.Text) {
				continue
			}
			out = append(out, sdk.NewTextBlock(b.Text.Text))
		case b.Image != nil:
			out = append(out, sdk.ContentBlockParamUnion{OfImage: image(b.Image)})
		case b.Call != nil:
			out = append(out, sdk.NewToolUseBlock(b.Call.ID, b.Call.Args, wire.CallName(b.Call.Name)))
		case b.Result != nil:
			out = append(out, sdk.ContentBlockParamUnion{OfToolResult: result(b.Result)})
		case b.Opaque != nil:
			if b.Opaque.Provider != Name {
				continue
			}
			out = append(out, param.Override[sdk.ContentBlockParamUnion](b.Opaque.Raw))
			if isThought(b.Opaque.Raw) {
				thought++
				continue
			}
		}
		thought = 0
	}
	return out[:len(out)-thought]
}

func isThought(raw json.RawMessage) bool {
	var b struct{ Type string }
	return json.Unmarshal(raw, &b) == nil && (b.Type == "thinking" || b.Type == "redacted_thinking")
}

func image(i *model.ImageBlock) *sdk.ImageBlockParam {
	return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{
		OfBase64: &sdk.Base64ImageSourceParam{Data: wire.Base64(i), MediaType: sdk.Base64ImageSourceMediaType(i.Media)},
	}}
}

// result is the answer's JSON as text, then each image behind its id.
func result(r *model.ResultBlock) *sdk.ToolResultBlockParam {
	out := &sdk.ToolResultBlockParam{ToolUseID: r.CallID}
	if r.IsError {
		out.IsError = sdk.Bool(true)
	}
	text := func(s string) {
		out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: s}})
	}
	text(string(r.JSON))
	for i := range r.Images {
		text(r.Images[i].ID)
		out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfImage: image(&r.Images[i])})
	}
	return out
}

// mark puts cache marks on the last block of the last two user messages.
func mark(messages []sdk.MessageParam) {
	marks := 0
	for i := len(messages) - 1; i >= 0 && marks < 2; i-- {
		if messages[i].Role != sdk.MessageParamRoleUser {
			continue
		}
		marks++
		last := messages[i].Content[len(messages[i].Content)-1]
		if c := last.GetCacheControl(); c != nil {
			*c = sdk.NewCacheControlEphemeralParam()
		}
	}
}

func object(raw json.RawMessage) (map[string]any, error) {
	var o map[string]any
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	return o, nil
}
