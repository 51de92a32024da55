package main

import (
	"bufio"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A server made by eke serve, with a token: used, and ended in order.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	make := exec.Command("eke", "token", "new", "--role", "admin")
	make.Dir = dir
	secret, err := make.Output()
	if err != nil {
		t.Fatal(err)
	}
	serve := exec.Command("eke", "serve", "--listen", "127.0.0.1:0")
	serve.Dir = dir
	var logged strings.Builder
	serve.Stderr = &logged
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer serve.Process.Kill()
	url := ""
	lines := bufio.NewScanner(out)
	for url == "" && lines.Scan() {
		if page, ok := strings.CutPrefix(lines.Text(), "the page: "); ok {
			url = page
		}
	}
	token := strings.TrimSpace(string(secret))
	for _, c := range []struct {
		method, path, token, body string
		status                    int
	}{
		{"GET", "", "", "", 200},
		{"GET", "healthz", "", "", 200},
		{"GET", "api/v1/studies", "", "", 401},
		{"POST", "api/v1/studies", token, crowdStudy, 201},
		{"GET", "api/v1/studies/crowd", token, "", 200},
	} {
		r, err := http.NewRequest(c.method, url+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/yaml")
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%s %s: %s", c.method, c.path, resp.Status)
		}
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("%v\n%s", err, logged.String())
	}
	if text := logged.String(); strings.Contains(text, token) || !strings.Contains(text, "path=/api/v1/studies/crowd status=200") {
		t.Errorf("the log: %s", text)
	}
}
