package main

import (
	"bufio"
	"errors"
	"strings"

	"github.com/eke-bo/eke/study"
)

// interview asks for a study, question by question. After a mistake it asks again.
func (a *app) interview() (study.Study, error) {
	var s study.Study
	answers := bufio.NewScanner(a.in)
	ask := func(question, usual string, take func(answer string) error) error {
		for {
			a.printf("%s", question)
			if usual != "" {
				a.printf(" [%s]", usual)
			}
			a.printf(": ")
			if !answers.Scan() {
				a.printf("\n")
				return wrong("answer all questions, or give the answers as flags: eke init --help", "the answers ended early; nothing was written")
			}
			answer := strings.TrimSpace(answers.Text())
			if answer == "" {
				answer = usual
			}
			err := take(answer)
			if err == nil {
				return nil
			}
			list, _ := explain(err)
			for _, p := range list {
				a.printf("  %s; %s\n", p.Error, p.Hint)
			}
		}
	}
	// field asks for one field of the file, and lets Parse check it there.
	field := func(question, usual, place string, set func(answer string) error) error {
		return ask(question, usual, func(answer string) error {
			if err := set(answer); err != nil {
				return err
			}
			return mistakeAt(s, place)
		})
	}
	text := func(to *string) func(string) error {
		return func(answer string) error { *to = answer; return nil }
	}

	a.printf("A new study. Press Enter to accept the answer in brackets.\n\n")
	steps := []func() error{
		func() error { return field("Name of the study", "my-study", "name", text(&s.Name)) },
		func() error {
			return field("What does a trial return", "loss", "objective.name", text(&s.Objective.Name))
		},
		func() error {
			return field("Are small or large values good: minimize or maximize", "minimize", "objective.goal", text((*string)(&s.Objective.Goal)))
		},
		func() error {
			return field("What does a trial cost: walltime (measured) or reported (by your program)", "walltime", "cost.source", text((*string)(&s.Cost.Source)))
		},
		func() error {
			if s.Cost.Source == study.Walltime {
				return nil
			}
			return field("In which unit", "euros", "cost.unit", text(&s.Cost.Unit))
		},
		func() error {
			usual, question := "1h", "How much time may all trials together take"
			if s.Cost.Source != study.Walltime {
				usual, question = "100", "How many "+s.Cost.Unit+" may all trials together cost"
			}
			return field(question, usual, "budget.total", func(answer string) error {
				return positive("the budget", answer, costOrDefault(s.Cost), &s.Budget.Total)
			})
		},
		func() error { return a.askParameters(&s, ask) },
		func() error {
			return field("Command that tries a setting, such as python train.py (empty: you try by hand)", "", "command", func(answer string) (err error) {
				s.Command, err = commandOf(answer, s.Parameters)
				return err
			})
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return s, err
		}
	}
	a.printf("\n")
	return s, nil
}

// askParameters asks for parameters until there is an empty answer.
func (a *app) askParameters(s *study.Study, ask func(question, usual string, take func(string) error) error) error {
	a.printf("\nWhat may vary? Give one parameter per line, such as\n  lr=float:1e-5:0.1:log   layers=int:1:8   optimizer=choice:sgd,adam   bias=bool   epochs=fixed:20\n")
	for more := true; more; {
		err := ask("Parameter (empty when done)", "", func(answer string) error {
			if answer == "" {
				if more = len(s.Parameters) == 0; more {
					return usage("give at least one", "a study needs a parameter")
				}
				return nil
			}
			p, err := parseParam(answer)
			if err != nil {
				return err
			}
			longer := *s
			longer.Parameters = append(longer.Parameters[:len(s.Parameters):len(s.Parameters)], p)
			if err := mistakeAt(longer, "parameters"); err != nil {
				return err
			}
			s.Parameters = longer.Parameters
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
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
