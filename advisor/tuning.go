package advisor

import (
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// Tuning is what experiments with the methods themselves may change. It is not kept with the study: whoever asks for
// the next trial must give it again.
type Tuning struct {
	// Settings are those of the policies, as the study's definition implies them.
	policy.Settings

	// Overrun suggests what the policy chose even if it is not expected to fit what is left of the budget; what is left
	// is then reserved. So the paper counts: a policy may spend its last money on a trial that does not count.
	Overrun bool
}

// Option changes the tuning of an advisor.
type Option func(*Tuning)

// settings are those that a study's definition implies.
func settings(s *study.Study) policy.Settings {
	settings := policy.Settings{Fantasies: s.Policy.Fantasies, Design: s.Policy.Design, Parallel: s.Parallel}
	if s.Policy.Preset == study.PresetPaper {
		preset := policy.Paper()
		settings.Preset = &preset
	}
	if s.Noisy {
		settings.Noise = policy.Noisy()
	}
	if s.Measured() {
		settings.CostNoise = policy.Noisy() // no clock shows the same time twice
	}
	return settings
}

// settingsFor returns the advisor's settings for what the record has. Where repeated settings disagree, there is noise, whatever the
// study says.
func (a *Advisor) settingsFor(r *study.Record) policy.Settings {
	settings := a.tuning.Settings
	if settings.Noise == nil && a.hasNoise(r) {
		settings.Noise = policy.Noisy()
	}
	if settings.Preset == nil && a.study.Stop.Never {
		preset := policy.Default()
		preset.Worth = 0 // all the money is to be spent, even where nothing is likely to come of it
		settings.Preset = &preset
	}
	return settings
}

// policy returns the policy of that name, with the advisor's tuning.
func (a *Advisor) policy(name string, settings policy.Settings) (policy.Policy, error) {
	if name == "random" {
		// Its models say what a trial will cost and nothing else. Prices that vary by themselves, taken for a function of the setting,
		// make for wild guesses, and a single one ends a study whose trials do not depend on what was learnt.
		settings.CostNoise = policy.Noisy()
	}
	return policy.New(name, settings)
}
