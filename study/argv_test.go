package study

import (
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/space"
)

func commandStudy(command ...string) *Study {
	return &Study{
		Name: "demo",
		Parameters: []space.Param{
			{Name: "lr", Kind: space.KindFloat, Max: 1},
			{Name: "opt", Kind: space.KindChoice, Values: []space.Value{space.String("sgd"), space.String("adam")}},
			{Name: "beta", Kind: space.KindFloat, Max: 1, When: []space.Condition{{Param: "opt", Values: []space.Value{space.String("adam")}}}},
		},
		Command: command,
	}
}

func TestArgv(t *testing.T) {
	s := commandStudy("run", "--lr={lr}", "--opt", "{opt}", "--beta={beta}", "{lr}:{beta}", "{{lr}}", "{study}/{trial}", "", "a{{{lr}}}")
	extra := map[string]string{"trial": "7", "params": "{lr}"}
	for _, c := range []struct {
		setting space.Setting
		want    []string
	}{
		{space.Setting{"lr": space.Float(0.5), "opt": space.String("adam"), "beta": space.Float(1e-7)},
			[]string{"run", "--lr=0.5", "--opt", "adam", "--beta=1e-7", "0.5:1e-7", "{lr}", "demo/7", "", "a{0.5}"}},
		{space.Setting{"lr": space.Float(1), "opt": space.String("sgd")},
			[]string{"run", "--lr=1", "--opt", "sgd", "{lr}", "demo/7", "", "a{1}"}},
	} {
		got, err := s.Argv(c.setting, extra)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q, %v; want %q", got, err, c.want)
		}
	}
}

// TestArgvSubstitutesOnce: what a value says is never read as a placeholder.
func TestArgvSubstitutesOnce(t *testing.T) {
	s := commandStudy("run", "{opt}", "{params}")
	got, err := s.Argv(space.Setting{"opt": space.String("{lr}; rm -rf {{")}, map[string]string{"params": "{lr}"})
	if want := []string{"run", "{lr}; rm -rf {{", "{lr}"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestArgvErrors(t *testing.T) {
	setting := space.Setting{"lr": space.Float(1)}
	for want, s := range map[string]*Study{
		"has no command":           commandStudy(),
		"no value for opt":         commandStudy("run", "{opt}"),
		"{dir} is not known here":  commandStudy("run", "{dir}"),
		"{x} is not known here":    commandStudy("run", "{x}"),
		"a { has no } after it":    commandStudy("run", "{lr"),
		"a } has no { before it":   commandStudy("run", "lr}"),
		"there is no name between": commandStudy("run", "{ }"),
		"depends on a parameter that this setting does not have": commandStudy("{beta}"),
	} {
		if got, err := s.Argv(setting, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, %v", want, got, err)
		}
	}
}

func TestEnviron(t *testing.T) {
	s := commandStudy("run")
	s.Env = map[string]string{"Z": "{lr}", "A": "{beta}", "M": "x"}
	got, err := s.Environ(space.Setting{"lr": space.Float(2)}, nil)
	if want := []string{"M=x", "Z=2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	s.Env["Z"] = "{"
	if _, err := s.Environ(nil, nil); err == nil || !strings.Contains(err.Error(), "env.Z") {
		t.Errorf("%v", err)
	}
}
