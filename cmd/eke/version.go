package main

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// These are set by whoever builds a release: -ldflags "-X main.version=v1.2.3 -X main.commit=… -X main.built=…".
var version, commit, built string

// build describes this program.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Changed bool   `json:"changed,omitempty"` // since that commit
	Built   string `json:"built,omitempty"`   // the time of that commit, so that equal sources make equal programs
	Go      string `json:"go"`
	System  string `json:"system"`
}

func buildOf() build {
	b := build{Version: version, Commit: commit, Built: built, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b.Version = cmp.Or(b.Version, info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = cmp.Or(b.Commit, s.Value)
		case "vcs.time":
			b.Built = cmp.Or(b.Built, s.Value)
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which version of eke this is",
		Long:  "Show which version of eke this is, which commit it was built from, and with which Go.",
		Example: `  eke --version
  eke --json version`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error { return a.version() },
	}
}

func (a *app) version() error {
	b := buildOf()
	return a.show(b, func() {
		a.printf("eke %s", b.Version)
		if b.Commit != "" {
			a.printf(", commit %.12s", b.Commit)
		}
		if b.Changed {
			a.printf(" with changes")
		}
		if b.Built != "" {
			a.printf(" of %s", b.Built)
		}
		a.printf(", %s %s\n", b.Go, b.System)
	})
}
