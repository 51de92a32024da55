package space

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// constraint is a condition on several parameters. It does not apply where one of them does not exist.
type constraint struct {
	text  string
	uses  []int // places of the parameters it names
	holds func(values []Value) bool
}

// readWhere reads the constraints, and makes sure that some setting meets them all. The index of an error is the index of its constraint.
func (s *Space) readWhere(where []string) (list Errors) {
	for k, text := range where {
		f, uses, err := parseWhere(text, s.params)
		if err != nil {
			list = append(list, err.of(k, ""))
			continue
		}
		s.where = append(s.where, constraint{text, uses, func(v []Value) bool { return f.of(v).bool() }})
	}
	if len(list) > 0 || len(where) == 0 || s.possible(s.where) {
		return list
	}
	for k, c := range s.where {
		if !s.possible([]constraint{c}) {
			return Errors{wrong("where", "loosen it, or widen the ranges", "no setting was found that meets %q", c.text).of(k, "")}
		}
	}
	return Errors{wrong("where", "loosen one of them, or widen the ranges", "no setting was found that meets all constraints").of(len(where)-1, "")}
}

// mostLooked is how many settings are looked at to find one that is feasible. A search for suggestions needs more luck than
// that, so what is not found here is as good as not there.
const mostLooked = 1 << 15

// possible says whether some setting that meets the constraints can be found.
func (s *Space) possible(where []constraint) bool {
	if n, finite := s.countSettings(); finite && n <= mostLooked {
		return slices.ContainsFunc(s.enumerate(nil), func(x []float64) bool { return s.meets(where, x) == nil })
	}
	return s.findsOne(where, func([]float64) {})
}

// canMeet says whether some setting that meets the constraints can be found where some parameters are held.
func (s *Space) canMeet(hold func(unit []float64)) bool {
	if n, finite := s.countSettings(); finite && n <= mostLooked {
		return slices.ContainsFunc(s.enumerate(nil), func(x []float64) bool {
			hold(x)
			return s.meets(s.where, s.Snap(nil, x)) == nil
		})
	}
	return s.findsOne(s.where, hold)
}

// findsOne looks for a setting that meets the constraints among points at random.
func (s *Space) findsOne(where []constraint, hold func(unit []float64)) bool {
	rng := rand.New(rand.NewPCG(1, uint64(len(where))))
	point := make([]float64, s.dim)
	for range mostLooked {
		for j := range point {
			point[j] = rng.Float64()
		}
		hold(point)
		if s.meets(where, s.Snap(nil, point)) == nil {
			return true
		}
	}
	return false
}

// meets returns the first constraint that a point does not meet, nil if there is none.
func (s *Space) meets(where []constraint, unit []float64) *constraint {
	if len(where) == 0 {
		return nil
	}
	values := make([]Value, len(s.params))
next:
	for k, c := range where {
		for _, i := range c.uses {
			if !s.exists(i, unit) {
				continue next
			}
			values[i] = s.axes[i].decode(s.spans[i].of(unit))
		}
		if !c.holds(values) {
			return &where[k]
		}
	}
	return nil
}

// Constrained reports whether there are constraints between parameters.
func (s *Space) Constrained() bool { return len(s.where) > 0 }

// Feasible reports whether the setting that a point means meets the constraints.
func (s *Space) Feasible(unit []float64) bool {
	s.checkPoint(unit)
	return s.meets(s.where, unit) == nil
}

// Allows returns an error if a setting does not meet the constraints. The setting must be one that Encode takes.
func (s *Space) Allows(setting Setting) error {
	unit, err := s.Encode(setting)
	if err != nil {
		return err
	}
	if c := s.meets(s.where, unit); c != nil {
		return fault.New(fault.BadRequest, "give a setting that meets it, or change where in the study file", "the setting does not meet %q", c.text)
	}
	return nil
}

// The language of constraints: numbers, texts in quotes, names of parameters, + - * / % ^, comparisons (which may be chained, as in
// 0 < a < b), and, or, not, parentheses, and a few functions. It has no effects, and every formula ends.
//
//	formula  = all { "or" all }
//	all      = each { "and" each }
//	each     = "not" each | compared
//	compared = sum { ("<" | "<=" | ">" | ">=" | "==" | "=" | "!=") sum }
//	sum      = product { ("+" | "-") product }
//	product  = signed { ("*" | "/" | "%") signed }
//	signed   = "-" signed | power
//	power    = atom [ ("^" | "**") signed ]
//	atom     = number | text | name | function "(" formula { "," formula } ")" | "(" formula ")" | "true" | "false"

// formula computes a value from the values of the parameters, by their places.
type formula struct {
	of    func(values []Value) Value
	gives content // aFloat for every number; nothing: it depends
}

// parser reads a formula. It panics with a *Error, which parse catches.
type parser struct {
	params []Param
	text   string
	at     int    // where the next token begins
	token  string // what it is; "" at the end
	uses   []int  // parameters, by their places
	depth  int
}

// mostDepth bounds how deep a formula may be nested.
const mostDepth = 100

func (p *parser) fail(hint, problem string, args ...any) {
	panic(wrong("where", hint, "%s: "+problem, append([]any{strconv.Quote(p.text)}, args...)...))
}

// parseWhere reads a constraint: a formula that is true or false.
func parseWhere(text string, params []Param) (f formula, uses []int, err *Error) {
	p := &parser{params: params, text: text}
	defer func() {
		if e, ok := recover().(*Error); ok {
			err = e
		}
	}()
	p.next()
	if p.token == "" {
		return f, nil, wrong("where", `give a condition such as "batch * accum <= 512"`, "the constraint is empty")
	}
	f = p.or()
	switch {
	case p.token != "":
		p.fail("write one condition; and, or and not connect several", "%q is out of place", p.token)
	case f.gives != aBool:
		p.fail(`compare it with something, as in "batch * accum <= 512"`, "it is neither true nor false")
	case len(p.uses) == 0:
		p.fail("name a parameter in it, or remove it", "it does not depend on any parameter")
	}
	return f, p.uses, nil
}

func (p *parser) or() formula {
	f := p.and()
	for p.take("or", "||") {
		a, b := p.boolean(f), p.boolean(p.and())
		f = formula{func(v []Value) Value { return Bool(a(v) || b(v)) }, aBool}
	}
	return f
}

func (p *parser) and() formula {
	f := p.not()
	for p.take("and", "&&") {
		a, b := p.boolean(f), p.boolean(p.not())
		f = formula{func(v []Value) Value { return Bool(a(v) && b(v)) }, aBool}
	}
	return f
}

func (p *parser) not() formula {
	if !p.take("not", "!") {
		return p.compared()
	}
	p.deeper()
	a := p.boolean(p.not())
	return formula{func(v []Value) Value { return Bool(!a(v)) }, aBool}
}

func (p *parser) compared() formula {
	f := p.sum()
	var all []func([]Value) bool
	for slices.Contains([]string{"<", "<=", ">", ">=", "==", "=", "!="}, p.token) {
		sign := p.token
		p.next()
		right := p.sum()
		all = append(all, p.compare(f, right, sign))
		f = right
	}
	if all == nil {
		return f
	}
	return formula{func(v []Value) Value {
		for _, holds := range all {
			if !holds(v) {
				return Bool(false)
			}
		}
		return Bool(true)
	}, aBool}
}

// compare compares two numbers, or any two values for being the same.
func (p *parser) compare(a, b formula, sign string) func([]Value) bool {
	if sign == "==" || sign == "=" || sign == "!=" {
		if a.gives != nothing && b.gives != nothing && a.gives != b.gives {
			p.fail("compare like with like; a text needs quotes", "the two sides of %s are of different kinds", sign)
		}
		return func(v []Value) bool { return a.of(v).Equal(b.of(v)) == (sign != "!=") }
	}
	x, y := p.number(a), p.number(b)
	return func(v []Value) bool { return comparison{sign, y(v)}.holds(x(v)) }
}

func (p *parser) sum() formula {
	f := p.product()
	for p.token == "+" || p.token == "-" {
		minus := p.token == "-"
		p.next()
		a, b := p.number(f), p.number(p.product())
		f = numeric(func(v []Value) float64 {
			if minus {
				return a(v) - b(v)
			}
			return a(v) + b(v)
		})
	}
	return f
}

func (p *parser) product() formula {
	f := p.signed()
	for p.token == "*" || p.token == "/" || p.token == "%" {
		sign := p.token
		p.next()
		a, b := p.number(f), p.number(p.signed())
		f = numeric(func(v []Value) float64 {
			switch sign {
			case "*":
				return a(v) * b(v)
			case "/":
				return a(v) / b(v)
			}
			return math.Mod(a(v), b(v))
		})
	}
	return f
}

func (p *parser) signed() formula {
	if !p.take("-", "") {
		return p.power()
	}
	p.deeper()
	a := p.number(p.signed())
	return numeric(func(v []Value) float64 { return -a(v) })
}

func (p *parser) power() formula {
	f := p.atom()
	if !p.take("^", "**") {
		return f
	}
	p.deeper()
	a, b := p.number(f), p.number(p.signed())
	return numeric(func(v []Value) float64 { return math.Pow(a(v), b(v)) })
}

// What formulas are made of: numbers, texts, parameters, functions.

// functions of numbers, with how many they take; 0 means one or more.
var functions = map[string]struct {
	takes int
	of    func(x []float64) float64
}{
	"abs":   {1, func(x []float64) float64 { return math.Abs(x[0]) }},
	"sqrt":  {1, func(x []float64) float64 { return math.Sqrt(x[0]) }},
	"exp":   {1, func(x []float64) float64 { return math.Exp(x[0]) }},
	"log":   {1, func(x []float64) float64 { return math.Log(x[0]) }},
	"log2":  {1, func(x []float64) float64 { return math.Log2(x[0]) }},
	"log10": {1, func(x []float64) float64 { return math.Log10(x[0]) }},
	"floor": {1, func(x []float64) float64 { return math.Floor(x[0]) }},
	"ceil":  {1, func(x []float64) float64 { return math.Ceil(x[0]) }},
	"min":   {0, slices.Min[[]float64]},
	"max":   {0, slices.Max[[]float64]},
}

func (p *parser) atom() formula {
	token := p.token
	p.next()
	constant := func(v Value, gives content) formula { return formula{func([]Value) Value { return v }, gives} }
	switch {
	case token == "":
		p.fail("write a number, a text in quotes or the name of a parameter", "something is missing at its end")
	case token == "(":
		p.deeper()
		f := p.or()
		if !p.take(")", "") {
			p.fail("close it", "a parenthesis is open")
		}
		return f
	case token[0] == '"' || token[0] == '\'':
		return constant(String(token[1:len(token)-1]), aString)
	case token == "true" || token == "false":
		return constant(Bool(token == "true"), aBool)
	case token[0] >= '0' && token[0] <= '9' || token[0] == '.':
		x, err := strconv.ParseFloat(token, 64)
		if err != nil {
			p.fail("give a number", "%s is not a number", token)
		}
		return constant(Float(x), aFloat)
	case p.token == "(" && functions[token].of != nil:
		return p.call(token)
	}
	return p.parameter(token)
}

func (p *parser) call(name string) formula {
	p.deeper()
	var args []func([]Value) float64
	for p.token != ")" || len(args) == 0 {
		p.next() // past ( or ,
		args = append(args, p.number(p.or()))
		if p.token != "," && p.token != ")" {
			p.fail("close it", "the parenthesis of %s is open", name)
		}
	}
	p.next()
	f := functions[name]
	if f.takes > 0 && len(args) != f.takes {
		p.fail("give it one number", "%s takes one number, and gets %d", name, len(args))
	}
	return numeric(func(v []Value) float64 {
		x := make([]float64, len(args))
		for i, arg := range args {
			x[i] = arg(v)
		}
		return f.of(x)
	})
}

func (p *parser) parameter(name string) formula {
	i := slices.Index(namesOf(p.params), name)
	if i < 0 {
		hint := "give " + fault.OneOf(namesOf(p.params))
		if functions[name].of != nil {
			hint = fmt.Sprintf("write %s(…)", name)
		}
		p.fail(hint, "%q is not a parameter", name)
	}
	if !slices.Contains(p.uses, i) {
		p.uses = append(p.uses, i)
	}
	return formula{func(v []Value) Value { return v[i] }, p.params[i].holds()}
}

// holds says what all values of a parameter are; nothing if that differs.
func (p *Param) holds() content {
	kind := func(v Value) content {
		if v.holds == anInt {
			return aFloat
		}
		return v.holds
	}
	switch p.Kind {
	case KindFloat, KindInt:
		return aFloat
	case KindBool:
		return aBool
	case KindFixed:
		return kind(p.Value)
	}
	for _, v := range p.Values {
		if kind(v) != kind(p.Values[0]) {
			return nothing
		}
	}
	return kind(p.Values[0])
}

func numeric(f func([]Value) float64) formula {
	return formula{func(v []Value) Value { return Float(f(v)) }, aFloat}
}

// number needs a formula that gives a number.
func (p *parser) number(f formula) func([]Value) float64 {
	if f.gives != aFloat {
		p.fail("use numbers with + - * / % ^ and < <= > >=", "it computes with something that is not a number")
	}
	return func(v []Value) float64 { x, _ := f.of(v).Number(); return x }
}

// boolean needs a formula that is true or false.
func (p *parser) boolean(f formula) func([]Value) bool {
	if f.gives != aBool {
		p.fail("give and, or and not something that is true or false", "it joins something that is neither true nor false")
	}
	return func(v []Value) bool { return f.of(v).bool() }
}

func (p *parser) deeper() {
	if p.depth++; p.depth > mostDepth {
		p.fail("make several constraints of it", "it is nested too deep")
	}
}

// take passes over the next token if it is one of two.
func (p *parser) take(a, b string) bool {
	if p.token == "" || p.token != a && p.token != b {
		return false
	}
	p.next()
	return true
}

const nameChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

// next reads the next token.
func (p *parser) next() {
	rest := strings.TrimLeft(p.text[p.at:], " \t")
	p.at = len(p.text) - len(rest)
	p.token = ""
	if rest == "" {
		return
	}
	switch c := rest[0]; {
	case c == '"' || c == '\'':
		end := strings.IndexByte(rest[1:], c)
		if end < 0 {
			p.fail("close it", "a quote is open")
		}
		p.token = rest[:end+2]
	case c >= '0' && c <= '9' || c == '.':
		p.token = rest[:numberLength(rest)]
		if name := p.nameAt(rest); len(name) > len(p.token) && slices.Contains(namesOf(p.params), name) {
			p.token = name // a parameter may be called 2d
		}
	case c != '-' && strings.IndexByte(nameChars, c) >= 0:
		p.token = p.nameAt(rest)
	case len(rest) > 1 && slices.Contains([]string{"<=", ">=", "==", "!=", "**", "&&", "||"}, rest[:2]):
		p.token = rest[:2]
	case strings.IndexByte("<>=!+-*/%^(),", c) >= 0:
		p.token = rest[:1]
	default:
		p.fail("use names, numbers, + - * / % ^, comparisons, and, or, not and parentheses", "the character %q has no meaning", []rune(rest)[0])
	}
	p.at += len(p.token)
}

// nameAt returns the name that a text begins with. In a-b the minus belongs to the name if there is a parameter of that name.
func (p *parser) nameAt(rest string) string {
	n := 0
	for n < len(rest) && strings.IndexByte(nameChars, rest[n]) >= 0 {
		n++
	}
	names := namesOf(p.params)
	for end := n; end > 0; end-- {
		if (end == n || rest[end] == '-') && slices.Contains(names, rest[:end]) {
			return rest[:end]
		}
	}
	if end := strings.IndexByte(rest[:n], '-'); end > 0 {
		return rest[:end]
	}
	return rest[:n]
}

func numberLength(text string) int {
	n, digits := 0, "0123456789."
	for n < len(text) && strings.IndexByte(digits, text[n]) >= 0 {
		n++
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		end := n + 1
		if end < len(text) && (text[end] == '+' || text[end] == '-') {
			end++
		}
		from := end
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if end > from {
			n = end
		}
	}
	return n
}
