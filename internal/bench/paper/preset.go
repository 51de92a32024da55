package paper

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eke-bo/eke/policy"
)

// mends are those things that the default preset has and the paper's has not which came of looking at replications that went wrong, by the
// name they are left out under: "default-warp" is the default without it. So anyone can see what each is good for.
var mends = map[string]func(*policy.Preset){
	"ceiling":     func(p *policy.Preset) { p.NoiseCeiling = 0 },
	"discount":    func(p *policy.Preset) { p.Discount = 0 },
	"floor":       func(p *policy.Preset) { p.NoiseFloor = 0 },
	"informative": func(p *policy.Preset) { p.Informative = 0 },
	"rough":       func(p *policy.Preset) { p.Rough = false },
	"thrift":      func(p *policy.Preset) { p.Thrift = 1 },
	"warp":        func(p *policy.Preset) { p.Warp = false },
}

// presetNamed returns one of the presets in which every policy exists.
func presetNamed(name string) (policy.Preset, error) {
	switch name {
	case "paper":
		return policy.Paper(), nil
	case "default":
		return policy.Default(), nil
	}
	preset := policy.Default()
	if left, ok := strings.CutPrefix(name, "default-"); ok && mends[left] != nil {
		mends[left](&preset)
		return preset, nil
	}
	return preset, fmt.Errorf("preset %q is not known; there are paper, default, and default-WHAT without one of its mends: %s",
		name, strings.Join(slices.Sorted(maps.Keys(mends)), ", "))
}
