package cluster

import (
	"regexp"
	"strconv"
	"strings"
)

var slurm = Kind{
	Name: "slurm", Title: "Slurm", Submit: "sbatch",
	Keys:    []string{"options", "poll", "setup", "save"},
	In:      "options",
	Units:   []string{CoreHours, GPUHours, NodeHours, BillingHours, Energy},
	Option:  regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`), // long names, without the dashes
	Example: "{partition: main, cpus-per-task: 4}",
	Hints:   map[string]string{GPUHours: "gres: gpu:1"},
	Own: map[string]string{
		"job-name": "leave it out: the name says which study and trial a job is", "time": "write engine: {time: 2h}",
		"output": "leave it out: see stdout in the trial's folder", "error": "leave it out: see stderr in the trial's folder",
		"signal": "write engine: {save: 2m}", "chdir": "write workdir: in the study file", "array": "leave it out: every trial is a job of its own",
		"wrap": "write command: in the study file", "parsable": "leave it out", "wait": "leave it out", "clusters": thisOne, "cluster": thisOne, "test-only": "leave it out: eke plan shows the script",
	},
	Asks: asksSlurm,
}

// thisOne is what to do instead of sending jobs to another cluster.
const thisOne = "leave it out, and run eke on a login node of that cluster: squeue, sacct and scancel ask one cluster only, and would not find the jobs"

func asksSlurm(unit string, option func(name string) string) float64 {
	nodes := orOne(lastNumber(option("nodes")))
	tasks := lastNumber(option("ntasks"))
	if tasks == 0 {
		tasks = nodes * orOne(lastNumber(option("ntasks-per-node")))
	}
	exclusive := option("exclusive") != "" && option("exclusive") != "false"
	switch {
	case unit == NodeHours:
		return nodes
	case unit == CoreHours && !exclusive:
		return tasks * orOne(lastNumber(option("cpus-per-task")))
	case unit == GPUHours && !exclusive:
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
