"""Metrics, and limits on them."""

import os
import signal
import unittest

from .support import client, definition, eke, fresh, server_url


def furnace(setting):
    return {"objective": (setting["x"] - 0.9) ** 2, "cost": 1.0, "memory": 2 + 10 * setting["x"], "name": "a", "ok": True}


class SimulationFailed(eke.TrialFailed):
    """An exception that cannot be pickled."""

    def __init__(self, job, code):
        super().__init__(f"job {job} ended", cost=1, exit_code=code)
        self.report = lambda: job


class Limits(unittest.TestCase):
    def test_a_limit_is_kept(self):
        r = eke.minimize(furnace, {"x": eke.Float(0, 1)}, 20, cost="coins", name=fresh(), server=server_url(), study={"seed": 1},
                         limits={"memory": {"max": 8, "unit": "GB"}})
        self.assertLessEqual(r.best.metrics["memory"], 8)
        self.assertEqual(r.best.violates, ())
        self.assertLess(r.value, 0.12)  # the best that is allowed is 0.09, at x = 0.6
        beyond = [t for t in r.study.trials() if t.metrics["memory"] > 8]
        self.assertTrue(beyond)
        self.assertTrue(all(t.violates == ("memory",) for t in beyond))
        self.assertEqual({k for t in r.study.trials() for k in t.metrics}, {"memory"})  # neither a text nor a bool is a metric
        self.assertIn("metrics_memory", r.records()[0])
        self.assertEqual([row["violates"] for row in r.records()], ["memory" if t.metrics["memory"] > 8 else "" for t in r.study.trials()])

    def test_a_failure_says_that_a_limit_was_exceeded(self):
        study = client().create(definition(parallel=2, budget={"total": 200}, limits={"memory": {"max": 8, "exceeded_by": {"stderr": "out of memory", "exit": [3, 137]}}}))

        def f(setting):
            number = eke.current_trial().number
            if number == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            if number == 3:
                raise MemoryError("CUDA out of memory")
            if number == 4:
                raise eke.TrialFailed("the simulation ended", cost=1, exit_code=3)
            if number == 5:
                raise eke.TrialFailed("the simulation ended", cost=1, exit_code=4)
            if number == 6:
                raise SimulationFailed(7, 3)
            return {"objective": 1.0, "cost": 1, "memory": 7}

        study.run(f, n_jobs=2, max_trials=6)
        notes = [t.note for t in study.trials()]
        for note in notes[1:4]:
            self.assertIn("beyond the limit on memory: ", note)
        self.assertNotIn("beyond", notes[4])
        self.assertIn("beyond the limit on memory: job 7 ended", notes[5])
        self.assertEqual([t.raw.get("exit") for t in study.trials()[1:5]], [{"code": -1, "signal": "SIGKILL"}, None, {"code": 3}, {"code": 4}])
        with study.ask() as trial:
            trial.fail("it was killed", cost=1, exit_code=-9)
        self.assertIn("beyond the limit on memory: it was killed", study.trials()[-1].note)

    def test_an_exit_code_for_an_older_server(self):
        """It refuses a field that it does not know."""
        study = client().create(definition())
        request, refused = study.client._transport.request, []

        def older(method, path, body=None, *args, **more):
            if "exit" in (body or {}):
                refused.append(path)
                raise eke.BadRequest("body.exit: unexpected property")
            return request(method, path, body, *args, **more)

        def f(setting):
            raise eke.TrialFailed("the simulation ended", cost=1, exit_code=3)

        study.client._transport.request = older
        study.run(f, max_trials=1)
        study.fail(study.ask().number, "it was killed", cost=1, exit_code=-9)
        self.assertEqual((len(refused), [t.note for t in study.trials()]), (2, ["the simulation ended", "it was killed"]))

    def test_none_is_feasible(self):
        r = eke.minimize(furnace, {"x": eke.Float(0, 1)}, 5, cost="coins", name=fresh(), server=server_url(), limits={"memory": "<= 1"})
        self.assertIsNone(r.best)
        self.assertIsNone(r.value)
        self.assertIn("meets the limits", r.study.infeasible)
        self.assertIn("meets the limits", str(r))

    def test_a_quantity_is_never_reported(self):
        study = client().create(definition(limits={"memory": {"max": 8}}))
        with self.assertRaisesRegex(eke.Unreported, 'no memory was reported; none of 3 results meets .*return {"objective": …, "memory": …}'):
            study.run(lambda s: (1.0, 0.1))
        self.assertEqual(len(study.trials()), 3)
        study.correct(1, metrics={"memory": 4})
        study.run(lambda s: (2.0, 0.1), max_trials=4)  # the others may lack it
        self.assertEqual(len(study.trials()), 7)

    def test_a_limit_is_changed(self):
        study = client().create(definition(limits={"memory": {"max": 8}}))
        for value, memory in ((3.0, 4.0), (2.0, 7.0), (1.0, 9.5)):
            study.ask().tell(value, 1, metrics={"memory": memory})
        self.assertEqual(study.best().value, 2)
        self.assertIn("the limits have changed; 1 of 3 results meet them", study.change({**study.definition, "limits": {"memory": "<= 5"}}))
        self.assertEqual(study.best().value, 3)
        study.correct(2, metrics={"memory": 4.5})
        self.assertEqual(study.best().value, 2)
        study.change({**study.definition, "limits": {"memory": "<= 1"}})
        self.assertIsNone(study.best())
        study.import_results([{"setting": {"x": 0, "n": 1}, "value": 7, "metrics": {"memory": 0.5}}])
        self.assertEqual(study.best().value, 7)

    def test_a_bound_is_kept(self):
        r = eke.minimize(lambda setting: (max(setting["x"] - 0.5, 0), 1.0), {"x": eke.Float(0, 1)}, 20, cost="coins", name=fresh(), server=server_url(),
                         objective={"name": "loss", "min": 0})
        self.assertEqual((r.value, r.study.objective), (0, "loss"))
        self.assertLess(len(r.study.trials()), 20)  # nothing is better than 0
        with self.assertRaisesRegex(TypeError, "objective must be a dict"):
            eke.minimize(furnace, {"x": eke.Float(0, 1)}, 5, objective="loss")
        with self.assertRaisesRegex(eke.BadRequest, "min is 2, and max 1"):
            client().create({**definition(), "objective": {"goal": "minimize", "min": 2, "max": 1}})

    def test_mistakes(self):
        with self.assertRaisesRegex(eke.BadRequest, "exactly 8"):
            client().create(definition(limits={"memory": "== 8"}))
        study = client().create(definition())
        with study.ask() as trial:
            with self.assertRaisesRegex(ValueError, "memory must be finite"):
                trial.tell(1, 1, metrics={"memory": float("inf")})
            trial.tell(1, 1)
        with self.assertRaisesRegex(TypeError, "without the key"):
            client().create(definition()).run(lambda s: {"loss": 1, "cost": 1})


if __name__ == "__main__":
    unittest.main()
