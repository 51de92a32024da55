package variant

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for label, want := range map[string]Variant{
		"default":                {Policy: "auto"},
		"default#before":         {Policy: "auto"},
		"default-looks":          {Policy: "auto", NoLooks: true},
		"default-changes":        {Policy: "auto", NoChanges: true},
		"ei-puc-cc":              {Policy: "ei-puc-cc"},
		"4-bmsei-p@paper":        {Policy: "4-bmsei-p", Paper: true},
		"4-bmsei-p@lucky":        {Policy: "4-bmsei-p", Lucky: true},
		"ei@paper@quiet@lucky":   {Policy: "ei", Paper: true, Quiet: true, Lucky: true},
		"default@failures":       {Policy: "auto", Failures: true},
		"default@known":          {Policy: "auto", Known: true},
		"default@stop":           {Policy: "auto", Stop: true},
		"default@quiet#whatever": {Policy: "auto", Quiet: true},
		"tpe":                    {Policy: TPE},
		"external:python3 x.py":  {Policy: External, Command: "python3 x.py"},
	} {
		want.Label = label
		if v, err := Parse(label); err != nil || v != want {
			t.Errorf("%s: %+v, %v", label, v, err)
		}
	}
	for label, want := range map[string]string{
		"ie": "not a policy", "default@v0": "@v0", "default-warp": "not a policy", "default+warp=1": "not a policy", External + ":" + " ": "command",
	} {
		if _, err := Parse(label); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", label, err, want)
		}
	}
}
