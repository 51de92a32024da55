package eke_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestPublicIsDocumented holds every public package to what its users need: an Example, and a comment on everything
// exported, down to the fields of structs and the methods of interfaces.
func TestPublicIsDocumented(t *testing.T) {
	packages := publicPackages(t)
	for _, must := range []string{"", "space", "study", "store", "policy", "gp"} {
		if packages[must] == nil {
			t.Errorf("the walk did not see %s", title(must))
		}
	}
	for name, files := range packages {
		if !slices.ContainsFunc(files, hasExample) {
			t.Errorf("%s has no Example", title(name))
		}
		for _, f := range files {
			for _, u := range undocumented(f) {
				t.Errorf("%s: %s has no comment", path.Join(name, f.Name.Name), u)
			}
		}
	}
}

// publicPackages parses the packages that other modules can import, by folder.
func publicPackages(t *testing.T) map[string][]*ast.File {
	t.Helper()
	tree, found := os.DirFS("."), map[string][]*ast.File{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (skipped(tree, name) || slices.Contains([]string{"internal", "cmd", "examples", "clients"}, d.Name())):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go"):
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			folder := strings.TrimPrefix(path.Dir(name), ".")
			found[folder] = append(found[folder], file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func hasExample(f *ast.File) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		function, ok := d.(*ast.FuncDecl)
		return ok && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Example")
	})
}

// undocumented lists what a file exports without a comment. Files of tests export nothing.
func undocumented(f *ast.File) (list []string) {
	if strings.HasSuffix(f.Name.Name, "_test") || importsTesting(f) {
		return nil
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
				list = append(list, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				list = append(list, undocumentedSpec(d, s)...)
			}
		}
	}
	return list
}

// importsTesting tells a package's own tests from its code; storetest, which is for tests elsewhere, counts as code.
func importsTesting(f *ast.File) bool {
	return f.Name.Name != "storetest" && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing"` })
}

func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if generic, ok := kind.(*ast.IndexExpr); ok {
		kind = generic.X
	}
	name, ok := kind.(*ast.Ident)
	return ok && name.IsExported()
}

// undocumentedSpec looks at one type, variable or constant. A comment above a group is one for each of it.
func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) (list []string) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				list = append(list, name.Name)
			}
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return nil
		}
		if d.Doc == nil && s.Doc == nil {
			list = append(list, s.Name.Name)
		}
		var fields *ast.FieldList
		switch kind := s.Type.(type) {
		case *ast.StructType:
			fields = kind.Fields
		case *ast.InterfaceType:
			fields = kind.Methods
		}
		if fields == nil {
			return list
		}
		for _, f := range fields.List {
			for _, name := range f.Names { // an embedded type has its own comment
				if name.IsExported() && f.Doc == nil && f.Comment == nil {
					list = append(list, fmt.Sprintf("%s.%s", s.Name.Name, name.Name))
				}
			}
		}
	}
	return list
}

// A check that cannot fail proves nothing.
func TestPublicCheckCanFail(t *testing.T) {
	const source = `package p
type Bare struct {
	Field int
	Said  int // said
}
// Fine is documented.
type Fine interface { Method() }
func Exported() {}
func (Bare) Method() {}
func (hidden) Method() {}
const One = 1
// A group.
const (
	Two = 2
)
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Bare", "Bare.Field", "Fine.Method", "Exported", "Method", "One"}
	if got := undocumented(file); !slices.Equal(got, want) {
		t.Errorf("undocumented: %q, not %q", got, want)
	}
	if hasExample(file) {
		t.Error("an Example was found where there is none")
	}
}
