// Package python_test runs the tests of the Python client against servers of this tree.
package python_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	// The servers are made of these: when they change, what go test remembers of this test is out of date.
	_ "github.com/eke-bo/eke/internal/server"
	_ "github.com/eke-bo/eke/internal/server/dashboard"
	_ "github.com/eke-bo/eke/store/sqlite"
)

func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the Python client is not tested: there is no python3 on this machine")
	}
	const recent = "import sys; sys.exit(sys.version_info < (3, 9))"
	if exec.Command(python, "-c", recent).Run() != nil {
		t.Skip("the Python client is not tested: python3 is older than 3.9")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "eke")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/eke").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, used := range []string{"../../cmd/eke/*.go", "README.md", "../../README.md", "../../docs/PYTHON.md", "../../docs/COSTS.md", "../../docs/OPTUNA.md", "../../scripts/wheels", "../../examples/notebook/*.ipynb", "eke/*/*.py"} { // looked at for the same reason
		if found, err := filepath.Glob(used); err != nil || len(found) == 0 {
			t.Fatal(used, err)
		}
	}
	sources, err := filepath.Glob("*/*.py")
	if err != nil || len(sources) == 0 {
		t.Fatal("there are no sources", err)
	}
	env := append(os.Environ(), "PYTHONPYCACHEPREFIX="+filepath.Join(dir, "pycache"))
	parts, err := filepath.Glob("eke/*/*.py")
	if err != nil {
		t.Fatal(err)
	}
	sources = append(sources, parts...)
	compiling := exec.Command(python, append([]string{"-W", "error", "-m", "py_compile"}, sources...)...)
	compiling.Env = env
	if out, err := compiling.CombinedOutput(); err != nil {
		t.Errorf("py_compile: %v\n%s", err, out)
	}

	cert, key := certificate(t, dir)
	env = append(env, "EKE_TEST_BINARY="+binary,
		"EKE_TEST_SERVER="+serve(t, binary, filepath.Join(dir, "plain.db")),
		"EKE_TEST_TLS_SERVER="+serve(t, binary, filepath.Join(dir, "tls.db"), "--tls-cert", cert, "--tls-key", key), "EKE_TEST_TLS_CERT="+cert)
	modules, err := filepath.Glob("tests/test_*.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range modules {
		name := filepath.Base(module)
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they sleep most of the time
			const hangs = 25 * time.Minute
			ctx, cancel := context.WithTimeout(t.Context(), hangs)
			defer cancel()
			run := []string{python, "-W", "error"}
			if library := uses[name]; library != "" {
				run = []string{with(python, library)} // its own warnings are not ours
			}
			run = append(run, "-m", "unittest", "discover", "-v", "-t", ".", "-s", "tests", "-p", name)
			tests := exec.CommandContext(ctx, run[0], run[1:]...)
			tests.Env, tests.WaitDelay = env, 5*time.Second
			out, err := tests.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

// uses lists the tests that need a library. They say so and are left out where no Python has it.
var uses = map[string]string{"test_optuna.py": "optuna", "test_sklearn.py": "sklearn"}

// with returns a Python that has a library, which Debian's may have and another may not; the one given if none has it.
func with(python, library string) string {
	for _, one := range []string{python, "/usr/bin/python3"} {
		if exec.Command(one, "-c", "import "+library).Run() == nil {
			return one
		}
	}
	return python
}

// serve starts a server on a free port, which ends with the test, and returns its address.
func serve(t *testing.T, binary, db string, more ...string) string {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"--db", db, "serve", "--quiet", "--listen", "127.0.0.1:0"}, more...)...)
	var logged strings.Builder
	cmd.Stderr = &logged
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the server's log: %s", logged.String())
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "the page: "); ok {
			return url
		}
	}
	t.Fatal("the server did not start")
	return ""
}

// certificate makes a certificate for 127.0.0.1 that vouches for itself.
func certificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "eke test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	public, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, raw []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", public), write("key.pem", "PRIVATE KEY", secret)
}
