package study

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
