package server

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
)

// A body of a megabyte may cost hundreds once it is read: 300 bytes for each {"":0}. So its values are counted before, and only a few large
// bodies are read at once. Package study does the same for YAML.
const (
	maxDepth      = 32
	maxValues     = 100_000 // 10,000 results with eight parameters each
	maxContainers = 25_000

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

// jsonFormat is how huma reads and writes JSON.
func jsonFormat() huma.Format {
	return huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: readJSON}
}
