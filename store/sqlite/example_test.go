package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
)

// A store is one file. Any process that opens it later finds the same studies.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "eke")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s, err := sqlite.Open(ctx, filepath.Join(dir, "eke.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	err = s.Create(ctx, store.Header{Name: "kiln", Definition: []byte(`{}`), Created: time.Now(), Total: 60})
	if err != nil {
		fmt.Println(err)
		return
	}
	studies, err := s.List(ctx)
	fmt.Println(len(studies), studies[0].Name, err)
	// Output: 1 kiln <nil>
}
