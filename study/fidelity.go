package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// Fidelity is how thoroughly a trial evaluates its setting: for how many epochs, on how much of the data, on how fine a mesh. It is
// one more input of the command, beside the parameters. A trial at less than the highest fidelity is a look: it is cheaper and
// says something about the setting, but its value does not count.
type Fidelity struct {
	Name  string    `json:"name"`            // Name is how settings and commands refer to it.
	Min   float64   `json:"min,omitempty"`   // Min is the lowest fidelity, and Max the highest. Between two whole numbers there are whole numbers only.
	Max   float64   `json:"max,omitempty"`   //
	Log   bool      `json:"log,omitempty"`   // Log says that equal ratios, not equal differences, are equally far apart.
	Steps []float64 `json:"steps,omitempty"` // Steps lists the fidelities, lowest first, instead of Min and Max.

	// Resume says that a trial leaves a checkpoint. A trial of the same setting with a higher fidelity goes on from there, and costs only
	// the difference.
	Resume bool `json:"resume,omitempty"`

	// StopEarly is the rule by which trials that report values on their way are stopped: StopByModel, which is the default,
	// StopByMedian or StopNever.
	StopEarly string `json:"stop_early,omitempty" enum:"model,median,never"`

	// Count says which value of a trial counts that reports values on its way: CountLast, which is the default, or CountBest.
	Count string `json:"count,omitempty" enum:"last,best"`
}

// The rules by which trials are stopped early.
const (
	StopByModel  = "model"  // when the rest of a trial is worth less for its money than other settings, by the models
	StopByMedian = "median" // when its best value is worse than the median of the others
	StopNever    = "never"
)

// Top returns the highest fidelity.
func (f *Fidelity) Top() float64 {
	if len(f.Steps) > 0 {
		return f.Steps[len(f.Steps)-1]
	}
	return f.Max
}

// eta is the ratio between neighbouring levels, Hyperband's (Li et al. 2018).
const eta = 3

// mostLevels bounds the levels of a range: a look at less than 1/243 of the highest fidelity says next to nothing.
const mostLevels = 6

// Levels returns the fidelities that trials are chosen among, lowest first: the steps or, of a range, the highest and a third, a
// ninth, … of it.
func (f *Fidelity) Levels() (list []float64) {
	if len(f.Steps) > 0 {
		return f.Steps
	}
	for level := f.Max; len(list) < mostLevels; level /= eta {
		if f.whole() {
			level = math.Floor(level)
		}
		if level < f.Min*(1-1e-9) { // a third of a third of 0.9 is not quite 0.1
			break
		}
		list = append(list, math.Max(level, f.Min))
	}
	if len(list) == 1 { // the range is narrow
		list = append(list, f.Min)
	}
	slices.Reverse(list)
	return list
}

func (f *Fidelity) whole() bool { return f.Min == math.Trunc(f.Min) && f.Max == math.Trunc(f.Max) }

// Param returns the fidelity as a parameter of the space. A setting that does not mention it has the highest.
func (f *Fidelity) Param() space.Param {
	p := space.Param{Name: f.Name, Kind: space.KindFloat, Min: f.Min, Max: f.Max, Log: f.Log, Default: number(f.Top())}
	switch {
	case len(f.Steps) > 0:
		p = space.Param{Name: f.Name, Kind: space.KindOrdered, Default: p.Default}
		for _, step := range f.Steps {
			p.Values = append(p.Values, number(step))
		}
	case f.whole():
		p.Kind = space.KindInt
	}
	return p
}

// number returns a value that a command sees as a person would write it: 81, not 81.0.
func number(x float64) space.Value {
	if x == math.Trunc(x) && math.Abs(x) < maxSeed {
		return space.Int(int64(x))
	}
	return space.Float(x)
}

// Inputs returns everything that a setting has a value for: the parameters and, if there is one, the fidelity, which is the last.
func (s *Study) Inputs() []space.Param {
	if s.Fidelity == nil {
		return s.Parameters
	}
	return append(slices.Clip(s.Parameters), s.Fidelity.Param())
}

// IsLook says whether a setting is evaluated at less than the highest fidelity.
func (s *Study) IsLook(setting space.Setting) bool {
	if s.Fidelity == nil {
		return false
	}
	level, given := setting[s.Fidelity.Name].Number()
	return given && level < s.Fidelity.Top()
}

// Check returns an error that names what is wrong with a fidelity that was not read from a file, or nil.
func (f *Fidelity) Check() error {
	if !slices.Contains([]string{"", StopByModel, StopByMedian, StopNever}, f.StopEarly) {
		return fault.New(fault.BadStudy, "write model, median or never", "stop_early is %q", f.StopEarly)
	}
	if !slices.Contains([]string{"", CountLast, CountBest}, f.Count) {
		return fault.New(fault.BadStudy, "write last or best", "count is %q", f.Count)
	}
	rises := len(f.Steps) != 1
	for i, step := range f.Steps {
		rises = rises && step > 0 && (i == 0 || step > f.Steps[i-1])
	}
	if !rises || len(f.Steps) == 0 && !(f.Min > 0 && f.Min < f.Max) || math.IsInf(f.Top(), 1) {
		return fault.New(fault.BadStudy, "give a min above 0 and a max above it, or steps that rise", "the fidelity is %v", f)
	}
	return nil
}

const fidelityHint = "write fidelity: {name: epochs, min: 1, max: 81, log: true}, or {name: epochs, steps: [1, 3, 9, 27, 81]}"

func (r *reader) readFidelity(n *node, params []space.Param) *Fidelity {
	f, ok := r.fields(n, "fidelity", fidelityKeys, fidelityHint)
	if !ok {
		return nil
	}
	out := &Fidelity{Name: r.readFidelityName(f.need("name", "give the name by which the command knows it, such as epochs"), params)}
	out.StopEarly, out.Resume = r.readStopEarly(f.m["stop_early"]), r.flag(f.m["resume"], "fidelity.resume")
	out.Count = r.readCount(f.m["count"])
	if steps := f.m["steps"]; steps != nil {
		for _, key := range []string{"min", "max", "log"} {
			if other := f.m[key]; other != nil {
				r.fail(other.keyAt, "fidelity."+key, "give steps, or min and max", "%s does not go with steps", key)
			}
		}
		out.Steps = r.readSteps(steps)
		return out
	}
	low, high := f.need("min", "give min and max, or steps"), f.need("max", "give min and max, or steps")
	least, ok1 := r.number(low, "fidelity.min")
	most, ok2 := r.number(high, "fidelity.max")
	out.Min, out.Max, out.Log = least, most, r.flag(f.m["log"], "fidelity.log")
	switch {
	case !ok1 || !ok2:
	case least <= 0:
		r.fail(low.at, "fidelity.min", "give a number above 0: the least that still evaluates something", "min is %s", low.text)
	case least >= most:
		r.fail(high.at, "fidelity.max", "give a max above min; without cheaper evaluations, leave fidelity out", "max is %s, not above min %s", high.text, low.text)
	default:
		p := out.Param()
		p.Name = "fidelity" // the name is checked by itself
		if _, err := space.New([]space.Param{p}); err != nil {
			r.fail(high.at, "fidelity", "give other bounds", "%v", err)
		}
	}
	return out
}

func (r *reader) readStopEarly(n *node) string {
	rule, ok := r.text(n, "fidelity.stop_early")
	if ok && !slices.Contains([]string{StopByModel, StopByMedian, StopNever}, rule) {
		r.fail(n.at, "fidelity.stop_early", "write model, median or never", "stop_early is %s", quoteShort(rule))
	}
	if rule == StopByModel {
		return "" // the default, however it is written
	}
	return rule
}

func (r *reader) readCount(n *node) string {
	rule, ok := r.text(n, "fidelity.count")
	if ok && !slices.Contains([]string{CountLast, CountBest}, rule) {
		r.fail(n.at, "fidelity.count", "write last or best", "count is %s", quoteShort(rule))
	}
	if rule == CountLast {
		return "" // the default, however it is written
	}
	return rule
}

func (r *reader) readFidelityName(n *node, params []space.Param) string {
	name, ok := r.text(n, "fidelity.name")
	if !ok {
		return ""
	}
	if slices.Contains(places, name) {
		r.fail(n.at, "fidelity.name", "give it another name", "the name %s is taken: {%s} in a command is not the fidelity", name, name)
		return name
	}
	if _, err := space.New([]space.Param{{Name: name, Kind: space.KindBool}}); err != nil {
		r.fail(n.at, "fidelity.name", "use letters a to z and A to Z, digits, _, - and .", "name is %s", quoteShort(name))
		return name
	}
	for _, p := range params {
		switch {
		case p.Name == name:
			r.fail(n.at, "fidelity.name", "give the fidelity or the parameter another name", "%s is also a parameter", name)
			return name
		case Variable(p.Name) == Variable(name):
			r.fail(n.at, "fidelity.name", "give one of them another name", "%s and the parameter %s are the same environment variable, %s", name, p.Name, Variable(name))
			return name
		}
	}
	return name
}

// mostFidelities bounds the steps of a fidelity: each is considered for every look.
const mostFidelities = 100

func (r *reader) readSteps(n *node) (steps []float64) {
	items, ok := r.list(n, "fidelity.steps", "write steps: [1, 3, 9, 27, 81]")
	if !ok {
		return nil
	}
	if len(items) < 2 || len(items) > mostFidelities {
		r.fail(n.at, "fidelity.steps", fmt.Sprintf("give 2 to %d numbers; without cheaper evaluations, leave fidelity out", mostFidelities), "steps has %d numbers", len(items))
		return nil
	}
	for i, item := range items {
		path := fmt.Sprintf("fidelity.steps[%d]", i)
		x, ok := r.number(item, path)
		switch {
		case !ok:
			return nil
		case x <= 0:
			r.fail(item.at, path, "give numbers above 0", "%s is %s", last(path), item.text)
			return nil
		case i > 0 && x <= steps[i-1]:
			r.fail(item.at, path, "list them from the lowest to the highest", "%s is %s, not above the one before it", last(path), item.text)
			return nil
		}
		steps = append(steps, x)
	}
	return steps
}

// String writes the fidelity as a study file has it.
func (f *Fidelity) String() string {
	text := "{name: " + quoteYAML(f.Name)
	if len(f.Steps) > 0 {
		text += ", steps: ["
		for i, step := range f.Steps {
			if i > 0 {
				text += ", "
			}
			text += formatNumber(step)
		}
		return text + "]" + f.rules() + "}"
	}
	text += ", min: " + formatNumber(f.Min) + ", max: " + formatNumber(f.Max)
	if f.Log {
		text += ", log: true"
	}
	return text + f.rules() + "}"
}

// rules writes what goes with a range as well as with steps.
func (f *Fidelity) rules() (text string) {
	if f.Resume {
		text += ", resume: true"
	}
	if f.StopEarly != "" {
		text += ", stop_early: " + f.StopEarly
	}
	if f.Count != "" {
		text += ", count: " + f.Count
	}
	return text
}
