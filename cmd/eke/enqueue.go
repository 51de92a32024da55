package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func enqueueCommand(a *app) *cobra.Command {
	var drop int
	var note string
	cmd := &cobra.Command{
		Use:   "enqueue [STUDY] NAME=VALUE…",
		Short: "Have a setting of your own tried next",
		Long: `Have a setting of your own tried next, before any that eke would choose, as soon as the budget allows. It is charged like any
other, and eke learns from it. A parameter with a default may be left out.

Without a setting, list what is waiting. --drop takes an item out of the queue. To list settings in the study file instead, use trials:.`,
		Example: `  eke enqueue lr=1e-3 layers=4
  eke enqueue kiln heat=1100 hours=8 --note 'as last year'
  eke enqueue kiln --drop 2`,
		SuggestFor:        []string{"queue", "try", "add"},
		ValidArgsFunction: a.completeSetting,
		RunE: func(cmd *cobra.Command, args []string) error {
			arg := ""
			if len(args) > 0 && !strings.Contains(args[0], "=") {
				arg, args = args[0], args[1:]
			}
			if drop < 0 || cmd.Flags().Changed("drop") && (drop == 0 || len(args) > 0) {
				return usage("write: eke enqueue [STUDY] --drop NUMBER", "--drop is for one number, and for no setting")
			}
			if len(args) > 0 { // a study file's study may begin with a setting of one's own
				return a.enqueue(cmd.Context(), arg, args, note)
			}
			return a.withStudy(cmd.Context(), arg, known, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
				return a.queue(ctx, d, drop)
			})
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "a remark to keep with it")
	cmd.Flags().IntVar(&drop, "drop", 0, "take the item of this `number` out of the queue")
	return cmd
}

func (a *app) enqueue(ctx context.Context, arg string, args []string, note string) error {
	var item study.Item
	d, err := a.begin(ctx, arg, func(d *broker.Broker) error {
		setting, err := parseSetting(d.Study(), args)
		if err == nil {
			item, err = d.Enqueue(ctx, setting, note, "")
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.show(item, func() {
		a.printf("number %d in the queue: %s\n", item.Number, say.ExactSetting(d.Study(), item.Setting))
	})
}

// queue takes an item out of the queue, if one is given, and lists what is waiting.
func (a *app) queue(ctx context.Context, d *broker.Broker, drop int) error {
	if drop > 0 {
		if err := d.Dequeue(ctx, drop); err != nil {
			return err
		}
	}
	r, err := d.Record(ctx)
	if err != nil {
		return err
	}
	list := append([]study.Item{}, r.Waiting()...)
	return a.show(list, func() { a.printQueue(d.Study(), list) })
}

func (a *app) printQueue(s *study.Study, list []study.Item) {
	if len(list) == 0 {
		a.printf("nothing is waiting\n")
		return
	}
	rows := [][]string{{"number", "setting", "note"}}
	for _, i := range list {
		rows = append(rows, []string{fmt.Sprint(i.Number), say.ExactSetting(s, i.Setting), i.Note})
	}
	a.table("", rows)
}

// parseSetting reads NAME=VALUE arguments as the parameters take them.
func parseSetting(s *study.Study, args []string) (space.Setting, error) {
	setting := space.Setting{}
	for _, arg := range args {
		name, text, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, usage("write NAME=VALUE, such as lr=1e-3", "%q is not a setting", arg)
		}
		if _, twice := setting[name]; twice {
			return nil, usage("give it once", "%s is given twice", name)
		}
		setting[name] = s.ReadValue(name, text)
	}
	return setting, nil
}

// completeSetting offers names of parameters that are not there yet.
func (a *app) completeSetting(cmd *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
	arg := first(args)
	if strings.Contains(arg, "=") {
		arg = ""
	}
	d, err := a.study(cmd.Context(), arg, known)
	if err != nil {
		return a.completeStudies(cmd, args, "")
	}
	for _, p := range d.Study().Inputs() {
		given := false
		for _, one := range args {
			given = given || strings.HasPrefix(one, p.Name+"=")
		}
		if !given && p.Kind != space.KindFixed {
			list = append(list, p.Name+"=")
		}
	}
	return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
