"""A program that stays alive for the trials of eke run."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

from .support import BINARY, eke
from eke._worker import _evaluate

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

PROGRAM = """
import sys
sys.path.insert(0, %r)
import os
import eke

open("starts", "a").write("start\\n")

def train(setting):
    print('{"objective": 66}')                    # which is no result
    os.write(1, b'{"objective": 77}\\n')
    trial = eke.current_trial()
    trial.report(1, 5.0, cost=1)
    open("numbers", "a").write("%%d\\n" %% trial.number)
    if setting["n"] == 2:
        raise ValueError("it diverges")
    if setting["n"] == 3:
        return float("nan"), 1
    if setting["n"] == 4:
        return {"loss": 0.4, "cost": 2, "memory": 7.5, "error": 0.25, "step": 9, "note": "fine", "rate": float("nan")}
    if setting["n"] == 5:
        return {"loss": float("nan"), "cost": 2}
    if setting["n"] == 6:
        return {"loss": 0.1, "cost": None}
    return setting["n"] / 10, 2

eke.worker(train)
""" % HERE

STUDY = """
name: warm
objective: {name: loss, goal: minimize}
cost: {source: reported}
budget: {total: 20, trials: 6}
parameters: {n: {type: int, min: 1, max: 6}}
trials: [{n: 1}, {n: 2}, {n: 3}, {n: 4}, {n: 5}, {n: 6}]
stop: never
command: [%s, train.py]
protocol: lines
""" % json.dumps(sys.executable)


class Worker(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        for name, text in (("train.py", PROGRAM), ("study.yaml", STUDY)):
            with open(os.path.join(self.dir.name, name), "w") as file:
                file.write(text)

    def read(self, name):
        with open(os.path.join(self.dir.name, name)) as file:
            return file.read()

    def test_run(self):
        if not BINARY:
            self.skipTest("there is no program eke")
        run = subprocess.run([BINARY, "run"], cwd=self.dir.name, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        out = subprocess.run([BINARY, "--json", "trials"], cwd=self.dir.name, capture_output=True, text=True, check=True).stdout
        trials = json.loads(out)
        trials = trials["trials"] if isinstance(trials, dict) else trials
        self.assertEqual([t["state"] for t in trials], ["done", "failed", "failed", "done", "failed", "failed"])
        self.assertEqual([t.get("value") for t in trials if t["state"] == "done"], [0.1, 0.4])
        self.assertIn("ValueError: it diverges", trials[1]["note"])
        self.assertIn("the function returned nan", trials[2]["note"])
        self.assertEqual(trials[3]["metrics"], {"memory": 7.5, "error": 0.25})
        self.assertEqual([t["charged"] for t in trials[3:5]], [2, 2])
        self.assertIn("has loss nan, which is not", trials[4]["note"])
        self.assertIn("the cost that f returns must be a number, not NoneType", trials[5]["note"])
        self.assertEqual(self.read("starts"), "start\n")
        self.assertEqual(self.read("numbers"), "1\n2\n3\n4\n5\n6\n")
        self.assertIn("objective", self.read("eke.trials/warm/00001/stderr"))

    def test_by_hand(self):
        run = subprocess.run([sys.executable, "train.py"], cwd=self.dir.name, input='{"n": 1}\n\n{"n": 2}\n', capture_output=True, text=True, check=True)
        said = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(said[0], {"step": 1.0, "objective": 5.0, "cost": 1.0})
        self.assertEqual(said[1], {"objective": 0.1, "cost": 2.0})
        self.assertIn("it diverges", said[3]["error"])
        self.assertIn('{"objective": 66}', run.stderr)

    def test_settings_are_utf_8_in_every_locale(self):
        program = f"import sys\nsys.path.insert(0, {HERE!r})\nimport eke\neke.worker(lambda setting: (len(setting['kind']), 1))"
        run = subprocess.run([sys.executable, "-c", program], input='{"kind": "grün"}\n'.encode(), env={**os.environ, "PYTHONIOENCODING": "latin-1"},
                             stdout=subprocess.PIPE, check=True)
        self.assertEqual(json.loads(run.stdout), {"objective": 4.0, "cost": 1.0})

    def test_the_cost_of_a_failure_is_a_number_or_left_out(self):
        class Single:
            def __float__(self):
                return 3.5

        def f(setting):
            raise eke.TrialFailed("diverged", cost=setting["cost"])

        for cost, said in ((Single(), {"error": "diverged", "cost": 3.5}), (float("nan"), {"error": "diverged; cost must be finite, not nan"}),
                           ("3", {"error": "diverged; cost must be a number, not str"})):
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(_evaluate(f, {"cost": cost}, io.StringIO()), said)


if __name__ == "__main__":
    unittest.main()
