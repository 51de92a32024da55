package kubernetes

import (
	"maps"
	"slices"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
)

// What eke reads of the API's objects. Whatever else they have is left alone.

type meta struct {
	Name              string            `json:"name"`
	UID               string            `json:"uid"`
	ResourceVersion   string            `json:"resourceVersion"`
	Labels            map[string]string `json:"labels"`
	Annotations       map[string]string `json:"annotations"`
	CreationTimestamp time.Time         `json:"creationTimestamp"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp"`
}

type condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason"`
	Message            string    `json:"message"`
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

// find returns the condition of a type that holds, or does not, as status says; nil if there is none.
func find(list []condition, kind, status string) *condition {
	for i, c := range list {
		if c.Type == kind && c.Status == status {
			return &list[i]
		}
	}
	return nil
}

type kubeJob struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Suspend bool `json:"suspend"`
	} `json:"spec"`
	Status struct {
		StartTime  time.Time   `json:"startTime"`
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

func (j kubeJob) version() string { return j.Metadata.ResourceVersion }

// end is how a Job has ended; nil if it has not.
func (j *kubeJob) end() *condition {
	if c := find(j.Status.Conditions, "Complete", "True"); c != nil {
		return c
	}
	return find(j.Status.Conditions, "Failed", "True")
}

type resources struct {
	Requests map[string]amount `json:"requests"`
	Limits   map[string]amount `json:"limits"`
}

type container struct {
	Name          string    `json:"name"`
	Resources     resources `json:"resources"`
	RestartPolicy string    `json:"restartPolicy"` // Always: of an init container, which is a sidecar then
}

type state struct {
	Waiting *struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"waiting"`
	Running *struct {
		StartedAt time.Time `json:"startedAt"`
	} `json:"running"`
	Terminated *struct {
		ExitCode   int       `json:"exitCode"`
		Signal     int       `json:"signal"`
		Reason     string    `json:"reason"`
		Message    string    `json:"message"`
		StartedAt  time.Time `json:"startedAt"`
		FinishedAt time.Time `json:"finishedAt"`
	} `json:"terminated"`
}

type containerStatus struct {
	Name  string `json:"name"`
	State state  `json:"state"`
	Last  state  `json:"lastState"`
}

type podSpec struct {
	NodeName              string            `json:"nodeName"`
	InitContainers        []container       `json:"initContainers"`
	Containers            []container       `json:"containers"`
	Overhead              map[string]amount `json:"overhead"`
	Resources             resources         `json:"resources"` // of the pod as a whole
	ActiveDeadlineSeconds int64             `json:"activeDeadlineSeconds"`
}

type kubePod struct {
	Metadata meta    `json:"metadata"`
	Spec     podSpec `json:"spec"`
	Status   struct {
		Phase      string            `json:"phase"`
		Reason     string            `json:"reason"`
		Message    string            `json:"message"`
		StartTime  time.Time         `json:"startTime"`
		Conditions []condition       `json:"conditions"`
		Init       []containerStatus `json:"initContainerStatuses"`
		Containers []containerStatus `json:"containerStatuses"`
	} `json:"status"`

	gone bool // it was deleted: this is the last that was seen of it
	lost bool // and that was not its end
}

func (p kubePod) version() string { return p.Metadata.ResourceVersion }

// event says what has happened to an object.
type event struct {
	Metadata meta `json:"metadata"`
	Object   struct {
		Name string `json:"name"`
		UID  string `json:"uid"`
	} `json:"involvedObject"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Last    time.Time `json:"lastTimestamp"`
}

// amount is a quantity, as a number. In JSON it is a text or a number.
type amount float64

// UnmarshalJSON reads a quantity. One that cannot be read counts as nothing.
func (a *amount) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if len(text) > 1 && text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	x, _ := cluster.Quantity(text)
	*a = amount(x)
	return nil
}

// of is what a container asks for. Where it has a limit and no request, the limit is the request, as the API server sets it.
func (r resources) of() map[string]float64 {
	all := map[string]float64{}
	for name, x := range r.Limits {
		all[name] = float64(x)
	}
	for name, x := range r.Requests {
		all[name] = float64(x)
	}
	return all
}

// requests are what a pod asks for in all, as the scheduler counts it (KEP-753): the containers and the sidecars run together, and an init
// container runs beside the sidecars that were started before it. Of each resource the larger counts, and what the pod asks for as a whole
// comes before what its containers ask for.
func (s *podSpec) requests() map[string]float64 {
	together, first, sidecars := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, c := range s.InitContainers {
		asks := c.Resources.of()
		if c.RestartPolicy == "Always" {
			add(sidecars, asks)
			most(first, sidecars)
			continue
		}
		add(asks, sidecars)
		most(first, asks)
	}
	for _, c := range s.Containers {
		add(together, c.Resources.of())
	}
	add(together, sidecars)
	most(together, first)
	maps.Copy(together, s.Resources.of())
	for name, x := range s.Overhead {
		together[name] += float64(x)
	}
	return together
}

func add(to, more map[string]float64) {
	for name, x := range more {
		to[name] += x
	}
}

func most(to, other map[string]float64) {
	for name, x := range other {
		to[name] = max(to[name], x)
	}
}

// times are when the first container started and when the last one ended. Over says that none runs or will run. Of a container that could
// not be started, a kubelet says that it was started in 1970.
func (p *kubePod) times() (started, finished time.Time, over bool) {
	for _, c := range slices.Concat(p.Status.Init, p.Status.Containers) {
		for _, s := range []state{c.Last, c.State} {
			begun, ended := time.Time{}, time.Time{}
			if s.Running != nil {
				begun = s.Running.StartedAt
			}
			if s.Terminated != nil {
				begun, ended = s.Terminated.StartedAt, s.Terminated.FinishedAt
			}
			if begun.Unix() > 0 && (started.IsZero() || begun.Before(started)) {
				started = begun
			}
			if ended.After(finished) {
				finished = ended
			}
		}
	}
	return started, finished, p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed"
}

// scheduled is when the pod got its node.
func (p *kubePod) scheduled() time.Time {
	if c := find(p.Status.Conditions, "PodScheduled", "True"); c != nil {
		return c.LastTransitionTime
	}
	return p.Status.StartTime
}
