package problem

import (
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// paperRecipes are the paper's eight, with the paper's budgets and its free initial design.
func paperRecipes() []recipe {
	about := map[string]string{
		"dropwave": "Dropwave, 2 dimensions, waves of costs", "alpine1": "Alpine1, 3 dimensions, waves of costs",
		"ackley": "Ackley, 3 dimensions, waves of costs", "shekel5": "Shekel5, 4 dimensions, waves of costs",
		"lda": "LDA on a grid of runs (Hoffman et al. 2010)", "cnn": "a small convolutional network, from a table",
		"boston": "random forest on Boston housing", "robot": "robot pushing a disc",
	}
	var list []recipe
	for _, name := range Names() {
		list = append(list, recipe{name, Paper, about[name] + "; Astudillo et al. 2021", func(d *dice, data string) (*Task, error) {
			p, err := New(name, d.replication, data)
			if err != nil {
				return nil, err
			}
			return p.task(), nil
		}})
	}
	return list
}

// paperScales are the differences between f* and the value of a median setting, measured over 256 settings of replication 0 (48 of boston, which
// takes a fifth of a second each). They only set the unit of regrets.
var paperScales = map[string]float64{
	"dropwave": 0.922, "alpine1": 8.87, "ackley": 3.78, "shekel5": 10, "lda": 225, "cnn": 0.769, "boston": 0.056, "robot": 4.93,
}

func (p *Problem) task() *Task {
	b := cube(p.Dim, 0, 1)
	return &Task{
		Params: floats(b), Goal: study.Maximize, Budget: p.Budget, FreeDesign: true, Best: p.Best, Scale: paperScales[p.Name],
		Evaluate: func(s space.Setting) (float64, float64) { return p.Evaluate(b.point(s)) },
	}
}
