package advisor_test

import (
	"os"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// What is said about the policy auto names the policies that it stands for.
func TestAutoIsWhatItIsSaidToBe(t *testing.T) {
	s := study.Study{
		Name: "kiln", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported, Unit: "euros"},
		Budget: study.Budget{Total: 4}, Policy: study.Policy{Name: "auto"}, Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
	}
	noisy, leveled := s, s
	noisy.Noisy, leveled.Fidelity = true, &study.Fidelity{Name: "epochs", Min: 1, Max: 9}
	picked := map[string]bool{}
	for _, s := range []*study.Study{&s, &noisy, &leveled} {
		a, err := advisor.New(s)
		if err != nil {
			t.Fatal(err)
		}
		picked[a.Pick(nil).Name] = true
	}
	guide, err := os.ReadFile("../docs/POLICIES.md")
	if err != nil {
		t.Fatal(err)
	}
	for place, text := range map[string]string{"the template": study.Template(s), "the schema": string(study.Schema()), "docs/POLICIES.md": string(guide)} {
		_, about, found := strings.Cut(text, "auto is ")
		if place == "docs/POLICIES.md" {
			_, about, found = strings.Cut(text, "The default, `auto`, is ")
		}
		for name := range picked {
			if !found || !strings.Contains(about[:min(len(about), 800)], name) {
				t.Errorf("%s does not say that auto may be %s", place, name)
			}
		}
	}
}
