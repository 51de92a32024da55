"""Values from the middle of a trial."""

import unittest

import eke
from .support import client, definition


def curve(setting):
    """A loss that falls with the epochs. The first three trials are good, and all others bad."""
    trial = eke.current_trial()
    bad = 0.0 if trial.number <= 3 else 5.0
    loss, epoch = 0.0, 0
    for epoch in range(1, setting["epochs"] + 1):
        loss = bad + 1 / epoch
        trial.report(epoch, loss, cost=epoch)
        if trial.should_stop():
            break
    return loss, epoch


EPOCHS = {"name": "epochs", "steps": [1, 3, 9], "stop_early": "median"}


class Steps(unittest.TestCase):
    def test_early_stops(self):
        for jobs in (1, 2):
            study = client().create(definition(fidelity=EPOCHS, budget={"total": 100, "trials": 6}))
            study.run(curve, n_jobs=jobs)
            trials = study.trials()
            self.assertEqual([t.state for t in trials[:3]], ["done"] * 3)
            self.assertTrue(any(t.state == "stopped early" for t in trials[3:]), [t.state for t in trials])
            for t in trials:
                steps = [s["step"] for s in t.raw["steps"]]
                if t.state == "done":
                    self.assertEqual(steps, list(range(1, 10)))
                    continue
                self.assertEqual(t.state, "stopped early")
                self.assertIsNone(t.value)
                self.assertIn("median", t.note)
                self.assertEqual(t.charged, steps[-1])  # it is charged once, what it used
            study.refresh()
            self.assertAlmostEqual(study.spent, sum(t.charged for t in trials))

    def test_by_hand(self):
        study = client().create(definition(fidelity=EPOCHS))
        with study.ask() as trial:
            trial.report(1, 0.5)
            self.assertFalse(trial.should_stop())
            trial.report(1, 0.5)  # again, which changes nothing
            trial.report(2, 1e120)  # is left out
            trial.tell(0.2, 9)
        self.assertEqual(len(study.trials()[0].raw["steps"]), 1)
        with self.assertRaises(ValueError):
            trial.report(1, float("nan"))

    def test_without_fidelity(self):
        study = client().create(definition())
        with study.ask() as trial:
            with self.assertRaisesRegex(eke.BadRequest, "no fidelity"):
                trial.report(1, 0.5)
            trial.tell(1, 1)

    def test_a_report_that_is_refused_fails_its_own_trial_only(self):
        def f(setting):
            trial = eke.current_trial()
            trial.report(0 if trial.number == 1 else 1, 0.5)
            return setting["x"], 1

        for jobs in (1, 2):
            study = client().create(definition(fidelity=EPOCHS))
            study.run(f, n_jobs=jobs, max_trials=6)
            first, *others = study.trials()
            self.assertEqual(first.state, "failed")
            self.assertRegex(first.note, r"BadRequest: .*step")
            self.assertEqual([t.state for t in others], ["done"] * 5)
            for t in others:
                self.assertEqual(t.value, t.setting["x"])

    def test_minimize(self):
        result = eke.minimize(curve, {"x": eke.Float(0, 1)}, {"total": 30, "trials": 2}, cost="coins", client=client(),
                              fidelity=EPOCHS, study={"policy": {"name": "random"}})
        self.assertEqual(result.setting["epochs"], 9)


if __name__ == "__main__":
    unittest.main()
