package run

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rein-robotics/rein/agent/ledger"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// A conversation is append-only. When it grows too long, or cannot go on as it is, it goes on in a new segment: one
// message that says where the run stands.

// The most lines that a new segment opens with: the newest are kept.
const (
	soFarMost   = 60
	earlierMost = 10
	saidMost    = 20
)

// talk is what a new segment is made of, and when one is due.
type talk struct {
	earlier []string // runs that have ended, the newest last
	forgets bool     // the run that is ending is forgotten, too
	said    []string // by the user in this run, the task first, the newest last
	soFar   []string // what happened in this run, the newest last
	opened  bool     // the first request of the run was made
	lost    int      // older lines of soFar that were dropped
	shown   []string // ids of the images of this segment
	newest  map[string]pictured

	due    string // why the next request opens a new segment; "" = nothing wants it
	forced int    // segments in a row that were opened because a request failed
	offset int    // what the ledger's estimate of tokens is short of the provider's own count
}

// pictured is the newest picture of a camera, as it was sent.
type pictured struct {
	info view.Image
	sent model.ImageBlock
}

// anew is what the next run takes over.
func (t *talk) anew() talk { return talk{earlier: t.earlier} }

func (t *talk) begin() { t.newest = map[string]pictured{} }

// note keeps a line of the run's story.
func (t *talk) note(line string) {
	t.soFar = append(t.soFar, line)
	if len(t.soFar) > soFarMost {
		t.soFar = slices.Delete(t.soFar, 0, 1)
		t.lost++
	}
}

// hear keeps what the user said: the task and the newest messages.
func (t *talk) hear(text string) {
	t.said = append(t.said, text)
	if len(t.said) > saidMost {
		t.said = slices.Delete(t.said, 1, 2)
	}
}

// over keeps what a run came to, for the next one.
func (t *talk) over(task string, r Result) {
	if t.forgets {
		t.forgets = false
		return
	}
	t.earlier = append(t.earlier, fmt.Sprintf("%q: %s. %s", task, r.Status, r.Summary))
	if len(t.earlier) > earlierMost {
		t.earlier = slices.Delete(t.earlier, 0, 1)
	}
}

// tooLong says why the request would be longer than what is allowed, "" when it is not.
func (s *State) tooLong(blocks []model.Block) string {
	images, tokens := s.book.Images(), s.book.Tokens()+s.talk.offset
	for _, b := range blocks {
		tokens += ledger.Weight(b)
		if b.Image != nil {
			images++
		}
	}
	if images > s.planner.MaxImages {
		return fmt.Sprintf("%d images are more than the %d of max_images_in_context", images, s.planner.MaxImages)
	}
	if tokens > s.planner.ContextTokens {
		return fmt.Sprintf("about %d tokens are more than the %d that the model takes", tokens, s.planner.ContextTokens)
	}
	return ""
}

// say puts a report into the next request. When that would be too long, or a new segment is due, it opens one.
func (s *State) say(m Moment, rep view.Report, images []model.ImageBlock) {
	why, blocks := s.talk.due, view.Blocks(rep, images)
	if why == "" {
		why = s.tooLong(blocks)
	}
	if why == "" {
		s.book.Say(blocks...)
		s.showed(rep.Images)
		return
	}
	s.talk.due, s.talk.offset = "", 0
	last, err := s.book.Checkpoint(s.planner.SystemPrompt, s.planner.specs)
	if err != nil { // every way here has closed its calls
		panic("run: " + err.Error())
	}
	rep, images = s.opening(m, rep, last)
	s.book.Say(view.Blocks(rep, images)...)
	s.log(episode.ContextCheckpoint{Tag: s.Tag(), Why: why, Messages: 1, Images: len(images), Tokens: s.book.Tokens()})
	s.talk.shown = nil
	s.showed(rep.Images)
}

// opening is the report that a new segment opens with: everything that the planner needs to go on.
func (s *State) opening(m Moment, rep view.Report, last []ledger.Exchange) (view.Report, []model.ImageBlock) {
	rep.Task, rep.Plan = s.task, planView(s.plan)
	rep.Running, rep.Jobs, rep.Budget = s.running(m), s.runningJobs(m), s.budgetLeft()
	if len(rep.Readings) == 0 && m.World != nil {
		rep.Readings = s.readings(m.World.Readings)
	}
	rep.Earlier, rep.SoFar = s.talk.earlier, slices.Clone(s.talk.soFar)
	told := max(0, len(s.talk.said)-len(rep.Messages)-len(s.news.messages))
	rep.Said = slices.Clone(s.talk.said[:told])
	if s.talk.lost > 0 {
		rep.SoFar = slices.Insert(rep.SoFar, 0, fmt.Sprintf("(%d older lines are left out)", s.talk.lost))
	}
	for _, x := range last {
		rep.Results = append(rep.Results, view.Result{Tool: x.Call.Name, Args: x.Call.Args, Answer: x.Result.JSON})
	}
	rep.Images = nil
	var images []model.ImageBlock
	left := s.talk.shown
	for _, p := range s.newestPictures() {
		if len(images) == max(1, s.planner.MaxImages/2) { // half of the room stays free
			left = append(slices.Clip(left), p.info.ID)
			continue
		}
		p.info.AgeS = m.At.Seconds() - p.info.AtS
		rep.Images, images = append(rep.Images, p.info), append(images, p.sent)
	}
	for _, id := range left {
		if !slices.Contains(rep.LeftOut, id) && !slices.ContainsFunc(images, func(b model.ImageBlock) bool { return b.ID == id }) {
			rep.LeftOut = append(rep.LeftOut, id)
		}
	}
	return rep, images
}

// newestPictures are the newest picture of each camera, the newest of all first.
func (s *State) newestPictures() []pictured {
	var out []pictured
	for _, cam := range s.set.Cameras {
		if p, ok := s.talk.newest[cam]; ok {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b pictured) int { return cmp.Compare(b.info.AtS, a.info.AtS) })
	return out
}

func (s *State) showed(images []view.Image) {
	for _, i := range images {
		s.talk.shown = append(s.talk.shown, i.ID)
	}
}

// weigh corrects the estimate of tokens by what the provider counted for a request and its reply.
func (s *State) weigh(u model.Usage) {
	if u.Input > 0 {
		s.talk.offset = u.Input + u.Output - s.book.Recorded()
	}
}

// cannotGoOn handles replies after which the conversation cannot go on as it is: the model refused, or its window is
// full. It goes on once in a new segment; when that does not help, the run pauses. It says whether the round is dealt with.
func (s *State) cannotGoOn(m Moment, err error) bool {
	r := &s.turn.round
	why, failed, class := "", false, string(r.end)
	switch c := model.ClassOf(err); {
	case c == model.TooLarge, c == model.Refused:
		why, failed, class = err.Error(), true, string(c)
	case err != nil:
		return false
	case r.end == model.StopRefusal:
		why = "the model refused to answer"
	case r.end == model.StopContext:
		why = "the window of the model is full"
	default:
		s.talk.forced = 0
		return false
	}
	s.talk.due = why
	if s.talk.forced > 0 {
		s.talk.forced = 0
		s.onCut(m, fmt.Errorf("%s, also in a new segment of the conversation", why))
		return true
	}
	s.talk.forced++
	s.log(episode.ProviderError{Tag: s.Tag(), Component: s.planner.Component, Class: class, Attempt: 1})
	switch {
	case !failed:
		return false // its calls stand; what follows opens the segment
	case len(r.calls) > 0:
		s.settle(m)
		return true
	}
	rep := s.turn.report
	rep.Notices = append(slices.Clone(rep.Notices), s.news.notices...)
	s.news.notices = nil
	s.ask(m, r.trigger, rep, s.turn.images)
	return true
}

// askOn asks again with nothing added: a tool of the provider takes longer than one reply.
func (s *State) askOn(m Moment) {
	s.send(m, []view.Wake{view.WakeResults})
}
