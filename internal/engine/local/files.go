package local

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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
const startedFile = "started"

// note makes an empty file that outlives a crash of the machine.
func (f files) note(name string) error {
	file, err := f.create(name)
	if err != nil {
		return err
	}
	err = errors.Join(file.Sync(), file.Close())
	if folder, e := os.Open(f.dir); e == nil {
		_ = folder.Sync() // where folders cannot be synced there is nothing more to be done
		folder.Close()
	}
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
