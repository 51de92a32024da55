package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// Changeover is the price of a change: what a trial costs in addition if some parameters get other values than they had in the trial before, at the same
// place. An oven has to be heated, a program to be compiled.
type Changeover struct {
	Of      []string  `json:"of"`                 // Of names the parameters. If any of them changes, the price is paid once.
	Cost    *float64  `json:"cost,omitempty"`     // Cost is the price of any change; nil: it is learnt, unless PerUnit is given.
	PerUnit float64   `json:"per_unit,omitempty"` // PerUnit is the price of each unit by which the parameter moves.
	Down    *Downward `json:"down,omitempty"`     // Down is what is different if the parameter gets a smaller value; nil: nothing.
}

// Downward has the prices of a change to a smaller value. A nil price is the same as upwards; if both are nil, the downward price is learnt separately.
type Downward struct {
	Cost    *float64 `json:"cost,omitempty"`     // Cost is the price of any such change.
	PerUnit *float64 `json:"per_unit,omitempty"` // PerUnit is the price of each unit.
}

// IsLearnt reports whether the price is not given, and has to be learnt.
func (c Changeover) IsLearnt() bool { return c.Cost == nil && c.PerUnit == 0 }

// IsLearntDown reports whether a change downwards has a price of its own that has to be learnt.
func (c Changeover) IsLearntDown() bool {
	return c.Down != nil && c.Down.Cost == nil && c.Down.PerUnit == nil
}

// Fee is the price of a change: a sum that the study file gives, and the prices that have to be learnt and are added to it.
type Fee struct {
	Known float64 // Known is the sum of what is given.

	// Learnt lists prices that are not given, by their entries in Study.Changeover. After the last entry come the prices that are learnt downwards alone, so that entry i has
	// number len(Study.Changeover) + i there.
	Learnt []int
}

// Fee returns the price of going from a setting to another. From may lack parameters whose values nobody knows. They cost as much as any change might.
func (s *Study) Fee(from, to space.Setting) (fee Fee) {
	for i, c := range s.Changeover {
		amount, learnt := s.feeOf(c, from, to)
		switch fee.Known += amount; learnt {
		case learntUp:
			fee.Learnt = append(fee.Learnt, i)
		case learntDown:
			fee.Learnt = append(fee.Learnt, len(s.Changeover)+i)
		}
	}
	return fee
}

// unknown says which price of an entry has to be learnt.
type unknown int

const (
	learntNothing unknown = iota
	learntUp              // the price of any change, or of a change upwards
	learntDown            // the price of a change downwards
)

// feeOf returns the price of an entry. A parameter that does not exist in the new setting need not be changed.
func (s *Study) feeOf(c Changeover, from, to space.Setting) (amount float64, learnt unknown) {
	changed, known := false, true
	for _, name := range c.Of {
		now, exists := to[name]
		was, given := from[name]
		if exists && !(given && SameValue(was, now)) {
			changed, known = true, known && given
		}
	}
	if !changed {
		return 0, learntNothing
	}
	if c.PerUnit == 0 && c.Down == nil {
		return c.side(false, 0)
	}
	x, _ := to[c.Of[0]].Number()
	if was, ok := from[c.Of[0]].Number(); known && ok {
		return c.side(x < was, math.Abs(x-was))
	}
	low, high := s.rangeOf(c.Of[0])
	up, mustUp := c.side(false, math.Max(x-low, 0))
	down, mustDown := c.side(true, math.Max(high-x, 0))
	switch { // nobody knows which of the two it is
	case mustUp != learntNothing: // so the learnt price upwards stands for both
		return math.Min(up, down), mustUp
	case mustDown != learntNothing:
		return up, learntNothing
	}
	return math.Max(up, down), learntNothing
}

// SameValue reports whether two values are the same, however a number is written.
func SameValue(a, b space.Value) bool {
	x, ok := a.Number()
	y, also := b.Number()
	if ok && also {
		return x == y
	}
	return a.Equal(b)
}

// side returns the price of a move in one direction.
func (c Changeover) side(down bool, distance float64) (amount float64, learnt unknown) {
	cost, perUnit := c.Cost, c.PerUnit
	if c.IsLearnt() {
		learnt = learntUp
	}
	if d := c.Down; down && d != nil {
		if c.IsLearntDown() {
			return 0, learntDown
		}
		if learnt = learntNothing; d.Cost != nil {
			cost = d.Cost
		}
		if d.PerUnit != nil {
			perUnit = *d.PerUnit
		}
	}
	if cost != nil {
		amount = *cost
	}
	return amount + perUnit*distance, learnt
}

// SlopeOf returns by how much the price of an entry rises with the value of its parameter, near a setting. It is 0 where the price does not depend on the
// distance.
func (s *Study) SlopeOf(c Changeover, from, to space.Setting) float64 {
	if c.PerUnit == 0 && (c.Down == nil || c.Down.PerUnit == nil) {
		return 0
	}
	x, exists := to[c.Of[0]].Number()
	was, given := from[c.Of[0]].Number()
	switch {
	case !exists || given && x == was:
		return 0
	case given && x > was:
		return c.PerUnit
	case given:
		return -c.perUnitDown()
	}
	low, high := s.rangeOf(c.Of[0])
	up, _ := c.side(false, math.Max(x-low, 0))
	if down, _ := c.side(true, math.Max(high-x, 0)); down > up { // never, if it is learnt
		return -c.perUnitDown()
	}
	return c.PerUnit
}

func (c Changeover) perUnitDown() float64 {
	switch {
	case c.IsLearntDown():
		return 0
	case c.Down != nil && c.Down.PerUnit != nil:
		return *c.Down.PerUnit
	}
	return c.PerUnit
}

// rangeOf returns the smallest and the largest value of a parameter that is a number.
func (s *Study) rangeOf(name string) (low, high float64) {
	for _, p := range s.Parameters {
		if p.Name == name {
			return p.Min, p.Max
		}
	}
	return 0, 0
}

var (
	changeoverKeys = []string{"of", "cost", "per_unit", "down"}
	downKeys       = []string{"cost", "per_unit"}
)

// maxChangeovers is the most entries that changeover may have: searches look at what each of them would keep.
const maxChangeovers = 16

const (
	changeoverHint = "write changeover: [{of: [temperature], cost: 20}]"
	initialHint    = "write initial: {temperature: 20}"
)

// readChangeover reads the prices of changes, and the state at the start.
func (r *reader) readChangeover(f fields, s *Study) {
	n, initial := f.m["changeover"], f.m["initial"]
	if n == nil {
		if initial != nil {
			r.fail(initial.keyAt, "initial", changeoverHint+", or leave it out", "initial is where changes start from, but there is no changeover")
		}
		return
	}
	items, ok := r.list(n, "changeover", changeoverHint)
	switch {
	case !ok:
		return
	case len(items) == 0:
		r.fail(n.at, "changeover", changeoverHint+", or leave it out", "changeover is empty")
	case len(items) > maxChangeovers:
		r.fail(n.at, "changeover", fmt.Sprintf("give at most %d", maxChangeovers), "there are %d entries", len(items))
		return
	case f.m["engine"] != nil:
		r.fail(n.keyAt, "changeover", "leave it out; what every job has to set up is part of its cost", "every trial is a job of its own, and nothing is kept between jobs, so changeover does not go with engine")
	}
	if s.Objective.Name == setupName && !s.Several() {
		r.fail(n.keyAt, "objective.name", "give it another name", "name is setup, which a result uses for its part of the cost that went into changes")
	}
	if slices.ContainsFunc(s.Objectives, func(o Aim) bool { return o.Name == setupName }) {
		r.fail(n.keyAt, "objectives."+setupName, "give it another name", "setup is what a result uses for its part of the cost that went into changes")
	}
	if _, limited := s.Limits[setupName]; limited {
		r.fail(n.keyAt, "limits."+setupName, "limit a quantity of another name, which the trial reports", "a result uses setup for its part of the cost that went into changes")
	}
	for i, item := range items {
		if c, ok := r.readChange(item, fmt.Sprintf("changeover[%d]", i), s); ok {
			s.Changeover = append(s.Changeover, c)
		}
	}
	s.Initial = r.readInitial(initial, s)
}

// setupName is what a result calls its part of the cost that went into changes.
const setupName = "setup"

func (r *reader) readChange(n *node, path string, s *Study) (c Changeover, ok bool) {
	f, ok := r.fields(n, path, changeoverKeys, changeoverHint)
	if !ok {
		return c, false
	}
	errors := len(r.errs)
	list, ok := r.list(f.need("of", "name the parameters: of: [temperature]"), path+".of", "write of: [temperature]")
	if ok && len(list) == 0 {
		r.fail(f.m["of"].at, path+".of", "name at least one parameter", "of is empty")
	}
	var params []space.Param
	for i, item := range list {
		at := fmt.Sprintf("%s.of[%d]", path, i)
		name, ok := r.text(item, at)
		if !ok {
			continue
		}
		p, problem, hint := s.changing(name)
		if slices.Contains(c.Of, name) {
			problem, hint = name+" is there twice", "name it once"
		}
		if problem != "" {
			r.fail(item.at, at, hint, "%s", problem)
			continue
		}
		c.Of, params = append(c.Of, name), append(params, p)
	}
	c.Cost = r.price(f.m["cost"], path+".cost", s.Cost)
	if per := r.price(f.m["per_unit"], path+".per_unit", s.Cost); per != nil {
		c.PerUnit = *per
	}
	if n := f.m["down"]; n != nil {
		if d, ok := r.fields(n, path+".down", downKeys, "write down: {cost: 5}"); ok {
			c.Down = &Downward{r.price(d.m["cost"], path+".down.cost", s.Cost), r.price(d.m["per_unit"], path+".down.per_unit", s.Cost)}
		}
	}
	for _, key := range []string{"per_unit", "down"} {
		if n := f.m[key]; n != nil && len(params) > 0 && (len(params) > 1 || !isNumeric(params[0])) {
			r.fail(n.keyAt, path+"."+key, "name one float or int in of, and the others in an entry of their own", "%s needs a number that moves up or down, but of is %s", key, strings.Join(c.Of, ", "))
		}
	}
	return c, len(r.errs) == errors
}

// changing returns the parameter of a name, or what is wrong with it.
func (s *Study) changing(name string) (p space.Param, problem, hint string) {
	var names []string
	for _, p := range s.Parameters {
		if p.Name == name {
			if p.Kind == space.KindFixed {
				return p, name + " is fixed, and never changes", "leave it out"
			}
			return p, "", ""
		}
		names = append(names, p.Name)
	}
	if s.Fidelity != nil && s.Fidelity.Name == name {
		return p, name + " is the fidelity, and not a parameter", "leave it out"
	}
	if len(names) == 0 {
		return p, "", "" // what is wrong with the parameters is said there
	}
	return p, "there is no parameter " + quoteShort(name), suggest(name, names)
}

func isNumeric(p space.Param) bool { return p.Kind == space.KindFloat || p.Kind == space.KindInt }

// price reads an amount that may be 0.
func (r *reader) price(n *node, path string, cost Cost) *float64 {
	if n == nil {
		return nil
	}
	if x, err := strconv.ParseFloat(n.text, 64); n.is == isNumber && err == nil && x == 0 {
		return new(float64)
	}
	if strings.HasPrefix(n.text, "-") && n.is == isNumber {
		r.fail(n.at, path, "give 0 or more", "%s is %s", last(path), n.text)
		return nil
	}
	if x, ok := r.amount(n, path, cost); ok {
		return &x
	}
	return nil
}

// readInitial reads the state at the start. It need not be one that the parameters allow: an oven may be colder than any trial.
func (r *reader) readInitial(n *node, s *Study) space.Setting {
	if !r.expect(n, isMapping, "initial", "a mapping", initialHint) {
		return nil
	}
	if len(n.entries) == 0 {
		r.fail(n.at, "initial", initialHint+", or leave it out", "initial is empty")
		return nil
	}
	setting := space.Setting{}
	for _, e := range n.entries {
		path := "initial." + e.key
		p, problem, hint := s.changing(e.key)
		if problem == "" && !slices.ContainsFunc(s.Changeover, func(c Changeover) bool { return slices.Contains(c.Of, e.key) }) {
			problem, hint = "no entry of changeover is of "+e.key, "leave it out, or add an entry"
		}
		if problem != "" {
			r.fail(e.value.keyAt, path, hint, "%s", problem)
			continue
		}
		value, ok := r.value(e.value, path)
		if !ok {
			continue
		}
		if _, number := value.Number(); isNumeric(p) && !number {
			r.wrongType(e.value, path, "a number", "give a number")
			continue
		}
		setting[e.key] = value
	}
	return setting
}

// CheckChangeover checks Changeover and Initial of a study that was not read from a file.
func (s *Study) CheckChangeover() error {
	bad := func(field, hint, problem string, args ...any) error {
		return fault.New(fault.BadStudy, hint, "%s: %s", field, fmt.Sprintf(problem, args...))
	}
	if len(s.Changeover) > 0 && s.OnCluster() {
		return bad("changeover", "leave it out; what every job has to set up is part of its cost", "nothing is kept between the jobs of a cluster, so changeover does not go with engine")
	}
	if len(s.Changeover) == 0 && len(s.Initial) > 0 {
		return bad("initial", "add the prices: changeover", "initial is where changes start from, but there is no changeover")
	}
	for i, c := range s.Changeover {
		path := fmt.Sprintf("changeover[%d]", i)
		if len(c.Of) == 0 {
			return bad(path+".of", "name at least one parameter", "of is empty")
		}
		numeric := true
		for _, name := range c.Of {
			p, problem, hint := s.changing(name)
			if problem != "" {
				return bad(path+".of", hint, "%s", problem)
			}
			numeric = numeric && isNumeric(p)
		}
		if (c.PerUnit != 0 || c.Down != nil) && (len(c.Of) > 1 || !numeric) {
			return bad(path, "name one float or int in of, and the others in an entry of their own", "per_unit and down need a number that moves up or down, but of is %s", strings.Join(c.Of, ", "))
		}
		amounts := []*float64{c.Cost, &c.PerUnit}
		if c.Down != nil {
			amounts = append(amounts, c.Down.Cost, c.Down.PerUnit)
		}
		for _, x := range amounts {
			if x != nil && !isAmount(*x) {
				return bad(path, "give amounts from 0 to 1e15", "a price is %v", *x)
			}
		}
	}
	for name := range s.Initial {
		if _, problem, hint := s.changing(name); problem != "" {
			return bad("initial."+name, hint, "%s", problem)
		}
	}
	return nil
}

// String is the entry as a study file has it.
func (c Changeover) String() string {
	var parts []string
	add := func(key string, x *float64) {
		if x != nil {
			parts = append(parts, key+": "+strconv.FormatFloat(*x, 'g', -1, 64))
		}
	}
	names := make([]string, len(c.Of))
	for i, name := range c.Of {
		names[i] = quoteYAML(name)
	}
	parts = append(parts, "of: ["+strings.Join(names, ", ")+"]")
	add("cost", c.Cost)
	if c.PerUnit != 0 {
		add("per_unit", &c.PerUnit)
	}
	if c.Down != nil {
		up := len(parts)
		add("cost", c.Down.Cost)
		add("per_unit", c.Down.PerUnit)
		parts = append(parts[:up], "down: {"+strings.Join(parts[up:], ", ")+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
