package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

func labelCommand(a *app) *cobra.Command {
	var tag, untag []string
	var notes, group string
	var c connection
	cmd := &cobra.Command{
		Use:   "label [STUDY]",
		Short: "Change the tags and the notes of a study, or show them",
		Long: `Change what is written on a study: tags, by which eke study list finds it, and notes in Markdown. Without a flag, they are shown.

--group says whose tokens may see the study on a server (eke token new --group); an empty one means that all may.

With --server, the study is one on that server.`,
		Example: `  eke study label kiln --tag autumn --tag oven-2
  eke study label kiln --untag oven-2 --notes "The *second* firing."
  eke study list --tag autumn
  EKE_TOKEN=… eke study label kiln --tag autumn --server https://eke.example.org`,
		SuggestFor:        []string{"tag", "note", "notes", "annotate"},
		ValidArgsFunction: a.completeStudies,
		Args:              atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			change := func(l *study.Labels) {
				l.Tags = slices.DeleteFunc(append(slices.Clone(l.Tags), tag...), func(t string) bool { return slices.Contains(untag, t) })
				if cmd.Flags().Changed("notes") {
					l.Notes = notes
				}
				if cmd.Flags().Changed("group") {
					l.Group = group
				}
			}
			if c.server != "" {
				return a.labelOn(cmd.Context(), c, first(args), change)
			}
			return a.withStudy(cmd.Context(), first(args), known, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
				if err := d.Label(ctx, change); err != nil {
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
	c.add(cmd.Flags())
	cmd.Flags().StringSliceVar(&tag, "tag", nil, "add a `tag`; repeat for more")
	cmd.Flags().StringSliceVar(&untag, "untag", nil, "remove a `tag`; repeat for more")
	cmd.Flags().StringVar(&notes, "notes", "", "replace the notes, a `text` in Markdown")
	cmd.Flags().StringVar(&group, "group", "", "the `group` whose tokens may see the study on a server")
	return cmd
}

// labelOn is label for a study on a server. Only what changes is sent: who may change tags need not be allowed to change the group.
func (a *app) labelOn(ctx context.Context, c connection, name string, change func(*study.Labels)) error {
	client, err := c.clientFor(name)
	if err != nil {
		return err
	}
	s, err := client.Study(ctx, api.Place{Study: name})
	if err != nil {
		return serverProblem(name, err)
	}
	was := study.Labels{Tags: s.Tags, Notes: s.Notes, Owner: s.Owner, Group: s.Group}
	now := was
	change(&now)
	var request api.LabelRequest
	if !slices.Equal(now.Tags, was.Tags) {
		request.Tags = &now.Tags
	}
	if now.Notes != was.Notes {
		request.Notes = &now.Notes
	}
	if now.Group != was.Group {
		request.Group = &now.Group
	}
	if request != (api.LabelRequest{}) {
		if s, err = client.Label(ctx, name, request); err != nil {
			return serverProblem(name, err)
		}
	}
	labels := study.Labels{Tags: s.Tags, Notes: s.Notes, Owner: s.Owner, Group: s.Group}
	return a.show(labels, func() { a.printLabels(name, labels) })
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
