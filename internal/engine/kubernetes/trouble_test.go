package kubernetes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// refused checks that a job is refused before it is submitted, and that the words name the fix.
func (b *bench) refused(parts ...string) {
	b.Helper()
	err := open().(*Engine).Probe(b.Context(), b.j)
	if e := b.e; e.Namespace != "" {
		err = e.Probe(b.Context(), b.j)
	}
	if fault.CodeOf(err) != fault.CannotRun || fault.HintOf(err) == "" {
		b.Errorf("%v, hint %q", err, fault.HintOf(err))
		return
	}
	b.Logf("%v (%s)", err, fault.HintOf(err))
	b.says(err.Error()+"; "+fault.HintOf(err), parts...)
}

// isFree checks that nothing is charged.
func (b *bench) isFree() {
	b.Helper()
	if cost, err := b.e.Cost(b.Context(), b.j); err != nil || cost != (engine.Cost{Known: true}) {
		b.Errorf("%+v, %v", cost, err)
	}
}

// A trial is cancelled while its Job has no pod: a quota has no room for another one, or Kueue has suspended the Job. The trial ends, and what its first pod has used is charged.
func TestCancelWithoutAPod(t *testing.T) {
	for words, how := range map[string]func(*bench){
		"exceeded quota": func(b *bench) { b.runsFirst(func() { b.podQuota = "exceeded quota: few" }) },
		"its Job is suspended": func(b *bench) {
			b.submit()
			b.until("it runs", isRunning)
			b.fake.set(func() {
				for _, j := range b.objects["jobs"] {
					j = clone(j)
					j["spec"].(object)["suspend"] = true
					b.put("jobs", "MODIFIED", j)
				}
				for _, p := range b.objects["pods"] {
					b.remove(p, false)
				}
			})
		},
	} {
		t.Run(words, func(t *testing.T) {
			b := newBench(t, "touch again; sleep 600")
			b.e.Charge = coreHours
			how(b)
			b.waitsFor(words)
			if err := b.e.Cancel(t.Context(), b.j, errors.New("enough")); err != nil {
				t.Fatal(err)
			}
			if out := b.end(); out.State != study.Cut || !strings.Contains(out.Note, "enough") {
				t.Errorf("%+v", out)
			}
			if cost, err := b.e.Cost(t.Context(), b.j); err != nil || cost.Guess || cost.Amount < 2.0/3600 {
				t.Errorf("%+v, %v", cost, err)
			}
		})
	}
}

// If the API server refuses to change one pod or Job, that one says so, and the others are reported. If it is in trouble itself, that is an error.
func TestRefusalOfOne(t *testing.T) {
	for words, c := range map[string]struct {
		no    refusal
		isAll bool
	}{
		"no right in namespace default to patch pods": {no: refusal{Code: 403, Reason: "Forbidden", Message: `pods "x" is forbidden: User "eke" cannot patch resource "pods" in API group "" in the namespace "default"`}},
		"does not let eke patch pods: admission":      {no: refusal{Code: 403, Reason: "Forbidden", Message: `admission webhook "a" denied the request: no`}},
		"does not let eke patch pods: bad":            {no: refusal{Code: 400, Reason: "BadRequest", Message: "bad"}},
		"does not let eke patch pods: Pod is invalid": {no: refusal{Code: 422, Reason: "Invalid", Message: "Pod is invalid"}},
		"cannot patch pods now: the object":           {no: refusal{Code: 409, Reason: "Conflict", Message: "the object has been modified"}},
		"cannot patch pods now: Internal error":       {no: refusal{Code: 500, Reason: "InternalError", Message: `Internal error occurred: failed calling webhook "a": context deadline exceeded`}},
		"cannot patch pods now: etcd":                 {no: refusal{Code: 500, Reason: "InternalError", Message: "etcd has no leader"}, isAll: true},
	} {
		t.Run(words, func(t *testing.T) {
			b := newBench(t, "sleep 600")
			b.j.Limit = time.Hour
			b.submit()
			first := b.j
			b.j.Trial, b.j.ID, b.j.Dir, b.j.Argv, b.j.Limit = 8, "another", filepath.Join(t.TempDir(), "8"), []string{"sh", "-c", reports}, 0
			b.fake.set(func() {
				b.policy = func(verb, resource string, o object) *refusal {
					if verb == "create" || text(o, "metadata", "labels", jobLabel) != nameOf(first) {
						return nil
					}
					return &c.no
				}
			})
			b.submit()
			b.e.client.denied["patch pods"] = time.Now().Add(-startTime)
			poll := func(what string, is func(list []engine.Status, err error) bool) {
				t.Helper()
				b.until(what, func(engine.Status, error) bool { return is(b.e.Poll(t.Context(), []engine.Job{first, b.j})) })
			}
			if c.isAll {
				poll(words, func(_ []engine.Status, err error) bool {
					return fault.CodeOf(err) == fault.Unavailable && strings.Contains(err.Error(), words)
				})
				return
			}
			poll("both", func(list []engine.Status, err error) bool {
				return err == nil && list[1].Outcome.State == study.Done && list[0].Phase == engine.Running && strings.Contains(list[0].Reason, words)
			})
			if err := b.e.Cancel(t.Context(), first, errors.New("enough")); err == nil || !strings.Contains(err.Error(), words) {
				t.Error(err)
			}
			poll("it runs still", func(list []engine.Status, err error) bool {
				return err == nil && list[0].Phase == engine.Running && strings.Contains(list[0].Reason, words)
			})
			b.fake.set(func() { b.policy = nil })
			b.j = first
			if out := b.end(); out.State != study.Cut {
				t.Errorf("%+v", out)
			}
		})
	}
}

// A Job that may not be deleted says so while it waits, and another one that cannot be created yet does not keep its result from being reported.
func TestRefusalWhileQueued(t *testing.T) {
	b := newBench(t, reports)
	b.unschedulable = "0/1 nodes"
	b.submit()
	b.waitsFor("0/1 nodes")
	b.fake.set(func() {
		b.policy = func(string, string, object) *refusal {
			return &refusal{Code: 403, Reason: "Forbidden", Message: `admission webhook "a" denied the request: no`}
		}
	})
	if err := b.e.Cancel(t.Context(), b.j, errors.New("enough")); fault.CodeOf(err) != fault.CannotRun {
		t.Error(err)
	}
	b.waitsFor("does not let eke delete jobs")
	b.fake.set(func() { b.policy = nil })
	if out := b.end(); out.State != study.Cut {
		t.Errorf("%+v", out)
	}
}

// Whatever goes wrong on a real control plane is said with its fix, and no money is lost.
func TestRealTroubles(t *testing.T) {
	p := needPlane(t)
	charge := study.Cost{Source: "kubernetes", Of: "core-hours", Unit: "core-hours"}
	place := func(t *testing.T, script string) (b *bench, namespace string) {
		namespace = p.space(t, plain)
		b = benchOn(t, nil, script)
		b.e.Charge = charge
		return b, namespace
	}
	t.Run("kubeconfig", func(t *testing.T) {
		b, _ := place(t, reports)
		file := os.Getenv("KUBECONFIG")
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Dir(file), map[string]string{"kubeconfig": strings.Replace(string(good), "token: ", "token: x", 1)})
		b.refused("does not know who asks", "log in again, or see to the user of the kubeconfig")
		write(t, filepath.Dir(file), map[string]string{"kubeconfig": strings.Replace(string(good), ", certificate-authority: "+filepath.Join(p.dir, "cert.pem"), "", 1)})
		b.refused("the certificate of "+p.admin.server+" is not trusted", "certificate-authority of the cluster in the kubeconfig")
	})
	t.Run("rights", func(t *testing.T) {
		b, namespace := place(t, reports)
		p.ask(t, "POST", "/api/v1/namespaces/"+namespace+"/serviceaccounts", object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": object{"name": "bare"}}, nil)
		write(t, filepath.Dir(os.Getenv("KUBECONFIG")), map[string]string{"kubeconfig": p.kubeconfig(t, namespace, "bare")})
		b.refused("no right in namespace "+namespace+" to create jobs", "deploy/kubernetes/role.yaml")
		const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/"
		p.ask(t, "POST", rbac+namespace+"/roles", object{"metadata": object{"name": "few"}, "rules": []any{object{"apiGroups": []any{"batch"}, "resources": []any{"jobs"}, "verbs": []any{"create", "get", "list", "delete"}},
			object{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": []any{"list", "watch"}}}}, nil)
		p.ask(t, "POST", rbac+namespace+"/rolebindings", object{"metadata": object{"name": "few"}, "roleRef": object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "few"},
			"subjects": []any{object{"kind": "ServiceAccount", "name": "bare", "namespace": namespace}}}, nil)
		b.until("the Role counts", func(engine.Status, error) bool {
			err := open().(*Engine).Probe(b.Context(), b.j)
			return err != nil && !strings.Contains(err.Error(), "create jobs")
		})
		b.refused("no right in namespace " + namespace + " to watch jobs, to patch pods, to get pods/log")
	})
	t.Run("quota", func(t *testing.T) {
		b, namespace := place(t, reports)
		quotas := "/api/v1/namespaces/" + namespace + "/resourcequotas"
		p.ask(t, "POST", quotas, object{"metadata": object{"name": "few"}, "spec": object{"hard": object{"count/jobs.batch": "0"}}}, nil)
		b.until("the quota counts", func(engine.Status, error) bool {
			var q object
			p.ask(t, "GET", quotas+"/few", nil, &q)
			return at(q, "status", "hard") != nil
		})
		b.submit()
		b.waitsFor("the quota of namespace " + namespace + " has no room for another Job: kubectl describe quota -n " + namespace)
		p.ask(t, "PATCH", quotas+"/few", object{"spec": object{"hard": object{"count/jobs.batch": "9", "requests.cpu": "1"}}}, nil)
		b.waitsFor("exceeded quota: few, requested: requests.cpu=2")
		b.isFree()
		p.ask(t, "DELETE", quotas+"/few", nil, nil)
		if out := b.end(); out.State != study.Done {
			t.Errorf("%+v", out)
		}
	})
	t.Run("image", func(t *testing.T) {
		b, _ := place(t, reports)
		b.j.Options = append(b.j.Options, "--image=missing:1")
		b.submit()
		b.waitsFor(`ImagePullBackOff: Back-off pulling image "missing:1"`)
		b.waitsFor("see engine.image")
		if out := b.end(); out.State != study.Failed || !strings.Contains(out.Note, "ImagePullBackOff") {
			t.Errorf("%+v", out)
		}
		b.isFree()
	})
	t.Run("unschedulable", func(t *testing.T) {
		b, _ := place(t, reports)
		b.j.Options = []string{"--cpu=1000"}
		b.submit()
		b.waitsFor("Unschedulable: 0/2 nodes are available: 2 Insufficient cpu")
		if err := b.e.Cancel(t.Context(), b.j, errors.New("enough")); err != nil {
			t.Fatal(err)
		}
		if out := b.end(); out.State != study.Cut || !strings.Contains(out.Note, "it never began") {
			t.Errorf("%+v", out)
		}
		b.isFree()
	})
	t.Run("namespace", func(t *testing.T) {
		b, namespace := place(t, "sleep 600")
		own := os.Getenv("KUBECONFIG")
		t.Setenv("KUBECONFIG", filepath.Join(p.dir, "kubeconfig"))
		b.e.Namespace = "nowhere"
		b.refused("there is no namespace nowhere", "engine: {namespace: NAME}", "kubectl create namespace nowhere")
		t.Setenv("KUBECONFIG", own)
		b.e = open().(*Engine)
		b.e.Charge = charge
		b.submit()
		b.until("it runs", isRunning)
		p.ask(t, "DELETE", "/api/v1/namespaces/"+namespace, nil, nil)
		out := b.end()
		if out.State != study.Abandoned {
			t.Errorf("%+v", out)
		}
		t.Log(out.Note)
		if cost, err := b.e.Cost(t.Context(), b.j); err != nil || !cost.Known || cost.Amount <= 0 {
			t.Errorf("%+v, %v", cost, err)
		}
		b.e.possible = nil
		b.j.Dir, b.j.ID = filepath.Join(t.TempDir(), "8"), "another"
		err := b.e.Probe(t.Context(), b.j)
		if fault.CodeOf(err) != fault.CannotRun || fault.HintOf(err) == "" {
			t.Errorf("%v, hint %q", err, fault.HintOf(err))
		}
		t.Logf("%v (%s)", err, fault.HintOf(err))
	})
	t.Run("away", func(t *testing.T) {
		away := 30 * time.Second
		if manyKills(0) > 100 {
			away = 3 * time.Minute
		}
		b, _ := place(t, `sleep 5; echo '{"loss": 0.5}'`)
		b.submit()
		b.until("it runs", isRunning)
		p.daemon(t, "kill", "kube-apiserver")
		begin := time.Now()
		b.until("it is away", func(_ engine.Status, err error) bool {
			return fault.CodeOf(err) == fault.Unavailable && strings.Contains(err.Error(), "does not answer") && strings.Contains(fault.HintOf(err), "jobs go on meanwhile")
		})
		another := b.j
		another.Trial, another.ID, another.Dir = 8, "another", filepath.Join(t.TempDir(), "8")
		if err := b.e.Submit(t.Context(), another); err != nil {
			t.Errorf("it is to be created later: %v", err)
		}
		time.Sleep(away - time.Since(begin))
		p.daemon(t, "start", "kube-apiserver")
		p.answers(t)
		for _, j := range []engine.Job{b.j, another} {
			b.j = j
			out := b.until("its end", func(s engine.Status, err error) bool { return err == nil && s.Phase == engine.Ended }).Outcome
			cost, err := b.e.Cost(t.Context(), b.j)
			if seconds := cost.Amount * 3600 / 2; out.State != study.Done || err != nil || cost.Guess || seconds < 5 || seconds > 8 {
				t.Errorf("after %v: %+v, %+v, %v", away, out, cost, err)
			}
		}
	})
}
