package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Header is what is fixed when a study is created, except that the study may be renamed.
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

	// Read returns a study and its events that are numbered above after, in order. It returns ErrNotFound if
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

	// Rename gives a study another name. The rest of its header, and its log, stay as they are. It returns ErrNotFound if there is no such
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

// What can go wrong, whichever store it is. Errors that wrap these say where.
var (
	ErrExists   error = fault.New(fault.Exists, "choose another name, or continue that study", "there is already a study of that name")
	ErrNotFound error = fault.New(fault.NotFound, "", "there is no study of that name")
	ErrReplaced error = fault.New(fault.StoreBroken, "look what the store has now, and start again", "the log was replaced since it was read, as a backup does that is restored")
	ErrConflict error = fault.New(fault.StoreBusy, "read the log again, and try again", "somebody else has changed the log")

	ErrForeign  error = fault.New(fault.StoreBroken, "", "this is not an eke store")
	ErrDamaged  error = fault.New(fault.StoreBroken, "nothing was written to it; replace it with a copy", "the store is damaged")
	ErrNewer    error = fault.New(fault.StoreBroken, "use the newer eke", "the store was written by a newer eke")
	ErrReadOnly error = fault.New(fault.StoreDenied, "", "the store cannot be written to")
	ErrFull     error = fault.New(fault.StoreFull, "this change was not saved, but everything before it was; make room and go on", "no room is left on the disk")
	ErrBusy     error = fault.New(fault.StoreBusy, "", "the store is locked by another process")
	ErrGone     error = fault.New(fault.StoreBroken, "", "the store was deleted or replaced while in use")
	ErrClosed   error = fault.New(fault.StoreBroken, "", "the store is closed")

	// These happen only to a store on a database server.
	ErrAway   error = fault.New(fault.StoreAway, "", "the database cannot be reached")
	ErrDenied error = fault.New(fault.StoreDenied, "", "the database refuses access")
)

// Exists returns ErrExists for that study. Every store uses it.
func Exists(name string) error { return fault.Errorf("", "study %q: %w", name, ErrExists) }

// NotFound returns ErrNotFound for that study. Every store uses it.
func NotFound(name string) error { return fault.Errorf("", "study %q: %w", name, ErrNotFound) }

// Newer returns ErrNewer for a store of that version. Every store with migrations uses it.
func Newer(place string, version, known int64) error {
	return fault.Errorf("", "%s: %w: it has version %d, and this eke knows versions up to %d", place, ErrNewer, version, known)
}

// Conflict returns ErrConflict for a log whose last event is not number version. Every store uses it.
func Conflict(name string, version, last int64) error {
	return fault.Errorf("", "study %q: %w: its last event is %d, not %d", name, ErrConflict, last, version)
}

// OtherLog returns ErrConflict for a log whose last event is not the one that new events are to follow. Every store uses it.
func OtherLog(name string, version int64) error {
	return fault.Errorf("", "study %q: %w: event %d is another", name, ErrConflict, version)
}

// Encode returns the events in the form in which stores keep them, one JSON text each. They must be numbered version+1,
// version+2 and so on.
func Encode(name string, version int64, events []study.Event) ([][]byte, error) {
	bodies := make([][]byte, len(events))
	for i, e := range events {
		if want := version + 1 + int64(i); e.Seq != want {
			return nil, fault.New(fault.Conflict, "", "study %q: event %d was to be appended where event %d belongs", name, e.Seq, want)
		}
		e.Digest = ""
		body, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("study %q: event %d (%s): %w", name, e.Seq, e.Kind, err)
		}
		bodies[i] = body
	}
	return bodies, nil
}

// Digest returns the digest of an event that is kept as body.
func Digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16]) // nobody finds two events with the same 128 bits
}

// Decode reads the event that is kept as number seq. It returns ErrDamaged if that cannot be read.
func Decode(name string, seq int64, body []byte) (study.Event, error) {
	var e study.Event
	if err := json.Unmarshal(body, &e); err != nil {
		return e, fault.Errorf("", "study %q: event %d: %w: %w", name, seq, ErrDamaged, err)
	}
	if e.Seq != seq {
		return e, fault.Errorf("", "study %q: event %d: %w: it says that it is event %d", name, seq, ErrDamaged, e.Seq)
	}
	e.Digest = Digest(body)
	return e, nil
}

// A database notices when its structure is broken, not when a digit within a row has changed. A digit here is money, so each row
// carries a sum of what it says. The key says which row it is, so that rows cannot be exchanged.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SumOfEvent is the sum of an event's row.
func SumOfEvent(key, body []byte) int64 {
	return int64(crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, body))
}

// SumOfHeader is the sum of a header's row.
func SumOfHeader(key []byte, h Header, created string) int64 {
	key = binary.BigEndian.AppendUint64(key, math.Float64bits(h.Total))
	if h.Measured {
		key = append(key, 1)
	}
	sum := crc32.Checksum(key, castagnoli)
	for _, part := range []string{h.Name, "\x00", created, "\x00", string(h.Definition)} {
		sum = crc32.Update(sum, castagnoli, []byte(part))
	}
	return int64(sum)
}
