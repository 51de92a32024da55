package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

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
