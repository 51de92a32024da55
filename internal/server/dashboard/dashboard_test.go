package dashboard

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, target string, header ...string) *http.Response {
	t.Helper()
	return send(t, http.MethodGet, target, header...)
}

func send(t *testing.T, method, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEveryPlaceIsThePage(t *testing.T) {
	page := body(t, get(t, "/"))
	if !strings.Contains(page, `<div id="app">`) {
		t.Fatalf("the index is\n%s", page)
	}
	for _, place := range []string{"/index.html", "/new", "/studies/a.b-c", "/studies/kiln/trials?trial=3", "/../../etc/passwd", "//etc/passwd"} {
		r := get(t, place)
		if r.StatusCode != http.StatusOK || body(t, r) != page {
			t.Errorf("%s: %s, not the index", place, r.Status)
		}
		if got := r.Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control %q", place, got)
		}
	}
}

func TestFilesOfThePage(t *testing.T) {
	page := body(t, get(t, "/"))
	names := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(names) < 3 {
		t.Fatalf("the index mentions %d files:\n%s", len(names), page)
	}
	for _, m := range names {
		name := m[1]
		if !strings.HasPrefix(name, "/") || strings.HasPrefix(name, "//") {
			t.Errorf("%s is not of this service", name)
			continue
		}
		r := get(t, name)
		if kind := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || strings.Contains(kind, "html") || kind == "" {
			t.Errorf("%s: %s, %s", name, r.Status, kind)
		}
		if strings.HasPrefix(name, "/assets/") && !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s is named by its content, but cached as %q", name, r.Header.Get("Cache-Control"))
		}
		plain := body(t, r)

		packed := get(t, name, "Accept-Encoding", "br, gzip;q=0.8")
		if packed.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(packed.Body)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(z); err != nil || string(b) != plain {
				t.Errorf("%s unpacks to something else (%v)", name, err)
			}
		}
		again := get(t, name, "If-None-Match", r.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified || body(t, again) != "" {
			t.Errorf("%s again: %s", name, again.Status)
		}
	}
	if r := get(t, "/assets/gone-12345678.js"); r.StatusCode != http.StatusNotFound {
		t.Errorf("a file of another version: %s", r.Status)
	}
}

// TestThePageIsStrict: no inline script or style in the index, which the policy would refuse, and the headers that
// keep others out, on every answer.
func TestThePageIsStrict(t *testing.T) {
	page := body(t, get(t, "/"))
	if regexp.MustCompile(`<style|style=|<script(?:\s[^>]*)?>[^<]|\son\w+=|https?://`).MatchString(page) {
		t.Errorf("the index has something inline or foreign:\n%s", page)
	}
	for _, r := range []*http.Response{get(t, "/"), get(t, "/theme.js"), get(t, "/assets/gone.js"), send(t, http.MethodPost, "/")} {
		csp := r.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s lacks %s: %s", r.Status, part, csp)
			}
		}
		if strings.Contains(csp, "unsafe") {
			t.Errorf("the policy is unsafe: %s", csp)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", r.Status, name, got, want)
			}
		}
	}
}

func TestThePageIsReadOnly(t *testing.T) {
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
		if r := send(t, method, "/"); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") == "" {
			t.Errorf("%s: %s", method, r.Status)
		}
	}
	if r := send(t, http.MethodHead, "/"); r.StatusCode != http.StatusOK || body(t, r) != "" {
		t.Errorf("HEAD: %s", r.Status)
	}
}

func TestAccepts(t *testing.T) {
	for header, want := range map[string]bool{"": false, "gzip": true, "br, GZIP": true, "gzip;q=0": false, "gzip; q=0.0": false, "gzip;q=0.5": true, "deflate": false} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", header)
		if got := accepts(r, "gzip"); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

// TestThePageIsSmall keeps the scripts below 200 kB, packed.
func TestThePageIsSmall(t *testing.T) {
	files, err := load(dist)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for name, f := range files {
		if strings.HasSuffix(name, ".js") {
			sum += len(f.packed)
		}
	}
	if sum == 0 || sum > 200_000 {
		t.Errorf("the scripts are %d bytes, packed", sum)
	}
}
