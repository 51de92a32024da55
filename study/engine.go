package study

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// Engine says where trials are evaluated, if not by processes on this machine.
type Engine struct {
	Type    string            `json:"type"`              // Type is one of EngineTypes.
	Options map[string]string `json:"options,omitempty"` // Options are options of the cluster's jobs, such as a partition. A value may mention parameters.
	Time    Span              `json:"time,omitzero"`     // Time is the time limit of every job; 0: as the cost of each trial is forecast.
	Poll    Span              `json:"poll,omitzero"`     // Poll is how often the cluster is asked; 0: every 30 s.
	Setup   []string          `json:"setup,omitempty"`   // Setup are lines of the job's script before the command, such as module load.
	Save    Span              `json:"save,omitzero"`     // Save is how long before its limit a command gets SIGUSR1, to save its work; 0: never.

	Namespace string            `json:"namespace,omitempty"` // Namespace is where jobs of Kubernetes are; "": as kubectl has it.
	Image     string            `json:"image,omitempty"`     // Image is the command's; "": the template's. It may mention parameters.
	Template  string            `json:"template,omitempty"`  // Template is a file with a pod, to which all else is added.
	Resources map[string]string `json:"resources,omitempty"` // Resources are what a pod asks for, such as cpu: 4. A value may mention parameters.
	Queue     string            `json:"queue,omitempty"`     // Queue is the queue of Kueue.
	Context   string            `json:"context,omitempty"`   // Context is a context of the kubeconfig; "": its current context.
}

// Set sets an option of the cluster's jobs: on Slurm one of sbatch, on Kubernetes a key of the engine or a resource.
func (e *Engine) Set(name, value string) {
	keys := map[string]*string{"namespace": &e.Namespace, "image": &e.Image, "template": &e.Template, "queue": &e.Queue, "context": &e.Context}
	to := &e.Options
	if e.kind().In == "resources" {
		if key := keys[name]; key != nil {
			*key = value
			return
		}
		to = &e.Resources
	}
	if *to == nil {
		*to = map[string]string{}
	}
	(*to)[name] = value
}

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

// OnCluster reports whether trials are jobs of a cluster.
func (s *Study) OnCluster() bool { return s.Engine != nil && cluster.Find(s.Engine.Type) != nil }

// EngineTypes lists the types of engines that a study file may name.
func EngineTypes() []string { return cluster.Names() }

// kind is the kind of cluster; where the type is wrong the usual one, so that the options are read all the same.
func (e *Engine) kind() *cluster.Kind {
	if k := cluster.Find(e.Type); k != nil {
		return k
	}
	return cluster.Find(engines[0])
}

// Accounted reports whether an engine's accounts say what a trial costs. Such a trial runs no longer than was reserved for it.
func (c Cost) Accounted() bool { return c.kind() != nil }

// Accountant is whose accounts these are, such as Slurm; empty if there are none.
func (c Cost) Accountant() string {
	if !c.Accounted() {
		return ""
	}
	return c.kind().Title
}

// Units lists what the accounts can count, the usual unit first.
func (c Cost) Units() []string {
	if !c.Accounted() {
		return nil
	}
	return c.kind().Units
}

func (c Cost) kind() *cluster.Kind { return cluster.Find(string(c.Source)) }

// ImageOption is what EngineOptions calls an image. Resources are called by their names.
const ImageOption = "image"

// EngineOptions returns the engine's options for a setting, such as --cpus-per-task=4, in the order of their names; on Kubernetes the image
// and the resources. The map extra is that of Argv.
func (s *Study) EngineOptions(setting space.Setting, extra map[string]string) ([]string, error) {
	if s.Engine == nil {
		return nil, nil
	}
	options := maps.Clone(s.Engine.Options)
	if s.Engine.Image != "" || len(s.Engine.Resources) > 0 {
		options = maps.Clone(s.Engine.Resources)
		if options == nil {
			options = map[string]string{}
		}
		if s.Engine.Image != "" {
			options[ImageOption] = s.Engine.Image
		}
	}
	var list []string
	for name, value := range options {
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

// Rate is how much a trial's job costs in a second, by what it asks its cluster for; 0 if no accounts say the cost, or if nobody can tell.
func (s *Study) Rate(setting space.Setting) float64 {
	if !s.Cost.Accounted() {
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

// allocates is how many cores, GPUs or nodes a job asks for, or what all that it asks for costs; 0 if nobody can tell.
func (s *Study) allocates(setting space.Setting) float64 {
	option := func(name string) string {
		if s.Engine == nil {
			return ""
		}
		asked, ok := s.Engine.Options[name]
		if !ok {
			asked = s.Engine.Resources[name]
		}
		text, exists, err := s.fill(asked, setting, map[string]string{"trial": "", "dir": "", "params": "", "result": ""})
		if !exists || err != nil {
			return ""
		}
		return text
	}
	if len(s.Cost.Prices) == 0 || s.Engine == nil {
		return s.Cost.kind().Asks(s.Cost.Of, option)
	}
	requests := map[string]float64{}
	for name := range s.Engine.Resources {
		if n, err := cluster.Quantity(option(name)); err == nil {
			requests[name] = n
		}
	}
	return s.Cost.PerHour(requests)
}

// PerHour is the most that so much of each resource costs in an hour, on any node. Bytes are bytes, and all else is as Kubernetes counts it.
func (c Cost) PerHour(requests map[string]float64) float64 {
	most := cluster.PerHour(c.Prices, requests)
	for _, prices := range c.NodePrices {
		most = math.Max(most, cluster.PerHour(prices, requests))
	}
	return most
}

// Hold is the reservation for a trial that is expected to cost at most an amount. On a cluster it covers the job up to its time limit, which
// is counted in minutes.
func (s *Study) Hold(setting space.Setting, amount float64) float64 {
	rate := s.Rate(setting)
	if rate == 0 {
		return amount
	}
	const hair = 1e-6 // so that rounding adds no minute
	minutes := math.Ceil(amount/rate/60-hair) + cluster.Spare.Minutes()
	if s.Engine.Time > 0 {
		minutes = math.Ceil(s.Engine.Time.Seconds() / 60)
	}
	if s.Budget.PerTrial > 0 {
		minutes = math.Min(minutes, math.Floor(s.Budget.PerTrial/rate/60+hair))
	}
	if s.Budget.Timeout > 0 {
		minutes = math.Min(minutes, math.Ceil(s.Budget.Timeout.Minutes())+cluster.Spare.Minutes())
	}
	return math.Max(minutes, cluster.LeastMinutes) * 60 * rate
}

// LeastHold is the smallest reservation that a trial's job can have.
func (s *Study) LeastHold(setting space.Setting) float64 {
	return cluster.LeastMinutes * 60 * s.Rate(setting)
}

// JobSeconds is how long the command of a job may run whose cost is in a cluster's accounts; +Inf if nothing limits it.
func (s *Study) JobSeconds(setting space.Setting, reserved float64) float64 {
	limit := math.Inf(1)
	if rate := s.Rate(setting); rate > 0 {
		const hair = 1e-6
		limit = 60*math.Floor(reserved/rate/60+hair) - cluster.Spare.Seconds()
	}
	if s.OnCluster() && s.Engine.Time > 0 {
		limit = math.Min(limit, s.Engine.Time.Seconds()-cluster.Spare.Seconds())
	}
	return math.Max(limit, 1)
}

func (r *reader) readEngine(n *node, params []space.Param) *Engine {
	f, ok := r.fields(n, "engine", engineKeys, "write engine: {type: "+engines[0]+"}, or leave it out to run trials on this machine")
	if !ok {
		return nil
	}
	e := &Engine{}
	e.Type, _ = r.word(f.need("type", "write type: "+engines[0]), "engine.type", engines)
	kind := e.kind()
	for _, entry := range n.entries {
		if e.Type != "" && slices.Contains(engineKeys, entry.key) && !slices.Contains(append([]string{"type", "time"}, kind.Keys...), entry.key) {
			r.fail(entry.value.keyAt, "engine."+entry.key, "leave it out; the keys of "+e.Type+" are time, "+strings.Join(kind.Keys, ", "), "%s is not for %s", entry.key, kind.Title)
		}
	}
	e.Options = r.readOptions(f.m["options"], params, kind)
	r.readPod(f, e, params, kind)
	if t := f.m["time"]; t != nil && (t.is != isText || t.text != predicted) {
		e.Time = Span(r.duration(t, "engine.time"))
		if e.Time != 0 && time.Duration(e.Time) < cluster.LeastMinutes*time.Minute {
			r.fail(t.at, "engine.time", fmt.Sprintf("give at least %dm, or leave it out", cluster.LeastMinutes), "time is %s, and %s counts minutes", t.text, kind.Title)
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

func (r *reader) readOptions(n *node, params []space.Param, kind *cluster.Kind) map[string]string {
	if !r.expect(n, isMapping, "engine.options", "a mapping", "write options: {partition: gpu, cpus-per-task: 4}") {
		return nil
	}
	var options map[string]string
	for _, e := range n.entries {
		path, v := "engine.options."+e.key, e.value
		switch instead, own := kind.Own[e.key]; {
		case own:
			r.fail(v.keyAt, path, instead, "eke sets --%s itself, or does without", e.key)
			continue
		case !kind.Option.MatchString(e.key):
			r.fail(v.keyAt, path, "write the long name of an option of "+kind.Submit+", without dashes: cpus-per-task", "%s is not the name of an option", quoteShort(e.key))
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

// readAccounted completes a cost that a cluster accounts for.
func (r *reader) readAccounted(f fields, c Cost) Cost {
	units := c.Units()
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
	if !c.kind().Priced {
		r.refusePrices(f)
	} else if r.readPrices(f, &c); f.m["prices"] != nil {
		if c.Unit = moneyUnit; hasUnit {
			c.Unit = unit
		}
		return c
	}
	switch counted := slices.Contains(units, unit); {
	case c.Of != "" && c.Price == 0 && hasUnit && unit != c.Of:
		r.fail(f.m["unit"].at, "cost.unit", "give price: what one of these costs; or leave unit out", "unit is %s, but nothing says what one of %s costs", quoteShort(unit), c.Of)
	case c.Of == "" && hasUnit && !counted:
		r.fail(f.m["unit"].at, "cost.unit", suggest(unit, units)+"; with a price, write {of: "+units[0]+", price: 0.02, unit: EUR}", "unit is %s, but must be %s", quoteShort(unit), fault.OneOf(units))
	case c.Of == "" && hasUnit:
		c.Of = unit
	case c.Of == "":
		c.Of = units[0]
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
	case len(r.errs) > 0 || !s.Cost.Accounted():
		return
	case !s.OnCluster() || s.Engine.Type != string(s.Cost.Source):
		r.fail(n.keyAt, "cost.source", fmt.Sprintf("add engine: {type: %s}", s.Cost.Source), "source is %s, but the trials are not jobs of %s", s.Cost.Source, s.Cost.Accountant())
		return
	}
	setting := space.Setting{}
	for _, p := range s.Inputs() { // any setting will do
		setting[p.Name] = anyValue(p)
	}
	rate := s.Rate(setting)
	if rate == 0 {
		hint, kind := "add rate: what a trial uses in an hour, by its options", s.Cost.kind()
		if ask := kind.Hints[s.Cost.Of]; ask != "" {
			hint = "ask for GPUs in engine." + kind.In + ", such as " + ask + "; or " + hint
		} else if kind.Priced {
			hint = "ask for what has a price in engine." + kind.In + ", such as " + kind.Example + "; or " + hint
		}
		if len(s.Cost.Prices) > 0 {
			r.fail(n.keyAt, "cost", hint, "nothing says what a trial costs in an hour, so nothing can be reserved for it")
			return
		}
		r.fail(n.keyAt, "cost", hint, "nothing says how many %s a trial uses in an hour, so nothing can be reserved for it", s.Cost.Of)
		return
	}
	least := s.LeastHold(setting)
	constant := !slices.ContainsFunc(s.Inputs(), func(p space.Param) bool { return s.mentions(p.Name) })
	if per := s.Budget.PerTrial; constant && per > 0 && per < least*(1-slack) {
		r.fail(f.m["budget"].keyAt, "budget.per_trial", fmt.Sprintf("give at least %s", formatNumber(least)), "per_trial is %s, less than a job of %d minutes costs", formatNumber(per), cluster.LeastMinutes)
	}
	if constant && s.Budget.Total < least*(1-slack) {
		r.fail(f.m["budget"].keyAt, "budget.total", fmt.Sprintf("give at least %s", formatNumber(least)), "total is %s, less than one job of %d minutes costs", formatNumber(s.Budget.Total), cluster.LeastMinutes)
	}
}

// mentions reports whether the engine's options depend on a parameter.
func (s *Study) mentions(param string) bool {
	for _, value := range slices.AppendSeq(slices.Collect(maps.Values(s.Engine.Options)), maps.Values(s.Engine.Resources)) {
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
	kind := e.kind()
	t.text("\nengine:\n  type: %s\n", e.Type)
	if kind.Priced {
		formatPod(t, e, kind)
		return
	}
	if len(e.Options) > 0 {
		t.line("  options:", "for "+kind.Submit+"; a value may mention parameters: \"{threads}\"")
		for _, name := range slices.Sorted(maps.Keys(e.Options)) {
			t.text("    %s: %s\n", name, quoteText(e.Options[name]))
		}
	} else {
		t.line("  # options: "+kind.Example, "for "+kind.Submit)
	}
	timeText := predicted
	if e.Time > 0 {
		timeText = formatDuration(time.Duration(e.Time))
	}
	t.line("  time: "+timeText, "a job's time limit: as its cost is forecast, or a duration")
	t.option("poll", spanText(e.Poll), "30s", "how often "+kind.Title+" is asked")
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
