package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// TestPoliciesAreTheSame: this package cannot see the policies, so its names are held to theirs here.
func TestPoliciesAreTheSame(t *testing.T) {
	if want := append([]string{"auto"}, policy.Names()...); !slices.Equal(PolicyNames(), want) {
		t.Errorf("names are %v, want %v", PolicyNames(), want)
	}
	for n := range 15 {
		name := fmt.Sprintf("%d-bmsei-p", n)
		_, err := policy.New(name, policy.Settings{})
		if got := pathPolicy.MatchString(name); got != (err == nil) {
			t.Errorf("%s: accepted is %v, but the policy says %v", name, got, err)
		}
	}
	for _, fantasies := range [][]int{{1}, {4, 4, 2}, {64, 64, 3}, {64, 64, 4}, {64, 64, 5}, {27, 27, 26}, {27, 27, 27}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {0}, {}} {
		_, err := policy.New("bmsei", policy.Settings{Fantasies: fantasies})
		text := strings.ReplaceAll(fmt.Sprint(fantasies), " ", ", ")
		raw := strings.Replace(string(read(t, "testdata/good/airfoil.yaml")["testdata/good/airfoil.yaml"]), "{name: auto}", "{name: bmsei, fantasies: "+text+"}", 1)
		if _, got := Parse([]byte(raw), "study.yaml"); (got == nil) != (err == nil) {
			t.Errorf("%v: %v, but the policy says %v", fantasies, got, err)
		}
	}
}
