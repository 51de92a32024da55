package gp

// What only tests ask: gradients and covariances in the units of the targets, by way of a Batch.

// PosteriorGrad returns the mean and the variance of f(x) with their gradients.
func (m *Model) PosteriorGrad(x []float64) (mean, variance float64, dMean, dVar []float64) {
	b := m.NewBatch(1, nil)
	b.Forward(x, true)
	mean, variance = m.standard.From(b.Mean[0]), m.standard.square(b.Var[0])
	dMean, dVar = make([]float64, m.dim), make([]float64, m.dim)
	b.MeanBar[0] = 1
	b.Pull(dMean)
	b.Forward(x, true)
	b.MeanBar[0], b.VarBar[0] = 0, 1
	b.Pull(dVar)
	for j := range m.dim {
		dMean[j], dVar[j] = m.standard.Scale*dMean[j], m.standard.square(dVar[j])
	}
	return mean, variance, dMean, dVar
}

// Covariance returns the posterior covariance of f(x) and f(y).
func (m *Model) Covariance(x, y []float64) float64 {
	b := m.NewBatch(2, [][2]int{{0, 1}})
	b.Forward(append(append([]float64(nil), x...), y...), false)
	return m.standard.square(b.Cov[0])
}

// CovarianceGrad returns the posterior covariance of f(x) and f(y) with its gradients in x and in y.
func (m *Model) CovarianceGrad(x, y []float64) (cov float64, dx, dy []float64) {
	b := m.NewBatch(2, [][2]int{{0, 1}})
	b.Forward(append(append([]float64(nil), x...), y...), true)
	b.CovBar[0] = 1
	grad := make([]float64, 2*m.dim)
	b.Pull(grad)
	for j, v := range grad {
		grad[j] = m.standard.square(v)
	}
	return m.standard.square(b.Cov[0]), grad[:m.dim], grad[m.dim:]
}

// LogPrior returns the log prior density of hyperparameters. The mean has a flat prior.
func (n Noise) LogPrior(h Hyper) float64 {
	s := Settings{Noise: &n}
	return s.LogPrior(h)
}
