package paper

import (
	"fmt"
	"strings"

	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/policy"
)

// presetNamed returns one of the presets that every policy works with: the paper's, the default, or the default without one of its
// fields, such as "default-warp". Leaving out a field shows what it is worth.
func presetNamed(name string) (policy.Preset, error) {
	if name == "paper" {
		return policy.Paper(), nil
	}
	v, err := variant.Parse(strings.Replace(name, "default", "default@v0", 1)) // the default that the paper's experiments were run with
	if err != nil || v.Policy != "auto" || v.Paper || strings.ContainsAny(name, "+#") {
		return policy.Preset{}, fmt.Errorf("preset %q is not known; there are paper, default, and default-FIELD without one of its fields: %s", name, strings.Join(variant.Fields(), ", "))
	}
	return v.Preset, nil
}
