package variant

import (
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/formerly"
	"github.com/eke-bo/eke/policy"
)

func TestParse(t *testing.T) {
	plain, paper := policy.Default(), policy.Paper()
	without := plain
	without.Informative, without.Thrift = 0, 0
	changed := plain
	changed.Rollouts, changed.Warp, changed.Discount = 3, false, 0.5
	floorless := paper
	floorless.NoiseFloor = 0
	for _, c := range []struct {
		label, policy string
		preset        policy.Preset
		paper, tuned  bool
	}{
		{"default", "auto", plain, false, false},
		{"default#before", "auto", plain, false, false},
		{"ei-puc-cc", "ei-puc-cc", plain, false, false},
		{"4-bmsei-p@paper", "4-bmsei-p", paper, true, false},
		{"default-informative", "auto", func() policy.Preset { p := plain; p.Informative = 0; return p }(), false, true},
		{"ei-puc-informative-thrift", "ei-puc", without, false, true},
		{"ei+rollouts=3+warp=false+Discount=0.5#x", "ei", changed, false, true},
		{"ei@paper-floor", "ei", floorless, true, true},
	} {
		v, err := Parse(c.label)
		if err != nil || v.Policy != c.policy || v.Preset != c.preset || v.Paper != c.paper || v.Tuned != c.tuned || v.Label != c.label {
			t.Errorf("%s: %+v, %v", c.label, v, err)
		}
	}
	for label, want := range map[string]Variant{
		"4-bmsei-p@v0@lucky":     {Policy: "4-bmsei-p", Preset: formerly.V0(), Tuned: true, Lucky: true},
		"ei@paper@quiet@lucky":   {Policy: "ei", Preset: paper, Paper: true, Quiet: true, Lucky: true},
		"default@quiet#whatever": {Policy: "auto", Preset: plain, Quiet: true},
	} {
		want.Label = label
		if v, err := Parse(label); err != nil || v != want {
			t.Errorf("%s: %+v, %v", label, v, err)
		}
	}
	for label, want := range map[string]string{
		"ie": "not a policy", "default+speed=3": "speed=3", "default+warp=perhaps": "warp", "ei+warp": "field", "ei+warp=": "field",
	} {
		if _, err := Parse(label); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", label, err, want)
		}
	}
}
