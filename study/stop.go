package study

import (
	"encoding/json"
	"fmt"

	"github.com/eke-bo/eke/internal/fault"
)

// Stop says when a study ends although there is money left. The zero value ends it when the whole rest of the money is expected
// to gain less than a thousandth of the spread of the values seen.
type Stop struct {
	Never bool    // Never says that all the money is to be spent.
	Gain  float64 // Gain is how much the whole rest has to be expected to gain, in the units of the objective; 0 is the default.
}

const stopHint = "write stop: never to spend all, or stop: {gain: 0.01}"

// stopNever is the word for Stop.Never.
const stopNever = "never"

func (r *reader) readStop(n *node) (s Stop) {
	switch {
	case n == nil:
		return s
	case n.is == isText && n.text == stopNever:
		return Stop{Never: true}
	case n.is == isText:
		r.fail(n.at, "stop", stopHint, "stop is %s, but must be never or a mapping", quoteShort(n.text))
		return s
	}
	f, ok := r.fields(n, "stop", stopKeys, stopHint)
	if !ok {
		return s
	}
	gain := f.need("gain", "give the smallest gain that the rest of the money is worth spending for")
	if s.Gain, ok = r.number(gain, "stop.gain"); ok && s.Gain <= 0 {
		r.fail(gain.at, "stop.gain", "give a number above 0; to spend all the money, write stop: never", "gain is %s", gain.text)
	}
	return s
}

// ParseStop reads what a flag says: never, or a gain.
func ParseStop(text string) (s Stop, err error) {
	if text == stopNever {
		return Stop{Never: true}, nil
	}
	if _, err := fmt.Sscan(text, &s.Gain); err != nil || !(s.Gain > 0) || s.Gain-s.Gain != 0 {
		return Stop{}, fault.New(fault.BadRequest, "give never, or the smallest gain that the rest of the money is worth spending for", "stop is %s", quoteShort(text))
	}
	return s, nil
}

// String writes the rule as a study file has it; the default has no words there.
func (s Stop) String() string {
	switch {
	case s.Never:
		return stopNever
	case s.Gain > 0:
		return "{gain: " + formatNumber(s.Gain) + "}"
	}
	return ""
}

type stopJSON struct {
	Gain float64 `json:"gain"`
}

// MarshalJSON writes the rule as a study file has it.
func (s Stop) MarshalJSON() ([]byte, error) {
	if s.Never {
		return json.Marshal(stopNever)
	}
	return json.Marshal(stopJSON{s.Gain})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Stop) UnmarshalJSON(raw []byte) error {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if word != stopNever {
			return fmt.Errorf("stop is %q, but must be never or {\"gain\": …}", word)
		}
		*s = Stop{Never: true}
		return nil
	}
	var in stopJSON
	err := json.Unmarshal(raw, &in)
	*s = Stop{Gain: in.Gain}
	return err
}
