package store

import (
	"context"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// Files keeps what trials leave behind beside the log: their output and their artifacts. Stores that can be served implement it. Many
// goroutines may call its methods at once.
type Files interface {
	// AppendFile adds data to a file of a trial, which begins at an offset, and returns the size of the file then. What the file has
	// already is left as it is, so that an append can be repeated. Where data would leave a gap, nothing is added, unless the limits allow it. Of a file
	// larger than l.Keep bytes, only the first l.Keep/2 bytes and the end are kept. It returns ErrFilesFull if the study's files would take more than l.Most.
	AppendFile(ctx context.Context, study string, f File, offset int64, data []byte, l FileLimits) (size int64, err error)

	// ReadFile returns the parts of a file from an offset on, about most bytes of them, and what is known of the file. A part that is not kept
	// any more is left out. It returns ErrNoFile if there is none of that name.
	ReadFile(ctx context.Context, study string, trial int, name string, offset, most int64) (File, []Part, error)

	// Files lists the files of a trial, by their names.
	Files(ctx context.Context, study string, trial int) ([]File, error)
}

// File is a file of a trial.
type File struct {
	Trial int    // Trial is the number of the trial.
	Name  string // Name is the file's name, without folders.
	Size  int64  // Size is where the file ends, in bytes. More may have been written than is kept.
	Kept  int64  // Kept is how many bytes are kept.
}

// Part is a piece of a file.
type Part struct {
	Offset int64  // Offset is where it begins.
	Data   []byte // Data is what it says.
}

// FileLimits says how much is kept.
type FileLimits struct {
	Keep int64 // Keep is for one file.
	Most int64 // Most is for all files of a study.
	Skip bool  // Skip lets data leave a gap: what is missing was too much to be sent.
}

// What can go wrong with files.
var (
	ErrNoFile    error = fault.New(fault.NotFound, "", "there is no such file")
	ErrFilesFull error = fault.New(fault.TooLarge, "delete studies that nobody needs, or start the server with a larger --files", "the files of this study have no room left")
)

// Check returns an error if a file cannot be kept. Stores call it first.
func (f File) Check() error {
	if f.Trial < 1 || f.Name == "" || len(f.Name) > 200 || !plain(f.Name) || strings.ContainsAny(f.Name, `/\`) || strings.HasPrefix(f.Name, ".") {
		return fault.New(fault.BadRequest, "give a plain name, without folders", "%.200q cannot be the name of a trial's file", f.Name)
	}
	return nil
}

// Append decides what an append adds to a file that ends at size: nothing if the data would leave a gap, or is there already. Every store uses it.
func Append(size, offset int64, data []byte, skip bool) (Part, bool) {
	if skip && offset > size && len(data) > 0 {
		return Part{offset, data}, true
	}
	if offset < 0 || offset > size || offset+int64(len(data)) <= size {
		return Part{}, false
	}
	return Part{size, data[size-offset:]}, true
}
