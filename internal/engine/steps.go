package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/eke-bo/eke/study"
)

// ErrEarly is the reason for cancelling a job that is not worth finishing. Whatever it reports then is an intermediate value, and
// not its result.
var ErrEarly = errors.New("stopped early")

// Steps reads the values that a job prints on its way, as lines of JSON: {"step": 9, "objective": 0.31, "cost": 0.4}. Anything else that
// it prints is passed over. The zero value begins at the beginning. A file that was replaced by a shorter one, as when a job is started again, is read from
// its beginning, too: then steps may come twice.
type Steps struct {
	offset int64  // up to here the file has been read
	rest   []byte // the beginning of a line whose end is not there yet
}

const (
	stepsPart = 256 << 10 // of a file, at once
	longLine  = 64 << 10  // longer ones are no steps
)

// Read returns the steps that are new since the last call, from the job's files.
func (s *Steps) Read(files fs.FS, objective string) (list []study.Step) {
	file, err := files.Open(StdoutFile)
	if err != nil {
		return nil
	}
	defer file.Close()
	grows, ok := file.(io.ReaderAt)
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || !ok {
		return nil
	}
	if info.Size() < s.offset {
		*s = Steps{}
	}
	part := make([]byte, stepsPart)
	for {
		n, err := grows.ReadAt(part, s.offset)
		s.offset += int64(n)
		s.rest = append(s.rest, part[:n]...)
		for {
			line, rest, ok := bytes.Cut(s.rest, []byte("\n"))
			if !ok {
				break
			}
			s.rest = rest
			if step, ok := StepOf(objective, line); ok {
				list = append(list, step)
			}
		}
		s.rest = append([]byte(nil), s.rest...) // and not the end of something long
		if len(s.rest) > longLine {
			s.rest = s.rest[:0:0] // what comes to its end later is no JSON
		}
		if n == 0 || err != nil && !errors.Is(err, io.EOF) {
			return list
		}
	}
}

// StepOf reads one line. The value is the objective, by that word, by its own name, or by the word value.
func StepOf(objective string, line []byte) (step study.Step, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) > longLine || !bytes.HasPrefix(line, []byte("{")) || !bytes.Contains(line, []byte(`"step"`)) {
		return step, false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil || json.Unmarshal(fields["step"], &step.Step) != nil || !(step.Step > 0) {
		return step, false
	}
	if cost := fields["cost"]; json.Unmarshal(cost, &step.Cost) != nil || !(step.Cost > 0 && step.Cost <= study.MaxAmount) {
		step.Cost = 0
	}
	for _, key := range []string{"objective", objective, "value"} {
		if raw, there := fields[key]; there && string(raw) != "null" {
			return step, json.Unmarshal(raw, &step.Value) == nil
		}
	}
	return step, false
}
