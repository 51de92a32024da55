// Command eke-docs makes a website of the Markdown files in the repository: make docs.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/internal/site"
)

func main() {
	from := flag.String("from", ".", "the `folder` of the repository")
	out := flag.String("out", "build/site", "the `folder` of the website")
	flag.Parse()
	if err := write(*from, *out); err != nil {
		fmt.Fprintln(os.Stderr, "eke-docs:", err)
		os.Exit(1)
	}
}

func write(from, out string) error {
	made, err := site.Build(os.DirFS(from))
	if err != nil {
		return err
	}
	for name, content := range made {
		file := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o666); err != nil {
			return err
		}
	}
	fmt.Printf("%d files; open %s\n", len(made), filepath.Join(out, "index.html"))
	return nil
}
