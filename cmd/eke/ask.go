package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// byHand is the runner of trials that a person asks for. Runs leave these alone.
const byHand = "hand"

func askCommand(a *app) *cobra.Command {
	n, stop, place := 1, "", ""
	cmd := a.ofStudy(joins, &cobra.Command{
		Use:   "ask [STUDY]",
		Short: "Get a setting to try by hand, and reserve money for it",
		Long: `Get the next setting to try, and reserve money for it. Try it yourself, and report the result with eke tell.

If you give a study file and its study is not in the store yet, eke ask begins it.`,
		Example: `  eke ask study.yaml
  eke tell 1 --value 0.81 --cost 3.5`,
		SuggestFor: []string{"suggest", "next"},
		PreRunE:    func(*cobra.Command, []string) error { return atLeast1("--n", n) },
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) (err error) {
		if d, err = restart(ctx, d, stop); err != nil {
			return err
		}
		if err := mayName(d.Study(), place); err != nil {
			return err
		}
		return a.ask(ctx, d, n, place)
	})
	cmd.Flags().StringVar(&stop, "stop", "", stopFlag)
	cmd.Flags().IntVar(&n, "n", 1, "how many trials to ask for")
	cmd.Flags().StringVar(&place, "place", "", "the `name` of the place where it will be tried, such as an oven; its changes are priced from the last trial there")
	return cmd
}

func (a *app) ask(ctx context.Context, d *broker.Broker, n int, place string) (err error) {
	list := []study.Trial{}
	for len(list) < n && err == nil {
		var t study.Trial
		if t, err = askOne(ctx, d, place); err != nil {
			break
		}
		if list = append(list, t); !a.json {
			a.printAsked(d.Study(), t) // at once: its money is reserved, even if the next one fails
		}
	}
	if a.json && len(list) > 0 {
		if e := a.printJSON(shownTrials(list)); e != nil {
			return e
		}
	}
	if err != nil && len(list) > 0 {
		return fmt.Errorf("only %d of %d trials can be had: %w", len(list), n, err)
	}
	return err
}

// placeName is what a place may be called.
var placeName = regexp.MustCompile(`^[A-Za-z0-9_.:@/+-]{1,100}$`)

// mayName refuses the name of a place that cannot be one, or does not matter.
func mayName(s *study.Study, place string) error {
	switch {
	case place == "":
		return nil
	case len(s.Changeover) == 0:
		return usage("leave it out, or add changeover to the study file", "--place is %s, but the study has no changeover, so places do not differ", place)
	case !placeName.MatchString(place):
		return usage("use letters a to z and A to Z, digits and _.:@/+-, at most 100", "--place is %q", place)
	}
	return nil
}

func askOne(ctx context.Context, d *broker.Broker, place string) (study.Trial, error) {
	record, err := d.Record(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	if err := pastDeadline(d.Study(), record, time.Now()); err != nil {
		return study.Trial{}, err
	}
	return d.AskAs(ctx, broker.Asker{Runner: byHand, Place: place})
}

func (a *app) printAsked(s *study.Study, t study.Trial) {
	a.printf("trial %d\n", t.Number)
	rows := [][]string{{"setting", say.SettingByHand(s, t.Setting)}, {"reserved", say.Amount(s.Cost, t.Reserved)}, {"why", reason(s, t.Why)}}
	if line, _ := commandLine(s, t.Setting); line != "" {
		rows = append(rows, []string{"command", line})
	}
	a.table("  ", append(rows, []string{"then", tellLine(s, t.Number)}))
}

// reason is why a trial was chosen, on one line.
func reason(s *study.Study, raw json.RawMessage) string {
	why, ok := advisor.WhyOf(raw)
	if !ok {
		return "not known"
	}
	text := say.Chosen(why.Policy, why.Picked)
	if why.Earlier != "" {
		text += "; " + why.Earlier
	}
	if e := why.Expected; e != nil {
		text += "; " + say.Expected(s, *e)
	}
	return text
}

// pastDeadline returns an error if the deadline has passed.
func pastDeadline(s *study.Study, r *study.Record, now time.Time) error {
	if !s.Overdue(r, now) {
		return nil
	}
	return fault.New(fault.Deadline, "", "the deadline has passed: %s after the first trial, on %s", say.Duration(s.Budget.Deadline.Seconds()), onClock(s.Due(r)))
}

// commandLine is the study's command for a setting, with words for what only a run knows, as it would be typed into a shell. It is empty if there is no
// command. What the command finds in its environment is part of the line, but for what is the same for all settings, such as a password.
func commandLine(s *study.Study, setting space.Setting) (line string, argv []string) {
	extra := map[string]string{"trial": "TRIAL", "params": "PARAMS", "result": "RESULT", "dir": "DIR"}
	argv, err := s.Argv(setting, extra)
	if err != nil {
		return "", nil
	}
	environ, err := s.Environ(setting, extra)
	if err != nil {
		return "", nil
	}
	varies := func(text string) bool {
		return slices.ContainsFunc(s.Inputs(), func(p space.Param) bool { return strings.Contains(text, "{"+p.Name+"}") })
	}
	environ = slices.DeleteFunc(environ, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !varies(s.Env[name])
	})
	if len(environ) == 0 && !slices.ContainsFunc(s.Command, varies) {
		for _, p := range s.Inputs() {
			if v, exists := setting[p.Name]; exists {
				environ = append(environ, study.Variable(p.Name)+"="+v.String())
			}
		}
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		line += name + "=" + say.Command([]string{value}) + " "
	}
	return line + say.Command(argv), argv
}

func enqueueCommand(a *app) *cobra.Command {
	var drop int
	var note string
	cmd := &cobra.Command{
		Use:   "enqueue [STUDY] NAME=VALUE…",
		Short: "Have a setting of your own tried next",
		Long: `Have a setting of your own tried next, before any that eke would choose, as soon as the budget allows. It is charged like any
other, and eke learns from it. A parameter with a default may be left out. Parameters without a default may be left out as well:
when the setting's turn comes, they get the values that promise most within the budget, whatever they cost.

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
	return a.onServers(cmd)
}

func (a *app) enqueue(ctx context.Context, arg string, args []string, note string) error {
	var item study.Item
	d, err := a.begin(ctx, arg, func(d *broker.Broker) error {
		setting, err := parseSetting(d.Study(), args)
		if err == nil {
			item, err = a.orders(d).Enqueue(ctx, setting, note, "")
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.show(item, func() {
		a.printf("number %d in the queue: %s\n", item.Number, queuedSetting(d.Study(), item))
	})
}

// queue takes an item out of the queue, if one is given, and lists what is waiting.
func (a *app) queue(ctx context.Context, d *broker.Broker, drop int) error {
	if drop > 0 {
		if err := a.orders(d).Dequeue(ctx, drop); err != nil {
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
		rows = append(rows, []string{fmt.Sprint(i.Number), queuedSetting(s, i), i.Note})
	}
	a.table("", rows)
}

// queuedSetting is the setting of an item, with what it leaves to the policy.
func queuedSetting(s *study.Study, i study.Item) string {
	text := say.ExactSetting(s, i.Setting)
	if i.Part {
		text += ", and the rest as the policy chooses"
	}
	return text
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
