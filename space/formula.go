package space

import (
	"math"
	"slices"
	"strconv"
)

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

// formula computes a value from those of the parameters, by their places.
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
