package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/fault"
)

// verbs returns all commands that do something.
func verbs(cmd *cobra.Command) (list []*cobra.Command) {
	for _, child := range cmd.Commands() {
		if child.Runnable() && !child.HasSubCommands() {
			list = append(list, child)
		}
		list = append(list, verbs(child)...)
	}
	return list
}

// Every verb says what it is for, shows an example, completes its arguments, prints JSON, and refuses a flag that it does not know with an
// exit code of the table.
func TestEveryVerb(t *testing.T) {
	root := rootCommand(&app{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
	exits := map[int]bool{}
	for _, e := range fault.Exits() {
		exits[e.Code] = true
	}
	for _, verb := range verbs(root) {
		path := verb.CommandPath()
		if verb.Hidden || strings.HasPrefix(path, "eke completion ") || verb.Name() == "help" { // the last two are cobra's
			continue
		}
		if verb.Short == "" || verb.Long == "" && verb.Example == "" {
			t.Errorf("%s does not say what it is for", path)
		}
		if !strings.Contains(verb.Example, path) {
			t.Errorf("%s has no example of itself", path)
		}
		if verb.Flags().Lookup("json") == nil && verb.InheritedFlags().Lookup("json") == nil {
			t.Errorf("%s cannot print JSON", path)
		}
		if takes := verb.Use[len(verb.Name()):]; (strings.Contains(takes, "STUDY") || strings.Contains(takes, "ID")) && verb.ValidArgsFunction == nil {
			t.Errorf("%s does not complete what it takes", path)
		}
		a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
		args := strings.Fields(path + " --no-such-flag")[1:]
		if got := a.execute(context.Background(), args); got != fault.ExitUsage || !exits[got] {
			t.Errorf("%s --no-such-flag ends with %d", path, got)
		}
	}
}
