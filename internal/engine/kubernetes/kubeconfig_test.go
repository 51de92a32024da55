package kubernetes

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/fault"
)

// configure writes a kubeconfig, and has the test use it.
func configure(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", file)
	return file
}

func kubeconfigOf(cluster, user string) string {
	return fmt.Sprintf("current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u, namespace: tuning}}]\nclusters: [{name: k, cluster: %s}]\nusers: [{name: u, user: %s}]\n", cluster, user)
}

// Every mistake names the file and the field, and says what to do.
func TestBadKubeconfig(t *testing.T) {
	const cluster = "{server: https://127.0.0.1:1}"
	for name, c := range map[string]struct{ text, context, want string }{
		"no YAML":        {"a: [", "", "it is not a kubeconfig"},
		"no context":     {"clusters: []", "", "current-context: there is none"},
		"other context":  {kubeconfigOf(cluster, "{}"), "lab", `contexts: there is no context "lab"`},
		"no cluster":     {"current-context: c\ncontexts: [{name: c, context: {cluster: gone}}]\n", "", "contexts[c].context.cluster: there is no cluster"},
		"no user":        {"current-context: c\ncontexts: [{name: c, context: {cluster: k, user: gone}}]\nclusters: [{name: k, cluster: {server: https://a:1}}]\n", "", `contexts[c].context.user: there is no user "gone"`},
		"no address":     {kubeconfigOf("{server: nowhere}", "{}"), "", "clusters[k].cluster.server"},
		"no base64":      {kubeconfigOf("{server: https://a:1, certificate-authority-data: '%'}", "{}"), "", "clusters[k].cluster.certificate-authority-data: it is not base64"},
		"no certificate": {kubeconfigOf("{server: https://a:1, certificate-authority-data: YQ==}", "{}"), "", "clusters[k].cluster.certificate-authority: there is no certificate in it"},
		"no file":        {kubeconfigOf("{server: https://a:1, certificate-authority: gone.crt}", "{}"), "", "gone.crt"},
		"no key":         {kubeconfigOf(cluster, "{client-certificate-data: YQ==, client-key-data: YQ==}"), "", "users[u].user.client-certificate"},
		"no proxy":       {kubeconfigOf("{server: https://a:1, proxy-url: nowhere}", "{}"), "", "clusters[k].cluster.proxy-url"},
		"no plugin":      {kubeconfigOf(cluster, "{exec: {args: [a]}}"), "", "users[u].user.exec.command"},
		"old provider":   {kubeconfigOf(cluster, "{auth-provider: {name: gcp}}"), "", "users[u].user.auth-provider"},
	} {
		file := configure(t, c.text)
		_, err := reach(c.context)
		if fault.CodeOf(err) != fault.CannotRun || fault.HintOf(err) == "" || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, hint %q", name, err, fault.HintOf(err))
		}
	}
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := reach(""); err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Error(err)
	}
}

// authority makes certificates.
func authority(t *testing.T) (ca []byte, issue func(name string) (cert, key []byte)) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	raw, err := x509.CreateCertificate(rand.Reader, root, root, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), func(name string) ([]byte, []byte) {
		own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: root.NotBefore, NotAfter: root.NotAfter,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}}
		made, err := x509.CreateCertificate(rand.Reader, leaf, root, own.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := x509.MarshalPKCS8PrivateKey(own)
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	}
}

// Who asks is known by a token, a token's file, a name and password, a certificate or a plugin, over TLS and through a proxy.
func TestCredentials(t *testing.T) {
	ca, issue := authority(t)
	cert, key := issue("api.example.org")
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	asked := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := r.Header.Get("Authorization")
		if len(r.TLS.PeerCertificates) > 0 {
			who = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		if asked++; who == "Bearer stale" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"metadata": {"name": %q}}`, who)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	var proxied int
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxied++
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()

	dir := t.TempDir()
	write := func(name string, data []byte, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), data, mode); err != nil {
			t.Fatal(err)
		}
	}
	mine, myKey := issue("ann")
	write("ca.crt", ca, 0o600)
	write("ann.crt", mine, 0o600)
	write("ann.key", myKey, 0o600)
	write("token", []byte("from-a-file\n"), 0o600)
	write("plugin", []byte("#!/bin/sh\nn=$(cat count 2>/dev/null || echo 0)\ncase \"$KUBERNETES_EXEC_INFO\" in *ExecCredential*) ;; *) exit 1;; esac\n"+
		`if [ ! -e `+dir+`/again ]; then touch `+dir+`/again; t=stale; else t=$WHO; fi; echo '{"kind": "ExecCredential", "status": {"token": "'$t'"}}'`+"\n"), 0o700)
	encoded := func(raw []byte) string { return base64.StdEncoding.EncodeToString(raw) }
	trusted := fmt.Sprintf("server: %q, tls-server-name: api.example.org", server.URL)
	for name, c := range map[string]struct{ cluster, user, want string }{
		"token":                               {trusted + ", certificate-authority-data: " + encoded(ca), "{token: secret}", "Bearer secret"},
		"token file":                          {trusted + ", certificate-authority: ca.crt", "{tokenFile: token}", "Bearer from-a-file"},
		"password":                            {trusted + ", certificate-authority: ca.crt", "{username: ann, password: b}", "Basic YW5uOmI="},
		"certificate":                         {trusted + ", certificate-authority: ca.crt", "{client-certificate: ann.crt, client-key: ann.key}", "ann"},
		"certificate data":                    {trusted + ", certificate-authority: ca.crt", "{client-certificate-data: " + encoded(mine) + ", client-key-data: " + encoded(myKey) + "}", "ann"},
		"plugin, asked again after a refusal": {trusted + ", certificate-authority: ca.crt", "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, env: [{name: WHO, value: bob}]}}", "Bearer bob"},
		"insecure":                            {fmt.Sprintf("server: %q, insecure-skip-tls-verify: true", server.URL), "{token: secret}", "Bearer secret"},
	} {
		file := filepath.Join(dir, "config")
		write("config", []byte(kubeconfigOf("{"+c.cluster+"}", c.user)), 0o600)
		t.Setenv("KUBECONFIG", file)
		a, err := reach("")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		j, err := newClient(a).getJob(t.Context(), "tuning", "a")
		if err != nil || j.Metadata.Name != c.want || a.namespace != "tuning" {
			t.Errorf("%s: %q, %v", name, j.Metadata.Name, err)
		}
	}
	for name, c := range map[string]struct {
		cluster, want string
		code          fault.Code
	}{
		"not trusted": {fmt.Sprintf("{server: %q}", server.URL), "certificate", fault.CannotRun},
		"proxy":       {fmt.Sprintf("{server: %q, proxy-url: %q}", server.URL, proxy.URL), "does not answer", fault.Unavailable},
		"away":        {"{server: 'http://127.0.0.1:1'}", "does not answer", fault.Unavailable},
	} {
		configure(t, kubeconfigOf(c.cluster, "{token: a}"))
		a, err := reach("")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newClient(a).getJob(t.Context(), "tuning", "a"); fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if proxied == 0 {
		t.Error("the proxy was not asked")
	}
}

// Credentials that are renewed during a run are read again: a certificate although its connection is in use, a token in the kubeconfig itself, and the authority of
// the cluster. A kubeconfig that names another cluster meanwhile changes nothing.
func TestRenewedCredentials(t *testing.T) {
	ca, issue := authority(t)
	nextCA, nextIssue := authority(t)
	pair := func(cert, key []byte) *tls.Certificate {
		t.Helper()
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return &pair
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	var mu sync.Mutex
	shown, welcome := pair(issue("api.example.org")), "ann"
	set := func(how func()) {
		mu.Lock()
		defer mu.Unlock()
		how()
	}
	over := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if len(r.TLS.PeerCertificates) > 0 {
			who = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		mu.Lock()
		known := who == welcome
		mu.Unlock()
		if !known {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"metadata": {"name": %q}}`, who)
		if r.URL.Query().Get("watch") != "" {
			w.(http.Flusher).Flush()
			<-over
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool, MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		mu.Lock()
		defer mu.Unlock()
		return shown, nil
	}}
	server.TLS.Certificates = []tls.Certificate{*shown}
	server.StartTLS()
	defer server.Close()
	defer close(over)

	dir := t.TempDir()
	text := func(address, user string) string {
		return kubeconfigOf(fmt.Sprintf("{server: %q, tls-server-name: api.example.org, certificate-authority: ca.crt}", address), user)
	}
	renew := func(name, address, user string) {
		t.Helper()
		cert, key := issue(name)
		write(t, dir, map[string]string{"user.crt": string(cert), "user.key": string(key), "config": text(address, user)})
	}
	write(t, dir, map[string]string{"ca.crt": string(ca)})
	const byFile = "{client-certificate: user.crt, client-key: user.key}"
	renew("ann", server.URL, byFile)
	t.Setenv("KUBECONFIG", filepath.Join(dir, "config"))
	a, err := reach("")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(a)
	asks := func(want string) {
		t.Helper()
		if j, err := c.getJob(t.Context(), "tuning", "a"); err != nil || j.Metadata.Name != want {
			t.Errorf("%q, want %q, %v", j.Metadata.Name, want, err)
		}
	}
	asks("ann")
	watch, err := c.open(t.Context(), request{method: "GET", path: "/api/v1/pods", query: url.Values{"watch": {"true"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()

	set(func() { welcome = "bob" })
	renew("ann", "https://127.0.0.1:1", byFile)
	if _, err := c.getJob(t.Context(), "tuning", "a"); codeOf(err) != http.StatusUnauthorized {
		t.Error(err)
	}
	renew("bob", server.URL, byFile)
	asks("bob")
	set(func() { welcome = "eve" })
	renew("", server.URL, "{token: eve}")
	asks("eve")
	set(func() { shown = pair(nextIssue("api.example.org")) })
	write(t, dir, map[string]string{"ca.crt": string(nextCA)})
	c.now.transport.CloseIdleConnections() // as after a restart of the server
	asks("eve")
}

// In a pod its service account is used, if there is no kubeconfig.
func TestInCluster(t *testing.T) {
	ca, _ := authority(t)
	inCluster = t.TempDir()
	for name, data := range map[string]string{"token": "pod\n", "ca.crt": string(ca), "namespace": "lab\n"} {
		if err := os.WriteFile(filepath.Join(inCluster, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "6443")
	a, err := reach("")
	if err != nil || a.server != "https://10.0.0.1:6443" || a.namespace != "lab" {
		t.Errorf("%+v, %v", a, err)
	}
	req := httptest.NewRequest(http.MethodGet, "/", nil)
	if err := a.credentials.sign(req); err != nil || req.Header.Get("Authorization") != "Bearer pod" {
		t.Error(req.Header, err)
	}
	write(t, inCluster, map[string]string{"token": "renewed\n"})
	if err := a.credentials.sign(req); err != nil || req.Header.Get("Authorization") != "Bearer renewed" {
		t.Error(req.Header, err)
	}
}
