package kubernetes

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/fault"
)

// client asks an API server over HTTP. The API is plain JSON, so no library is needed, which would double the program.
type client struct {
	*access // as it was found first

	mu     sync.Mutex
	now    *access              // with the credentials of today
	served bool                 // something was allowed
	denied map[string]time.Time // since when a right is denied
}

func newClient(a *access) *client {
	return &client{access: a, now: a, denied: map[string]time.Time{}}
}

func (c *client) today() *access {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// renew reads the kubeconfig, and the files that it names, again. A certificate may have been renewed, or somebody has logged in again. A connection keeps the
// certificate that it was made with, for as long as it is used, so there is a new one. It reports whether it is worth another try.
func (c *client) renew(old *access) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != old { // another request was faster
		return true
	}
	fresh, err := reach(c.context)
	if err != nil || fresh.server != c.server { // it is being written, or names another cluster now
		return old.credentials.forget()
	}
	old.transport.CloseIdleConnections()
	c.now = fresh
	return true
}

// isStale reports whether credentials, or certificates, may have been renewed since they were read.
func isStale(err error) bool {
	var unknown x509.UnknownAuthorityError
	var broken *net.OpError
	return codeOf(err) == http.StatusUnauthorized || errors.As(err, &unknown) || errors.As(err, &broken) && broken.Op == "remote error" // an alert of TLS
}

// An API server that has just been started denies everything until it has read its roles.
const startTime = time.Minute

// wakes reports whether the API server may be starting: it denies a right, and has allowed something before.
func (c *client) wakes(right string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	since, known := c.denied[right]
	if !known {
		since = time.Now()
		c.denied[right] = since
	}
	return c.served && time.Since(since) < startTime
}

// trust says that an earlier controller was allowed something.
func (c *client) trust() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.served = true
}

func (r request) right() string { return r.verb + " " + r.resource }

// request is what the server is asked. Verb and resource are for people, as in roles.
type request struct {
	verb, resource string
	method, path   string
	query          url.Values
	body           any
	contentType    string
}

// refusal is an answer of the server that says no.
type refusal struct {
	request
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

// alreadyExists is the reason of a conflict (409) with an object of the same name. There are other conflicts.
const alreadyExists = "AlreadyExists"

func codeOf(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		return r.Code
	}
	return 0
}

// longestRequest is how long an answer may take that is not a stream.
const longestRequest = 30 * time.Second

// do asks, and reads the answer into out.
func (c *client) do(ctx context.Context, r request, out any) error {
	ctx, cancel := context.WithTimeout(ctx, longestRequest)
	defer cancel()
	body, err := c.open(ctx, r)
	if err != nil {
		return err
	}
	defer body.Close()
	if out == nil {
		_, err = io.Copy(io.Discard, body)
	} else {
		err = json.NewDecoder(body).Decode(out)
	}
	if err != nil {
		return c.away(err)
	}
	return nil
}

// open asks, and returns the body of the answer.
func (c *client) open(ctx context.Context, r request) (io.ReadCloser, error) {
	a := c.today()
	body, err := c.once(ctx, a, r)
	if isStale(err) && c.renew(a) {
		body, err = c.once(ctx, c.today(), r)
	}
	return body, err
}

func (c *client) once(ctx context.Context, a *access, r request) (io.ReadCloser, error) {
	var body io.Reader
	if r.body != nil {
		raw, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(raw)
	}
	address := c.server + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, */*")
	req.Header.Set("User-Agent", "eke")
	if body != nil {
		req.Header.Set("Content-Type", r.contentType)
	}
	if err := a.credentials.sign(req); err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Transport: a.transport}).Do(req)
	if err != nil {
		return nil, c.away(err)
	}
	if resp.StatusCode < 300 {
		c.mu.Lock()
		c.served = true
		delete(c.denied, r.right())
		c.mu.Unlock()
		return resp.Body, nil
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	no := &refusal{request: r}
	if json.Unmarshal(raw, no) != nil || no.Message == "" {
		no.Message = resp.Status + ": " + firstLine(string(raw))
	}
	no.Code = resp.StatusCode
	return nil, no
}

// away is the error of a server that cannot be reached, or does not answer.
func (c *client) away(err error) error {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case fault.CodeOf(err) == fault.CannotRun: // the credentials are to blame
		return err
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &unknown), errors.As(err, &host):
		return fault.Wrap(err, fault.CannotRun, "see to certificate-authority of the cluster in the kubeconfig", "the certificate of %s is not trusted: %v", c.server, err)
	}
	return fault.Wrap(err, fault.Unavailable, "jobs go on meanwhile", "the API server %s does not answer: %v", c.server, bare(err))
}

// bare is an error without the address, which is said already.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// explain turns a refusal into an error that says what to do. Other errors stay as they are.
func (c *client) explain(err error, namespace string) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	switch {
	case r.Code == http.StatusUnauthorized:
		return fault.Wrap(err, fault.CannotRun, "log in again, or see to the user of the kubeconfig", "%s does not know who asks (%s): %s", c.server, c.title, r.Message)
	case r.Code == http.StatusForbidden && isQuota(r):
		return fault.Wrap(err, fault.CannotRun, "wait for others, or ask for a larger quota: kubectl describe quota -n "+namespace, "the quota of namespace %s does not allow it: %s", namespace, r.Message)
	case r.Code == http.StatusForbidden && strings.Contains(r.Message, "is forbidden: User"):
		if c.wakes(r.right()) {
			return c.starting(err, r.right())
		}
		return denied(err, namespace, []string{r.right()}, r.Message)
	case r.Code == http.StatusNotFound && strings.Contains(r.Message, "namespaces "):
		return fault.Wrap(err, fault.CannotRun, "write engine: {namespace: NAME} in the study file, or kubectl create namespace "+namespace, "there is no namespace %s", namespace)
	case r.Code == http.StatusForbidden && strings.Contains(r.Message, "being terminated"):
		return fault.Wrap(err, fault.CannotRun, "wait until it is gone, and make it again", "namespace %s is being deleted", namespace)
	case r.verb != "create" && (r.Code == http.StatusUnprocessableEntity || r.Code == http.StatusBadRequest || r.Code == http.StatusForbidden):
		return fault.Wrap(err, fault.CannotRun, "see to the admission policies of namespace "+namespace, "Kubernetes does not let eke %s %s: %s", r.verb, r.resource, r.Message)
	case r.Code == http.StatusUnprocessableEntity, r.Code == http.StatusBadRequest, r.Code == http.StatusForbidden:
		return fault.Wrap(err, fault.CannotRun, "change engine in the study file, or its template; eke plan shows the Job", "Kubernetes refuses the Job: %s", r.Message)
	case r.Code == http.StatusConflict, r.Code == http.StatusTooManyRequests, r.Code >= 500: // others change the same thing, such as a quota that counts Jobs
		return fault.Wrap(err, fault.Unavailable, "jobs go on meanwhile", "the API server %s cannot %s %s now: %s", c.server, r.verb, r.resource, r.Message)
	}
	return fault.Wrap(err, fault.CannotRun, "", "the API server does not %s %s: %s", r.verb, r.resource, r.Message)
}

// aside is what an error says that concerns one pod or Job only, such as that a policy forbids to change it: then the other jobs go on. Trouble with the server itself
// stays an error.
func aside(err error) (words string, rest error) {
	concernsOne := fault.CodeOf(err) == fault.Conflict // the Job of that name is another trial's
	var r *refusal
	if errors.As(err, &r) {
		codes := []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity}
		concernsOne = slices.Contains(codes, r.Code) || r.Code >= 500 && strings.Contains(r.Message, "failed calling webhook")
	}
	if !concernsOne {
		return "", err
	}
	return strings.TrimSuffix(err.Error()+"; "+fault.HintOf(err), "; "), nil
}

// starting is the error of a server that denies what it has allowed before.
func (c *client) starting(err error, right string) error {
	return fault.Wrap(err, fault.Unavailable, "jobs go on meanwhile", "the API server %s no longer lets eke %s; it may be starting", c.server, right)
}

// isQuota reports whether there is no room in the namespace now, or nobody has counted yet what is in it.
func isQuota(r *refusal) bool {
	return strings.Contains(r.Message, "exceeded quota") || strings.Contains(r.Message, "status unknown for quota")
}

// denied names the rights that are missing.
func denied(err error, namespace string, missing []string, words string) error {
	if words != "" {
		words = ": " + words
	}
	return fault.Wrap(err, fault.CannotRun, "have an administrator apply the Role of deploy/kubernetes/role.yaml", "no right in namespace %s to %s%s", namespace, strings.Join(missing, ", to "), words)
}

// Paths of the API.
func jobsPath(namespace string) string { return "/apis/batch/v1/namespaces/" + namespace + "/jobs" }
func podsPath(namespace string) string { return "/api/v1/namespaces/" + namespace + "/pods" }

const mergePatch = "application/merge-patch+json"

func (c *client) getJob(ctx context.Context, namespace, name string) (*kubeJob, error) {
	j := &kubeJob{}
	err := c.do(ctx, request{verb: "get", resource: "jobs", method: http.MethodGet, path: jobsPath(namespace) + "/" + name}, j)
	return j, err
}

func (c *client) createJob(ctx context.Context, namespace string, manifest any, dryRun bool) (*kubeJob, error) {
	query := url.Values{}
	if dryRun {
		query.Set("dryRun", "All")
	}
	j := &kubeJob{}
	err := c.do(ctx, request{verb: "create", resource: "jobs", method: http.MethodPost, path: jobsPath(namespace), query: query, body: manifest, contentType: "application/json"}, j)
	return j, err
}

// deleteJob deletes a Job, if it is still the one that is meant.
func (c *client) deleteJob(ctx context.Context, namespace, name, uid string) error {
	options := map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
	if uid != "" {
		options["preconditions"] = map[string]any{"uid": uid}
	}
	err := c.do(ctx, request{verb: "delete", resource: "jobs", method: http.MethodDelete, path: jobsPath(namespace) + "/" + name, body: options, contentType: "application/json"}, nil)
	if code := codeOf(err); code == http.StatusNotFound || code == http.StatusConflict {
		return nil // it is gone
	}
	return err
}

// limitPod has the kubelet end a pod so long after its start. A deadline can only be brought forward.
func (c *client) limitPod(ctx context.Context, namespace, name string, seconds int64) error {
	patch := map[string]any{"spec": map[string]any{"activeDeadlineSeconds": seconds}}
	err := c.do(ctx, request{verb: "patch", resource: "pods", method: http.MethodPatch, path: podsPath(namespace) + "/" + name, body: patch, contentType: mergePatch}, nil)
	if codeOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}

// log opens what a container has printed.
func (c *client) log(ctx context.Context, namespace, pod, container string, follow bool) (io.ReadCloser, error) {
	query := url.Values{"container": {container}, "follow": {strconv.FormatBool(follow)}}
	return c.open(ctx, request{verb: "get", resource: "pods/log", method: http.MethodGet, path: podsPath(namespace) + "/" + pod + "/log", query: query})
}

// events lists what has happened to objects of a kind, or to one of them.
func (c *client) events(ctx context.Context, namespace, kind, reason, name string) ([]event, error) {
	var list struct {
		Items []event `json:"items"`
	}
	query := url.Values{"fieldSelector": {fmt.Sprintf("involvedObject.kind=%s,reason=%s", kind, reason)}, "limit": {"500"}}
	if name != "" {
		query.Set("fieldSelector", query.Get("fieldSelector")+",involvedObject.name="+name)
	}
	err := c.do(ctx, request{verb: "list", resource: "events", method: http.MethodGet, path: "/api/v1/namespaces/" + namespace + "/events", query: query}, &list)
	return list.Items, err
}

// labelsOf are the labels of a node.
func (c *client) labelsOf(ctx context.Context, node string) (map[string]string, error) {
	var n struct {
		Metadata meta `json:"metadata"`
	}
	err := c.do(ctx, request{verb: "get", resource: "nodes", method: http.MethodGet, path: "/api/v1/nodes/" + node}, &n)
	return n.Metadata.Labels, err
}

// mayI asks whether this user has a right. Where that may not be asked, the answer is yes.
func (c *client) mayI(ctx context.Context, namespace, verb, group, resource, sub string) bool {
	attributes := map[string]any{"verb": verb, "group": group, "resource": resource, "subresource": sub}
	if resource != "nodes" {
		attributes["namespace"] = namespace
	}
	review := map[string]any{"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": map[string]any{"resourceAttributes": attributes}}
	var answer struct {
		Status struct {
			Allowed bool `json:"allowed"`
		} `json:"status"`
	}
	err := c.do(ctx, request{verb: "create", resource: "selfsubjectaccessreviews", method: http.MethodPost, path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body: review, contentType: "application/json"}, &answer)
	return err != nil || answer.Status.Allowed
}
