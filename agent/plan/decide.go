package plan

// Situation is everything beside the plan that decides what follows.
type Situation struct {
	Over     bool   // the run has ended or is paused
	Asking   bool   // the run waits for the user
	FollowUp string // tool that the rule or check which ended an action named; "" = none
	News     string // something that the planner has not answered yet: a bad end, a flag, the operator, the user; "" = none
	Busy     bool   // an action is starting, running or stopping
	// Incomplete says why the step cannot be started without the planner, "" when it can. It is asked for a step with
	// a tool only.
	Incomplete func(Step) string
}

// Verb is what to do.
type Verb int

// The verbs.
const (
	Wait Verb = iota
	Start
	StartFollowUp
	Wake
)

// Why is what wakes the planner.
type Why int

// The reasons of a Wake.
const (
	ForNews Why = iota
	ForUnresolved
	ForPlanDone
	ForNoTool
	ForLook
)

// Decision is what follows.
type Decision struct {
	Verb   Verb
	Why    Why    // of a Wake
	Step   int    // index of the step to start, or that the wake is about; -1 = none
	Tool   string // of a follow-up
	Reason string // in words, of a Wake
}

// Decide applies the rules of the plan queue, first that applies, in the order of the contract.
func (p Plan) Decide(s Situation) Decision {
	wake := func(w Why, step int, reason string) Decision {
		return Decision{Verb: Wake, Why: w, Step: step, Reason: reason}
	}
	switch {
	case s.Over:
		return Decision{Step: -1}
	case s.FollowUp != "":
		return Decision{Verb: StartFollowUp, Step: -1, Tool: s.FollowUp}
	case s.News != "":
		return wake(ForNews, -1, s.News)
	case s.Busy, s.Asking:
		return Decision{Step: -1}
	}
	next := -1
	for i, st := range p.steps {
		switch st.State() {
		case Failed, Unconfirmed:
			return wake(ForUnresolved, i, "step "+st.ID+" is not resolved")
		case Todo:
			if next < 0 {
				next = i
			}
		}
	}
	if next < 0 {
		return wake(ForPlanDone, -1, "every step is done")
	}
	st := p.steps[next]
	if st.Tool == "" {
		return wake(ForNoTool, next, "step "+st.ID+" needs you")
	}
	if why := s.Incomplete(st); why != "" {
		return wake(ForLook, next, "step "+st.ID+": "+why)
	}
	return Decision{Verb: Start, Step: next}
}
