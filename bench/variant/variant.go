package variant

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/formerly"
	"github.com/eke-bo/eke/policy"
)

// Variant is a policy with a preset. Its label is
//
//	NAME[@paper|@v0][@quiet][@lucky][@failures][-FIELD …][+FIELD=VALUE …][#NOTE]
//
// where NAME is a policy, "tpe" for that of Optuna, or "default" for the product's default, "@paper" is the paper's preset and "@v0" that of eke's first
// version, whose default was 4-bmsei-p, "@quiet" states noisy problems as if they had no noise, "@lucky" reports the best observation as the best, as the first
// version did, "-warp" means a preset without that field, "+thrift=0.7" means another value of a field, and a note such as "#before" only keeps results apart.
// The label of another program is external:COMMAND.
type Variant struct {
	Label  string
	Policy string // as policy.New knows it, or "auto"
	Preset policy.Preset
	Paper  bool // the preset is the paper's, perhaps changed
	Tuned  bool // fields of the preset were changed
	Quiet  bool // noisy problems are stated as if they had no noise
	Lucky  bool // the best observation is reported as the best, noise or not

	Failures bool // evaluations that do not meet the limits are told as failures: "@failures"

	Workers int // trials at a time; 0: one. A label does not say it

	Command string // for a shell; only if the policy is External
}

// TPE is the policy of Optuna, which has no preset.
const TPE = "tpe"

// External is the policy of another program, which a command starts.
const External = "external"

// aliases are short names of fields.
var aliases = map[string]string{"floor": "noisefloor", "ceiling": "noiseceiling"}

// Parse reads a label.
func Parse(label string) (Variant, error) {
	v := Variant{Label: label, Preset: policy.Default()}
	if command, ok := strings.CutPrefix(label, External+":"); ok {
		if strings.TrimSpace(command) == "" {
			return v, fmt.Errorf("policy %q has no command", label)
		}
		v.Policy, v.Command = External, command
		return v, nil
	}
	text, _, _ := strings.Cut(label, "#")
	parts := strings.Split(text, "+")
	base, sets := parts[0], parts[1:]
	var without []string
	for { // names have dashes, too, so labels are read from the end
		at := strings.LastIndex(base, "-")
		if at < 0 || !v.has(base[at+1:]) {
			break
		}
		base, without = base[:at], append(without, base[at+1:])
	}
	base, v.Failures = strings.CutSuffix(base, "@failures")
	base, v.Lucky = strings.CutSuffix(base, "@lucky")
	base, v.Quiet = strings.CutSuffix(base, "@quiet")
	if name, ok := strings.CutSuffix(base, "@paper"); ok {
		base, v.Paper, v.Preset = name, true, policy.Paper()
	}
	if name, ok := strings.CutSuffix(base, "@v0"); ok {
		base, v.Tuned, v.Preset = name, true, formerly.V0()
	}
	v.Policy = base
	if base == "default" {
		v.Policy = "auto"
	} else if base == TPE {
		v.Tuned = len(sets)+len(without) > 0
	} else if _, err := policy.New(base, policy.Settings{Fantasies: []int{2}}); err != nil {
		return v, fmt.Errorf("policy %q: %w", label, err)
	}
	for _, field := range without {
		if err := v.set(field, ""); err != nil {
			return v, fmt.Errorf("policy %q: %w", label, err)
		}
	}
	for _, s := range sets {
		field, value, ok := strings.Cut(s, "=")
		if !ok || !v.has(field) || value == "" {
			return v, fmt.Errorf("policy %q: %q is not a field of the preset and its value; there are %s", label, s, strings.Join(Fields(), ", "))
		}
		if err := v.set(field, value); err != nil {
			return v, fmt.Errorf("policy %q: %s: %w", label, field, err)
		}
	}
	return v, nil
}

// field returns a field of the preset by its name in any case, or an alias.
func (v *Variant) field(name string) reflect.Value {
	name = strings.ToLower(name)
	if full, ok := aliases[name]; ok {
		name = full
	}
	return reflect.ValueOf(&v.Preset).Elem().FieldByNameFunc(func(f string) bool { return strings.ToLower(f) == name })
}

func (v *Variant) has(name string) bool { return v.field(name).IsValid() }

// set gives a field a value. "" is the field's zero value, which turns the field off.
func (v *Variant) set(name, value string) error {
	v.Tuned = true
	f := v.field(name)
	if value == "" {
		f.SetZero()
		return nil
	}
	switch f.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(value)
		f.SetBool(b)
		return err
	case reflect.Int:
		n, err := strconv.ParseInt(value, 10, 64)
		f.SetInt(n)
		return err
	case reflect.Float64:
		x, err := strconv.ParseFloat(value, 64)
		f.SetFloat(x)
		return err
	}
	return fmt.Errorf("a %s cannot be given here", f.Kind())
}

// Fields lists the names of the preset's fields.
func Fields() (names []string) {
	t := reflect.TypeFor[policy.Preset]()
	for i := range t.NumField() {
		names = append(names, strings.ToLower(t.Field(i).Name))
	}
	return names
}
