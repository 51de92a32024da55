package local

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// What a command prints has no bound, and its disk has. So of each of its two files only the beginning and the end are kept: while the
// command runs, the middle is given back to the disk where the system can do so, and the file keeps its length; once the
// command has ended, the file is made short.
const (
	keptHead = 8 << 20
	keptTail = 8 << 20
	// slackOutput is how much more there may be before it is worth the work.
	slackOutput = 4 << 20
)

// output is a file that a command writes to.
type output struct {
	*os.File
	freed int64 // up to here the middle was given back
}

// trim gives the middle of the file back to the disk. The command may go on writing.
func (o *output) trim() {
	info, err := o.Stat()
	if err != nil {
		return
	}
	from, to := max(keptHead, o.freed), info.Size()-keptTail
	if to-from > slackOutput && punch(o.File, from, to-from) == nil {
		o.freed = to
	}
}

// shorten leaves the beginning and the end of the file, with a line between them that says how much is missing. Nobody may be
// writing to it any more.
func (o *output) shorten() error {
	info, err := o.Stat()
	if err != nil || info.Size() <= keptHead+keptTail+slackOutput {
		return err
	}
	tail := make([]byte, keptTail)
	if _, err := o.ReadAt(tail, info.Size()-keptTail); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := o.Truncate(keptHead); err != nil {
		return err
	}
	missing := info.Size() - keptHead - keptTail
	if _, err := fmt.Fprintf(o, "\n… %s were left out here by eke …\n", bytesOf(missing)); err != nil { // at the end: see create
		return err
	}
	_, err = o.Write(tail)
	return err
}
