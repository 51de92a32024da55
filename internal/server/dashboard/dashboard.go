package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// policy lets the page load its own files and talk to its own service; nothing inline, nothing foreign, no frame
// around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// file is one of the page's, ready to be sent.
type file struct {
	kind   string // media type
	etag   string
	cache  string
	plain  []byte
	packed []byte // nil: not worth it
}

// Handler serves the page. Whatever is not one of its files is a place within it, and gets its index.
func Handler() http.Handler {
	files, err := load(dist)
	if err != nil {
		panic("dashboard: " + err.Error()) // what is embedded can be read
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the page can only be read", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		f, ok := files[name]
		if !ok {
			if strings.HasPrefix(name, assets) { // of another version: the index would not do
				http.NotFound(w, r)
				return
			}
			f = files[index]
		}
		f.serve(w, r)
	})
}

const (
	index  = "index.html"
	assets = "assets/" // named by their content
)

func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}

// load reads all files, and packs those that become smaller.
func load(tree fs.FS) (map[string]*file, error) {
	root, err := fs.Sub(tree, "dist")
	if err != nil {
		return nil, err
	}
	files := map[string]*file{}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		files[name] = newFile(name, content)
		return nil
	})
	if err == nil && files[index] == nil {
		err = &fs.PathError{Op: "open", Path: index, Err: fs.ErrNotExist}
	}
	return files, err
}

// kinds are given here and not by the system, which may have strange ideas.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

func newFile(name string, content []byte) *file {
	sum := sha256.Sum256(content)
	f := &file{kind: kinds[path.Ext(name)], plain: content, etag: `"` + hex.EncodeToString(sum[:8]) + `"`, cache: "no-cache"}
	if f.kind == "" {
		f.kind = mime.TypeByExtension(path.Ext(name))
	}
	if strings.HasPrefix(name, assets) {
		f.cache = "public, max-age=31536000, immutable"
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // fails for unknown levels only
	_, _ = z.Write(content)                               // a buffer takes everything
	z.Close()
	if b.Len() < len(content)*9/10 {
		f.packed = b.Bytes()
	}
	return f
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", f.cache)
	body, etag := f.plain, f.etag
	if f.packed != nil {
		h.Add("Vary", "Accept-Encoding")
		if accepts(r, "gzip") {
			h.Set("Content-Encoding", "gzip")
			body, etag = f.packed, strings.TrimSuffix(f.etag, `"`)+`-gzip"`
		}
	}
	h.Set("ETag", etag)
	if matches(r.Header.Get("If-None-Match"), etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // whoever has gone does not need it
	}
}

// accepts says whether the client takes an encoding. One that it gives the weight of zero it does not.
func accepts(r *http.Request, encoding string) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) {
			q, ok := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			return !ok || strings.Trim(q, "0.") != ""
		}
	}
	return false
}

func matches(list, etag string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "W/"); part == etag || part == "*" {
			return true
		}
	}
	return false
}
