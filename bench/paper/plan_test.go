package paper

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseContender(t *testing.T) {
	for text, want := range map[string]Contender{
		"ei":                {"ei", "paper"},
		"paper:4-bmsei-p":   {"4-bmsei-p", "paper"},
		"4-bmsei-p":         {"4-bmsei-p", "paper"},
		"default":           {"4-bmsei-p", "default"},
		"default:4-bmsei-p": {"4-bmsei-p", "default"},
		"default:ei-puc-cc": {"ei-puc-cc", "default"},
		"default:4-bmsei":   {"4-bmsei", "default"},
	} {
		got, err := ParseContender(text)
		if err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
		if again, err := ParseContender(got.String()); err != nil || again != got {
			t.Errorf("%q is written %q, which is %v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "best", "mine:ei", "default:", "paper", ":ei", "default-", "default-fortune", "default-fortune:ei", "paper-warp:ei"} {
		if c, err := ParseContender(text); err == nil {
			t.Errorf("%q is %v, want an error", text, c)
		}
	}
}

// All once, cheap ones first, then all once more.
func TestOrderOfWork(t *testing.T) {
	e := Experiment{Problems: []string{"dropwave", "ackley"}, Replications: 2, Half: true,
		Contenders: []Contender{{"4-bmsei", "paper"}, {"ei", "paper"}, {"ei", "paper"}}}
	got, err := e.Keys(func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	var want []Key
	for i := range 2 {
		for _, name := range []string{"ei", "4-bmsei"} {
			want = append(want, Key{"dropwave", name, "paper", 40, i}, Key{"dropwave", name, "paper", 20, i}, Key{"ackley", name, "paper", 60, i})
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestUsualReplications(t *testing.T) {
	count := map[Contender]int{}
	keys, err := Experiment{Problems: []string{"dropwave"}, Contenders: Contenders()}.Keys(func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		count[k.contender()]++
	}
	for _, c := range Contenders() {
		want := 40
		if c.Policy == "2-bmsei" || c.Policy == "4-bmsei" {
			want = 20
		}
		if count[c] != want {
			t.Errorf("%d replications of %s, want %d", count[c], c, want)
		}
	}
}

func TestMissingData(t *testing.T) {
	t.Setenv("EKE_DATA", "")
	var told []error
	keys, err := Experiment{Problems: []string{"lda", "dropwave"}, Contenders: Contenders()[:1], Replications: 1}.Keys(
		func(err error) { told = append(told, err) })
	if err != nil || len(keys) != 1 || len(told) != 1 || !strings.Contains(told[0].Error(), "lda_on_grid.csv") {
		t.Errorf("%v, %v; told %v", keys, err, told)
	}
	if _, err := (Experiment{Problems: []string{"unheard-of"}}).Keys(nil); err == nil {
		t.Error("a problem that does not exist is no error")
	}
}
