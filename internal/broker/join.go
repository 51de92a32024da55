package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// ErrDiffers says that a study file contradicts the study of that name in the store.
var ErrDiffers error = fault.New(fault.BadStudy, "to continue that study, undo these changes; to begin a new one, give it another name",
	"the study file differs from the study in the store")

// Join returns the broker of a study that was read from a file. It creates the study unless it is in the store. If it is there, both must
// agree on everything that the trials so far depend on. The rest (command, limits, policy, how many run at once) may have changed;
// then the store takes over what the file says.
func Join(ctx context.Context, st store.Store, s *study.Study, options ...advisor.Option) (*Broker, error) {
	d, err := Create(ctx, st, s, options...)
	if !errors.Is(err, store.ErrExists) {
		return d, err
	}
	stored, err := Open(ctx, st, s.Name)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(s) // and back, so that both have been through the same
	if err != nil {
		return nil, err
	}
	file, err := definition(s.Name, raw)
	if err != nil {
		return nil, err
	}
	if what := differences(stored.study, file); len(what) > 0 {
		return nil, fault.Errorf("", "study %q: %w: %s", s.Name, ErrDiffers, strings.Join(what, "; "))
	}
	if d, err = newBroker(st, s, options...); err != nil || reflect.DeepEqual(stored.study, file) {
		return d, err
	}
	return d, d.append(ctx, study.Event{Kind: study.EventDefined, Definition: raw})
}

// differences lists what a study cannot change once it has begun.
func differences(stored, file *study.Study) (what []string) {
	differ := func(field string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			what = append(what, fmt.Sprintf("%s was %v and is now %v", field, a, b))
		}
	}
	differ("objective", stored.Objective, file.Objective)
	differ("cost", stored.Cost, file.Cost)
	differ("budget.total", stored.Budget.Total, file.Budget.Total)
	differ("seed", stored.Seed, file.Seed)
	differ("noise", stored.Noisy, file.Noisy)
	for i, p := range file.Parameters {
		switch was := place(stored, p.Name); {
		case was < 0:
			what = append(what, fmt.Sprintf("parameter %s is new", p.Name))
		case !reflect.DeepEqual(stored.Parameters[was], p):
			what = append(what, fmt.Sprintf("parameter %s has changed", p.Name))
		case was != i && len(stored.Parameters) == len(file.Parameters):
			what = append(what, fmt.Sprintf("parameter %s has changed its place", p.Name))
		}
	}
	for _, p := range stored.Parameters {
		if place(file, p.Name) < 0 {
			what = append(what, fmt.Sprintf("parameter %s is gone", p.Name))
		}
	}
	return what
}

// place is where a parameter is among those of a study, from 0; −1: nowhere.
func place(s *study.Study, name string) int {
	return slices.IndexFunc(s.Parameters, func(p space.Param) bool { return p.Name == name })
}
