package safety

import "fmt"

// Code names a kind of refusal; programs may branch on it.
type Code string

// The codes.
const (
	NotFinite      Code = "not_finite"       // a number of the command is NaN or infinite
	Stale          Code = "stale_command"    // decided too long ago
	NoModule       Code = "no_module"        // the robot has no such module
	WrongTarget    Code = "wrong_target"     // the module does not take such a target
	Blind          Code = "no_readings"      // nothing fresh is known of the module
	JointLimit     Code = "joint_limit"      // a joint would be turned beyond its limit
	TooLow         Code = "too_low"          // fingertips or a link would come too near to the table
	OutOfWorkspace Code = "out_of_workspace" // fingertips would leave the workspace
	BadForce       Code = "bad_force"        // a force below zero
)

// Refusal is the error of a command that was not let through.
type Refusal struct {
	Code    Code
	Module  string
	Message string // plain words for an operator
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("shield refuses a command for %s (%s): %s", r.Module, r.Code, r.Message)
}

func refuse(module string, code Code, format string, args ...any) error {
	return &Refusal{Code: code, Module: module, Message: fmt.Sprintf(format, args...)}
}
