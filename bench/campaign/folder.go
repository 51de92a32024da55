package campaign

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Key names a job. No two jobs of a campaign have the same key.
type Key interface {
	comparable
	String() string  // for people and for claims; different for different jobs
	Kind() string    // a name shared by all jobs that take about as long
	Weight() float64 // how long jobs of the kind take, in proportion to others; used until one has been timed
}

// Folder has the results of a campaign, in up to two files: a file of JSON lines that grows, and a packed file of results to
// keep. Jobs in either file are done.
type Folder[K Key, R any] struct {
	Dir     string
	KeyOf   func(R) K
	Compare func(a, b R) int // the order of the results
	Check   func(R) error    // says what is wrong with a line; nil: nothing is checked
	Rounded func(R) R        // the part of a result that is written; nil: all of it
	Seconds func(R) float64  // how long a job took; nil: not known
}

const (
	linesFile  = "results.jsonl"
	packedFile = "results.jsonl.gz"
)

// Read returns the results of the folder in their order. If two have the same key, the packed one counts, and
// otherwise the older one. If the last line has no end, a process died while writing it, and it is skipped.
func (f *Folder[K, R]) Read() ([]R, error) {
	packed, err := f.readPacked()
	if err != nil {
		return nil, err
	}
	lines, err := f.readLines()
	if err != nil {
		return nil, err
	}
	known := map[K]bool{}
	var all []R
	for _, r := range slices.Concat(packed, lines) {
		if key := f.KeyOf(r); !known[key] {
			known[key] = true
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, f.Compare)
	return all, nil
}

func (f *Folder[K, R]) path(name string) string { return filepath.Join(f.Dir, name) }

func (f *Folder[K, R]) readLines() ([]R, error) {
	content, err := os.ReadFile(f.path(linesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return f.parse(linesFile, content)
}

func (f *Folder[K, R]) readPacked() ([]R, error) {
	file, err := os.Open(f.path(packedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(packedFile), err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(packedFile), err)
	}
	return f.parse(packedFile, content)
}

// parse reads whole lines and ignores anything after the last end of line.
func (f *Folder[K, R]) parse(name string, content []byte) ([]R, error) {
	var list []R
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(content, []byte("\n"))
		if !whole {
			return list, nil
		}
		content = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r R
		err := json.Unmarshal(line, &r)
		if err == nil && f.Check != nil {
			err = f.Check(r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", f.path(name), number, err)
		}
		list = append(list, r)
	}
}
