package kubernetes

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Labels and annotations of a trial's Job and pods.
const (
	managedLabel = "app.kubernetes.io/managed-by"
	managedBy    = "eke"
	studyLabel   = "eke/study"
	trialLabel   = "eke/trial"
	keyNote      = "eke/key"    // whose Job it is
	paramsNote   = "eke/params" // the setting, which the pod sees as a file
	queueLabel   = "kueue.x-k8s.io/queue-name"
	jobLabel     = "batch.kubernetes.io/job-name" // Kubernetes sets it
)

// What a command sees. The result file is the termination message of its container, so the API server has the result for as long as
// it has the pod.
const (
	podDir        = "/eke/dir"
	podParamsDir  = "/eke/params"
	podParams     = podParamsDir + "/" + engine.ParamsFile
	podResult     = "/dev/termination-log"
	podCheckpoint = "/eke/checkpoint"

	filesVolume  = "eke" // of the template: a claim for trials' folders and checkpoints
	paramsVolume = "eke-params"
	trialName    = "trial" // the container that runs the command, unless the template has another
)

// Places are those of a pod.
func (e *Engine) Places() (dir, params, result string) { return podDir, podParams, podResult }

const (
	// keepJobs is how long Kubernetes keeps a Job and its pods after their end: as long as a controller may be away without losing what
	// a trial has cost.
	keepJobs = 7 * 24 * time.Hour

	usualGrace = 30 * time.Second

	// pullTime is how long an image may take to be pulled, and a node to be started, without a loss for the command: the kubelet counts
	// a pod's deadline from its arrival on the node. Once the command runs, the deadline is brought forward; see limit.
	pullTime = 15 * time.Minute
)

var notInLabels = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// label is a text as the value of a label.
func label(text string) string {
	text = notInLabels.ReplaceAllString(text, "-")
	return strings.Trim(text[:min(len(text), 63)], "-_.")
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// nameOf is the name of a trial's Job. The same trial always has the same name, so the API server refuses a second one.
func nameOf(j engine.Job) string {
	const longest = 30
	sum := sha256.Sum256([]byte(j.Key()))
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(j.Study), "-"), "-")
	name = strings.Trim(name[:min(len(name), longest)], "-")
	return strings.ReplaceAll(fmt.Sprintf("eke-%s-%d-%x", name, j.Trial, sum[:5]), "--", "-")
}

// graceOf is how long a command has between SIGTERM and SIGKILL.
func graceOf(j engine.Job) time.Duration {
	grace := cmp.Or(j.Grace, usualGrace)
	if j.Limit > 0 {
		grace = min(grace, j.Limit/10)
	}
	return max(grace.Round(time.Second), time.Second)
}

// allowed is how long a command may run before it is asked to stop. Kubernetes counts whole seconds, and rounds.
func allowed(limit, grace time.Duration) time.Duration {
	return max((limit - grace - time.Second).Truncate(time.Second), time.Second)
}

// manifest is the Job of a trial.
func (e *Engine) manifest(j engine.Job) (map[string]any, error) {
	pod, file, err := e.template()
	if err != nil {
		return nil, err
	}
	spec, err := mapping(pod, "spec", file)
	if err != nil {
		return nil, err
	}
	if policy, ok := spec["restartPolicy"]; ok && policy != "Never" {
		return nil, wrongTemplate(file, "spec.restartPolicy", "leave it out", "it is %v, but eke needs Never: every start of a trial is a pod of its own", policy)
	}
	spec["restartPolicy"] = "Never"
	grace := graceOf(j)
	if _, ok := spec["terminationGracePeriodSeconds"]; !ok {
		spec["terminationGracePeriodSeconds"] = int64(grace / time.Second)
	}
	if j.Limit > 0 {
		spare := pullTime
		if e.Charge.From == study.FromScheduled {
			spare = cluster.Spare / 2
		}
		spec["activeDeadlineSeconds"] = int64((allowed(j.Limit, grace) + spare) / time.Second)
	}
	c, err := e.container(spec, file)
	if err != nil {
		return nil, err
	}
	if err := e.fillContainer(c, spec, j, file); err != nil {
		return nil, err
	}
	params, err := json.Marshal(j.Setting)
	if err != nil {
		return nil, fault.Wrap(err, fault.CannotRun, "give parameters finite values", "the setting cannot be written as JSON: %v", err)
	}
	labels := map[string]any{managedLabel: managedBy, studyLabel: label(j.Study), trialLabel: fmt.Sprint(j.Trial)}
	meta, err := mapping(pod, "metadata", file)
	if err != nil {
		return nil, err
	}
	for kind, own := range map[string]map[string]any{"labels": labels, "annotations": {keyNote: j.Key(), paramsNote: string(params)}} {
		all, err := mapping(meta, kind, file)
		if err != nil {
			return nil, err
		}
		for name, value := range own {
			all[name] = value
		}
	}
	delete(meta, "name")
	jobLabels := map[string]any{}
	for name, value := range labels {
		jobLabels[name] = value
	}
	if e.Queue != "" {
		jobLabels[queueLabel] = e.Queue
	}
	return map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{"name": nameOf(j), "labels": jobLabels, "annotations": map[string]any{keyNote: j.Key()}},
		"spec": map[string]any{
			"backoffLimit": 0, "completions": 1, "parallelism": 1, "ttlSecondsAfterFinished": int64(keepJobs / time.Second),
			"podReplacementPolicy": "Failed", // never two pods of a trial at once
			"podFailurePolicy": map[string]any{"rules": []any{map[string]any{
				"action": "Ignore", "onPodConditions": []any{map[string]any{"type": "DisruptionTarget", "status": "True"}},
			}}},
			"template": map[string]any{"metadata": meta, "spec": spec},
		},
	}, nil
}

// template reads the pod that the study file names; without one it is empty.
func (e *Engine) template() (pod map[string]any, file string, err error) {
	if e.Template == "" {
		return map[string]any{}, "engine", nil
	}
	raw, err := os.ReadFile(e.Template)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fault.Wrap(err, fault.CannotRun, "see to engine.template in the study file; the path counts from the study file's folder", "there is no file %s", e.Template)
	}
	if err != nil {
		return nil, "", fault.Wrap(err, fault.CannotRun, "make it readable", "engine.template cannot be read: %v", err)
	}
	if err := yaml.Unmarshal(raw, &pod); err != nil {
		return nil, "", wrongTemplate(e.Template, "", "see what kubectl apply --dry-run=client -f "+e.Template+" says", "it is not YAML: %s", firstLine(yaml.FormatError(err, false, false)))
	}
	if kind, ok := pod["kind"]; ok && kind != "Pod" && kind != "PodTemplate" {
		return nil, "", wrongTemplate(e.Template, "kind", "give a Pod: metadata and spec", "it is %v", kind)
	}
	if inner, ok := pod["template"].(map[string]any); ok {
		pod = inner
	}
	delete(pod, "apiVersion")
	delete(pod, "kind")
	return pod, e.Template, nil
}

func wrongTemplate(file, field, hint, problem string, args ...any) error {
	if field != "" {
		file += ": " + field
	}
	return fault.New(fault.CannotRun, hint, "%s: %s", file, fmt.Sprintf(problem, args...))
}

// mapping returns a mapping of an object, and makes it if there is none.
func mapping(in map[string]any, key, file string) (map[string]any, error) {
	if in[key] == nil {
		in[key] = map[string]any{}
	}
	m, ok := in[key].(map[string]any)
	if !ok {
		return nil, wrongTemplate(file, key, "write a mapping", "it is not a mapping")
	}
	return m, nil
}

// list returns a list of an object.
func list(in map[string]any, key, file string) ([]any, error) {
	if in[key] == nil {
		return nil, nil
	}
	l, ok := in[key].([]any)
	if !ok {
		return nil, wrongTemplate(file, "spec."+key, "write a list", "it is not a list")
	}
	return l, nil
}

// container is the one that runs the command: the one called trial, or the only one.
func (e *Engine) container(spec map[string]any, file string) (map[string]any, error) {
	all, err := list(spec, "containers", file)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		c := map[string]any{"name": trialName}
		spec["containers"] = []any{c}
		return c, nil
	}
	for i, item := range all {
		c, ok := item.(map[string]any)
		if !ok {
			return nil, wrongTemplate(file, fmt.Sprintf("spec.containers[%d]", i), "write a mapping", "it is not a mapping")
		}
		if c["name"] == trialName || len(all) == 1 {
			if c["name"] == nil {
				c["name"] = trialName
			}
			return c, nil
		}
	}
	return nil, wrongTemplate(file, "spec.containers", "call the container that runs the command "+trialName, "there are %d, and none is called %s", len(all), trialName)
}

// fillContainer adds the image, the command, the environment, the resources and the volumes.
func (e *Engine) fillContainer(c, spec map[string]any, j engine.Job, file string) error {
	asked := map[string]string{}
	for _, o := range j.Options {
		name, value, _ := strings.Cut(strings.TrimPrefix(o, "--"), "=")
		asked[name] = value
	}
	if image := asked[study.ImageOption]; image != "" {
		c["image"] = image
	}
	if c["image"] == nil {
		return fault.New(fault.CannotRun, "write engine: {image: registry/name:tag} in the study file", "%s: the container has no image", file)
	}
	delete(asked, study.ImageOption)
	res, err := mapping(c, "resources", file)
	if err != nil {
		return err
	}
	for name, value := range asked {
		if x, err := cluster.Quantity(value); err != nil || x <= 0 {
			return fault.New(fault.CannotRun, "give a number above 0, with a suffix such as 8Gi or 500m if you like", "engine.resources.%s is %q for this setting", name, value)
		}
		kinds := []string{"requests"}
		if strings.Contains(name, "/") { // devices cannot be shared: the request is the limit
			kinds = append(kinds, "limits")
		}
		for _, kind := range kinds {
			m, err := mapping(res, kind, file)
			if err != nil {
				return err
			}
			m[name] = value
		}
	}
	command := make([]any, len(j.Argv))
	for i, word := range j.Argv {
		command[i] = literal(word)
	}
	c["command"] = command
	delete(c, "args")
	if j.WorkDir != "" {
		if !path.IsAbs(j.WorkDir) {
			return fault.New(fault.CannotRun, "give the whole path in the image, or leave it out", "workdir is %s, but a command on Kubernetes runs in its image", j.WorkDir)
		}
		c["workingDir"] = j.WorkDir
	}
	c["terminationMessagePath"] = podResult
	return e.fillPlaces(c, spec, j, file)
}

// literal keeps Kubernetes from putting variables into a text. It makes one $ of every two, wherever they are.
func literal(text string) string { return strings.ReplaceAll(text, "$", "$$") }

func (e *Engine) fillPlaces(c, spec map[string]any, j engine.Job, file string) error {
	volumes, err := list(spec, "volumes", file)
	if err != nil {
		return err
	}
	mounts, err := list(c, "volumeMounts", file)
	if err != nil {
		return err
	}
	env, err := list(c, "env", file)
	if err != nil {
		return err
	}
	kept := hasVolume(volumes)
	if !kept {
		volumes = append(volumes, map[string]any{"name": filesVolume, "emptyDir": map[string]any{}})
	}
	spec["volumes"] = append(volumes, map[string]any{"name": paramsVolume, "downwardAPI": map[string]any{"items": []any{map[string]any{
		"path": engine.ParamsFile, "fieldRef": map[string]any{"fieldPath": "metadata.annotations['" + paramsNote + "']"},
	}}}})
	mounts = append(mounts,
		map[string]any{"name": paramsVolume, "mountPath": podParamsDir, "readOnly": true},
		map[string]any{"name": filesVolume, "mountPath": podDir, "subPath": "trials/" + nameOf(j)}) // the kubelet makes such folders
	own := local.Variables(j, podDir, podParams, podResult)
	for i, entry := range own {
		if name, folder, _ := strings.Cut(entry, "="); name == engine.CheckpointVariable {
			own[i] = name + "=" + podCheckpoint
			mounts = append(mounts, map[string]any{"name": filesVolume, "mountPath": podCheckpoint, "subPath": "checkpoints/" + filepath.Base(folder)})
		}
	}
	env = slices.DeleteFunc(env, func(item any) bool {
		m, _ := item.(map[string]any)
		return slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, fmt.Sprint(m["name"])+"=") })
	})
	for _, entry := range own {
		name, value, _ := strings.Cut(entry, "=")
		env = append(env, map[string]any{"name": name, "value": literal(value)})
	}
	c["env"], c["volumeMounts"] = env, mounts
	return nil
}

// hasVolume reports whether the template has a volume for files that outlives a pod.
func hasVolume(volumes []any) bool {
	return slices.ContainsFunc(volumes, func(item any) bool {
		m, _ := item.(map[string]any)
		return m["name"] == filesVolume
	})
}

// specOf reads the pod of a manifest as the API server would.
func specOf(manifest map[string]any) (spec podSpec) {
	inner := manifest["spec"].(map[string]any)["template"].(map[string]any)["spec"]
	if raw, err := json.Marshal(inner); err == nil {
		_ = json.Unmarshal(raw, &spec)
	}
	return spec
}

// checkRate compares what a pod costs with what is reserved for it: the template may ask for more than the study file says.
func (e *Engine) checkRate(manifest map[string]any, j engine.Job) error {
	spec := specOf(manifest)
	perHour := e.perHour(spec.requests())
	if !e.Charge.Accounted() || j.Rate == 0 || perHour <= j.Rate*3600*(1+1e-9) {
		return nil
	}
	rate := perHour
	if e.Charge.Price > 0 {
		rate /= e.Charge.Price
	}
	return fault.New(fault.CannotRun, fmt.Sprintf("write cost: {rate: %v} in the study file", math.Ceil(rate*1e4)/1e4),
		"with its template a pod costs %.4g %s in an hour, but the study file's resources cost %.4g, so too little would be reserved", perHour, e.Charge.Unit, j.Rate*3600)
}

// Script returns the Job of a trial as YAML.
func (e *Engine) Script(j engine.Job) (string, error) {
	m, err := e.manifest(j)
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	text, err := yaml.JSONToYAML(raw)
	return string(text), err
}
