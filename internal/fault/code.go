package fault

import "net/http"

// Code names a kind of failure, for programs. Codes are part of the HTTP interface and never change.
type Code string

// The course of a study.
const (
	BudgetSpent   Code = "budget_spent"   // the budget is spent
	NotWorth      Code = "not_worth"      // no affordable setting is worth trying
	Exhausted     Code = "exhausted"      // every setting has been tried
	Closed        Code = "closed"         // somebody ended the study
	Deadline      Code = "deadline"       // the study's deadline has passed
	BudgetPending Code = "budget_pending" // what is left is reserved by trials under way
	Paused        Code = "paused"         // somebody paused the study
)

// What somebody gave us.
const (
	BadRequest Code = "bad_request" // a request or a flag that cannot be used
	BadStudy   Code = "bad_study"   // a study file with mistakes
	NotFound   Code = "not_found"
	Exists     Code = "exists"
	Conflict   Code = "conflict"  // it contradicts what is on record
	TooLarge   Code = "too_large" // more than is read
	TooMany    Code = "too_many"  // more often, or more of them, than is allowed

	UnknownLease Code = "unknown_lease" // it is about a trial that the log does not have: of another study of that name, or of a log that was restored
)

// Who may.
const (
	Unauthenticated Code = "unauthenticated"
	Forbidden       Code = "forbidden"
)

// What the machine has to say.
const (
	CannotRun   Code = "cannot_run"   // the trial's command cannot be started
	StoreBusy   Code = "store_busy"   // locked, or changed by too many at once
	StoreFull   Code = "store_full"   // no room on the disk
	StoreAway   Code = "store_away"   // the database cannot be reached
	StoreBroken Code = "store_broken" // damaged, foreign, newer, deleted or closed
	StoreDenied Code = "store_denied" // it may not be read or written, or there is no such place
	Unavailable Code = "unavailable"  // a server that cannot answer now
	NotServer   Code = "not_server"   // what answered is not an eke server
	Interrupted Code = "interrupted"  // by whoever asked
	Late        Code = "late"         // it took too long
	Internal    Code = "internal"     // anything else
)

// Exit codes of the command line. They are promised: scripts depend on them.
const (
	ExitFine        = 0
	ExitWrong       = 1
	ExitUsage       = 2
	ExitOver        = 3
	ExitPending     = 4
	ExitNotFound    = 5
	ExitInterrupted = 130
)

// Exit is an exit code of the command line and its meaning.
type Exit struct {
	Code    int
	Meaning string
}

// Exits lists the exit codes.
func Exits() []Exit {
	return []Exit{
		{ExitFine, "success"},
		{ExitWrong, "something went wrong; stderr says what, and what to do about it"},
		{ExitUsage, "wrong usage, or a mistake in a study file"},
		{ExitOver, "the study is over: the budget is spent, no affordable setting or not even the whole rest is worth its price, every setting was tried, it was ended, or its deadline passed"},
		{ExitPending, "not now: the rest of the budget is reserved by running trials, or the study is paused"},
		{ExitNotFound, "there is no such study, trial or token"},
		{ExitInterrupted, "interrupted"},
	}
}

// meaning is what follows from a code.
type meaning struct {
	exit      int
	status    int  // over HTTP
	over      bool // the study is over: asking again is of no use unless somebody changes the study, or adds money
	retryable bool // the same request may succeed a little later
}

var meanings = map[Code]meaning{
	BudgetSpent:   {exit: ExitOver, status: http.StatusConflict, over: true},
	NotWorth:      {exit: ExitOver, status: http.StatusConflict, over: true},
	Exhausted:     {exit: ExitOver, status: http.StatusConflict, over: true},
	Closed:        {exit: ExitOver, status: http.StatusConflict, over: true},
	Deadline:      {exit: ExitOver, status: http.StatusConflict, over: true},
	BudgetPending: {exit: ExitPending, status: http.StatusConflict, retryable: true},
	// A client that does not know this code goes by the status, and tries again later.
	Paused: {exit: ExitPending, status: http.StatusServiceUnavailable, retryable: true},

	BadRequest:   {exit: ExitUsage, status: http.StatusUnprocessableEntity},
	BadStudy:     {exit: ExitUsage, status: http.StatusUnprocessableEntity},
	NotFound:     {exit: ExitNotFound, status: http.StatusNotFound},
	Exists:       {exit: ExitWrong, status: http.StatusConflict},
	Conflict:     {exit: ExitWrong, status: http.StatusConflict},
	UnknownLease: {exit: ExitWrong, status: http.StatusConflict},
	TooLarge:     {exit: ExitUsage, status: http.StatusRequestEntityTooLarge},
	TooMany:      {exit: ExitWrong, status: http.StatusTooManyRequests, retryable: true},

	Unauthenticated: {exit: ExitWrong, status: http.StatusUnauthorized},
	Forbidden:       {exit: ExitWrong, status: http.StatusForbidden},

	CannotRun:   {exit: ExitWrong, status: http.StatusInternalServerError},
	StoreBusy:   {exit: ExitWrong, status: http.StatusServiceUnavailable, retryable: true},
	StoreFull:   {exit: ExitWrong, status: http.StatusServiceUnavailable, retryable: true},
	StoreAway:   {exit: ExitWrong, status: http.StatusServiceUnavailable, retryable: true},
	StoreBroken: {exit: ExitWrong, status: http.StatusServiceUnavailable},
	StoreDenied: {exit: ExitWrong, status: http.StatusServiceUnavailable},
	Unavailable: {exit: ExitWrong, status: http.StatusServiceUnavailable, retryable: true},
	NotServer:   {exit: ExitWrong, status: http.StatusBadGateway},
	Interrupted: {exit: ExitInterrupted, status: http.StatusServiceUnavailable},
	Late:        {exit: ExitWrong, status: http.StatusServiceUnavailable, retryable: true},
	Internal:    {exit: ExitWrong, status: http.StatusInternalServerError},
}

// Over says whether the study is over: nothing more is suggested unless somebody changes the study, or adds money.
func (c Code) Over() bool { return meanings[c].over }

// Retryable says whether the same request may succeed a little later, with nothing changed by hand.
func (c Code) Retryable() bool { return meanings[c].retryable }

// Exit is the exit code of the command line.
func (c Code) Exit() int { return meanings[c].exit }

// Status is the HTTP status.
func (c Code) Status() int { return meanings[c].status }
