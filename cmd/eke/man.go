package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand writes the manual pages that packages of a release contain.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages to a folder",
		Hidden: true,
		Args:   atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("write: eke man DIR", "the folder is missing")
			}
			return writeManual(cmd.Root(), args[0])
		},
	}
}

// writeManual writes a page for a command and each of its verbs.
func writeManual(cmd *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(manualPage(cmd)), 0o644); err != nil {
		return err
	}
	for _, verb := range cmd.Commands() {
		if verb.Hidden || !verb.IsAvailableCommand() {
			continue
		}
		if err := writeManual(verb, dir); err != nil {
			return err
		}
	}
	return nil
}

// manualPage is a page in roff. It has no date, so that equal sources make equal pages.
func manualPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"eke\" \"eke\"\n.SH NAME\n%s \\- %s\n", roffWord(strings.ToUpper(name)), roffText(name), roffText(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roffText(cmd.UseLine()))
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roffText(about))
	cmd.InitDefaultHelpFlag()
	for _, part := range []struct {
		title string
		flags *pflag.FlagSet
	}{{"OPTIONS", cmd.NonInheritedFlags()}, {"OPTIONS OF EVERY COMMAND", cmd.InheritedFlags()}} {
		if part.flags.HasAvailableFlags() {
			fmt.Fprintf(&b, ".SH %s\n", part.title)
			part.flags.VisitAll(func(f *pflag.Flag) { manualFlag(&b, f) })
		}
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roffText(cmd.Example))
	}
	if also := manualSeeAlso(cmd); len(also) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(also, ",\n"))
	}
	return b.String()
}

func manualFlag(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	head := "--" + f.Name
	if f.Shorthand != "" {
		head = "-" + f.Shorthand + ", " + head
	}
	if value != "" {
		head += " " + value
	}
	if d := f.DefValue; d != "" && d != "false" && d != "[]" && d != "0" && d != "0s" {
		usage += " (default " + d + ")"
	}
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roffText(head), roffText(usage))
}

func manualSeeAlso(cmd *cobra.Command) (also []string) {
	page := func(c *cobra.Command) string {
		return ".BR " + roffWord(strings.ReplaceAll(c.CommandPath(), " ", "-")) + " (1)"
	}
	if cmd.HasParent() {
		also = append(also, page(cmd.Parent()))
	}
	for _, verb := range cmd.Commands() {
		if !verb.Hidden && verb.IsAvailableCommand() {
			also = append(also, page(verb))
		}
	}
	return also
}

// roffText writes text so that nothing in it is an instruction.
func roffText(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return ascii(strings.Join(lines, "\n"))
}

// ascii writes other characters by their numbers, since what roff makes of them depends on the machine.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}

func roffWord(s string) string { return strings.ReplaceAll(s, "-", `\-`) }
