package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// DecisionsName is the name in configuration of the wire of typed answers.
const DecisionsName = "openai_decisions"

// Decisions is one model on the Decisions wire. It may be used from several goroutines.
type Decisions struct {
	place
	service sdk.DecisionService
}

var _ model.Decider = (*Decisions)(nil)

// NewDecisions checks the endpoint. Nothing is read from the environment and nothing is sent. client nil = one of its
// own.
func NewDecisions(e model.Endpoint, client *http.Client) (*Decisions, error) {
	switch {
	case e.ReasoningEffort != "":
		return nil, errors.New("reasoning_effort: this wire has none; remove it, or use openai_responses")
	case e.ThinkingBudget != 0:
		return nil, errors.New("thinking_budget: this wire has none; remove it, or use openai_responses")
	case e.MaxOutputTokens != 0:
		return nil, errors.New("max_output_tokens: this wire has none; remove it")
	case len(e.NativeTools) > 0:
		return nil, errors.New("native_tools: this wire has none; remove them")
	}
	p, opts, err := open(DecisionsName, e, client)
	if err != nil {
		return nil, err
	}
	return &Decisions{place: p, service: sdk.NewDecisionService(opts...)}, nil
}

// Decide asks once.
func (p *Decisions) Decide(ctx context.Context, i model.Inquiry) (model.Decisions, error) {
	if err := model.CheckInquiry(i, p.limits); err != nil {
		return model.Decisions{}, err
	}
	ctx, line := wire.Open(ctx, p.endpoint.Wait, nil)
	defer line.Close()
	var raw []byte // the SDK would take a body that is half, or none of JSON, for one with nothing in it
	_, err := p.service.New(ctx, DecisionsBody(i, p.endpoint.Model), option.WithMiddleware(line.Middleware), option.WithResponseBodyInto(&raw))
	if err != nil {
		return model.Decisions{}, line.Broken(ctx, p.endpoint, err)
	}
	if err := line.Moved(); err != nil {
		return model.Decisions{}, err
	}
	d, err := decision(raw)
	if err != nil && ctx.Err() != nil { // the SDK takes a body that was cut off by the cancel for a whole one
		err = context.Cause(ctx)
	}
	if err != nil {
		return model.Decisions{}, err
	}
	out := model.Decisions{Usage: decisionUsage(d.Usage)}
	out.Answers, err = answers(d.Answers, i.Questions)
	return out, err
}

// decision reads a body.
func decision(raw []byte) (sdk.Decision, error) {
	var d sdk.Decision
	if len(raw) == 0 || raw[0] == '{' && cut(raw) {
		return d, &model.Error{Class: model.DeadStream, Retryable: true, Msg: "the answer ended before it was complete"}
	}
	if err := json.Unmarshal(raw, &struct{}{}); err != nil {
		return d, incompatible("the server's answer is no JSON object: %v", err)
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, incompatible("the server's answer cannot be read: %v", err)
	}
	if !d.JSON.Answers.Valid() {
		return d, incompatible("the server's answer has no answers")
	}
	return d, nil
}

// cut says that raw breaks off: all of it is right, and something must follow.
func cut(raw []byte) bool {
	err := json.NewDecoder(bytes.NewReader(raw)).Decode(&struct{}{})
	return errors.Is(err, io.ErrUnexpectedEOF)
}

func incompatible(format string, args ...any) *model.Error {
	return &model.Error{
		Class: model.Incompatible, Msg: fmt.Sprintf(format, args...),
		Remedy: "check base_url, and that the server has /v1/decisions",
	}
}

func decisionUsage(u sdk.DecisionUsage) model.Usage {
	return model.Usage{
		Input: int(u.InputTokens), Output: int(u.OutputTokens), CachedRead: int(u.InputTokensDetails.CachedTokens),
		CachedWrite: int(u.InputTokensDetails.CacheWriteTokens), Reasoning: int(u.OutputTokensDetails.ReasoningTokens),
	}.Bounded()
}
