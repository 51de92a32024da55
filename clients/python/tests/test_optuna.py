"""The sampler for Optuna, with Optuna itself (Debian: python3-optuna)."""

import contextlib
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from unittest import mock

from .support import BINARY, Clock, eke, fresh, server_url, wait_for

try:
    import optuna
except ImportError:
    raise unittest.SkipTest("Optuna is not installed (Debian: python3-optuna)")

from eke.integrations._optuna_ledger import Ledger  # noqa: E402
from eke.integrations._optuna_space import Space, infer  # noqa: E402
from eke.integrations.optuna import EkeSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
D = optuna.distributions


def network(trial):
    """Conditional on a choice, and on a number."""
    lr = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
    layers = trial.suggest_int("layers", 1, 3)
    loss = (math.log10(lr) + 3) ** 2 + 1 / layers
    if trial.suggest_categorical("opt/kind", ["sgd", "adam", None]) == "sgd":
        loss += (trial.suggest_float("momentum", 0, 1) - 0.9) ** 2
    for i in range(layers):
        loss += ((trial.suggest_int(f"units{i}", 8, 64, step=8) - 32) / 100) ** 2
    trial.suggest_categorical("always", ["the same"])
    trial.set_user_attr("gpu_hours", 0.5 * layers)
    return loss


def paid(study):
    return sum(t.user_attrs.get("gpu_hours", 0) for t in study.trials)


class Sampler(unittest.TestCase):
    def study(self, objective=network, budget=20, cost_attr="gpu_hours", n_jobs=1, **more):
        direction = more.pop("direction", "minimize")
        options = {k: more.pop(k) for k in ("n_trials", "catch") if k in more}
        sampler = EkeSampler(budget, cost_attr, server=server_url(), name=fresh(), **{"study": {"seed": 1, "stop": "never"}, **more})
        study = optuna.create_study(sampler=sampler, direction=direction)
        study.optimize(objective, n_jobs=n_jobs, **options)
        return study, sampler

    def test_constraints(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            trial.set_user_attr("memory", 2 + 10 * x)
            trial.set_user_attr("gpu_hours", 1)
            return (x - 0.9) ** 2

        study, sampler = self.study(objective, 20, space={"x": D.FloatDistribution(0, 1)}, constraints_func=lambda t: (t.user_attrs["memory"] - 8,))
        best = sampler.study.best()
        self.assertLessEqual(best.metrics["constraint_0"], 0)
        self.assertLess(best.value, 0.12)
        self.assertEqual(sampler.study.refresh().definition["limits"], {"constraint_0": {"max": 0}})
        self.assertTrue(all("constraints" in t.system_attrs for t in study.trials if t.state == optuna.trial.TrialState.COMPLETE))

    def test_constraints_in_threads_while_the_space_is_learnt(self):
        both = threading.Barrier(2)

        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            trial.set_user_attr("gpu_hours", 1)
            if trial.number < 2:
                both.wait(300)  # one asks again, and moves to the space that is known now, while the other has not told yet
            if trial.number == 1:
                wait_for(lambda: sampler.study.refresh().paused, "the move")
            return x

        sampler = EkeSampler(8, "gpu_hours", server=server_url(), name=fresh(), study={"seed": 1, "stop": "never"}, constraints_func=lambda t: (t.params["x"] - 0.5,))
        study = optuna.create_study(sampler=sampler)
        work = threading.Thread(target=study.optimize, args=(objective,), kwargs={"n_jobs": 2}, daemon=True)
        work.start()
        work.join(300)
        self.assertFalse(work.is_alive(), "it hangs")
        self.check(study, sampler, 8)
        self.assertEqual(sampler.study.definition["limits"], {"constraint_0": {"max": 0}})
        self.assertEqual(sampler.study.definition["parameters"][0]["name"], "x")

    def check(self, study, sampler, budget):
        self.assertAlmostEqual(sampler.spent, paid(study), 9)
        self.assertLessEqual(sampler.spent, budget)
        if sampler.reason == "budget_spent":
            self.assertGreater(sampler.spent, 0.8 * budget)
        self.assertIn(sampler.reason, ("budget_spent", "not_worth"))
        self.assertEqual(sampler.study.refresh().reserved, 0)

    def test_define_by_run(self):
        study, sampler = self.study()
        self.check(study, sampler, 20)
        *ran, last = study.trials
        self.assertEqual({t.state.name for t in ran}, {"COMPLETE"})
        self.assertEqual((last.state.name, last.params), ("PRUNED", {}))  # it costs nothing
        when = {p["name"]: p.get("when") for p in sampler.study.definition["parameters"]}
        self.assertEqual(when["lr"], None)
        self.assertEqual(when["units1"][0]["param"], "layers")
        self.assertEqual(sampler._ledger.space.distributions["opt/kind"].choices, ("sgd", "adam", None))
        self.assertLess(study.best_value, 1.2)
        # Whoever continues finds nothing left, and pays nothing.
        before = len(study.trials)
        study.optimize(network, n_trials=3)
        self.assertEqual(len(study.trials), before + 1)
        self.assertAlmostEqual(sampler.spent, paid(study), 9)

    def test_in_the_suite(self):
        """The benchmark plays the sampler over lines of JSON, until it says that it is done."""
        if not BINARY:
            self.skipTest("there is no program eke")
        here = os.path.dirname(os.path.abspath(__file__))
        program = os.path.join(here, "..", "..", "..", "bench", "suite", "sampler.py")
        env = {**os.environ, "PATH": os.path.dirname(BINARY) + os.pathsep + os.environ["PATH"], "PYTHONPATH": os.path.join(here, "..")}
        params = [{"name": "x", "type": "float", "max": 1}, {"name": "k", "type": "choice", "values": ["a", "b"]},
                  {"name": "n", "type": "int", "min": 1, "max": 3, "when": [{"param": "k", "values": ["b"]}]}]
        with subprocess.Popen([sys.executable, program, "EkeSampler"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as suite:
            def say(**message):
                suite.stdin.write(json.dumps(message) + "\n")
                suite.stdin.flush()

            say(protocol=1, params=params, goal="minimize", budget=8, noise=False, seed=7)
            say(observe={"x": 0.5, "k": "a"}, value=2.0, cost=1.0)
            spent = 0
            while True:
                say(ask=True, left=8 - spent)
                told = json.loads(suite.stdout.readline())
                if told.get("done"):
                    break
                setting = told["setting"]
                self.assertEqual("n" in setting, setting["k"] == "b", setting)
                say(tell=told["number"], value=setting["x"], cost=1.0)
                spent += 1
            self.assertGreater(spent, 4)
            self.assertLessEqual(spent, 8)
            suite.stdin.close()

    def test_threads(self):
        beyond = []

        def objective(trial):
            loss = network(trial)
            held = trial.study.sampler.trial_of(trial)
            beyond.append(max(trial.user_attrs["gpu_hours"] - held.info.reserved, 0))
            return loss

        study, sampler = self.study(objective, n_jobs=4)
        # A trial that costs more than is reserved for it may go past the budget. All that was reserved never does.
        self.check(study, sampler, 20 + sum(beyond))

    def test_declared_space_and_maximize(self):
        space = {"x": D.FloatDistribution(-1, 1), "k": D.CategoricalDistribution([1, "1", True])}

        def objective(trial):
            value = -trial.suggest_float("x", -1, 1) ** 2 - (trial.suggest_categorical("k", [1, "1", True]) == "1")
            trial.set_user_attr("gpu_hours", 1)
            return value

        study, sampler = self.study(objective, 12, space=space, direction="maximize")
        self.check(study, sampler, 12)
        self.assertEqual(sampler.study.refresh().counts["done"], sampler.spent)
        self.assertGreater(study.best_value, -0.05)

    def test_failed_and_pruned_trials_are_charged(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            trial.set_user_attr("gpu_hours", 1)
            if trial.number % 3 == 1:
                raise optuna.TrialPruned()
            if trial.number % 3 == 2:
                raise ValueError("no luck")
            return x

        study, sampler = self.study(objective, 10, catch=(ValueError,))
        self.check(study, sampler, 10)
        self.assertGreater(sum(t.state.name == "FAIL" for t in study.trials), 0)
        self.assertGreater(sum(t.state.name == "PRUNED" and bool(t.params) for t in study.trials), 0)

    def test_hyperband(self):
        """With its pruner, a sampler sees only the trials of one bracket."""
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            if trial.suggest_categorical("k", ["a", "b"]) == "b":
                x += trial.suggest_float("y", 0, 1)
            for step in range(1, 5):
                trial.report(x / step, step)
                trial.set_user_attr("gpu_hours", 0.25 * step)
                if trial.should_prune():
                    raise optuna.TrialPruned()
            return x / 4

        sampler = EkeSampler(12, "gpu_hours", server=server_url(), name=fresh(), study={"seed": 1, "stop": "never"})
        # The name decides which bracket a trial belongs to.
        study = optuna.create_study(study_name="hyperband", sampler=sampler, pruner=optuna.pruners.HyperbandPruner(1, 4, 2))
        study.optimize(objective)
        self.check(study, sampler, 12)
        self.assertGreater(sum(t.state.name == "PRUNED" for t in study.trials), 1)

    def test_number_of_trials(self):
        study, sampler = self.study(budget={"total": 100, "trials": 9})
        self.assertEqual(sum(t.state.name == "COMPLETE" for t in study.trials), 9)

    def test_a_study_on_the_server_is_changed(self):
        def optimized(n_trials=1, cost="gpu_hours", **more):
            sampler = EkeSampler(10, cost, server=server_url(), name=name, space={"x": D.FloatDistribution(0, 1)}, study={"stop": "never", **more})
            optuna.create_study(sampler=sampler).optimize(objective, n_trials=n_trials)
            return sampler.study.definition

        def objective(trial):
            trial.set_user_attr("gpu_hours", 1)
            return trial.suggest_float("x", 0, 1)

        name = fresh()
        before = optimized()
        with self.assertNoLogs("eke", "WARNING") if hasattr(self, "assertNoLogs") else contextlib.nullcontext():
            self.assertEqual(optimized(), before)
        with self.assertLogs("eke", "WARNING") as logs:
            self.assertEqual(optimized(limits={"memory": "<= 8"})["limits"], {"memory": {"max": 8}})
        self.assertIn("was changed: limits was none and is {'memory': {'max': 8}} now", logs.output[0])
        with self.assertRaisesRegex(ValueError, "its cost.unit is gpu-hours, not dollars"):
            optimized(cost="dollars")

    def test_wall_time(self):
        clock = Clock()
        with mock.patch("eke._trial.time", clock):
            study, sampler = self.study(lambda t: clock.sleep(0.05) or t.suggest_float("x", 0, 1), "2s", None)
        self.assertLessEqual(sampler.spent, 2)
        self.assertGreater(sampler.spent, 1)
        self.assertGreater(len(study.trials), 4)

    def test_no_cost_is_a_mistake_of_the_objective(self):
        with self.assertRaisesRegex(ValueError, "set_user_attr.'gpu_hours'"):
            self.study(lambda t: t.suggest_float("x", 0, 1))

    def test_values_of_ones_own(self):
        """An enqueued trial, and an objective that narrows a range: what was tried is what is learnt."""
        sampler = EkeSampler(8, "gpu_hours", server=server_url(), name=fresh(), space={"x": D.FloatDistribution(0, 1)}, study={"seed": 1, "stop": "never"})
        study = optuna.create_study(sampler=sampler)
        study.enqueue_trial({"x": 0.25})

        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            trial.set_user_attr("gpu_hours", 1)
            return (x - 0.3) ** 2

        study.optimize(objective)
        self.assertEqual(study.trials[0].params, {"x": 0.25})
        first = sampler.study.trial(1)
        self.assertEqual((first.state, first.forgotten, first.charged), ("failed", True, 1))
        self.assertEqual(sampler.study.refresh().raw["known"], 1)
        self.check(study, sampler, 8)

    def test_values_outside_the_space(self):
        sampler = EkeSampler(4, "gpu_hours", server=server_url(), name=fresh(), space={"x": D.FloatDistribution(0, 1)}, study={"seed": 1, "stop": "never"})
        study = optuna.create_study(sampler=sampler)
        study.enqueue_trial({"x": 1.5})

        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            trial.set_user_attr("gpu_hours", 1)
            return x

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Optuna says that it is out of range
            study.optimize(objective)
        self.assertEqual(study.trials[0].params, {"x": 1.5})
        first, *others = sampler.study.trials()
        self.assertEqual((first.state, first.forgotten, first.charged), ("failed", True, 1))
        self.assertEqual(sampler.study.refresh().raw["known"], 0)
        for t in others:
            self.assertEqual(t.value, t.setting["x"])
        self.check(study, sampler, 4)

    def test_trials_of_another_sampler_are_known(self):
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
        study.optimize(network, n_trials=8)
        before = paid(study)
        sampler = study.sampler = EkeSampler(6, "gpu_hours", server=server_url(), name=fresh(), study={"seed": 1})
        study.optimize(network)
        self.assertGreaterEqual(sampler.study.refresh().raw["known"], 8)
        self.assertAlmostEqual(sampler.spent, paid(study) - before, 9)
        self.assertLessEqual(sampler.spent, 6)

    def test_trials_that_cannot_be_kept_do_not_keep_others_out(self):
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
        space = {"x": D.FloatDistribution(0, 1), "text": D.CategoricalDistribution(["a" * 30000, "b"])}

        def add(value, cost, text="b"):
            params = {"x": len(study.trials) / 100, "text": text}
            study.add_trial(optuna.trial.create_trial(value=value, params=params, distributions=space, user_attrs={"gpu_hours": cost}))

        for value, cost in ((math.inf, 1), (-math.inf, 1), (1e120, 1), (1, -1), (2, math.inf), (3, "many"), (4, None)):
            add(value, cost)
        for _ in range(40):
            add(5, 1, "a" * 30000)  # more than a server takes at once
        study.sampler = sampler = EkeSampler(2, "gpu_hours", server=server_url(), name=fresh(), space=space, study={"seed": 1})
        study.ask()
        self.assertEqual(sampler.study.refresh().raw["known"], 44)

    def test_a_value_that_is_too_large_fails_its_trial(self):
        def objective(trial):
            trial.suggest_float("x", 0, 1)
            trial.set_user_attr("gpu_hours", 1)
            return 1e120 if trial.number == 0 else 1

        study, sampler = self.study(objective, 4, space={"x": D.FloatDistribution(0, 1)})
        self.assertEqual([t.state for t in sampler.study.trials()], ["failed", "done", "done", "done"])
        self.check(study, sampler, 4)

    def test_what_is_not_learnt_is_said(self):
        study = mock.Mock()
        study.import_results.side_effect = [eke.Forbidden("not with this token"), {"refused": [{"index": 0, "problem": "x is 3"}]}]
        with self.assertLogs("eke", "WARNING") as logged:
            for _ in range(2):
                Ledger.learn(mock.Mock(), study, [{"setting": {"x": 3}, "value": 1}])
        self.assertIn("1 result: not with this token", logged.output[0])
        self.assertIn("1 result: x is 3", logged.output[1])
        study.import_results = mock.Mock(return_value={"refused": []})
        Ledger.learn(mock.Mock(), study, [{"value": 1}] * 1100)
        self.assertEqual([len(c.args[0]) for c in study.import_results.call_args_list], [500, 500, 100])

    def test_ask_and_tell(self):
        sampler = EkeSampler(3, "gpu_hours", server=server_url(), name=fresh(), space={"x": D.FloatDistribution(0, 1)}, study={"seed": 1})
        study = optuna.create_study(sampler=sampler)
        for _ in range(3):
            trial = study.ask()
            trial.set_user_attr("gpu_hours", 1)
            study.tell(trial, trial.suggest_float("x", 0, 1))
        with self.assertRaises(eke.BudgetSpent):
            study.ask()

    def test_ask_and_tell_of_several_while_the_space_is_learnt(self):
        sampler = EkeSampler(10, "gpu_hours", server=server_url(), name=fresh(), study={"seed": 1, "stop": "never"})
        study = optuna.create_study(sampler=sampler)

        def tell(trial):
            trial.set_user_attr("gpu_hours", 1)
            study.tell(trial, trial.suggest_float("x", 0, 1))

        trials = [study.ask() for _ in range(2)]
        tell(trials.pop())
        trials.append(study.ask())  # only this thread can tell the other, so it does not wait for it
        self.assertIsNone(sampler._ledger.space)
        for trial in trials:
            tell(trial)
        tell(study.ask())
        self.assertEqual(list(sampler._ledger.space.distributions), ["x"])
        self.assertEqual((sampler.spent, sampler.study.refresh().raw["known"]), (4, 3))

    def test_a_larger_space_is_not_waited_for_too_long(self):
        sampler = EkeSampler(10, "gpu_hours", server=server_url(), name=fresh(), study={"seed": 1, "stop": "never"}, max_wait=0)
        study = optuna.create_study(sampler=sampler)
        slow, trial = study.ask(), study.ask()
        trial.set_user_attr("gpu_hours", 1)
        study.tell(trial, trial.suggest_float("x", 0, 1))
        asked = []
        with self.assertLogs("eke", "WARNING") as logged:
            other = threading.Thread(target=lambda: asked.append(study.ask()), daemon=True)
            other.start()
            other.join(300)
        self.assertIn("stays as it is", logged.output[0])
        self.assertEqual((len(asked), sampler.study.refresh().paused, sampler._ledger.space), (1, False, None))
        for held in (slow, asked[0]):  # once they have ended, it moves on
            held.set_user_attr("gpu_hours", 1)
            study.tell(held, 0.5)
        study.ask()
        self.assertEqual(set(sampler._ledger.space.distributions), {"x"})

    def test_interrupted_trials_are_charged(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            trial.set_user_attr("gpu_hours", 1)
            if trial.number == 1:
                raise KeyboardInterrupt
            return x

        sampler = EkeSampler(4, "gpu_hours", server=server_url(), name=fresh(), space={"x": D.FloatDistribution(0, 1)}, study={"seed": 1})
        study = optuna.create_study(sampler=sampler)
        with self.assertRaises(KeyboardInterrupt):
            study.optimize(objective)
        self.assertEqual((sampler.spent, sampler.study.refresh().reserved), (2, 0))
        study.optimize(objective)
        self.assertEqual(sampler.spent, paid(study))

    def test_several_objectives(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            trial.set_user_attr("gpu_hours", 1)
            return 1 - (1 - x) ** 2, 5 + 190 * x ** 3

        sampler = EkeSampler(8, "gpu_hours", server=server_url(), name=fresh(), space={"x": D.FloatDistribution(0, 1)},
                             study={"seed": 1, "objectives": {"objective_1": {"worst": 200}}})
        study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)
        study.optimize(objective)
        self.assertEqual((sampler.spent, sampler.reason), (8, "budget_spent"))
        front = {(t.value, t.metrics["objective_1"]) for t in sampler.study.front()}
        self.assertGreaterEqual(len(front), 3)
        self.assertLessEqual(front, {tuple(t.values) for t in study.best_trials})  # what is beyond the worst is not on eke's
        self.assertEqual([(o["name"], o["goal"]) for o in sampler.study.raw["objectives"]], [("objective_0", "maximize"), ("objective_1", "minimize")])
        # Another sampler goes on from the trials of this one.
        known = EkeSampler(2, "gpu_hours", server=server_url(), name=fresh(), space={"x": D.FloatDistribution(0, 1)}, study={"seed": 1})
        study.sampler = known
        study.optimize(objective)
        self.assertEqual((known.spent, known.study.refresh().raw["known"] >= 8), (2, True))
        self.assertGreaterEqual(len(known.study.front()), 3)


class Spaces(unittest.TestCase):
    def trial(self, **params):
        kinds = {"n": D.IntDistribution(1, 9), "c": D.CategoricalDistribution(["a", "b", "c"])}
        return optuna.trial.create_trial(value=0, params=params, distributions={k: kinds.get(k, D.FloatDistribution(0, 1)) for k in params})

    def test_conditions_are_found(self):
        space = infer([self.trial(c="a", x=0.5, n=2), self.trial(c="b", y=0.5, n=4, z=0.1), self.trial(c="c", x=0.1, n=5, z=0.2)])
        self.assertEqual(space.when, {"x": {"c": ["a", "c"]}, "y": {"c": ["b"]}, "z": {"c": ["b", "c"]}})
        space = infer([self.trial(n=2), self.trial(n=4, z=0.1), self.trial(n=3, z=0.1)])
        self.assertEqual(space.when, {"z": {"n": [3, None]}})
        self.assertEqual(infer([self.trial(n=2, x=0.5), self.trial(n=2)]).loose, {"x": 0.5})
        self.assertIsNone(infer([self.trial()]))

    def test_spaces_are_kept(self):
        space = infer([self.trial(c="a", x=0.5, n=2), self.trial(c="b", n=4)])
        self.assertEqual(Space.from_json(space.to_json()), space)
        params = {"c": "a", "x": 0.25, "n": 7}
        self.assertEqual(space.decode(space.encode(params)), params)

    def test_ranges_are_joined(self):
        wide = optuna.trial.create_trial(value=0, params={"x": 3.0}, distributions={"x": D.FloatDistribution(0, 4)})
        self.assertEqual(infer([self.trial(x=0.5), wide]).distributions["x"], D.FloatDistribution(0, 4))

    def test_names_stay_different(self):
        space = Space({name: D.FloatDistribution(0, 1) for name in ("a/b", "a.b", "A_b", "1")})
        self.assertEqual(len({n.upper() for n in space.parameters()}), 4)


class Printed(unittest.TestCase):
    def test_the_page_and_the_example_of_the_hub(self):
        if not BINARY:
            self.skipTest("there is no program eke")
        here = os.path.dirname(os.path.abspath(__file__))
        hub = os.path.join(here, "..", "optunahub", "package", "samplers", "eke")
        with open(os.path.join(here, "..", "..", "..", "docs", "OPTUNA.md"), encoding="utf-8") as file:
            page = "\n".join(re.findall(r"```python\n(.*?)```", file.read(), re.S))
        with open(os.path.join(hub, "example.py"), encoding="utf-8") as file:
            example = file.read()
        # A stand-in for optunahub, which Debian does not have: it loads a package by its folder.
        loader = ("import importlib.util\n"
                  "def load_module(package):\n"
                  f"    spec = importlib.util.spec_from_file_location('hub_sampler', {os.path.join(hub, '__init__.py')!r})\n"
                  "    module = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(module)\n    return module\n")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "optunahub.py"), "w", encoding="utf-8") as file:
                file.write(loader)
            env = {**os.environ, "PATH": os.path.dirname(BINARY) + os.pathsep + "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join([os.path.join(here, ".."), folder])}
            for code in (page, example):
                done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True, timeout=900)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("lr", done.stdout)
                self.assertIn("The study ends", done.stderr)


class Kills(unittest.TestCase):
    KILLS, WORKERS, BUDGET = 40, 4, 150.0

    def test_killed_workers_share_one_budget(self):
        """Four processes, forty times one is killed: the budget is kept, and every result that Optuna has is paid for once."""
        if not BINARY or not hasattr(os, "fork"):
            self.skipTest("there is no program eke, or processes cannot be forked here")
        rng, name = random.Random(4), fresh()
        # The lease is much longer than a busy machine keeps a heartbeat waiting: the late result of a worker that lives would be charged as well.
        with tempfile.TemporaryDirectory() as folder, eke.Server(binary=BINARY, lease="8s") as server:
            def storage():
                """Optuna's, which by itself waits no more than five seconds for another process."""
                return optuna.storages.RDBStorage("sqlite:///" + os.path.join(folder, "optuna.db"), engine_kwargs={"connect_args": {"timeout": 300}})

            optuna.create_study(storage=storage(), study_name="s")._storage.remove_session()

            def work():
                warnings.simplefilter("ignore")
                # At random: it is the ledger that is tested, and no setting is not worth trying.
                sampler = EkeSampler(self.BUDGET, "coins", server=server.url, name=name, study={"policy": {"name": "random"}, "stop": "never"})
                study = optuna.load_study(study_name="s", storage=storage(), sampler=sampler)

                def objective(trial):
                    x = trial.suggest_float("x", -1, 1)
                    if trial.suggest_categorical("kind", ["a", "b"]) == "b":
                        x += trial.suggest_float("y", 0, 0.1)
                    time.sleep(0.03)
                    trial.set_user_attr("coins", 1.0)
                    return x * x

                study.optimize(objective, catch=(Exception,))

            def start():
                child = os.fork()
                if child == 0:
                    code = 1
                    try:
                        work()
                        code = 0
                    finally:
                        os._exit(code)
                return child

            def asked():
                return sum(sum(s.counts.values()) for s in server.client().studies(name))

            workers, kills = [start() for _ in range(self.WORKERS)], 0
            while kills < self.KILLS:
                before, patience = asked(), time.monotonic() + 3
                while asked() == before and time.monotonic() < patience:  # on a busy machine it takes a while to begin a trial
                    time.sleep(0.01)
                time.sleep(rng.uniform(0.0, 0.1))
                victim = workers.pop(rng.randrange(len(workers)))
                os.kill(victim, signal.SIGKILL)
                os.waitpid(victim, 0)
                kills += 1
                workers.append(start())
            codes = [os.waitpid(w, 0)[1] for w in workers]
            self.assertEqual(codes, [0] * self.WORKERS)

            studies = [s for s in server.client().studies() if s.name.startswith(name)]
            trials = [(s.name, t) for s in studies for t in s.trials()]
            spent = sum(s.spent for s in studies)
            self.assertAlmostEqual(spent, sum(t.charged for _, t in trials), 6)
            self.assertLessEqual(spent, self.BUDGET + 1e-9)
            self.assertGreater(spent, self.BUDGET - 5)
            self.assertEqual([t for _, t in trials if t.open], [])
            complete = optuna.load_study(study_name="s", storage=storage()).get_trials(states=(optuna.trial.TrialState.COMPLETE,))
            done = [t for _, t in trials if t.state == "done"]
            self.assertGreaterEqual(len(done), len(complete))  # a worker may die before Optuna hears of it
            told = [t.value for t in done]
            for t in complete:
                self.assertTrue(any(math.isclose(t.value, v, rel_tol=1e-9, abs_tol=1e-12) for v in told))
            lost = [t for _, t in trials if t.state == "abandoned"]
            self.assertGreater(len(lost), 3)


if __name__ == "__main__":
    unittest.main()
