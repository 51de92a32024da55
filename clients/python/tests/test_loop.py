import contextlib
import io
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from .support import BINARY, Clock, client, definition, eke, fresh, server_url, wait_for

PARAMETERS = {"x": eke.Float(-1, 2), "n": eke.Int(1, 4)}


def bowl(setting):
    """The larger n, the more expensive."""
    return (setting["x"] - 0.5) ** 2 + 0.1 * setting["n"], 0.5 + setting["n"] * abs(setting["x"])


class Loop(unittest.TestCase):
    def test_unequal_costs(self):
        ended = []
        result = eke.minimize(bowl, PARAMETERS, 20, cost="coins", server=server_url(), on_trial=ended.append, study={"seed": 3, "stop": "never"})
        study, trials = result.study, result.study.trials()
        self.assertIn(result.reason, ("budget_spent", "not_worth"))
        self.assertEqual(len(trials), result.trials)
        self.assertEqual([t.number for t in ended], [t.number for t in trials])
        self.assertGreater(len(trials), 6)
        for t in trials:
            self.assertEqual(t.state, "done")
            value, cost = bowl(t.setting)
            self.assertAlmostEqual(t.value, value, 12)
            self.assertAlmostEqual(t.charged, cost, 12)
        self.assertGreater(len({round(t.charged, 6) for t in trials}), 3)
        self.assertAlmostEqual(study.spent, sum(t.charged for t in trials), 9)
        self.assertEqual(study.reserved, 0)
        self.assertEqual(result.value, min(t.value for t in trials if not t.beyond))
        self.assertEqual(bowl(result.setting)[0], result.value)
        self.assertLess(result.value, 0.2)
        self.assertEqual((study.why(1)["policy"], study.why(1)["picked"]), ("design", "one of the first trials, spread out to learn from"))
        self.assertNotIn("first trials", study.why(len(trials))["picked"])
        self.assertIn(f"; {len(trials)} trials, {study.spent:g} of 20 spent; ", str(result))
        # The same name goes on with the same study, of which nothing is left.
        again = eke.minimize(bowl, PARAMETERS, 20, cost="coins", server=server_url(), name=study.name)
        self.assertEqual((again.trials, again.best), (0, result.best))
        # More money, more trials.
        study.add_budget(10)
        more = study.run(bowl, max_trials=1)
        self.assertEqual(more.trials, 1)
        self.assertIn(f"; 1 trial now, {len(trials) + 1} in all; {more.spent:g} of 30 spent; ", str(more))

    def test_maximize(self):
        result = eke.maximize(lambda s: (-bowl(s)[0], 1), PARAMETERS, 8, cost="coins", client=client())
        self.assertEqual(result.study.goal, "maximize")
        self.assertEqual(result.value, max(t.value for t in result.study.trials()))

    def test_wall_time_is_measured(self):
        clock = Clock()
        with mock.patch("eke._trial.time", clock):
            result = eke.minimize(lambda s: clock.sleep(0.02 * s["n"]) or s["x"], PARAMETERS, "2s", server=server_url())
        self.assertGreater(result.trials, 3)
        *before, last = result.study.trials(state="done")
        for t in before:
            self.assertEqual(t.charged, t.wall)
            self.assertAlmostEqual(t.charged, 0.02 * t.setting["n"], 9)
        self.assertLessEqual(last.charged, last.wall)  # less if the budget ended before it did
        self.assertLessEqual(result.study.spent, result.study.total)

    def test_failures(self):
        study = client().create(definition())

        def f(setting):
            number = eke.current_trial().number
            if number == 1:
                raise RuntimeError("no luck")
            if number == 2:
                return float("nan"), 2.5
            if number == 3:
                raise eke.TrialFailed("bad batch", cost=3.5)
            if number == 4:
                raise eke.TrialStopped("enough")
            return 1, 1

        self.assertEqual(study.run(f, max_trials=5).reason, "max_trials")
        one, two, three, four, five = study.trials()
        self.assertEqual([t.state for t in (one, two, three, four, five)], ["failed", "failed", "failed", "cut", "done"])
        self.assertRegex(one.note, r"RuntimeError: no luck\nat .*test_loop.py:\d+ in f")
        self.assertIn("the function returned nan", two.note)
        self.assertEqual(three.note, "bad batch")
        self.assertEqual((two.charged, three.charged), (2.5, 3.5))
        self.assertEqual((one.value, five.value), (None, 1))
        with self.assertRaises(RuntimeError):
            eke.current_trial()

    def test_the_cost_of_a_failure_that_is_no_amount_is_left_out(self):
        class Lost:
            def __float__(self):
                raise RuntimeError("the device is lost")

        study, costs = client().create(definition()), (math.nan, -1, "3", 1e16, Lost())

        def f(setting):
            number = eke.current_trial().number
            if number <= len(costs):
                raise eke.TrialFailed("bad batch", cost=costs[number - 1])
            return 1, 1

        self.assertEqual(study.run(f, max_trials=6).reason, "max_trials")
        self.assertEqual([(t.state, t.note.split("; ")[0]) for t in study.trials()], [("failed", "bad batch")] * 5 + [("done", "")])
        for t, said in zip(study.trials(), ("cost must be finite, not nan", "cost must be from 0 to 1e+15, not -1.0", "cost must be a number, not str", "not 1e+16",
                                            "cost cannot be read: the device is lost")):
            self.assertIn(said, t.note)

    def test_what_cannot_be_kept_is_left_out(self):
        study = client().create(definition(limits={"memory": {"max": 8}}))
        odd = {"": 1, " edge": 2, "two\nlines": 3, "long" * 26: 4, "\ud800": 5}

        def f(setting):
            number = eke.current_trial().number
            if number <= 2:
                return (1e120, -1e101)[number - 1], 2.5
            if number == 3:
                return {"objective": 1, "cost": 1, "rate": 1e200, 7: 8, **odd, "memory": 7}
            return {"objective": 1, "cost": 1, **{f"m{i}": i for i in range(300)}, "memory": 7}

        self.assertEqual(study.run(f, max_trials=4).reason, "max_trials")
        one, two, three, four = study.trials()
        for t in (one, two):
            self.assertEqual((t.state, t.charged), ("failed", 2.5))
        self.assertIn("the function returned 1e+120, which is larger than any value that can be kept", one.note)
        self.assertEqual((three.state, three.metrics), ("done", {"rate": 1e200, "7": 8, "memory": 7}))
        self.assertEqual((four.state, len(four.metrics), four.metrics["memory"], four.violates), ("done", 200, 7, ()))

    def test_a_failure_has_no_cost_of_its_own_where_wall_time_is_measured(self):
        study = client().create(definition(cost={"source": "walltime"}, budget={"total": 3600}))

        def f(setting):
            if eke.current_trial().number == 1:
                raise eke.TrialFailed("batch lost", cost=30)
            return 1

        with self.assertLogs("eke", "WARNING") as logged:
            self.assertEqual(study.run(f, max_trials=2).reason, "max_trials")
        self.assertIn("wall time, which is measured", logged.output[0])
        one, two = study.trials()
        self.assertEqual((one.state, one.note, two.state), ("failed", "batch lost", "done"))
        self.assertLess(one.charged, 30)

    def test_too_many_failures(self):
        study = client().create(definition())
        with self.assertRaisesRegex(eke.TooManyFailures, "3 trials failed in a row, the last one with: division by zero") as caught:
            study.run(lambda s: 1 / 0, max_failures=3)
        self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)
        self.assertEqual(study.refresh().counts["failed"], 3)

    def test_failures_that_were_foreseen(self):
        from eke._loop import _to_fail
        for raw, want in (({}, 0), ({"why": None}, 0), ({"why": {"expected": {"value": 1}}}, 0), ({"why": {"expected": {"works": 0.25}}}, 0.75), ({"why": {"expected": {"works": 0.99}}}, 0.1)):
            self.assertAlmostEqual(_to_fail(unittest.mock.Mock(raw=raw)), want)

    def test_wrong_results_end_the_loop(self):
        for cost, returned, message in (("coins", 1.0, "f must return \\(value, cost\\)"), ("coins", (1, 2, 3), "not 3 things"),
                                        ("coins", ("a", 2), "value that f returns must be a number, not str"),
                                        ("coins", (1, None), "cost that f returns must be a number, not NoneType"),
                                        ("walltime", (1, 2), "which is measured"), ("walltime", None, "not NoneType")):
            with self.subTest(returned), self.assertRaisesRegex(TypeError, message):
                name = fresh()
                try:
                    eke.minimize(lambda s: returned, PARAMETERS, 60, cost=cost, name=name, server=server_url())
                finally:
                    self.assertEqual([t.state for t in client().study(name).trials()], ["failed"])

    def test_interrupt(self):
        study = client().create(definition())

        def f(setting):
            if eke.current_trial().number == 2:
                raise KeyboardInterrupt
            return 1, 1

        with self.assertRaises(KeyboardInterrupt), self.assertLogs("eke") as said:
            study.run(f)
        self.assertIn(f"study {study.name} is kept ({study.place}); to go on, run it again with name='{study.name}'", said.output[-1])
        self.assertEqual([t.state for t in study.trials()], ["done", "abandoned"])
        self.assertTrue(study.trials()[1].raw["stopped"])
        self.assertEqual(study.refresh().reserved, 0)
        self.assertEqual(study.run(f, max_trials=1).trials, 1)  # and on

    def test_exit_is_no_interrupt(self):
        """A setting that ends its process may do so again, so it counts."""
        study = client().create(definition())
        with self.assertRaises(SystemExit), self.assertLogs("eke"):
            study.run(lambda setting: sys.exit(3))
        (trial,) = study.trials()
        self.assertEqual((trial.state, trial.raw.get("stopped", False)), ("abandoned", False))

    def test_interrupt_of_an_older_server(self):
        """It refuses a field that it does not know."""
        study = client().create(definition())
        request, refused = study.client._transport.request, []

        def older(method, path, body=None, *args, **more):
            if "stopped" in (body or {}):
                refused.append(path)
                raise eke.BadRequest("body.stopped: unexpected property")
            return request(method, path, body, *args, **more)

        def f(setting):
            raise KeyboardInterrupt

        study.client._transport.request = older
        with self.assertRaises(KeyboardInterrupt), self.assertLogs("eke"):
            study.run(f)
        self.assertEqual((len(refused), [t.state for t in study.trials()]), (1, ["abandoned"]))

    def test_interrupt_while_telling(self):
        """The result is known by then, so it is not lost."""
        study = client().create(definition())
        transport = study.client._transport
        request, told = transport.request, []

        def interrupted(method, path, *args, **more):
            if path.endswith("/tell") and not told:
                told.append(request(method, path, *args, **more))  # the server has it, or has not
                raise KeyboardInterrupt
            return request(method, path, *args, **more)

        transport.request = interrupted
        with self.assertRaises(KeyboardInterrupt):
            study.run(lambda s: (0.5, 2))
        (trial,) = study.trials()
        self.assertEqual((trial.state, trial.value, trial.charged), ("done", 0.5, 2))

    def test_late_answer_to_asking(self):
        """A trial that was abandoned before its asker heard of it is not evaluated."""
        study = client().create(definition())
        ask, asked = study.ask, []

        def late(**more):
            asked.append(ask(**more))
            if len(asked) == 1:
                study.fail(asked[0].number, state="abandoned", cost=0)
                return ask(**more)
            return asked[-1]

        study.ask = late
        numbers = []
        study.run(lambda s: numbers.append(eke.current_trial().number) or (1, 1), max_trials=1)
        self.assertEqual(numbers, [2])

    def test_interrupt_of_threads(self):
        study = client().create(definition())
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))  # in the background it is ignored
        inside, go_on = threading.Semaphore(0), threading.Event()

        def f(setting):
            inside.release()
            go_on.wait(60)
            return 1, 2

        def interrupt():
            inside.acquire()
            inside.acquire()
            signal.raise_signal(signal.SIGINT) if hasattr(signal, "raise_signal") else os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
        with self.assertRaises(KeyboardInterrupt):
            study.run(f, workers=2)
        self.assertEqual([t.state for t in study.trials()], ["abandoned", "abandoned"])
        go_on.set()  # what was paid for is told late
        wait_for(lambda: [t.state for t in study.trials()] == ["done", "done"], "late results")
        self.assertEqual(study.refresh().spent, 4)

    def test_interrupt_while_asking(self):
        """A trial whose asker hears of it only after the interrupt is abandoned, too."""
        study = client().create(definition(parallel=2))
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        ask, evaluated, begun, over = study.ask, [], threading.Event(), threading.Event()

        def f(setting):
            evaluated.append(setting)
            begun.set()
            over.wait(60)
            return 1, 1

        def late(**more):
            trial = ask(**more)
            if trial.number == 2:
                begun.wait(60)
                os.kill(os.getpid(), signal.SIGINT)
                more["cancel"].wait(60)  # the interrupt was heard
            return trial

        study.ask = late
        with self.assertRaises(KeyboardInterrupt):
            study.run(f, workers=2)
        self.assertEqual([t.state for t in study.trials()], ["abandoned", "abandoned"])
        self.assertEqual((len(evaluated), study.refresh().reserved), (1, 0))
        over.set()

    def test_two_threads(self):
        study = client().create(definition(parallel=2, budget={"total": 12}))
        both, seen = threading.Barrier(2), []

        def f(setting):
            if len(seen) < 2:
                seen.append(threading.get_ident())
                both.wait(60)  # breaks if they are not there at once
            return bowl(setting)[0], 1

        result = study.run(f, workers=2)
        trials = study.trials()
        self.assertEqual(len(set(seen)), 2)
        self.assertEqual(result.trials, len(trials))
        self.assertEqual({t.state for t in trials}, {"done"})
        self.assertEqual((study.spent, study.reserved), (len(trials), 0))
        self.assertLessEqual(study.spent, 12)
        self.assertEqual(result.reason, "budget_spent")

    def test_limit(self):
        """Limits are much shorter than leases here: heartbeats come in time all the same."""
        study = client().create(definition(cost={"source": "walltime"}, budget={"total": 60, "per_trial": 0.3}))

        def f(setting):
            while True:
                eke.current_trial().check()
                time.sleep(0.01)

        study.run(f, max_trials=1)
        (trial,) = study.trials()
        self.assertEqual(trial.state, "cut")
        # By the server's clock, which began when the trial was asked for: its worker may have heard of it later.
        self.assertGreaterEqual((trial.finished - trial.started).total_seconds(), 0.299)
        self.assertLess(trial.wall, 15)  # a quarter of the lease
        self.assertEqual(trial.charged, min(trial.wall, 0.3))

    def test_more_wall_time(self):
        study = client().create(definition(cost={"source": "walltime"}, budget={"total": 12}))
        with study.ask() as trial:
            first = trial.limit
            self.assertLess(first, 4)
            wait_for(lambda: trial.limit > first and trial.seconds > first, "more time")
            self.assertFalse(trial.stop)
            info = trial.tell(1)
        self.assertGreater(info.charged, first)
        self.assertFalse(info.beyond)


class Restart(unittest.TestCase):
    def test_killed_server_loses_and_doubles_nothing(self):
        if not BINARY:
            self.skipTest("there is no program eke")
        with eke.Server(binary=BINARY) as server:
            study = server.client().create(definition(parallel=2, budget={"total": 100}))
            lock, returned, over = threading.Lock(), {}, threading.Event()
            kills = 0

            def f(setting):
                trial = eke.current_trial()
                time.sleep(0.02)
                with lock:
                    self.assertNotIn(trial.number, returned)  # nothing is handed out twice
                    returned[trial.number] = bowl(setting)
                return returned[trial.number]

            def kill():
                nonlocal kills
                for i in range(6):
                    while len(returned) < 4 * (i + 1):  # so the study is far from its end
                        if over.wait(0.01):
                            return
                    time.sleep(0.01 * i)
                    server._process.kill()
                    server.stop()
                    time.sleep(0.03 * i)
                    server.start()
                    kills += 1

            killer = threading.Thread(target=kill)
            killer.start()
            try:
                result = study.run(f, workers=2, patience=60, max_wait=10)
            finally:
                over.set()
                killer.join()
            self.assertEqual(kills, 6)
            trials = study.trials()
            self.assertEqual({t.number: (t.value, t.charged) for t in trials}, returned)
            self.assertEqual({t.state for t in trials}, {"done"})
            self.assertEqual(result.trials, len(returned))
            self.assertAlmostEqual(study.refresh().spent, sum(c for _, c in returned.values()), 9)
            self.assertEqual(study.reserved, 0)


    def test_a_later_server_frees_the_trials_of_a_process_that_is_gone(self):
        if not BINARY:
            self.skipTest("there is no program eke")
        if not os.path.exists("/proc/sys/kernel/random/boot_id"):
            self.skipTest("nobody knows here whether a process of the same number is another machine's")
        code = "import sys, eke\neke.Client(sys.argv[1]).study(sys.argv[2]).ask()\nimport os; os._exit(1)"
        with eke.Server(binary=BINARY, lease="1h") as server:
            study = server.client().create(definition(parallel=3))
            ours, other = study.ask(), study.ask(worker="machine-1-abcdef@00000000")  # a machine that nobody here knows
            here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
            subprocess.run([sys.executable, "-c", code, server.url, study.name], check=False, env={**os.environ, "PYTHONPATH": here})
            server.stop()
            server.start()
            wait_for(lambda: study.trial(3).state == "abandoned", "an early end of the lease")
            self.assertEqual([study.trial(t.number).state for t in (ours, other)], ["running", "running"])
            self.assertIn("ended without a word", study.trial(3).note)


class Readme(unittest.TestCase):
    def test_its_example_runs(self):
        if not BINARY:
            self.skipTest("there is no program eke")
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "..", "README.md"), encoding="utf-8") as file:
            example = re.search(r"```python\n(.*?)```", file.read(), re.S).group(1)
        said, path = io.StringIO(), os.environ["PATH"]
        os.environ["PATH"] = os.path.dirname(BINARY) + os.pathsep + path
        try:
            with contextlib.redirect_stdout(said):
                exec(compile(example, "README.md", "exec"), {"__name__": "__main__"})
        finally:
            os.environ["PATH"] = path
        self.assertRegex(said.getvalue(), r"(?s)lr.*trials")


if __name__ == "__main__":
    unittest.main()
