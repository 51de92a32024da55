package study

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// Engine says where trials are evaluated, if not by processes on this machine.
type Engine struct {
	Type    string            `json:"type"`              // Type is "slurm".
	Options map[string]string `json:"options,omitempty"` // Options are passed to sbatch: a partition is --partition. A value may mention parameters.
	Time    Span              `json:"time,omitzero"`     // Time is the time limit of every job; 0: as the cost of each trial is forecast.
	Poll    Span              `json:"poll,omitzero"`     // Poll is how often Slurm is asked; 0: every 30 s.
	Setup   []string          `json:"setup,omitempty"`   // Setup are lines of the job's script before the command, such as module load.
	Save    Span              `json:"save,omitzero"`     // Save is how long before its limit a command gets SIGUSR1, to save its work; 0: never.
}

// Slurm is the only type of engine.
const engineSlurm = "slurm"

// Span is a duration that is written like 2h30m.
type Span time.Duration

// Seconds is the duration in seconds.
func (d Span) Seconds() float64 { return time.Duration(d).Seconds() }

// MarshalText writes the duration as a study file does.
func (d Span) MarshalText() ([]byte, error) { return []byte(formatDuration(time.Duration(d))), nil }

// UnmarshalText reads a duration.
func (d *Span) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Span(parsed)
	return err
}

// OnSlurm reports whether trials are jobs of Slurm.
func (s *Study) OnSlurm() bool { return s.Engine != nil && s.Engine.Type == engineSlurm }

// EngineOptions returns the engine's options for a setting, such as --cpus-per-task=4, in the order of their names. The map extra is
// that of Argv.
func (s *Study) EngineOptions(setting space.Setting, extra map[string]string) ([]string, error) {
	if s.Engine == nil {
		return nil, nil
	}
	var list []string
	for name, value := range s.Engine.Options {
		text, exists, err := s.fill(value, setting, extra)
		switch {
		case err != nil:
			return nil, err
		case !exists || text == "false":
		case text == "true":
			list = append(list, "--"+name)
		default:
			list = append(list, "--"+name+"="+text)
		}
	}
	slices.Sort(list)
	return list, nil
}

// What Slurm counts. Each is per hour, but for energy, which is in kilowatt-hours.
const (
	CoreHours    = "core-hours"
	GPUHours     = "gpu-hours"
	NodeHours    = "node-hours"
	BillingHours = "billing-hours"
	Energy       = "energy"
)

// JobSpare is the part of a job's time limit in which no command runs: the job starts and ends in it.
const JobSpare = time.Minute

// leastJob is the shortest time limit of a job. Slurm counts whole minutes.
const leastJob = 2

// Rate is how much a trial's job costs in a second, by what it asks Slurm for; 0 if the cost is not Slurm's, or if nobody can tell.
func (s *Study) Rate(setting space.Setting) float64 {
	if s.Cost.Source != FromSlurm {
		return 0
	}
	price := 1.0
	if s.Cost.Price > 0 {
		price = s.Cost.Price
	}
	perHour := s.Cost.Rate
	if perHour == 0 {
		perHour = s.allocates(setting)
	}
	return perHour * price / 3600
}

// allocates is how many cores, GPUs or nodes a job asks for; 0 if nobody can tell.
func (s *Study) allocates(setting space.Setting) float64 {
	option := func(name string) string {
		if s.Engine == nil {
			return ""
		}
		text, exists, err := s.fill(s.Engine.Options[name], setting, map[string]string{"trial": "", "dir": "", "params": "", "result": ""})
		if !exists || err != nil {
			return ""
		}
		return text
	}
	nodes := orOne(lastNumber(option("nodes")))
	tasks := lastNumber(option("ntasks"))
	if tasks == 0 {
		tasks = nodes * orOne(lastNumber(option("ntasks-per-node")))
	}
	exclusive := option("exclusive") != "" && option("exclusive") != "false"
	switch {
	case s.Cost.Of == NodeHours:
		return nodes
	case s.Cost.Of == CoreHours && !exclusive:
		return tasks * orOne(lastNumber(option("cpus-per-task")))
	case s.Cost.Of == GPUHours && !exclusive:
		return gpusIn(option("gres"))*nodes + lastNumber(option("gpus")) + lastNumber(option("gpus-per-node"))*nodes + lastNumber(option("gpus-per-task"))*tasks
	}
	return 0
}

// gpusIn counts the GPUs of a --gres such as "gpu:a100:2,shard:1".
func gpusIn(gres string) (n float64) {
	for _, item := range strings.Split(gres, ",") {
		if item = strings.TrimPrefix(item, "gres/"); item == "gpu" || strings.HasPrefix(item, "gpu:") {
			n += orOne(lastNumber(item))
		}
	}
	return n
}

// lastNumber is the number at the end of an option's value: 4 in "2-4", "a100:4" and "4"; 0 if there is none.
func lastNumber(text string) float64 {
	text = text[strings.LastIndexAny(text, ":-")+1:]
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= 1e6) {
		return 0
	}
	return x
}

func orOne(x float64) float64 {
	if x == 0 {
		return 1
	}
	return x
}

// Hold is the reservation that a trial needs which is expected to cost an amount at most. It covers the time limit of the trial's job
// to its end, and Slurm counts that in minutes.
func (s *Study) Hold(setting space.Setting, amount float64) float64 {
	rate := s.Rate(setting)
	if rate == 0 {
		return amount
	}
	const hair = 1e-6 // so that rounding adds no minute
	minutes := math.Ceil(amount/rate/60-hair) + JobSpare.Minutes()
	if s.Engine.Time > 0 {
		minutes = math.Ceil(s.Engine.Time.Seconds() / 60)
	}
	if s.Budget.PerTrial > 0 {
		minutes = math.Min(minutes, math.Floor(s.Budget.PerTrial/rate/60+hair))
	}
	if s.Budget.Timeout > 0 {
		minutes = math.Min(minutes, math.Ceil(s.Budget.Timeout.Minutes())+JobSpare.Minutes())
	}
	return math.Max(minutes, leastJob) * 60 * rate
}

// LeastHold is the smallest reservation that a trial's job can have.
func (s *Study) LeastHold(setting space.Setting) float64 { return leastJob * 60 * s.Rate(setting) }

// JobSeconds is how long the command of a job may run whose cost is Slurm's; +Inf if nothing limits it.
func (s *Study) JobSeconds(setting space.Setting, reserved float64) float64 {
	limit := math.Inf(1)
	if rate := s.Rate(setting); rate > 0 {
		const hair = 1e-6
		limit = 60*math.Floor(reserved/rate/60+hair) - JobSpare.Seconds()
	}
	if s.OnSlurm() && s.Engine.Time > 0 {
		limit = math.Min(limit, s.Engine.Time.Seconds()-JobSpare.Seconds())
	}
	return math.Max(limit, 1)
}

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
