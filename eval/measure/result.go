package measure

import "github.com/rein-robotics/rein/monitor/question"

// Criteria is what samples are counted by.
type Criteria struct {
	Question  question.Question   // that the labels are of
	All       []question.Question // of the skill: their rules run together
	Settings  Settings
	MostFalse float64 // rate of false stops that floors are proposed for, 0 to 1
}

// Result is what was measured of one model with one configuration.
type Result struct {
	Question  question.Question
	Score     Score
	Replays   []Replay
	Firsts    Firsts
	Proposals []Proposal
}

// Of counts the samples of one model.
func Of(c Criteria, samples []Sample) Result {
	list := Replays(c.Question.Name, c.All, samples, c.Settings)
	return Result{
		Question: c.Question, Score: ScoreOf(c.Question, samples), Replays: list, Firsts: FirstsOf(c.Question, list),
		Proposals: Propose(c.Question, samples, c.Settings, c.MostFalse),
	}
}
