package local

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/engine"
)

// How much is read of what a command wrote. A report is a line or two; what a command prints has no bound.
const (
	maxResult = 1 << 20
	maxTail   = 1 << 20
)

// files are those of a trial.
type files struct{ dir string }

func (f files) path(name string) string { return filepath.Join(f.dir, name) }

// create makes a new file in place of what is there. It is not opened before it is new: an earlier command
// may have left a pipe there, which would block, or a link.
func (f files) create(name string) (*os.File, error) {
	if err := os.RemoveAll(f.path(name)); err != nil {
		return nil, err
	}
	return os.OpenFile(f.path(name), os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}

// write makes a new file with the content.
func (f files) write(name string, content []byte) error {
	file, err := f.create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close()) // a full disk may be noticed only on closing
}

// startedFile is there, for good, before a command is started. If the controller dies before that, nothing has run.
const startedFile = engine.StartedFile

// note makes an empty file that outlives a crash of the machine.
func (f files) note(name string) error {
	file, err := f.create(name)
	if err != nil {
		return err
	}
	err = errors.Join(file.Sync(), file.Close())
	_ = engine.SyncFolder(f.dir)
	return err
}

// noted returns when a file was noted; the zero time if it was not.
func (f files) noted(name string) (at time.Time) {
	if info, err := os.Lstat(f.path(name)); err == nil {
		at = info.ModTime()
	}
	return at
}

// Reasons why a result file is not read.
var (
	errNoFile     = errors.New("there is none")
	errNoDir      = errors.New("the trial's directory was removed while the command ran")
	errNotRegular = errors.New("it is not a regular file")
	errOutside    = errors.New("it is a link to a place outside the trial's directory")
	errTooLarge   = errors.New("it is too large")
)

// readResult returns the content of the result file. It stays inside the directory, does not wait for whoever
// may write to a pipe, and reads no more than maxResult.
func (f files) readResult() ([]byte, int64, error) {
	root, err := os.OpenRoot(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, errNoDir
	}
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	link, err := root.Lstat(engine.ResultFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, errNoFile
	}
	if err != nil {
		return nil, 0, err
	}
	isLink := link.Mode()&fs.ModeSymlink != 0
	if !isLink && !link.Mode().IsRegular() {
		return nil, 0, errNotRegular // without opening it: opening alone may wake up a device
	}
	file, err := root.OpenFile(engine.ResultFile, os.O_RDONLY|withoutWaiting, 0)
	switch {
	case err != nil && isLink && errors.Is(err, fs.ErrNotExist):
		return nil, 0, errNoFile
	case err != nil && isLink:
		return nil, 0, errOutside
	case err != nil:
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, errNotRegular
	case info.Size() > maxResult:
		return nil, info.Size(), errTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(file, maxResult))
	return data, info.Size(), err
}

// tail is the end of what a command wrote.
type tail struct {
	data  []byte
	size  int64 // of all that it wrote
	whole bool  // nothing was left out
}

// readTail returns the last bytes of a file, by the descriptor that is open: it is there even if the file was
// removed.
func readTail(file *os.File, most int64) tail {
	info, err := file.Stat()
	if err != nil {
		return tail{}
	}
	size := info.Size()
	from := max(0, size-most)
	data := make([]byte, size-from)
	n, _ := file.ReadAt(data, from) // cut short if it shrank meanwhile: what is there is there
	return tail{data[:n], size, from == 0}
}

// What a command prints has no bound, and its disk has. So of each of its two files only the beginning and the end are kept. While the command
// runs, the middle is given back to the disk where the system can do so, and the file keeps its length. Once the command has ended, the file
// is made short.
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

const (
	shownText  = 60      // of a text that was found
	shownKeys  = 8       // of keys that were found
	shownLines = 8       // of stderr
	shownTail  = 2 << 10 // bytes of stderr
)

// escape is what colours a terminal, ECMA-48: control sequences, and the strings that set a window's title.
var escape = regexp.MustCompile("\x1b(\\[[0-9;:?<=>]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?)")

// plain takes out what would disturb a terminal.
func plain(text string) string {
	text = escape.ReplaceAllString(strings.ToValidUTF8(text, "\ufffd"), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == '\r':
			return '\n'
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
}

// shorten fits a text that was found into one line.
func shorten(text string) string {
	text = strings.Join(strings.Fields(plain(text[:min(len(text), 8*shownText)])), " ")
	if text == "" {
		return `""`
	}
	if utf8.RuneCountInString(text) > shownText {
		text = string([]rune(text)[:shownText]) + "…"
	}
	return text
}

func keyList(names []string) string {
	shown := make([]string, 0, shownKeys)
	for _, name := range names[:min(len(names), shownKeys)] {
		shown = append(shown, shorten(name))
	}
	list := strings.Join(shown, ", ")
	switch n := len(names); {
	case n == 1:
		return "key " + list
	case n > shownKeys:
		return fmt.Sprintf("keys %s, … (%d in all)", list, n)
	}
	return "keys " + list
}

// or lists the names that would do.
func or(names []string) string {
	list := shorten(names[0])
	for i, name := range names[1:] {
		if i == len(names)-2 {
			list += " or " + shorten(name)
		} else {
			list += ", " + shorten(name)
		}
	}
	return list
}

// bytesOf writes a size as people do.
func bytesOf(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// lastWords are the last lines of what a command printed, indented; "" if there are none.
func lastWords(name string, out tail) string {
	text := strings.TrimSpace(plain(string(out.data)))
	if text == "" {
		return ""
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	lines = lines[max(0, len(lines)-shownLines):]
	return "\n" + name + " ends:\n    " + strings.Join(lines, "\n    ")
}
