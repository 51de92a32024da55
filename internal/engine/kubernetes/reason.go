package kubernetes

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// reasons says why jobs wait. Events are asked for at most twice a minute, for all jobs at once.
type reasons struct {
	mu    sync.Mutex
	known map[string]told
}

type told struct {
	at    time.Time
	words map[string]string // by the name of a Job or a pod, or by a UID
}

const askAgain = 30 * time.Second

// get returns what was said about objects the last time, and asks if that was long ago.
func (r *reasons) get(what string, ask func() map[string]string) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.known[what]; ok && time.Since(known.at) < askAgain {
		return known.words
	}
	if r.known == nil {
		r.known = map[string]told{}
	}
	r.known[what] = told{time.Now(), ask()}
	return r.known[what].words
}

// happened returns the latest message of a kind of event, by object.
func (r *reasons) happened(ctx context.Context, c *client, namespace, kind, reason string) map[string]string {
	return r.get(kind+"/"+reason, func() map[string]string {
		words := map[string]string{}
		list, err := c.events(ctx, namespace, kind, reason, "")
		if err != nil {
			return words // it may be forbidden; the reason is not worth a failure
		}
		slices.SortStableFunc(list, func(a, b event) int { return a.Last.Compare(b.Last) })
		for _, e := range list {
			words[e.Object.Name] = e.Message
		}
		return words
	})
}

// job says why a Job has no pod.
func (r *reasons) job(ctx context.Context, c *client, in *intent, j *kubeJob) string {
	if j.Spec.Suspend {
		queue := j.Metadata.Labels[queueLabel]
		if queue == "" {
			return "its Job is suspended: kubectl patch job " + in.Name + " -n " + in.Namespace + ` -p '{"spec":{"suspend":false}}'`
		}
		if words := r.workloads(ctx, c, in.Namespace)[j.Metadata.UID]; words != "" {
			return "queue " + queue + ": " + words
		}
		return "it waits in queue " + queue + " of Kueue"
	}
	if words := r.happened(ctx, c, in.Namespace, "Job", "FailedCreate")[in.Name]; words != "" {
		return words
	}
	return "its pod is about to be made"
}

// workloads is what Kueue says of Jobs, by their UIDs.
func (r *reasons) workloads(ctx context.Context, c *client, namespace string) map[string]string {
	return r.get("workloads", func() map[string]string {
		words := map[string]string{}
		var list struct {
			Items []struct {
				Metadata meta `json:"metadata"`
				Status   struct {
					Conditions []condition `json:"conditions"`
				} `json:"status"`
			} `json:"items"`
		}
		path := "/apis/kueue.x-k8s.io/v1beta1/namespaces/" + namespace + "/workloads"
		if c.do(ctx, request{verb: "list", resource: "workloads", method: http.MethodGet, path: path, query: url.Values{"limit": {"500"}}}, &list) != nil {
			return words // there is no Kueue, or its objects may not be read
		}
		for _, w := range list.Items {
			if no := find(w.Status.Conditions, "QuotaReserved", "False"); no != nil {
				words[w.Metadata.Labels["kueue.x-k8s.io/job-uid"]] = no.Message
			}
		}
		return words
	})
}

// imageTroubles are the reasons of a container that waits for what may never come.
var imageTroubles = []string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "CreateContainerConfigError", "CreateContainerError"}

// pod says why a pod does not run, and whether that needs somebody's help.
func (r *reasons) pod(ctx context.Context, c *client, in *intent, p *kubePod) (reason string, hopeless bool) {
	for _, s := range slices.Concat(p.Status.Init, p.Status.Containers) {
		w := s.State.Waiting
		switch {
		case w == nil:
		case slices.Contains(imageTroubles, w.Reason):
			hint := "see engine.image"
			if strings.HasPrefix(w.Reason, "Create") {
				hint = "see engine.template"
			}
			return strings.TrimSuffix(w.Reason+": "+w.Message, ": ") + " (" + hint + ")", true
		}
	}
	if no := find(p.Status.Conditions, "PodScheduled", "False"); no != nil {
		words := strings.TrimSuffix(no.Reason+": "+no.Message, ": ")
		if no.Reason == "SchedulingGated" {
			return words, false
		}
		for _, by := range []string{"TriggeredScaleUp", "Nominated"} {
			if happened := r.happened(ctx, c, in.Namespace, "Pod", by)[p.Metadata.Name]; happened != "" {
				return "a node is being started: " + happened, false
			}
		}
		return words, false
	}
	if p.Spec.NodeName != "" {
		return "its node " + p.Spec.NodeName + " gets the image and starts it", false
	}
	return "it waits for a node", false
}
