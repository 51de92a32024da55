package study

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// optionName is the name of an option of sbatch, without the dashes.
var optionName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// ownOptions are those that eke sets itself, with what to do instead.
var ownOptions = map[string]string{
	"job-name": "leave it out: the name says which study and trial a job is", "time": "write engine: {time: 2h}",
	"output": "leave it out: see stdout in the trial's folder", "error": "leave it out: see stderr in the trial's folder",
	"signal": "write engine: {save: 2m}", "chdir": "write workdir: in the study file", "array": "leave it out: every trial is a job of its own",
	"wrap": "write command: in the study file", "parsable": "leave it out", "wait": "leave it out", "test-only": "leave it out: eke plan shows the script",
}

func (r *reader) readEngine(n *node, params []space.Param) *Engine {
	f, ok := r.fields(n, "engine", engineKeys, "write engine: {type: slurm}, or leave it out to run trials on this machine")
	if !ok {
		return nil
	}
	e := &Engine{}
	e.Type, _ = r.word(f.need("type", "write type: slurm"), "engine.type", engines)
	e.Options = r.readOptions(f.m["options"], params)
	if t := f.m["time"]; t != nil && (t.is != isText || t.text != predicted) {
		e.Time = Span(r.duration(t, "engine.time"))
		if e.Time != 0 && time.Duration(e.Time) < leastJob*time.Minute {
			r.fail(t.at, "engine.time", fmt.Sprintf("give at least %dm, or leave it out", leastJob), "time is %s, and Slurm counts minutes", t.text)
		}
	}
	e.Poll, e.Save = Span(r.duration(f.m["poll"], "engine.poll")), Span(r.duration(f.m["save"], "engine.save"))
	if p := f.m["poll"]; p != nil && e.Poll != 0 && time.Duration(e.Poll) < time.Second {
		r.fail(p.at, "engine.poll", "give at least 1s; 30s is gentle", "poll is %s", p.text)
	}
	lines, _ := r.list(f.m["setup"], "engine.setup", `write setup: ["module load python"]`)
	for i, line := range lines {
		if text, ok := r.text(line, fmt.Sprintf("engine.setup[%d]", i)); ok {
			e.Setup = append(e.Setup, text)
		}
	}
	return e
}

// predicted says that a job's time limit comes from the forecast of its cost.
const predicted = "predicted"

func (r *reader) readOptions(n *node, params []space.Param) map[string]string {
	if !r.expect(n, isMapping, "engine.options", "a mapping", "write options: {partition: gpu, cpus-per-task: 4}") {
		return nil
	}
	var options map[string]string
	for _, e := range n.entries {
		path, v := "engine.options."+e.key, e.value
		switch instead, own := ownOptions[e.key]; {
		case own:
			r.fail(v.keyAt, path, instead, "eke sets --%s itself", e.key)
			continue
		case !optionName.MatchString(e.key):
			r.fail(v.keyAt, path, "write the long name of an option of sbatch, without dashes: cpus-per-task", "%s is not the name of an option", quoteShort(e.key))
			continue
		case v.is != isText && v.is != isNumber && v.is != isBool, strings.ContainsFunc(v.text, isControl):
			r.wrongType(v, path, "a text of one line", "give a text, or true for an option without a value")
			continue
		}
		r.checkPlaceholders(v, path, params)
		if options == nil {
			options = map[string]string{}
		}
		options[e.key] = v.text
	}
	return options
}

// readSlurmCost completes a cost that Slurm accounts for.
func (r *reader) readSlurmCost(f fields, c Cost) Cost {
	units := []string{CoreHours, GPUHours, NodeHours, BillingHours, Energy}
	unit, hasUnit := r.text(f.m["unit"], "cost.unit")
	if of := f.m["of"]; of != nil {
		c.Of, _ = r.word(of, "cost.of", units)
	}
	if price, ok := r.number(f.m["price"], "cost.price"); ok {
		if c.Price = price; !(price > 0 && price <= MaxAmount) {
			r.fail(f.m["price"].at, "cost.price", "give what one unit costs, above 0", "price is %s", f.m["price"].text)
		}
	}
	if rate, ok := r.number(f.m["rate"], "cost.rate"); ok {
		if c.Rate = rate; !(rate > 0 && rate <= MaxAmount) {
			r.fail(f.m["rate"].at, "cost.rate", "give what a trial uses in an hour, above 0", "rate is %s", f.m["rate"].text)
		}
	}
	switch counted := slices.Contains(units, unit); {
	case c.Of != "" && c.Price == 0 && hasUnit && unit != c.Of:
		r.fail(f.m["unit"].at, "cost.unit", "give price: what one of these costs; or leave unit out", "unit is %s, but nothing says what one of %s costs", quoteShort(unit), c.Of)
	case c.Of == "" && hasUnit && !counted:
		r.fail(f.m["unit"].at, "cost.unit", suggest(unit, units)+"; with a price, write {of: core-hours, price: 0.02, unit: EUR}", "unit is %s, but must be %s", quoteShort(unit), fault.OneOf(units))
	case c.Of == "" && hasUnit:
		c.Of = unit
	case c.Of == "":
		c.Of = CoreHours
	}
	switch {
	case c.Price == 0:
		c.Unit = c.Of
	case hasUnit && unit != c.Of:
		c.Unit = unit
	default:
		c.Unit = moneyUnit
	}
	return c
}

// moneyUnit is what amounts are called where a price has no currency.
const moneyUnit = "money"

// checkEngine checks what depends on engine, cost and budget together.
func (r *reader) checkEngine(f fields, s *Study) {
	n := f.m["cost"]
	switch {
	case len(r.errs) > 0 || s.Cost.Source != FromSlurm:
		return
	case !s.OnSlurm():
		r.fail(n.keyAt, "cost.source", "add engine: {type: slurm}", "source is slurm, but the trials are not jobs of Slurm")
		return
	}
	setting := space.Setting{}
	for _, p := range s.Inputs() { // any setting will do
		setting[p.Name] = anyValue(p)
	}
	rate := s.Rate(setting)
	if rate == 0 {
		hint := "add rate: what a trial uses in an hour, by its options"
		if s.Cost.Of == GPUHours {
			hint = "ask for GPUs in engine.options, such as gres: gpu:1; or " + hint
		}
		r.fail(n.keyAt, "cost", hint, "nothing says how many %s a trial uses in an hour, so nothing can be reserved for it", s.Cost.Of)
		return
	}
	least := s.LeastHold(setting)
	constant := !slices.ContainsFunc(s.Inputs(), func(p space.Param) bool { return s.mentions(p.Name) })
	if per := s.Budget.PerTrial; constant && per > 0 && per < least*(1-slack) {
		r.fail(f.m["budget"].keyAt, "budget.per_trial", fmt.Sprintf("give at least %s", formatNumber(least)), "per_trial is %s, less than a job of %d minutes costs", formatNumber(per), leastJob)
	}
	if constant && s.Budget.Total < least*(1-slack) {
		r.fail(f.m["budget"].keyAt, "budget.total", fmt.Sprintf("give at least %s", formatNumber(least)), "total is %s, less than one job of %d minutes costs", formatNumber(s.Budget.Total), leastJob)
	}
}

// mentions reports whether the engine's options depend on a parameter.
func (s *Study) mentions(param string) bool {
	for _, value := range s.Engine.Options {
		list, _ := pieces(value)
		if slices.ContainsFunc(list, func(p piece) bool { return p.name == param }) {
			return true
		}
	}
	return false
}

func anyValue(p space.Param) space.Value {
	switch p.Kind {
	case space.KindFloat:
		return space.Float(p.Max)
	case space.KindInt:
		return space.Int(int64(p.Max))
	case space.KindBool:
		return space.Bool(true)
	case space.KindFixed:
		return p.Value
	}
	if len(p.Values) > 0 {
		return p.Values[len(p.Values)-1]
	}
	return space.Value{}
}

// formatEngine writes it so that it reads back as the same.
func formatEngine(t *template, e *Engine) {
	t.text("\nengine:\n  type: %s\n", e.Type)
	if len(e.Options) > 0 {
		t.line("  options:", "for sbatch; a value may mention parameters: \"{threads}\"")
		for _, name := range slices.Sorted(maps.Keys(e.Options)) {
			t.text("    %s: %s\n", name, quoteText(e.Options[name]))
		}
	} else {
		t.line("  # options: {partition: main, cpus-per-task: 4}", "for sbatch")
	}
	timeText := predicted
	if e.Time > 0 {
		timeText = formatDuration(time.Duration(e.Time))
	}
	t.line("  time: "+timeText, "a job's time limit: as its cost is forecast, or a duration")
	t.option("poll", spanText(e.Poll), "30s", "how often Slurm is asked")
	t.option("save", spanText(e.Save), "2m", "so long before its limit the command gets SIGUSR1, to save its work")
	if len(e.Setup) == 0 {
		t.line("  # setup: [\"module load python\"]", "lines of the job's script before the command")
		return
	}
	t.text("  setup:\n")
	for _, line := range e.Setup {
		t.text("    - %s\n", quoteText(line))
	}
}

func spanText(d Span) string { return durationText(time.Duration(d)) }
