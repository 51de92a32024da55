// Package study is a study as people speak of it: what may vary, what it may cost, the trials and the
// money.
//
//	study.go     Study: what the study file says
//	json.go      a study as JSON, the form in which stores keep it
//	file.go      Parse: from the study file to a Study
//	budget.go    amounts of money and of time
//	parameter.go the parameters, checked by package space and shown where they stand
//	policy.go    the names of policies
//	keys.go      every key of a study file
//	yaml.go      from text to nodes, with limits, and what to say where it is no YAML
//	node.go      node: YAML as far as study files use it
//	reader.go    values of the expected type, or an error at their place
//	error.go     Error: where it is, what was found, how to mend it
//	nearest.go   what was probably meant
//	command.go   the command and its {name}s, checked
//	argv.go      the command for a setting
//	template.go  the commented study file to begin with
//	format.go    values as YAML
//	schema.go    the study file's JSON schema, for editors
//	trial.go     Trial and its states
//	event.go     Event: one line of the log, all that ever happens to a study
//	record.go    Record: the log folded into trials, and the law that every event must keep
//	ledger.go    Ledger: the budget, what is spent of it and what is reserved
//
// A study's log is the truth; everything else follows from it. A store keeps events and nothing
// else, so what was acknowledged cannot be lost in part, and the history of every cent can be read.
package study
