package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Header is what is fixed when a study is created.
type Header struct {
	ID         string          `json:"id"`         // ID tells the study from every other, also from one of the same name. A study that is created without one gets one.
	Name       string          `json:"name"`       // Name is any text but the empty one; names are compared byte by byte. A study may be renamed, and another may get its name then.
	Definition json.RawMessage `json:"definition"` // Definition is the study as JSON, kept byte for byte.
	Created    time.Time       `json:"created"`    // Created is when the study was created.
	Total      float64         `json:"total"`      // Total is the budget before anything was added to it.
	Measured   bool            `json:"measured"`   // Measured says that the cost is measured and enforced; see study.Record.
}

// Head is a study as a list of many needs it.
type Head struct {
	ID      string    // ID is the study's identity.
	Name    string    // Name is the study's name.
	Created time.Time // Created is when the study was created.
	Version int64     // Version is the number of its last event.
}

// Store keeps studies. Many goroutines may call its methods at once. A change whose method returned nil survives a crash. A
// change whose method returned an error was made entirely or not at all.
type Store interface {
	// Create adds a study with an empty log. It returns ErrExists if there is already a study of that name.
	Create(ctx context.Context, h Header) error

	// List returns the studies in the order of their creation.
	List(ctx context.Context) ([]Header, error)

	// Heads is List without definitions and with the numbers of the last events. It reads nothing else, so that it is fast, and has a study
	// that is damaged as well.
	Heads(ctx context.Context) ([]Head, error)

	// Read returns a study and those of its events that are numbered above after, in order. It returns ErrNotFound if
	// there is no study of that name.
	Read(ctx context.Context, name string, after int64) (Header, []study.Event, error)

	// Append adds all of the events to the log, or none. They must be numbered version+1, version+2 and so on. It returns
	// ErrConflict if the last event of the log is not number version, or not the one that the first event names in Before. It does not
	// check whether the events keep the laws of study.Record; Follower.Update does.
	Append(ctx context.Context, name string, version int64, events ...study.Event) error

	// Touch notes that these trials were alive at that time, and forgets what it noted of them before.
	Touch(ctx context.Context, name string, trials []int, at time.Time) error

	// Touched returns when each trial was last touched.
	Touched(ctx context.Context, name string) (map[int]time.Time, error)

	// Rename gives a study another name. Its header and its log stay as they are. It returns ErrNotFound if there is no such
	// study, and ErrExists if the other name is taken. Like Delete, it retires the old name.
	Rename(ctx context.Context, name, to string) error

	// Delete removes a study with its log and its files. It returns ErrNotFound if there is no such study.
	Delete(ctx context.Context, name string) error

	// Retire notes that whoever knows a study by this name alone may mean another: the study's log was restored from a backup, say.
	// It returns ErrNotFound if there is no such study.
	Retire(ctx context.Context, name string) error

	// Former returns the identities of the studies for which this name was retired, the oldest first.
	Former(ctx context.Context, name string) ([]string, error)

	// Ready returns an error if nothing can be written now.
	Ready(ctx context.Context) error

	// Close releases what the store holds. Every later call returns ErrClosed.
	Close() error
}

// NewID returns an identity for a study.
func NewID() string {
	var id [16]byte
	rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}

// Check returns an error if a header cannot be kept. Stores call it first.
func (h Header) Check() error {
	switch {
	case h.Name == "":
		return fault.New(fault.BadRequest, "give it a name", "the study has no name")
	case !utf8.ValidString(h.Name) || strings.ContainsRune(h.Name, 0):
		return fault.New(fault.BadRequest, "give a name in UTF-8", "the study's name %q is not text", h.Name)
	case !json.Valid(h.Definition):
		return fault.New(fault.BadRequest, "", "the definition of study %q is not JSON", h.Name)
	case !(h.Total >= 0) || math.IsInf(h.Total, 0):
		return fault.New(fault.BadRequest, "give a finite amount", "the budget of study %q is %v", h.Name, h.Total)
	}
	return nil
}
