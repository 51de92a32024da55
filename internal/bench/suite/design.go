package suite

import (
	"context"

	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/space"
)

// observeDesign gives the study the paper's initial design, 2(d+1) scrambled Sobol points, for nothing.
func (p *play) observeDesign(ctx context.Context, o optimizer) error {
	sp, err := space.New(p.task.Params)
	if err != nil {
		return err
	}
	for _, u := range sobol.Points(2*(sp.Dim()+1), sp.Dim(), p.task.Seed()) {
		setting := sp.Decode(u)
		value, cost := p.task.Evaluate(setting)
		if err := o.observe(ctx, setting, value, cost); err != nil {
			return err
		}
	}
	reported, _ := o.best()
	p.trueBest, _ = p.task.Evaluate(reported.setting)
	return nil
}
