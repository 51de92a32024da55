package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/semaphore"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
)

// A body of a megabyte may cost hundreds once it is read: 300 bytes for each {"":0}. So its values are counted before, and only a few large
// bodies are read at once. Package study does the same for YAML.
const (
	maxDepth      = 32
	maxValues     = 100_000 // 10,000 results with eight parameters each
	maxContainers = 25_000

	maxBodies = 4 * api.MaxBody // bytes of all bodies that are read at once
	patience  = 20 * time.Second

	// maxAskBody is for requests that may wait long: their bodies must not keep others waiting.
	maxAskBody = 16 << 10
)

// readJSON is json.Unmarshal for a text that may be meant to do harm.
func readJSON(raw []byte, into any) error {
	if !bounded(raw) {
		return errTooComplex
	}
	return json.Unmarshal(raw, into)
}

var errTooComplex = api.NewProblem(fault.TooLarge, "send less at once", "the body has too many values, or they are nested too deep")

// bounded reports whether a JSON text has a reasonable number of values. It allocates nothing. A text that is not JSON may pass, and will
// be refused by its reader.
func bounded(raw []byte) bool {
	depth, values, containers := 0, 1, 0
	quoted, escaped := false, false
	for _, c := range raw {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '[' || c == '{':
			depth++
			containers++
			values++
		case c == ']' || c == '}':
			depth--
		case c == ',':
			values++
		}
		if depth > maxDepth || values > maxValues || containers > maxContainers {
			return false
		}
	}
	return true
}

// bodies lets few large bodies be read at once.
type bodies struct{ free *semaphore.Weighted }

func newBodies() bodies { return bodies{semaphore.NewWeighted(maxBodies)} }

// take waits until a request's body may be read.
func (b bodies) take(ctx context.Context, r *http.Request) (release func(), refused *api.Problem) {
	size := r.ContentLength
	switch {
	case size == 0:
		return func() {}, nil
	case size < 0 || size > api.MaxBody: // nobody knows, or it will be refused
		size = api.MaxBody
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if b.free.Acquire(ctx, size) != nil {
		return nil, api.NewProblem(fault.TooMany, "try again later", "too many large requests are sent at once").WithHeader("Retry-After", soon)
	}
	return func() { b.free.Release(size) }, nil
}

// jsonFormat is how huma reads and writes JSON.
func jsonFormat() huma.Format {
	return huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: readJSON}
}
