package main

import (
	"bufio"
	"cmp"
	"errors"
	"strings"

	"github.com/eke-bo/eke/study"
)

// interview asks for a study, question by question. Once the answers have ended, it asks nothing more.
type interview struct {
	*app
	answers *bufio.Scanner
	study   study.Study
	err     error
}

func (a *app) interview() (study.Study, error) {
	i := &interview{app: a, answers: bufio.NewScanner(a.in)}
	s := &i.study
	a.printf("A new study. Press Enter to accept the answer in brackets.\n\n")
	i.field("Name of the study", "my-study", "name", into(&s.Name))
	i.field("What does a trial return", "loss", "objective.name", into(&s.Objective.Name))
	i.field("Are small or large values good: minimize or maximize", "minimize", "objective.goal", into(&s.Objective.Goal))
	i.field("What does a trial cost: walltime (measured), reported (by your program) or slurm (by its accounting)", "walltime", "cost.source", into(&s.Cost.Source))
	budget, usual := "How much time may all trials together take", "1h"
	if s.Cost.Source != study.Walltime {
		unit := "euros"
		if s.Cost.Accounted() {
			unit = s.Cost.Units()[0]
		}
		i.field("In which unit", unit, "cost.unit", into(&s.Cost.Unit))
		budget, usual = "How many "+s.Cost.Unit+" may all trials together cost", "100"
	}
	i.field(budget, usual, "budget.total", func(answer string) error {
		return positive("the budget", answer, costOrDefault(s.Cost), &s.Budget.Total)
	})
	i.parameters()
	i.field("Command that tries a setting, such as python train.py (empty: you try by hand)", "", "command", func(answer string) (err error) {
		s.Command, err = commandOf(answer, s.Parameters)
		return err
	})
	a.printf("\n")
	return *s, i.err
}

func into[T ~string](to *T) func(string) error {
	return func(answer string) error { *to = T(answer); return nil }
}

// ask asks a question. After a mistake it asks again.
func (i *interview) ask(question, usual string, take func(answer string) error) {
	if usual != "" {
		question += " [" + usual + "]"
	}
	for i.err == nil {
		i.printf("%s: ", question)
		if !i.answers.Scan() {
			i.err = wrong("answer all questions, or give the answers as flags: eke init --help", "the answers ended early; nothing was written")
			return
		}
		err := take(cmp.Or(strings.TrimSpace(i.answers.Text()), usual))
		if err == nil {
			return
		}
		list, _ := explain(err)
		for _, p := range list {
			i.printf("  %s; %s\n", p.Error, p.Hint)
		}
	}
}

// field asks for one field of the file, and lets Parse check it there.
func (i *interview) field(question, usual, place string, set func(answer string) error) {
	i.ask(question, usual, func(answer string) error {
		if err := set(answer); err != nil {
			return err
		}
		return mistakeAt(i.study, place)
	})
}

// parameters asks for parameters until there is an empty answer.
func (i *interview) parameters() {
	if i.err != nil {
		return
	}
	i.printf("\nWhat may vary? Give one parameter per line, such as\n  lr=float:1e-5:0.1:log   layers=int:1:8   optimizer=choice:sgd,adam   bias=bool   epochs=fixed:20\n")
	for more := true; more && i.err == nil; {
		i.ask("Parameter (empty when done)", "", func(answer string) error {
			n := len(i.study.Parameters)
			if more = answer != "" || n == 0; !more {
				return nil
			}
			if answer == "" {
				return usage("give at least one", "a study needs a parameter")
			}
			p, err := parseParam(answer)
			if err != nil {
				return err
			}
			i.study.Parameters = append(i.study.Parameters, p)
			if err := mistakeAt(i.study, "parameters"); err != nil {
				i.study.Parameters = i.study.Parameters[:n]
				return err
			}
			return nil
		})
	}
}

// mistakeAt is the first mistake at a place of the study file that would be written.
func mistakeAt(s study.Study, place string) error {
	_, err := study.Parse([]byte(study.Template(s)), "")
	var list study.Errors
	if !errors.As(err, &list) {
		return nil
	}
	for _, e := range list {
		if e.Field == place || strings.HasPrefix(e.Field, place+".") || strings.HasPrefix(e.Field, place+"[") {
			return usage(e.Hint, "%s", e.Problem)
		}
	}
	return nil
}
