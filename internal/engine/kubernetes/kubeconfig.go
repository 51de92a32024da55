package kubernetes

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/eke-bo/eke/internal/fault"
)

// kubeconfig is a file as kubectl has it, as far as it says how to reach a cluster.
type kubeconfig struct {
	Current  string         `yaml:"current-context"`
	Clusters []namedCluster `yaml:"clusters"`
	Contexts []namedContext `yaml:"contexts"`
	Users    []namedUser    `yaml:"users"`
}

type namedCluster struct {
	Name    string `yaml:"name"`
	Cluster struct {
		Server     string `yaml:"server"`
		CA         string `yaml:"certificate-authority"`
		CAData     string `yaml:"certificate-authority-data"`
		Insecure   bool   `yaml:"insecure-skip-tls-verify"`
		ServerName string `yaml:"tls-server-name"`
		Proxy      string `yaml:"proxy-url"`
	} `yaml:"cluster"`
	from string
}

type namedContext struct {
	Name    string `yaml:"name"`
	Context struct {
		Cluster   string `yaml:"cluster"`
		User      string `yaml:"user"`
		Namespace string `yaml:"namespace"`
	} `yaml:"context"`
	from string
}

type namedUser struct {
	Name string `yaml:"name"`
	User struct {
		Token     string `yaml:"token"`
		TokenFile string `yaml:"tokenFile"`
		Cert      string `yaml:"client-certificate"`
		CertData  string `yaml:"client-certificate-data"`
		Key       string `yaml:"client-key"`
		KeyData   string `yaml:"client-key-data"`
		Name      string `yaml:"username"`
		Password  string `yaml:"password"`
		Exec      *plugin
		Provider  map[string]any `yaml:"auth-provider"`
		As        string         `yaml:"as"`
	} `yaml:"user"`
	from string
}

// plugin is a program that hands out credentials, such as those of cloud providers.
type plugin struct {
	API     string   `yaml:"apiVersion"`
	Command string   `yaml:"command"`
	Args    []string `yaml:"args"`
	Env     []struct {
		Name  string `yaml:"name"`
		Value string `yaml:"value"`
	} `yaml:"env"`
	InstallHint        string `yaml:"installHint"`
	ProvideClusterInfo bool   `yaml:"provideClusterInfo"`
}

// Where a pod finds its own credentials.
var inCluster = "/var/run/secrets/kubernetes.io/serviceaccount"

// access is how a cluster is reached.
type access struct {
	server, namespace, title string
	context                  string // of the kubeconfig
	transport                *http.Transport
	credentials              *credentials
}

// broken is the error of a kubeconfig that cannot be used. It names the file and the field.
func broken(err error, file, field, hint, problem string, args ...any) error {
	if field != "" {
		file += ": " + field
	}
	return fault.Wrap(err, fault.CannotRun, hint, "%s: %s", file, fmt.Sprintf(problem, args...))
}

// reach finds the cluster as kubectl does: by $KUBECONFIG, by ~/.kube/config, or by the service account of the pod that this runs in.
func reach(contextName string) (*access, error) {
	files := filepath.SplitList(os.Getenv("KUBECONFIG"))
	named := len(files) > 0
	if home, err := os.UserHomeDir(); !named && err == nil {
		files = []string{filepath.Join(home, ".kube", "config")}
	}
	all, found := kubeconfig{}, ""
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, broken(err, file, "", "make it readable, or set KUBECONFIG", "it cannot be read: %v", err)
		}
		var one kubeconfig
		if err := yaml.Unmarshal(raw, &one); err != nil {
			return nil, broken(err, file, "", "see what kubectl config view says", "it is not a kubeconfig: %s", firstLine(yaml.FormatError(err, false, false)))
		}
		all.add(one, file)
		found = cmp.Or(found, file)
	}
	switch {
	case found != "":
		return all.access(contextName, found)
	case os.Getenv("KUBERNETES_SERVICE_HOST") != "":
		return fromPod()
	case named:
		return nil, broken(nil, os.Getenv("KUBECONFIG"), "", "see that KUBECONFIG names the file", "there is no such file")
	}
	return nil, fault.New(fault.CannotRun, "set KUBECONFIG, or run where kubectl works", "there is no kubeconfig, and this is not a pod of a cluster: %s is missing", strings.Join(files, " "))
}

// add merges another file. Of things with one name the first counts.
func (k *kubeconfig) add(other kubeconfig, file string) {
	k.Current = cmp.Or(k.Current, other.Current)
	for _, c := range other.Clusters {
		c.from = file
		k.Clusters = append(k.Clusters, c)
	}
	for _, c := range other.Contexts {
		c.from = file
		k.Contexts = append(k.Contexts, c)
	}
	for _, u := range other.Users {
		u.from = file
		k.Users = append(k.Users, u)
	}
}

func (k *kubeconfig) access(name, file string) (*access, error) {
	if name == "" {
		name = k.Current
	}
	if name == "" {
		return nil, broken(nil, file, "current-context", "write engine: {context: NAME}, or kubectl config use-context NAME", "there is none")
	}
	var names []string
	var at *namedContext
	for i, c := range k.Contexts {
		if names = append(names, c.Name); c.Name == name && at == nil {
			at = &k.Contexts[i]
		}
	}
	if at == nil {
		return nil, broken(nil, file, "contexts", "give one that is there: "+strings.Join(names, ", "), "there is no context %q", name)
	}
	var cluster *namedCluster
	for i, c := range k.Clusters {
		if c.Name == at.Context.Cluster && cluster == nil {
			cluster = &k.Clusters[i]
		}
	}
	if cluster == nil || cluster.Cluster.Server == "" {
		return nil, broken(nil, at.from, "contexts["+name+"].context.cluster", "add the cluster with its server", "there is no cluster %q with a server", at.Context.Cluster)
	}
	var user *namedUser
	for i, u := range k.Users {
		if u.Name == at.Context.User && user == nil {
			user = &k.Users[i]
		}
	}
	if user == nil && at.Context.User != "" {
		return nil, broken(nil, at.from, "contexts["+name+"].context.user", "add the user, or name another", "there is no user %q", at.Context.User)
	}
	if user == nil {
		user = &namedUser{from: at.from}
	}
	a := &access{server: strings.TrimRight(cluster.Cluster.Server, "/"), namespace: cmp.Or(at.Context.Namespace, "default"), title: "context " + name, context: name}
	if u, err := url.Parse(a.server); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, broken(err, cluster.from, "clusters["+cluster.Name+"].cluster.server", "give an address such as https://host:6443", "%q is not an address", a.server)
	}
	config, err := cluster.tls()
	if err != nil {
		return nil, err
	}
	if a.credentials, err = user.credentials(cluster); err != nil {
		return nil, err
	}
	proxy := http.ProxyFromEnvironment
	if p := cluster.Cluster.Proxy; p != "" {
		u, err := url.Parse(p)
		if err != nil || u.Host == "" {
			return nil, broken(err, cluster.from, "clusters["+cluster.Name+"].cluster.proxy-url", "give an address such as http://proxy:3128 or socks5://proxy:1080", "%q is not an address", p)
		}
		proxy = http.ProxyURL(u)
	}
	a.useTransport(config, proxy)
	return a, nil
}

func (a *access) useTransport(config *tls.Config, proxy func(*http.Request) (*url.URL, error)) {
	config.GetClientCertificate = a.credentials.certificate
	a.transport = &http.Transport{
		TLSClientConfig: config, Proxy: proxy, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 15 * time.Second, IdleConnTimeout: 90 * time.Second, MaxIdleConnsPerHost: 16,
		DialContext: (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
	}
}

func (c *namedCluster) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.Cluster.ServerName, InsecureSkipVerify: c.Cluster.Insecure} //nolint:gosec // as the kubeconfig says
	field := "clusters[" + c.Name + "].cluster.certificate-authority"
	pem, err := data(c.Cluster.CAData, c.Cluster.CA, c.from, field)
	if err != nil || pem == nil {
		return config, err
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, broken(nil, c.from, field, "give certificates in PEM", "there is no certificate in it")
	}
	return config, nil
}

// data is what a field has itself, in base64, or what the file has that another field names, relative to the kubeconfig.
func data(inline, file, from, field string) ([]byte, error) {
	if inline != "" {
		raw, err := base64.StdEncoding.DecodeString(inline)
		if err != nil {
			return nil, broken(err, from, field+"-data", "see what kubectl config view --raw says", "it is not base64: %v", err)
		}
		return raw, nil
	}
	if file == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(beside(from, file))
	if err != nil {
		return nil, broken(err, from, field, "see to that file", "%v", err)
	}
	return raw, nil
}

// beside is a path relative to a file.
func beside(from, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(from), file)
}

// fromPod is the cluster of the pod that this runs in.
func fromPod() (*access, error) {
	token := filepath.Join(inCluster, "token")
	if _, err := os.Stat(token); err != nil {
		return nil, broken(err, token, "", "give the pod a service account (automountServiceAccountToken)", "%v", err)
	}
	pem, err := os.ReadFile(filepath.Join(inCluster, "ca.crt"))
	if err != nil {
		return nil, broken(err, filepath.Join(inCluster, "ca.crt"), "", "give the pod a service account", "%v", err)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(pem)
	namespace, _ := os.ReadFile(filepath.Join(inCluster, "namespace"))
	a := &access{
		server:    "https://" + net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), cmp.Or(os.Getenv("KUBERNETES_SERVICE_PORT"), "443")),
		namespace: cmp.Or(strings.TrimSpace(string(namespace)), "default"), title: "the pod's service account", credentials: &credentials{tokenFile: token},
	}
	a.useTransport(config, http.ProxyFromEnvironment)
	return a, nil
}

// credentials say who asks.
type credentials struct {
	token, tokenFile, name, password, as string
	pair                                 func() (*tls.Certificate, error) // nil: there is no certificate
	plugin                               *plugin
	info                                 []byte // what the plugin is told
	from, field                          string

	mu      sync.Mutex
	got     execStatus       // of the plugin
	gotPair *tls.Certificate // of the plugin, or the last that could be read
	expires time.Time
	has     bool
}

func (u *namedUser) credentials(cluster *namedCluster) (*credentials, error) {
	x := u.User
	field := "users[" + u.Name + "].user"
	c := &credentials{token: x.Token, name: x.Name, password: x.Password, as: x.As, plugin: x.Exec, from: u.from, field: field}
	if x.TokenFile != "" {
		c.tokenFile = beside(u.from, x.TokenFile)
	}
	if x.Provider != nil && x.Exec == nil && x.Token == "" {
		return nil, broken(nil, u.from, field+".auth-provider", "use exec credentials, as kubectl 1.26 and later do", "providers of credentials are no more")
	}
	if x.Cert != "" || x.CertData != "" {
		load := func() (*tls.Certificate, error) {
			cert, err := data(x.CertData, x.Cert, u.from, field+".client-certificate")
			if err != nil {
				return nil, err
			}
			key, err := data(x.KeyData, x.Key, u.from, field+".client-key")
			if err != nil {
				return nil, err
			}
			pair, err := tls.X509KeyPair(cert, key)
			if err != nil {
				return nil, broken(err, u.from, field+".client-certificate", "see that client-certificate and client-key belong together", "%v", err)
			}
			return &pair, nil
		}
		pair, err := load()
		if err != nil {
			return nil, err
		}
		c.gotPair, c.pair = pair, load // again for every connection: files are renewed
	}
	if x.Exec == nil {
		return c, nil
	}
	if x.Exec.Command == "" {
		return nil, broken(nil, u.from, field+".exec.command", "name the program that hands out credentials", "there is none")
	}
	spec := map[string]any{"interactive": false}
	if x.Exec.ProvideClusterInfo {
		pem, _ := data(cluster.Cluster.CAData, cluster.Cluster.CA, cluster.from, "")
		spec["cluster"] = map[string]any{"server": cluster.Cluster.Server, "certificate-authority-data": pem, "insecure-skip-tls-verify": cluster.Cluster.Insecure}
	}
	c.info, _ = json.Marshal(map[string]any{"apiVersion": cmp.Or(x.Exec.API, "client.authentication.k8s.io/v1"), "kind": "ExecCredential", "spec": spec})
	return c, nil
}

type execStatus struct {
	Token   string    `json:"token"`
	Cert    string    `json:"clientCertificateData"`
	Key     string    `json:"clientKeyData"`
	Expires time.Time `json:"expirationTimestamp"`
}

// sign says in a request who asks.
func (c *credentials) sign(req *http.Request) error {
	if c.as != "" {
		req.Header.Set("Impersonate-User", c.as)
	}
	switch {
	case c.token != "":
		req.Header.Set("Authorization", "Bearer "+c.token)
	case c.tokenFile != "": // it is renewed now and then
		raw, err := os.ReadFile(c.tokenFile)
		if err != nil {
			return broken(err, c.from, c.field+".tokenFile", "see to that file", "%v", err)
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(raw)))
	case c.name != "":
		req.SetBasicAuth(c.name, c.password)
	case c.plugin != nil:
		status, err := c.ask(req.Context())
		if err != nil {
			return err
		}
		if status.Token != "" {
			req.Header.Set("Authorization", "Bearer "+status.Token)
		}
	}
	return nil
}

// certificate is the client's, for a connection.
func (c *credentials) certificate(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if c.pair != nil {
		pair, err := c.pair()
		c.mu.Lock()
		defer c.mu.Unlock()
		if err != nil && c.gotPair != nil { // its files are being written
			return c.gotPair, nil
		}
		c.gotPair = pair
		return pair, err
	}
	if c.plugin != nil {
		if _, err := c.ask(info.Context()); err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.gotPair != nil {
			return c.gotPair, nil
		}
	}
	return &tls.Certificate{}, nil
}

// forget has the plugin asked again.
func (c *credentials) forget() (again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	again = c.has
	c.has = false
	return again
}

// ask has the plugin hand out credentials, unless the last are good for another minute.
func (c *credentials) ask(ctx context.Context) (execStatus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.has && (c.expires.IsZero() || time.Until(c.expires) > time.Minute) {
		return c.got, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	program := c.plugin.Command
	if strings.ContainsRune(program, filepath.Separator) {
		program = beside(c.from, program)
	}
	cmd := exec.CommandContext(ctx, program, c.plugin.Args...)
	cmd.Env = append(os.Environ(), "KUBERNETES_EXEC_INFO="+string(c.info))
	for _, e := range c.plugin.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	var words bytes.Buffer
	cmd.Stderr = &words
	out, err := cmd.Output()
	hint := cmp.Or(firstLine(c.plugin.InstallHint), "try it by hand, as kubectl calls it; log in again if it says so")
	if err != nil {
		return execStatus{}, broken(err, c.from, c.field+".exec.command", hint, "%s: %v: %s", c.plugin.Command, err, firstLine(words.String()))
	}
	var answer struct {
		Kind   string     `json:"kind"`
		Status execStatus `json:"status"`
	}
	if err := json.Unmarshal(out, &answer); err != nil || answer.Status.Token == "" && answer.Status.Cert == "" {
		return execStatus{}, broken(err, c.from, c.field+".exec.command", hint, "%s printed no ExecCredential with a token or a certificate", c.plugin.Command)
	}
	c.gotPair = nil
	if answer.Status.Cert != "" {
		pair, err := tls.X509KeyPair([]byte(answer.Status.Cert), []byte(answer.Status.Key))
		if err != nil {
			return execStatus{}, broken(err, c.from, c.field+".exec.command", hint, "%s handed out a certificate that cannot be used: %v", c.plugin.Command, err)
		}
		c.gotPair = &pair
	}
	c.got, c.expires, c.has = answer.Status, answer.Status.Expires, true
	return c.got, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
