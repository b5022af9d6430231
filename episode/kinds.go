package episode

import (
	"encoding/json"
)

// Kind is "episode_started".
func (EpisodeStarted) Kind() string { return "episode_started" }

// Kind is "episode_ended".
func (EpisodeEnded) Kind() string { return "episode_ended" }

// Kind is "skill_started".
func (SkillStarted) Kind() string { return "skill_started" }

// Kind is "skill_stop".
func (SkillStop) Kind() string { return "skill_stop" }

// Kind is "skill_ended".
func (SkillEnded) Kind() string { return "skill_ended" }

// Kind is "service_started".
func (ServiceStarted) Kind() string { return "service_started" }

// Kind is "service_stopped".
func (ServiceStopped) Kind() string { return "service_stopped" }

// Kind is "run_started".
func (RunStarted) Kind() string { return "run_started" }

// Kind is "run_paused".
func (RunPaused) Kind() string { return "run_paused" }

// Kind is "run_resumed".
func (RunResumed) Kind() string { return "run_resumed" }

// Kind is "run_continued".
func (RunContinued) Kind() string { return "run_continued" }

// Kind is "run_ended".
func (RunEnded) Kind() string { return "run_ended" }

// Kind is "user_message".
func (UserMessage) Kind() string { return "user_message" }

// Kind is "agent_message".
func (AgentMessage) Kind() string { return "agent_message" }

// Kind is "planner_turn".
func (PlannerTurn) Kind() string { return "planner_turn" }

// Kind is "decision".
func (Decision) Kind() string { return "decision" }

// Kind is "plan_updated".
func (PlanUpdated) Kind() string { return "plan_updated" }

// Kind is "plan_step".
func (PlanStep) Kind() string { return "plan_step" }

// Kind is "action_started".
func (ActionStarted) Kind() string { return "action_started" }

// Kind is "action_ended".
func (ActionEnded) Kind() string { return "action_ended" }

// Kind is "refused".
func (Refused) Kind() string { return "refused" }

// Kind is "target_rejected".
func (TargetRejected) Kind() string { return "target_rejected" }

// Kind is "monitor_frame".
func (MonitorFrame) Kind() string { return "monitor_frame" }

// Kind is "monitor_answer".
func (MonitorAnswer) Kind() string { return "monitor_answer" }

// Kind is "context_checkpoint".
func (ContextCheckpoint) Kind() string { return "context_checkpoint" }

// Kind is "monitor_rule".
func (MonitorRule) Kind() string { return "monitor_rule" }

// Kind is "controller_check".
func (ControllerCheck) Kind() string { return "controller_check" }

// Kind is "operator_takeover".
func (OperatorTakeover) Kind() string { return "operator_takeover" }

// Kind is "command_refused".
func (CommandRefused) Kind() string { return "command_refused" }

// Kind is "provider_error".
func (ProviderError) Kind() string { return "provider_error" }

// Kind is "estop".
func (Estop) Kind() string { return "estop" }

// Kind is "estop_cleared".
func (EstopCleared) Kind() string { return "estop_cleared" }

// Kind is "hook".
func (Hook) Kind() string { return "hook" }

// Kind is "agent_message_withdrawn".
func (AgentMessageWithdrawn) Kind() string { return "agent_message_withdrawn" }

// Kind is "late".
func (Late) Kind() string { return "late" }

// Kind is "job_done".
func (JobDone) Kind() string { return "job_done" }

// Kind is what the line said.
func (u Unknown) Kind() string { return u.Name }

// decoders turn the fields of a line into the event of its kind.
func decoder(kind string) func([]byte) (Event, error) {
	switch kind {
	case "episode_started":
		return decode[EpisodeStarted]
	case "episode_ended":
		return decode[EpisodeEnded]
	case "skill_started":
		return decode[SkillStarted]
	case "skill_stop":
		return decode[SkillStop]
	case "skill_ended":
		return decode[SkillEnded]
	case "service_started":
		return decode[ServiceStarted]
	case "service_stopped":
		return decode[ServiceStopped]
	case "run_started":
		return decode[RunStarted]
	case "run_paused":
		return decode[RunPaused]
	case "run_resumed":
		return decode[RunResumed]
	case "run_continued":
		return decode[RunContinued]
	case "run_ended":
		return decode[RunEnded]
	case "user_message":
		return decode[UserMessage]
	case "agent_message":
		return decode[AgentMessage]
	case "planner_turn":
		return decode[PlannerTurn]
	case "decision":
		return decode[Decision]
	case "plan_updated":
		return decode[PlanUpdated]
	case "plan_step":
		return decode[PlanStep]
	case "action_started":
		return decode[ActionStarted]
	case "action_ended":
		return decode[ActionEnded]
	case "refused":
		return decode[Refused]
	case "target_rejected":
		return decode[TargetRejected]
	case "monitor_frame":
		return decode[MonitorFrame]
	case "monitor_answer":
		return decode[MonitorAnswer]
	case "context_checkpoint":
		return decode[ContextCheckpoint]
	case "monitor_rule":
		return decode[MonitorRule]
	case "controller_check":
		return decode[ControllerCheck]
	case "operator_takeover":
		return decode[OperatorTakeover]
	case "command_refused":
		return decode[CommandRefused]
	case "provider_error":
		return decode[ProviderError]
	case "estop":
		return decode[Estop]
	case "estop_cleared":
		return decode[EstopCleared]
	case "hook":
		return decode[Hook]
	case "agent_message_withdrawn":
		return decode[AgentMessageWithdrawn]
	case "late":
		return decode[Late]
	case "job_done":
		return decode[JobDone]
	}
	return nil
}

func decode[E Event](data []byte) (Event, error) {
	var e E
	err := json.Unmarshal(data, &e)
	return e, err
}
