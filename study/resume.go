package study

// Reached returns the fidelity that a trial has got to; 0 if it showed nothing.
func (s *Study) Reached(t Trial) float64 {
	if t.State == Done {
		return s.FidelityOf(t.Setting)
	}
	last, _ := t.LastStep()
	return last.Step
}

// FolderOf returns the number of the trial whose checkpoint folder a trial uses: the first of those that go on from each other.
func (t Trial) FolderOf() int {
	if t.Checkpoint > 0 {
		return t.Checkpoint
	}
	return t.Number
}

// PaidBefore returns what was paid for that which a trial goes on from. If the checkpoint was lost, it goes on from nothing.
func (r *Record) PaidBefore(t Trial) (sum float64) {
	for t.Resumes > 0 && t.Resumes < t.Number && !t.Lost {
		t = r.Trials[t.Resumes-1]
		sum += t.Charged
	}
	return sum
}
