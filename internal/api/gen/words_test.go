package gen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/eke-bo/eke/study"
)

// Where a string is one of a few words, the document lists them all: those that the package has as constants.
func TestWords(t *testing.T) {
	d := parse(t, openAPI(t))
	for name, of := range map[string]struct{ folder, kind string }{
		"State": {"study", "State"}, "Goal": {"study", "Goal"}, "Source": {"study", "Source"}, "EventKind": {"study", "Kind"},
		"Kind": {"space", "Kind"}, "InsightState": {"insight", "State"}, "Direction": {"insight", "Direction"},
	} {
		var listed []string
		for _, e := range d.Components.Schemas[name].Enum {
			listed = append(listed, fmt.Sprint(e))
		}
		slices.Sort(listed)
		want := constants(t, of.folder, of.kind)
		if name == "Source" { // engines have accounts
			want = append(want, study.EngineTypes()...)
			slices.Sort(want)
		}
		if !slices.Equal(listed, want) || len(want) < 2 {
			t.Errorf("%s: the document has %q, the package %q", name, listed, want)
		}
	}
}

// constants returns the values of a package's constants of a type, in order.
func constants(t *testing.T, folder, kind string) (values []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.Ident); ok && of.Name == kind {
				for _, v := range spec.Values {
					if text, ok := v.(*ast.BasicLit); ok {
						value, _ := strconv.Unquote(text.Value)
						values = append(values, value)
					}
				}
			}
			return true
		})
	}
	slices.Sort(values)
	return slices.Compact(values)
}
