package fault

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The table is a promise to scripts and to clients. A change here is a change of the interface.
const promised = `
budget_spent    3 409 over
not_worth       3 409 over
exhausted       3 409 over
closed          3 409 over
deadline        3 409 over
budget_pending  4 409 retryable
paused          4 503 retryable
bad_request     2 422
bad_study       2 422
not_found       5 404
exists          1 409
conflict        1 409
too_large       2 413
too_many        1 429 retryable
unknown_lease   1 409
unauthenticated 1 401
forbidden       1 403
cannot_run      1 500
store_busy      1 503 retryable
store_full      1 503 retryable
store_away      1 503 retryable
store_broken    1 503
store_denied    1 503
unavailable     1 503 retryable
not_server      1 502
interrupted     130 503
late            1 503 retryable
internal        1 500
`

func TestMeanings(t *testing.T) {
	var got strings.Builder
	for _, c := range declared(t) {
		if _, ok := meanings[c]; !ok {
			t.Errorf("%s has no meaning", c)
		}
		line := fmt.Sprintf("%-15s %d %d", c, c.Exit(), c.Status())
		if c.Over() {
			line += " over"
		}
		if c.Retryable() {
			line += " retryable"
		}
		fmt.Fprintln(&got, line)
	}
	if strings.TrimSpace(promised) != strings.TrimSpace(got.String()) {
		t.Errorf("the table has changed:\n%s", got.String())
	}
	if n := len(declared(t)); n != len(meanings) {
		t.Errorf("%d codes, %d meanings", n, len(meanings))
	}
}

// declared reads the codes from the source, in order: a code without a meaning would otherwise go unnoticed.
func declared(t *testing.T) (codes []Code) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
				text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, Code(text))
			}
		}
		return true
	})
	return codes
}

// Every exit code that a code leads to is explained, once, and so is success.
func TestExits(t *testing.T) {
	var listed []int
	for _, e := range Exits() {
		if e.Meaning == "" || slices.Contains(listed, e.Code) {
			t.Errorf("exit code %d has no meaning, or two", e.Code)
		}
		listed = append(listed, e.Code)
	}
	for code, m := range meanings {
		if !slices.Contains(listed, m.exit) {
			t.Errorf("%s ends with %d, which is not listed", code, m.exit)
		}
	}
	if !slices.Equal(listed, []int{0, 1, 2, 3, 4, 5, 130}) {
		t.Errorf("the exit codes are %v", listed)
	}
}

func TestNew(t *testing.T) {
	below := New(StoreFull, "make room", "no room is left")
	other := errors.New("(8)")
	for name, c := range map[string]struct {
		err        *Error
		code       Code
		text, hint string
		is         []error
	}{
		"alone":            {New(BadRequest, "give 1", "--n is %d", 0), BadRequest, "--n is 0", "give 1", nil},
		"with a cause":     {New(Internal, "", "eke.db: %w", below), Internal, "eke.db: no room is left", "make room", []error{below}},
		"with two causes":  {New(Internal, "", "%w (SQLite: %w)", below, other), Internal, "no room is left (SQLite: (8))", "make room", []error{below, other}},
		"its own hint":     {New(Internal, "wait", "eke.db: %w", below), Internal, "eke.db: no room is left", "wait", []error{below}},
		"code of a cause":  {Errorf("", "eke.db: %w", below), StoreFull, "eke.db: no room is left", "make room", []error{below}},
		"code of two":      {Errorf("", "%w: %w", below, other), StoreFull, "no room is left: (8)", "make room", []error{below, other}},
		"without a cause":  {Errorf("", "eke.db"), Internal, "eke.db", "", nil},
		"of a stranger":    {Errorf("", "eke.db: %w", context.Canceled), Interrupted, "eke.db: context canceled", "", []error{context.Canceled}},
		"a cause unspoken": {Wrap(other, CannotRun, "install it", "no python"), CannotRun, "no python", "install it", []error{other}},
	} {
		if c.err.Code != c.code || c.err.Error() != c.text || c.err.Hint != c.hint {
			t.Errorf("%s: %+v", name, c.err)
		}
		for _, target := range c.is {
			if !errors.Is(c.err, target) {
				t.Errorf("%s does not wrap %v", name, target)
			}
		}
	}
}

func TestCodeOf(t *testing.T) {
	spent := New(BudgetSpent, "", "budget spent")
	for _, c := range []struct {
		err  error
		want Code
	}{
		{nil, ""},
		{errors.New("x"), Internal},
		{fmt.Errorf("x: %w", spent), BudgetSpent},
		{New(Conflict, "", "x: %w", spent), Conflict}, // the outermost says what it comes to
		{errors.Join(errors.New("x"), spent), BudgetSpent},
		{fmt.Errorf("x: %w", context.Canceled), Interrupted},
		{context.DeadlineExceeded, Late},
		{fmt.Errorf("x: %w", mistakes{}), BadStudy},
	} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}

func TestDetails(t *testing.T) {
	list := mistakes{{Message: "a.yaml:1:2: one", Hint: "first", Line: 1}, {Message: "a.yaml:3:4: two", Hint: "second"}}
	if got := Details(fmt.Errorf("the file: %w", list)); !slices.Equal(got, list) {
		t.Errorf("%+v", got)
	}
	for _, err := range []error{New(Conflict, "try again", "changed"), fmt.Errorf("changed%w", New(Conflict, "try again", ""))} {
		if got := Details(err); len(got) != 1 || got[0] != (Detail{Message: "changed", Problem: "changed", Hint: "try again"}) {
			t.Errorf("%+v", got)
		}
	}
	if got := Details(mistakes{}); len(got) != 1 || got[0].Message != "mistakes" { // nothing is shown for no error only
		t.Errorf("%+v", got)
	}
}

type mistakes []Detail

func (m mistakes) Error() string     { return "mistakes" }
func (m mistakes) FaultCode() Code   { return BadStudy }
func (m mistakes) Details() []Detail { return m }

func TestOneOf(t *testing.T) {
	many := strings.Split("a b c d e f g h i j k l m n o", " ")
	for want, items := range map[string][]string{
		"nothing":     nil,
		"a":           {"a"},
		"one of a, b": {"a", "b"},
		"one of a, b, c, d, e, f, g, h, i, j, k, l, m, n, … (15 in all)": many,
	} {
		if got := OneOf(items); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
