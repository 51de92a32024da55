package paper

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// A folder of results has up to two files: lines of JSON that are added to, and a packed file of those that are to be kept. Both
// count as done.
const (
	resultsFile = "results.jsonl"
	packedFile  = "results.jsonl.gz"
	lockFile    = ".lock" // held while a process writes
)

// ReadResults returns the replications of a folder, sorted by key. Of two with one key the packed, then the older one
// counts. A last line without its end was being written when the process died, and is passed over.
func ReadResults(dir string) ([]Replication, error) {
	var all []Replication
	for _, read := range []func(string) ([]Replication, error){readPacked, readLines} {
		list, err := read(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(a, b Replication) int { return compareKeys(a.Key(), b.Key()) })
	return slices.CompactFunc(all, func(a, b Replication) bool { return a.Key() == b.Key() }), nil
}

func readLines(dir string) ([]Replication, error) {
	name := filepath.Join(dir, resultsFile)
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseLines(name, content)
}

func readPacked(dir string) ([]Replication, error) {
	name := filepath.Join(dir, packedFile)
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return parseLines(name, content)
}

// parseLines reads whole lines; what follows the last end of line is none.
func parseLines(name string, content []byte) ([]Replication, error) {
	var list []Replication
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(content, []byte("\n"))
		if !whole {
			return list, nil
		}
		content = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r Replication
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, number, err)
		}
		if len(r.Values) != len(r.Costs) || r.Problem == "" || r.Policy == "" {
			return nil, fmt.Errorf("%s, line %d: not a replication, or %d values for %d costs", name, number, len(r.Values), len(r.Costs))
		}
		list = append(list, r)
	}
}

// journal is the open results of a folder: one process at a time adds to it.
type journal struct {
	file *os.File
	lock io.Closer
}

// openJournal opens a folder's results, made if need be, to add lines. A line that was never finished is cut off.
func openJournal(dir string) (*journal, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	held, err := lock(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, fmt.Errorf("another eke-bench is at work in %s: %w", dir, err)
	}
	file, err := os.OpenFile(filepath.Join(dir, resultsFile), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err == nil {
		if err = cutUnfinished(file); err == nil {
			return &journal{file, held}, nil
		}
		file.Close()
	}
	held.Close()
	return nil, err
}

func cutUnfinished(file *os.File) error {
	content, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(content, '\n') + 1
	if whole == len(content) {
		return nil
	}
	return file.Truncate(int64(whole))
}

// add writes one line, at once and for good.
func (j *journal) add(r Replication) error {
	line, err := json.Marshal(r.rounded())
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

func (j *journal) close() error { return errors.Join(j.file.Close(), j.lock.Close()) }

// rounded returns the replication with no more digits than matter: the file is a third of the size.
func (r Replication) rounded() Replication {
	all := func(list []float64) []float64 {
		out := make([]float64, len(list))
		for i, v := range list {
			out[i] = significant(v, 9)
		}
		return out
	}
	r.Values, r.Costs = all(r.Values), all(r.Costs)
	r.Design, r.Seconds = significant(r.Design, 9), significant(r.Seconds, 4)
	return r
}

func significant(v float64, digits int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v // rounded up past the largest number
	}
	return short
}
