package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

func labelCommand(a *app) *cobra.Command {
	var tag, untag []string
	var notes, group string
	cmd := &cobra.Command{
		Use:   "label [STUDY]",
		Short: "Change the tags and the notes of a study, or show them",
		Long: `Change what is written on a study: tags, by which eke studies finds it, and notes in Markdown. Without a flag, they are shown.

--group says whose tokens may see the study on a server (eke token new --group); an empty one means that all may.`,
		Example: `  eke label kiln --tag autumn --tag oven-2
  eke label kiln --untag oven-2 --notes "The *second* firing."
  eke studies --tag autumn`,
		SuggestFor:        []string{"tag", "note", "notes", "annotate"},
		ValidArgsFunction: a.completeStudies,
		Args:              atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStudy(cmd.Context(), strings.Join(args, ""), known, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
				err := d.Label(ctx, func(l *study.Labels) {
					l.Tags = slices.DeleteFunc(append(slices.Clone(l.Tags), tag...), func(t string) bool { return slices.Contains(untag, t) })
					if cmd.Flags().Changed("notes") {
						l.Notes = notes
					}
					if cmd.Flags().Changed("group") {
						l.Group = group
					}
				})
				if err != nil {
					return err
				}
				r, err := d.Record(ctx)
				if err != nil {
					return err
				}
				return a.show(r.Labels, func() { a.printLabels(d.Study().Name, r.Labels) })
			})
		},
	}
	cmd.Flags().StringSliceVar(&tag, "tag", nil, "add a `tag`; repeat for more")
	cmd.Flags().StringSliceVar(&untag, "untag", nil, "remove a `tag`; repeat for more")
	cmd.Flags().StringVar(&notes, "notes", "", "replace the notes, a `text` in Markdown")
	cmd.Flags().StringVar(&group, "group", "", "the `group` whose tokens may see the study on a server")
	return cmd
}

func (a *app) printLabels(name string, l study.Labels) {
	a.printf("study %s\n", name)
	for _, row := range [][2]string{{"tags", strings.Join(l.Tags, ", ")}, {"group", l.Group}, {"owner", l.Owner}} {
		if row[1] != "" {
			a.printf("  %-6s %s\n", row[0], row[1])
		}
	}
	if l.Notes != "" {
		a.printf("\n%s\n", l.Notes)
	}
}
