package study

import "github.com/eke-bo/eke/space"

// Every key that a study file may have, by what it belongs to. The JSON schema lists the same.
var (
	studyKeys     = []string{"name", "objective", "cost", "budget", "parameters", "fidelity", "where", "command", "env", "workdir", "parallel", "policy", "seed", "noise", "notify", "stop", "engine", "trials", "start_from"}
	objectiveKeys = []string{"name", "goal"}
	costKeys      = []string{"unit", "source", "of", "price", "rate"}
	budgetKeys    = []string{"total", "trials", "per_trial", "over", "timeout", "limit", "deadline"}
	policyKeys    = []string{"name", "preset", "fantasies", "design"}
	engineKeys    = []string{"type", "options", "time", "poll", "setup", "save"}
	fidelityKeys  = []string{"name", "min", "max", "log", "steps", "resume", "stop_early"}
	stopKeys      = []string{"gain"}
	notifyKeys    = []string{"command", "url", "on"}
	parameterKeys = []string{"type", "min", "max", "step", "log", "values", "value", "default", "when"}
)

// Every word that stands for one of several possibilities.
var (
	goals   = []string{string(Minimize), string(Maximize)}
	sources = []string{string(Reported), string(Walltime), string(FromSlurm)}
	engines = []string{engineSlurm}
	presets = []string{string(PresetDefault), string(PresetPaper)}
	limits  = []string{"forecast", string(LimitNone)}
	overs   = []string{"keep", string(OverCut)}
)

// keysOf says which keys each type of parameter needs, and which it may have; all may have when.
var keysOf = map[space.Kind]struct{ needs, may []string }{
	space.KindFloat:   {[]string{"min", "max"}, []string{"step", "log", "default"}},
	space.KindInt:     {[]string{"min", "max"}, []string{"step", "log", "default"}},
	space.KindChoice:  {[]string{"values"}, []string{"default"}},
	space.KindOrdered: {[]string{"values"}, []string{"default"}},
	space.KindBool:    {nil, []string{"default"}},
	space.KindFixed:   {[]string{"value"}, nil},
}
