package episode_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/episode"
)

// every is one event of each kind. TestEveryKindIsHere says when one is missing.
var every = []episode.Event{
	episode.EpisodeStarted{}, episode.EpisodeEnded{}, episode.SkillStarted{}, episode.SkillStop{}, episode.SkillEnded{},
	episode.ServiceStarted{}, episode.ServiceStopped{}, episode.RunStarted{}, episode.RunPaused{}, episode.RunResumed{},
	episode.RunContinued{}, episode.RunEnded{}, episode.UserMessage{}, episode.AgentMessage{}, episode.PlannerTurn{},
	episode.Decision{}, episode.PlanUpdated{}, episode.PlanStep{}, episode.ActionStarted{}, episode.ActionEnded{},
	episode.Refused{}, episode.TargetRejected{}, episode.MonitorFrame{}, episode.MonitorAnswer{}, episode.ContextCheckpoint{},
	episode.MonitorRule{}, episode.ControllerCheck{}, episode.OperatorTakeover{}, episode.CommandRefused{}, episode.ProviderError{},
	episode.Estop{}, episode.EstopCleared{}, episode.Hook{}, episode.AgentMessageWithdrawn{}, episode.Late{}, episode.JobDone{},
}

// wantFields are the fields of the contract, by kind.
var wantFields = map[string]string{
	"episode_started": "task", "episode_ended": "status",
	"skill_started": "skill tool params by", "skill_stop": "skill reason by", "skill_ended": "skill status reason",
	"service_started": "module field params by", "service_stopped": "module field params by",
	"run_started": "task models system_prompt tools", "run_paused": "by reason", "run_resumed": "by reason",
	"run_continued": "continues_from task models system_prompt tools status plan",
	"run_ended":     "status summary claimed checked usage", "user_message": "text", "agent_message": "text",
	"planner_turn": "turn trigger latency_s usage text tools",
	"decision":     "kind_of output rationale trigger component inputs model prompt_hash tokens_in tokens_out latency_s",
	"plan_updated": "steps", "plan_step": "step tool args action",
	"action_started": "action tool args step tracker_s start_s target_area",
	"action_ended":   "action tool outcome cause reason skill_reason also arrival elapsed_s stop",
	"refused":        "tool code message generation", "target_rejected": "tool target_area limit observation",
	"monitor_frame":      "action images readings ages_s",                                    // ages_s is ours: without
	"monitor_answer":     "action tick answers age_s latency_s images readings usage ages_s", // it a replay guesses
	"context_checkpoint": "why messages images tokens", "monitor_rule": "action question do value then consecutive",
	"controller_check": "action do reason then", "operator_takeover": "input stopped",
	"command_refused": "owner generation current what", "provider_error": "component class attempt wait_s",
	"estop": "by", "estop_cleared": "by", "hook": "plugin point before after effect",
	"agent_message_withdrawn": "what id", "late": "what id", "job_done": "what id",
}

func TestEveryKindIsHere(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "events.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{"Unknown": true}
	for _, e := range every {
		have[reflect.TypeOf(e).Name()] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		ts, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		st, ok := ts.Type.(*ast.StructType)
		if ok && len(st.Fields.List) > 0 && len(st.Fields.List[0].Names) == 0 && !have[ts.Name.Name] {
			t.Errorf("events.go has %s, which no test knows", ts.Name.Name)
		}
		return true
	})
	if got, want := len(every), len(wantFields); got != want {
		t.Errorf("got %d kinds, want %d", got, want)
	}
}

func TestEventRoundTrip(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
	for _, e := range every {
		t.Run(e.Kind(), func(t *testing.T) {
			if got, want := e.Kind(), snake(reflect.TypeOf(e).Name()); got != want {
				t.Errorf("kind: got %q, want %q", got, want)
			}
			v := reflect.New(reflect.TypeOf(e)).Elem()
			fill(v, 1)
			want := episode.Entry{T: at, Seq: 7, Sim: 1234567 * time.Microsecond, Simulated: true, Event: v.Interface().(episode.Event)}
			line, err := want.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			var got episode.Entry
			if err := got.UnmarshalJSON(line); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("got (-) want (+):\n%s", diff)
			}
			checkFields(t, e.Kind(), line)
		})
	}
}

// checkFields compares a line whose every field is set with the contract.
func checkFields(t *testing.T, kind string, line []byte) {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatal(err)
	}
	ours := map[string]bool{"t": true, "seq": true, "sim_s": true, "kind": true, "run": true, "generation": true, "phase": true}
	for f := range strings.FieldsSeq(wantFields[kind]) {
		if m[f] == nil {
			t.Errorf("field %s is missing in %s", f, line)
		}
		ours[f] = true
	}
	for f := range m {
		if !ours[f] {
			t.Errorf("field %s is not in the contract", f)
		}
	}
}

func TestZeroEventsRoundTrip(t *testing.T) {
	for _, e := range every {
		want := episode.Entry{T: time.Unix(0, 0).UTC(), Event: e}
		line, err := want.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var got episode.Entry
		if err := got.UnmarshalJSON(line); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		back, err := got.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if string(back) != string(line) {
			t.Errorf("got %s, want %s", back, line)
		}
		if episode.Describe(e) == "" {
			t.Errorf("%s: no words", e.Kind())
		}
	}
}

func TestDescribeTellsWhyAnAnswerIsMissing(t *testing.T) {
	e := episode.MonitorAnswer{Action: "a1", Tick: 3, Answers: map[string]episode.Answer{
		"held": {Value: []byte("true"), P: 0.9}, "open": {Missing: "timeout", Why: "too\nslow"},
	}}
	if got, want := episode.Describe(e), "monitor on a1, tick 3: held true (0.90), open no answer (timeout): too slow"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnknownKindIsKept(t *testing.T) {
	line := `{"t":"2026-01-02T03:04:05.000006Z","seq":3,"kind":"telepathy","run":"s/1","strength":9}`
	var e episode.Entry
	if err := e.UnmarshalJSON([]byte(line)); err != nil {
		t.Fatal(err)
	}
	if got, want := e.Event.Kind(), "telepathy"; got != want {
		t.Errorf("kind: got %q, want %q", got, want)
	}
	if got, want := e.Tag().Run, "s/1"; got != want {
		t.Errorf("run: got %q, want %q", got, want)
	}
	back, err := e.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(back) != line {
		t.Errorf("got %s, want %s", back, line)
	}
}

func TestRawThatIsNoJSON(t *testing.T) {
	e := episode.Entry{Event: episode.PlanUpdated{Steps: []episode.PlanItem{{ID: "s1", Args: json.RawMessage(`{"x":`)}, {Args: json.RawMessage("")}}}}
	line, err := e.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if want := `"args":"{\"x\":"`; !strings.Contains(string(line), want) {
		t.Errorf("got %s, want it to contain %s", line, want)
	}
	if !json.Valid(line) {
		t.Errorf("no JSON: %s", line)
	}
	nan := episode.Entry{Event: episode.ActionEnded{ElapsedS: 0 * inf()}}
	if line, err := nan.MarshalJSON(); err == nil {
		t.Errorf("a number that is none was written: %s", line)
	}
}

func inf() float64 { var zero float64; return 1 / zero }

// fill sets every field of v to something that is not zero.
func fill(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n+i)
		}
	case reflect.String:
		v.SetString("text <" + string(rune('a'+n%26)) + ">&")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n + 1))
	case reflect.Uint64:
		v.SetUint(uint64(n + 1))
	case reflect.Float64:
		v.SetFloat(float64(n) + 0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e, n)
		v.SetMapIndex(reflect.ValueOf("key"), e)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":[1,"<&>"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n+i)
		}
	}
}

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
