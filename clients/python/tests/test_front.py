"""Several objectives, and their front."""

import contextlib
import io
import unittest

from .support import client, definition, eke, fresh, server_url


def oven(setting):
    x = setting["x"]
    return {"accuracy": 1 - (1 - x) ** 2, "latency_ms": 5 + 190 * x ** 3, "cost": 1.0}


GOALS = {"accuracy": "maximize", "latency_ms": {"goal": "minimize", "worst": 200}}


class Front(unittest.TestCase):
    def test_the_front_is_found(self):
        r = eke.optimize(oven, {"x": eke.Float(0, 1)}, GOALS, 8, cost="coins", name=fresh(), server=server_url(), study={"seed": 1})
        front = r.front()
        self.assertGreaterEqual(len(front), 3)
        self.assertEqual([t.value for t in front], sorted((t.value for t in front), reverse=True))
        latencies = [t.metrics["latency_ms"] for t in front]
        self.assertEqual(latencies, sorted(latencies, reverse=True))  # whoever is better in one is worse in the other
        self.assertEqual(r.study.objectives, ["accuracy", "latency_ms"])
        records = r.study.front_records()
        self.assertEqual(set(records[0]), {"number", "accuracy", "latency_ms", "charged", "params_x"})
        self.assertEqual(len(records), len(front))
        self.assertIn("results on the front, a hypervolume of", str(r))
        raw = r.study.raw["front"]
        self.assertGreater(raw["hypervolume"], 0)
        self.assertEqual(raw["worst"][1], 200)

    def test_objectives_with_names_of_other_columns(self):
        names = ["number", "charged", "params_x"]
        r = eke.optimize(lambda s: {"number": s["x"], "charged": 1 - s["x"], "params_x": 7, "cost": 2.0}, {"x": eke.Float(0, 1)},
                         {name: "maximize" for name in names}, 3, cost="coins", name=fresh(), server=server_url(), study={"policy": {"name": "random"}})
        record, best = r.study.front_records()[0], r.front()[0]
        self.assertEqual(record, {"number": best.number, "charged": 2.0, "params_x": best.setting["x"],
                                  "metrics_number": best.value, "metrics_charged": best.metrics["charged"], "metrics_params_x": 7})

    def test_a_line_says_how_many_results_are_on_the_front(self):
        made = definition(objectives={"cut": {"goal": "maximize"}, "wear": {"goal": "minimize"}})
        del made["objective"]
        study = client().create(made)
        for cut, says in ((1, "1 result on the front"), (2, "2 results on the front")):
            shown = io.StringIO()
            with contextlib.redirect_stderr(shown):
                r = study.run(lambda s: {"cut": cut, "wear": cut, "cost": 1}, max_trials=1, progress=True)
            self.assertIn(f" | {says} | ", shown.getvalue())  # in ASCII
            self.assertNotIn("best", shown.getvalue())
            self.assertIn(f": {says}, a hypervolume of ", str(r))

    def test_nothing_meets_the_limits(self):
        r = eke.optimize(lambda s: {**oven(s), "memory": 9}, {"x": eke.Float(0, 1)}, GOALS, 2, cost="coins", name=fresh(), server=server_url(), limits={"memory": "<= 8"})
        self.assertEqual(r.front(), [])
        self.assertIn(": none of 2 results meets the limits yet: memory at most 8 (nearest: 9)", str(r))
        self.assertNotIn("hypervolume", str(r))

    def test_an_objective_may_be_missing(self):
        def part(setting):
            found = oven(setting)
            if setting["x"] > 0.5:
                del found["latency_ms"]
            return found
        r = eke.optimize(part, {"x": eke.Float(0, 1)}, GOALS, 6, cost="coins", name=fresh(), server=server_url(), study={"seed": 2})
        failed = [t for t in r.study.trials() if t.setting["x"] > 0.5]
        self.assertTrue(failed)
        for t in failed:
            self.assertEqual(t.state, "failed")
            self.assertIn("accuracy", t.metrics)
            self.assertIn("it reported no latency_ms", t.note)
        self.assertTrue(all(t.setting["x"] <= 0.5 for t in r.front()))

    def test_the_first_objective_may_be_missing(self):
        for lack in ({}, {"accuracy": float("nan")}, {"accuracy": None}):
            def part(setting):
                found = oven(setting)
                if setting["x"] > 0.5:
                    del found["accuracy"]
                    found.update(lack)
                return found
            r = eke.optimize(part, {"x": eke.Float(0, 1)}, GOALS, 6, cost="coins", name=fresh(), server=server_url(), study={"seed": 2})
            failed = [t for t in r.study.trials() if t.setting["x"] > 0.5]
            self.assertTrue(failed)
            for t in failed:
                self.assertEqual((t.state, t.charged), ("failed", 1))
                self.assertEqual(dict(t.metrics), {"latency_ms": oven(t.setting)["latency_ms"]})
                self.assertEqual(t.note, "it reported no accuracy; what it reported is kept")
            self.assertTrue(all(t.setting["x"] <= 0.5 for t in r.front()))

    def test_failures_by_hand_keep_what_they_returned(self):
        made = definition(objectives={"accuracy": {"goal": "maximize"}, "latency_ms": {"goal": "minimize"}})
        del made["objective"]
        s = client().create(made)
        trial = s.ask()
        info = trial.fail("the probe broke", cost=1, metrics={"latency_ms": 12})
        self.assertEqual((info.state, dict(info.metrics)), ("failed", {"latency_ms": 12}))
        trial = s.ask()
        info = s.fail(trial.number, cost=1, metrics={"accuracy": 0.5})
        self.assertEqual((info.state, dict(info.metrics)), ("failed", {"accuracy": 0.5}))

    def test_an_objective_that_is_always_missing_ends_the_loop(self):
        def run(f):
            name = fresh()
            try:
                eke.optimize(f, {"x": eke.Float(0, 1)}, GOALS, 60, cost="coins", name=name, server=server_url(), study={"policy": {"name": "random"}})
            finally:
                self.states = [t.state for t in client().study(name).trials()]
        with self.assertRaisesRegex(eke.TooManyFailures, "10 trials failed in a row, the last one with: it reported no latency_ms"):
            run(lambda s: {"accuracy": s["x"], "cost": 1})
        self.assertEqual(self.states, ["failed"] * 10)
        with self.assertRaisesRegex(TypeError, "a dict of all objectives, accuracy, latency_ms, not tuple"):
            run(lambda s: (s["x"], 1))
        self.assertEqual(self.states, ["failed"])

    def test_an_existing_study_keeps_its_objectives(self):
        name, x = fresh(), {"x": eke.Float(0, 1)}

        def again(objectives, **more):
            return eke.optimize(oven, x, objectives, 3, cost="coins", name=name, server=server_url(), study={"policy": {"name": "random"}}, **more)
        with self.assertNoLogs("eke") if hasattr(self, "assertNoLogs") else contextlib.nullcontext():
            again(GOALS)
            again(GOALS)
        for objectives in ({"accuracy": "maximize", "latency_ms": "maximize"}, {"accuracy": "maximize", "latency": "minimize"},
                           {"latency_ms": "minimize", "accuracy": "maximize"}):
            with self.assertRaisesRegex(ValueError, r"it has the objectives accuracy \(maximize\), latency_ms \(minimize\), not the objectives"):
                again(objectives)
        with self.assertRaisesRegex(ValueError, "it has the objectives accuracy .*, not one objective"):
            eke.maximize(oven, x, 3, cost="coins", name=name, server=server_url())
        with self.assertLogs("eke") as said:
            result = again({**GOALS, "latency_ms": {"goal": "minimize", "worst": 50}})
        self.assertIn("exists, and was changed: objectives.latency_ms.worst was 200 and is 50 now", said.output[0])
        self.assertEqual(result.study.raw["front"]["worst"][1], 50)
        one = client().create(definition())
        with self.assertRaisesRegex(ValueError, "it has one objective, not the objectives accuracy"):
            eke.optimize(oven, x, GOALS, 3, name=one.name, server=server_url())

    def test_mistakes(self):
        with self.assertRaisesRegex(ValueError, "has one objective"):
            client().create(definition()).front()
        with self.assertRaisesRegex(eke.BadRequest, "there is one objective"):
            eke.optimize(oven, {"x": eke.Float(0, 1)}, {"accuracy": "maximize"}, 8, name=fresh(), server=server_url())
        with self.assertRaisesRegex(TypeError, "a dict of goals by name"):
            eke.optimize(oven, {"x": eke.Float(0, 1)}, ["accuracy"], 8, name=fresh(), server=server_url())


if __name__ == "__main__":
    unittest.main()
