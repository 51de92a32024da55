"""Prices of changes."""

import os
import threading
import unittest

from eke._evaluators import Evaluators
from eke._trial import Trial

from .support import client, definition, eke, fresh, server_url

HEATING = [{"of": ["x"], "cost": 3}]


class Oven:
    """Trials cost 1, and 3 more if the thread that evaluates them has to change x."""

    def __init__(self):
        self.at = threading.local()
        self.meet = threading.Barrier(2)

    def __call__(self, setting):
        setup = 0 if getattr(self.at, "x", 0.0) == setting["x"] else 3
        self.at.x = setting["x"]
        return {"objective": (setting["x"] - 0.3) ** 2 + (setting["y"] - 0.7) ** 2, "cost": 1 + setup, "setup": setup}

    def together(self, setting):
        result = self(setting)
        self.meet.wait(300)
        return result


def changes(trials, initial):
    """What changes cost by the record: each place goes from one setting to the next."""
    at = {}
    for t in sorted(trials, key=lambda t: t.started):
        place = t.raw.get("place") or t.runner
        yield 0 if at.get(place, initial) == t.setting["x"] else 3
        at[place] = t.setting["x"]


class Changeover(unittest.TestCase):
    def test_changes_are_weighed_and_reported(self):
        r = eke.minimize(Oven(), {"x": eke.Float(0, 1), "y": eke.Float(0, 1)}, 40, cost="coins", name=fresh(), server=server_url(), study={"seed": 1, "stop": "never"},
                         changeover=HEATING, initial={"x": 0.0}, max_trials=9)
        self.assertEqual(r.study.definition["initial"], {"x": 0})
        trials = r.study.trials()
        self.assertEqual([t.setup for t in trials], list(changes(trials, 0.0)))
        self.assertIn(0.0, [t.setup for t in trials])  # some stay where they are
        self.assertEqual(r.study.refresh().raw["changes"]["spent"], sum(t.setup for t in trials))
        self.assertEqual({k for t in trials for k in t.metrics}, set())
        self.assertEqual([row["setup"] for row in r.records()], [t.setup for t in trials])

    def test_every_thread_is_a_place(self):
        r = eke.minimize(Oven().together, {"x": eke.Float(0, 1), "y": eke.Float(0, 1)}, 60, cost="coins", name=fresh(), server=server_url(),
                         study={"seed": 1, "stop": "never", "policy": {"name": "random"}}, changeover=HEATING, initial={"x": 0.0}, workers=2, max_trials=6)
        trials = r.study.trials()
        self.assertEqual(len({t.raw["place"] for t in trials}), 2)
        self.assertEqual([t.setup for t in trials], [3] * 6)

    def test_a_thread_keeps_its_process(self):
        with Evaluators(lambda _: os.getpid(), 3) as evaluate:
            seen, together = {}, threading.Barrier(3)  # the next thread may have the identity of one that has ended

            def work(name):
                together.wait(60)
                seen[name] = [evaluate(Trial.elsewhere(1, {})) for _ in range(20)]

            threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        self.assertEqual([len(set(of)) for of in seen.values()], [1, 1, 1])
        self.assertEqual(len({of[0] for of in seen.values()}), 3)

    def test_told_by_hand(self):
        study = client().create(definition(changeover=HEATING))
        self.assertEqual(study.ask(place="left").tell(1, 4, setup=3).setup, 3)
        self.assertEqual(study.ask(place="right").tell(1, 4, metrics={"setup": 3}).setup, 3)
        number = study.ask(by_hand=True, place="left").number
        self.assertIsNone(study.tell(number, 1, 4).setup)
        self.assertEqual(study.correct(number, setup=2, note="forgotten").setup, 2)
        with self.assertRaisesRegex(eke.BadRequest, "the setup is 5, and the cost 4"):
            study.correct(number, setup=5)
        self.assertEqual([t.raw["place"] for t in study.trials()], ["left", "right", "left"])
        with self.assertRaisesRegex(eke.BadRequest, "changeover"):
            client().create(definition(initial={"x": 0}))


if __name__ == "__main__":
    unittest.main()
