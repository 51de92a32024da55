"""minimize on a server of its own, its progress, processes, and what a result has to show."""

import contextlib
import io
import multiprocessing
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from unittest import mock

from eke._evaluators import Evaluators, _Process
from eke._trial import Trial

from .support import BINARY, client, definition, eke, fresh, server_url, wait_for

PARAMETERS = {"x": eke.Float(-1, 2), "n": eke.Int(1, 4)}
HERE = os.path.dirname(os.path.abspath(__file__))


def bowl(setting):
    return (setting["x"] - 0.5) ** 2 + 0.1 * setting["n"], 0.5 + setting["n"] * abs(setting["x"])


class Embedded(unittest.TestCase):
    def run_python(self, code, folder, **env):
        path = os.path.dirname(BINARY) + os.pathsep + os.environ["PATH"]
        return subprocess.Popen([sys.executable, "-c", code], cwd=folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**os.environ, "PATH": path, "PYTHONPATH": os.path.join(HERE, ".."), **env})

    def setUp(self):
        if not BINARY:
            self.skipTest("there is no program eke")

    def test_a_server_is_started_and_the_study_is_kept(self):
        code = ("import eke\n"
                "r = eke.minimize(lambda s: (s['x'] ** 2, 1), {'x': eke.Float(-1, 1)}, 4, cost='coins', name='kept')\n"
                "print(r.trials, r.spent, r.study.client.url)")
        with tempfile.TemporaryDirectory() as folder:
            first, said = self.run_python(code, folder).communicate(timeout=180)
            self.assertRegex(first, r"^4 4\.0 http://127", said)
            self.assertRegex(said, r"^study kept: .*\n0/4 coins . 0 trials .*\n(.*\n)+4/4 coins . 4 trials .*\nbudget spent\n$")
            self.assertNotIn("░", said)  # no bar
            wait_for(lambda: not eke.Client(first.split()[2]).healthy(), "the end of the first server")
            second, said = self.run_python(code, folder).communicate(timeout=180)
            self.assertRegex(second, r"^0 4\.0 http://127", said)
            listed = subprocess.run([BINARY, "--db", os.path.join(folder, "eke.db"), "status", "kept"], capture_output=True, text=True, timeout=180)
            self.assertIn("kept", listed.stdout + listed.stderr)

    def test_a_new_server_finds_out_that_the_rest_is_not_worth_its_price(self):
        with eke.Server(binary=BINARY) as server:
            result = eke.minimize(lambda s: ((s["x"] - 0.3) ** 2, 1), {"x": eke.Float(0, 1)}, 40, cost="coins", client=server.client())
            self.assertEqual(result.reason, "not_worth")
            stale = {**result.study.raw, "finished": None}  # as a server that has just been started says
            server.stop()
            server.start()
            self.assertEqual(eke.Study(server.client(), stale).finished["code"], "not_worth")

    def test_a_server_of_another_folder_is_left_alone(self):
        code = ("import eke, eke._embedded, eke._http\n"
                "eke._embedded.DEFAULT_SERVER = eke._http.DEFAULT_SERVER = %r  # what somebody else serves at the usual address\n"
                "r = eke.minimize(lambda s: (s['x'] ** 2, 1), {'x': eke.Float(-1, 1)}, 2, cost='coins', name='mine', progress=True)\n"
                "print(r.study.place)")
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
            with eke.Server(os.path.join(there, "eke.db"), binary=BINARY) as other:
                told, said = self.run_python(code % other.url, here).communicate(timeout=180)
                self.assertEqual(other.client().studies(), [], said)
                self.assertEqual(told.strip(), os.path.join(os.path.realpath(here), "eke.db"), said)
                self.assertEqual(said.splitlines()[0], "study mine: " + told.strip())

    def test_the_server_ends_with_a_program_that_is_killed(self):
        code = ("import eke, time\n"
                "def f(s):\n    print(eke.current_trial()._transport.url, flush=True)\n    time.sleep(60)\n"
                "eke.minimize(f, {'x': eke.Float(-1, 1)}, '1h')")
        with tempfile.TemporaryDirectory() as folder:
            program = self.run_python(code, folder)
            url = program.stdout.readline().strip()
            try:
                self.assertTrue(eke.Client(url).healthy())
            finally:
                program.kill()
                program.communicate()
            wait_for(lambda: not eke.Client(url).healthy(), "the end of the server")


    def test_one_that_was_interrupted_or_killed_is_started_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            server = eke.Server(os.path.join(folder, "eke.db"), binary=BINARY)
            self.addCleanup(server.close)
            with mock.patch.object(eke.Server, "_where", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
                server.start()
            self.assertTrue(server.start().client().healthy())
            killed, url = server._process, server.url
            self.assertIs(server.start()._process, killed)
            killed.kill()
            killed.wait()
            self.assertTrue(server.start().client().healthy())
            self.assertEqual(server.url, url)
            server.close()

    def test_ctrl_c_does_not_reach_it_on_windows(self):
        with mock.patch.object(subprocess, "CREATE_NEW_PROCESS_GROUP", 512, create=True), mock.patch("subprocess.Popen", side_effect=OSError) as started:
            with self.assertRaises(OSError):
                eke.Server("eke.db", binary="eke").start()
        self.assertEqual(started.call_args.kwargs["creationflags"], 512)


class Budgets(unittest.TestCase):
    def test_time_in_words(self):
        study = client().create(definition(cost={"source": "walltime"}, budget={"total": "1m"}))
        self.assertEqual(study.add_budget("1m15.5s").total, 135.5)
        self.assertIsNone(study.rest(add="15s"))
        for wrong in ("15", "15 s", "", "-3s"):
            with self.assertRaisesRegex(ValueError, "2h30m"):
                study.add_budget(wrong)
        with self.assertRaisesRegex(ValueError, "not wall time"):
            client().create(definition()).add_budget("15s")

    def test_a_study_that_exists_keeps_its_budget(self):
        def again(budget):
            eke.minimize(lambda s: 1, {"x": eke.Float(0, 1)}, budget, name=name, server=server_url(), max_trials=0)

        name = fresh()
        with self.assertNoLogs("eke", "WARNING") if hasattr(self, "assertNoLogs") else contextlib.nullcontext():
            again("60s")
            again(60)
        for budget, said in (("90s", rf"study {name} exists, and keeps its budget of 60 s; .*\.add_budget\(30\)"), (30, "keeps its budget of 60 s$")):
            with self.assertLogs("eke", "WARNING") as logs:
                again(budget)
            self.assertRegex(logs.output[0], said)


class Existing(unittest.TestCase):
    """A study that exists is changed like one whose study file was edited."""

    GIVEN = {
        "budget": {"total": 50, "per_trial": 2, "deadline": "90m"}, "cost": "GPU-hours", "seed": 3, "objective": {"name": "loss", "min": 0},
        "fidelity": {"name": "epochs", "min": 1, "max": 9, "log": True}, "limits": {"memory": "<= 8 GB", "yield": {"min": 0.9}},
        "changeover": [{"of": ["x"], "cost": 2}], "initial": {"x": 0},
        "study": {"noise": True, "where": ["x < 0.9"], "stop": "never", "policy": {"name": "random"}},
    }
    PARAMETERS = {"x": eke.Float(0, 1), "opt": eke.Choice(["a", "b"]), "n": eke.Int(0, 8, step=2, when={"opt": "a"}), "m": eke.Int(1, 3, when={"n": ">=2"})}

    def again(self, name, trials=0, parameters=None, **given):
        given = {"budget": 50, "cost": "GPU-hours", **given}
        return eke.minimize(lambda s: {"objective": s["x"], "cost": 1, "memory": 10}, parameters or {"x": eke.Float(0, 1)}, given.pop("budget"), name=name,
                            server=server_url(), max_trials=trials, progress=False, **given)

    def changed(self, name, **given):
        with self.assertLogs("eke", "WARNING") as logs:
            made = self.again(name, **given)
        self.assertEqual(len(logs.output), 1)
        return made.study.definition, logs.output[0]

    def silent(self, name, **given):
        with self.assertNoLogs("eke", "WARNING") if hasattr(self, "assertNoLogs") else contextlib.nullcontext():
            return self.again(name, **given).study.definition

    def test_the_same_again_changes_nothing(self):
        name = fresh()
        made = self.silent(name, parameters=self.PARAMETERS, **self.GIVEN)
        self.assertEqual(self.silent(name, parameters=self.PARAMETERS, **self.GIVEN), made)
        self.assertEqual(self.silent(name, parameters=self.PARAMETERS), made)  # what is not given stays
        for part in set(self.GIVEN) - {"initial"}:
            self.assertEqual(self.silent(name, parameters=self.PARAMETERS, **{part: self.GIVEN[part]}), made)
        otherwise = {"budget": {"total": 50.0, "deadline": "1h30m"}, "limits": {"memory": {"max": 8, "unit": "GB"}, "yield": ">= 0.9"}}
        self.assertEqual(self.silent(name, parameters=self.PARAMETERS, **otherwise), made)

    def test_limits_hold_for_trials_before_them(self):
        name = fresh()
        self.assertEqual(self.again(name, trials=2).best.metrics["memory"], 10)
        there, said = self.changed(name, limits={"memory": {"max": 8}})
        self.assertEqual(there["limits"], {"memory": {"max": 8}})
        self.assertIn(f"study {name} exists, and was changed: limits was none and is {{'memory': {{'max': 8}}}} now", said)
        self.assertIsNone(self.again(name).best)

    def test_what_may_change_is_changed(self):
        name = fresh()
        self.again(name, trials=1).study.add_budget(7)
        for given, field, want in (
                ({"budget": {"total": 57, "per_trial": 0.5}}, "budget", {"total": 50, "per_trial": 0.5}),
                ({"study": {"where": ["x < 0.1"], "stop": "never"}}, "where", ["x < 0.1"]),
                ({"study": {"stop": {"gain": 0.1}}}, "stop", {"gain": 0.1}),
                ({"fidelity": {"name": "epochs", "min": 1, "max": 9}}, "fidelity", {"name": "epochs", "min": 1, "max": 9}),
                ({"objective": {"max": 3}}, "objective", {"name": "objective", "goal": "minimize", "max": 3}),
                ({"parameters": {"x": {**eke.Float(0, 1), "default": 0.5}}}, "parameters", [{"name": "x", "type": "float", "max": 1, "default": 0.5}])):
            given = {"budget": 57, **given}
            there, said = self.changed(name, **given)
            self.assertEqual(there[field], want)
            self.assertIn(f"was changed: {field}", said)
            self.assertEqual(self.silent(name, **given), there)
        self.assertEqual(client().study(name).total, 57)

    def test_another_program_keeps_the_seed_and_the_number_of_trials_at_once(self):
        name = fresh()
        made = self.silent(name, seed=3, workers=4)
        self.assertEqual(made["parallel"], 4)
        self.assertEqual(self.silent(name, workers=2), made)
        there, said = self.changed(name, seed=4)
        self.assertEqual(there, made)
        self.assertIn(f"study {name} exists, and keeps its seed of 3", said)
        there, said = self.changed(name, workers=8)
        self.assertEqual(there["parallel"], 8)

    def test_what_cannot_change_is_refused(self):
        name = fresh()
        before = self.again(name, study={"noise": True, "seed": 3}).study.definition
        for given, said in (({"cost": "dollars"}, "its cost.unit is GPU-hours, not dollars"),
                            ({"study": {"noise": False}}, "its noise is True, not False"), ({"study": {"start_from": "pilot"}}, "its start_from is none, not pilot")):
            with self.assertRaisesRegex(ValueError, f"there is already a study '{name}', and {said}; choose another name"):
                self.again(name, trials=1, **given)
        with self.assertRaisesRegex(eke.BadRequest, 'limits.memory: memory is "small", which is no limit'):
            self.again(name, limits={"memory": "small"})
        there = client().study(name)
        self.assertEqual((there.definition, there.spent), (before, 0))


class Progress(unittest.TestCase):
    def test_terminal(self):
        class Screen(io.StringIO):
            encoding = "utf-8"

            def isatty(self):
                return True

        screen = Screen()
        with mock.patch.object(sys, "stderr", screen), mock.patch.dict(os.environ, {"COLUMNS": "80"}):
            result = eke.minimize(bowl, PARAMETERS, 12, cost="coins", server=server_url(), study={"seed": 3})
        shown = screen.getvalue().split("\r")
        self.assertEqual(len(shown), result.trials + 3)
        self.assertIn("░ 0/12 coins · 0 trials", shown[1])
        self.assertRegex(shown[-2], rf"█.* {result.trials} trials · best {result.value:.4g} · \d+:\d\d")
        self.assertTrue(shown[-1].endswith("\n" + result.detail + "\n"), shown[-1])
        self.assertLess(max(len(line) for line in screen.getvalue().replace("\r", "\n").split("\n")[:-2]), 80)
        with mock.patch.object(sys, "stderr", Screen()) as quiet:
            eke.minimize(bowl, PARAMETERS, 3, cost="coins", server=server_url(), progress=False)
        self.assertEqual(quiet.getvalue(), "")

    def test_a_file_has_a_line_now_and_then(self):
        with mock.patch.object(sys, "stderr", io.StringIO()) as log:
            result = eke.minimize(bowl, PARAMETERS, 12, cost="coins", server=server_url(), seed=3)
        best, bests = None, []
        for t in result.study.trials():
            if t.value is not None and (best is None or t.value < best):
                best = t.value
                bests.append(t.number)
        self.assertLess(len(bests), result.trials)
        lines = log.getvalue().splitlines()
        self.assertEqual([int(re.search(r" (\d+) trial", line)[1]) for line in lines[1:-2]], [0, *bests], lines)
        self.assertRegex(lines[1], r"^0/12 coins . 0 trials ")
        self.assertIn(f" {result.trials} trials ", lines[-2])
        self.assertEqual(lines[-1], result.detail)
        with mock.patch.object(sys, "stderr", io.StringIO()) as log, mock.patch("eke._progress._SELDOM", 0.0):
            result = eke.minimize(bowl, PARAMETERS, 12, cost="coins", server=server_url(), seed=3)
        self.assertEqual(len(log.getvalue().splitlines()), result.trials + 4)

    def test_a_seed(self):
        def trials(**more):
            return [t.setting for t in eke.minimize(bowl, PARAMETERS, 4, cost="coins", server=server_url(), progress=False, **more).study.trials()]
        self.assertEqual(trials(seed=3), trials(study={"seed": 3}))
        self.assertNotEqual(trials(seed=3), trials(seed=4))
        front = eke.optimize(lambda s: {"a": s["x"], "b": -s["x"], "cost": 1}, {"x": eke.Float(0, 1)}, {"a": "minimize", "b": "minimize"}, 3, cost="coins",
                             server=server_url(), progress=False, seed=5)
        self.assertEqual(front.study.definition["seed"], 5)

    def test_a_real_terminal(self):
        try:
            import pty
        except ImportError:
            self.skipTest("there are no terminals of this kind here")
        code = ("import eke\n"
                "eke.minimize(lambda s: (s['x'] ** 2, 1), {'x': eke.Float(-1, 1)}, 4, cost='coins', server=%r)" % server_url())
        ours, theirs = pty.openpty()
        with subprocess.Popen([sys.executable, "-c", code], stdin=theirs, stdout=theirs, stderr=theirs,
                              env={**os.environ, "PYTHONPATH": os.path.join(HERE, ".."), "COLUMNS": "80", "LANG": "C.UTF-8"}):
            os.close(theirs)
            shown = b""
            while True:
                try:
                    read = os.read(ours, 4096)
                except OSError:  # that is how Linux says that the other end is closed
                    break
                if not read:
                    break
                shown += read
        os.close(ours)
        self.assertRegex(shown.decode(), r"\r░+ 0/4 coins · 0 trials")
        self.assertRegex(shown.decode(), r"\r█+ 4/4 coins · 4 trials · best \S+ · \d+:\d\d")

    def test_notebook(self):
        """With a stand-in for IPython that has the parts in use; a real notebook is run where nbconvert is installed."""
        shown = []

        class Place:
            def update(self, html):
                shown.append(html.data)

        def display(html, display_id):
            shown.append(html.data)
            return Place()

        class HTML:
            def __init__(self, data):
                self.data = data

        fake = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()),
                                     display=types.SimpleNamespace(HTML=HTML, display=display))
        with mock.patch.dict(sys.modules, {"IPython": fake}), mock.patch("eke._progress._EVERY", 3600):  # no looks in between
            result = eke.minimize(bowl, PARAMETERS, 12, cost="coins", server=server_url(), study={"seed": 3})
        self.assertEqual(len(shown), result.trials + 2)
        self.assertIn("<svg", shown[-1])
        self.assertIn(result.detail, shown[-1])

    def test_a_real_notebook(self):
        python = "/usr/bin/python3"
        if not BINARY or subprocess.run([python, "-c", "import nbconvert, ipykernel"], capture_output=True).returncode:
            self.skipTest("no notebook is run: nbconvert and ipykernel are not installed (Debian: jupyter-nbconvert python3-ipykernel)")
        script = r'''
import sys, nbformat
from nbconvert.preprocessors import ExecutePreprocessor
book = nbformat.v4.new_notebook()
book.cells = [nbformat.v4.new_code_cell("import eke\nr = eke.minimize(lambda s: (s['x'] ** 2, 1), {'x': eke.Float(-1, 1)}, 4, cost='coins', server=%r)" % sys.argv[1]),
              nbformat.v4.new_code_cell("r.study")]
ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(book, {})
for cell in book.cells:
    print([o.get("data", {}).get("text/html", "") for o in cell.outputs])
'''
        done = subprocess.run([python, "-c", script, server_url()], capture_output=True, text=True, timeout=900,
                              env={**os.environ, "PYTHONPATH": os.path.join(HERE, ".."), "PATH": "/usr/bin:/bin"})
        self.assertEqual(done.returncode, 0, done.stderr)
        live, study = done.stdout.splitlines()
        self.assertIn("4 of 4 coins spent, 4 trials", live)
        self.assertIn("4 of 4 coins spent, 4 trials", study)


class Processes(unittest.TestCase):
    def test_a_killed_process_fails_its_trial_only(self):
        study, here = client().create(definition(parallel=3, budget={"total": 20})), os.getpid()

        def f(setting):
            number = eke.current_trial().number
            assert os.getpid() != here
            if number == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            if number == 4:
                raise eke.TrialFailed("bad batch", cost=2)
            if number == 5:
                raise ValueError("no luck")
            return setting["x"], 1

        # What a trial without a cost is charged depends on how long it took. So the money is enough for each of these in any case.
        result = study.run(f, n_jobs=3, max_trials=8)
        trials = study.trials()
        self.assertEqual((result.reason, result.trials, len(trials)), ("max_trials", 8, 8))
        self.assertEqual([t.state for t in trials[2:5]], ["failed"] * 3)
        self.assertIn("was killed by signal 9", trials[2].note)
        self.assertEqual((trials[3].note, trials[3].charged), ("bad batch", 2))
        self.assertRegex(trials[4].note, r"ValueError: no luck\nat .*test_minimize.py")
        self.assertEqual({t.state for t in trials[5:]}, {"done"})
        self.assertLessEqual(study.spent, 20)
        self.assertAlmostEqual(study.spent, sum(t.charged for t in trials), 9)
        self.assertEqual(study.reserved, 0)

    def test_a_function_may_start_processes_of_its_own(self):
        """As data loaders do."""
        def f(setting):
            said = multiprocessing.get_context("fork").Queue()
            helper = multiprocessing.get_context("fork").Process(target=said.put, args=(setting["x"],))
            helper.start()
            value = said.get(timeout=60)
            helper.join()
            return value, 1

        study = client().create(definition(parallel=2, budget={"total": 20}))
        study.run(f, n_jobs=2, max_trials=4)
        self.assertEqual([(t.state, t.value) for t in study.trials()], [("done", t.setting["x"]) for t in study.trials()])

    def evaluate(self, process, trial):
        """Evaluates a trial that can be stopped, in a thread, and returns that, and a list for what is raised."""
        trial._heart, said = types.SimpleNamespace(over=threading.Event()), []

        def evaluate():
            try:
                process.evaluate(trial)
            except (eke.TrialFailed, eke.TrialStopped) as e:
                said.append(e)

        waiting = threading.Thread(target=evaluate, daemon=True)
        waiting.start()
        return waiting, said

    def test_the_death_of_a_process_is_heard_while_what_it_started_lives(self):
        """That holds the pipe, and what tells multiprocessing of the end. In a session of its own it is not ended with the process."""
        def helper():
            os.setsid()
            os.write(write, b"%d\n" % os.getpid())
            time.sleep(3600)

        def f(setting):
            multiprocessing.get_context("fork").Process(target=helper).start()
            time.sleep(3600)

        for how, expected in (("killed", "the process that evaluated it was killed by signal 9"), ("stopped", "somebody else ended it")):
            with self.subTest(how), mock.patch("eke._evaluators._GRACE", 3600):  # which nothing needs here
                read, write = os.pipe()
                process, trial = _Process(f), Trial.elsewhere(1, {})
                os.close(write)
                waiting, said = self.evaluate(process, trial)
                self.addCleanup(os.kill, int(os.read(read, 20)), signal.SIGKILL)
                os.close(read)
                if how == "killed":
                    os.kill(process._process.pid, signal.SIGKILL)
                else:
                    trial._heart.over.set()
                waiting.join(120)
                self.assertRegex("".join(map(str, said)), expected)

    def test_what_was_sent_before_the_death_is_read(self):
        process = _Process(lambda setting: 7)
        self.addCleanup(process.end)
        poll, looks = process._pipe.poll, []

        def late(seconds=0.0):
            """Sees nothing at first, and then what came meanwhile."""
            looks.append(seconds)
            if len(looks) > 1:
                return poll(seconds)
            poll(None)
            process._process.kill()
            process._process.join()
            return False

        with mock.patch.object(process._pipe, "poll", late):
            self.assertEqual(process.evaluate(Trial.elsewhere(1, {})), 7)

    def test_what_a_function_has_started_ends_with_its_process(self):
        """Processes of Python, other programs, and what does not heed SIGTERM. All of them hold the end of a pipe."""
        def stubborn(write):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(write, b"+")
            time.sleep(3600)

        for how in ("stopped", "ended", "killed"):
            with self.subTest(how), mock.patch("eke._evaluators._GRACE", 0.5):
                read, write = os.pipe()

                def f(setting):
                    other = subprocess.Popen(["sleep", "3600"], pass_fds=[write])
                    multiprocessing.get_context("fork").Process(target=stubborn, args=(write,)).start()
                    other.wait()

                process, trial = _Process(f), Trial.elsewhere(1, {})
                os.close(write)
                waiting, said = self.evaluate(process, trial)
                self.assertEqual(os.read(read, 1), b"+")
                if how == "stopped":
                    trial._heart.over.set()
                elif how == "ended":
                    process.end()
                else:
                    os.kill(process._process.pid, signal.SIGKILL)
                waiting.join(120)
                self.assertEqual(list(map(type, said)), [eke.TrialStopped if how == "stopped" else eke.TrialFailed])
                self.assertTrue(select.select([read], [], [], 120)[0], "something still runs")
                self.assertEqual(os.read(read, 1), b"")
                os.close(read)

    def test_what_a_function_has_started_ends_with_a_program_that_is_killed(self):
        read, write = os.pipe()
        code = ("import os, subprocess, time\nfrom eke._evaluators import Evaluators\nfrom eke._trial import Trial\n"
                "def f(setting):\n    subprocess.run(['sh', '-c', 'echo +; exec sleep 3600'], stdout=%d)\n"
                "with Evaluators(f, 2) as evaluate:\n    evaluate(Trial.elsewhere(1, {}))\n") % write
        with subprocess.Popen([sys.executable, "-c", code], pass_fds=[write], env={**os.environ, "PYTHONPATH": os.path.join(HERE, "..")}) as program:
            os.close(write)
            self.assertEqual(os.read(read, 2), b"+\n")
            program.kill()
        self.assertTrue(select.select([read], [], [], 120)[0], "something still runs")
        self.assertEqual(os.read(read, 1), b"")
        os.close(read)

    def test_processes_that_die_at_once(self):
        """They are replaced at once, too. When one of the new ones dies, that is heard while the others live.

        How one ended is told rightly even if a thread that starts another one has just collected it.
        """
        jobs, said, wait = 8, [], os.waitpid

        def slowly(pid, flags):
            ended = wait(pid, flags)
            if ended[0]:
                time.sleep(0.05)
            return ended

        def f(setting):
            if setting["dies"]:
                os.kill(os.getpid(), signal.SIGKILL)
            return 1

        with mock.patch("os.waitpid", slowly), Evaluators(f, jobs) as evaluate:
            def evaluate_one(dies):
                try:
                    said.append(evaluate(Trial.elsewhere(1, {"dies": dies})))
                except eke.TrialFailed as e:
                    said.append(str(e))

            def at_once(dies):
                threads = [threading.Thread(target=evaluate_one, args=(dies,), daemon=True) for _ in range(jobs)]
                for t in threads:
                    t.start()
                for t in threads:
                    t.join()

            def die_and_die_again():
                at_once(True)
                at_once(True)
                at_once(False)
                for _ in range(jobs):
                    evaluate_one(True)

            dying = threading.Thread(target=die_and_die_again, daemon=True)
            dying.start()
            dying.join(300)
            self.assertFalse(dying.is_alive(), said)
        killed = "the process that evaluated it was killed by signal 9"
        self.assertEqual(said, [killed] * 2 * jobs + [1] * jobs + [killed] * jobs)

    def test_trials_under_way_are_abandoned_on_ctrl_c(self):
        study = client().create(definition(parallel=2))
        code = ("import eke, os, signal, threading, time\n"
                "signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored\n"
                "def f(setting):\n    os.write(1, b'begun\\n')\n    time.sleep(600)\n"
                "try:\n    eke.Client(%r).study(%r).run(f, n_jobs=2)\n"
                "except KeyboardInterrupt:\n"
                "    for t in threading.enumerate():\n        if t.name.startswith('eke-worker'):\n            t.join()\n") % (study.client.url, study.name)
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True,
                              env={**os.environ, "PYTHONPATH": os.path.join(HERE, "..")}) as program:
            begun = program.stdout.readline() + program.stdout.readline()
            os.killpg(program.pid, signal.SIGINT)  # as a terminal does
            self.assertEqual((begun, program.wait()), ("begun\n" * 2, 0))
        self.assertEqual([t.state for t in study.trials()], ["abandoned"] * 2, study.trials())

    def test_limits_are_enforced(self):
        study = client().create(definition(cost={"source": "walltime"}, budget={"total": 60, "per_trial": 0.4}))
        begun = time.monotonic()
        study.run(lambda s: time.sleep(600), n_jobs=2, max_trials=2)
        self.assertLess(time.monotonic() - begun, 300)
        self.assertEqual([t.state for t in study.trials()], ["cut", "cut"])

    def test_arguments(self):
        study = client().create(definition())
        for wrong in ({"n_jobs": 0}, {"n_jobs": 2, "workers": 2}):
            with self.assertRaises(ValueError):
                study.run(bowl, **wrong)


class Shown(unittest.TestCase):
    def test_tables_models_and_pictures(self):
        result = eke.minimize(bowl, PARAMETERS, 25, cost="coins", server=server_url(), study={"seed": 3}, name=None)
        rows = result.records()
        self.assertEqual(len(rows), result.trials)
        self.assertEqual({"number", "state", "value", "charged", "params_x", "params_n"} - set(rows[0]), set())
        self.assertAlmostEqual(sum(row["charged"] for row in rows), result.spent, 9)
        self.assertEqual(set(result.importance()), {"x", "n"})
        self.assertEqual(result.insight()["state"], "ready")
        self.assertEqual(len(result.export().splitlines()), len(rows) + 1)
        self.assertIn(result.study.name, result.export("json"))
        self.assertEqual(len(result.study.heat("x", "n", 4)["value"]), 4)
        self.assertEqual(result.study.slice("x", at=result.setting)["parameter"], "x")
        result.study.rest(add=5)
        self.assertIn(f"{result.value:g} at n=", str(result))
        for html in (result._repr_html_(), result.study._repr_html_()):
            self.assertIn("<svg", html)
            self.assertIn(f"trial {result.best.number}", html)

    def test_nothing_is_markup(self):
        study = client().create(definition(parameters={"x": eke.Choice(["<b>", "<script>"])}, objective={"name": "<i>", "goal": "minimize"}))
        study.run(lambda s: (1, 1), max_trials=2)
        html = study._repr_html_()
        self.assertIn("&lt;", html)
        self.assertNotIn("<script>", html)

    def test_dataframe(self):
        study = client().create(definition())
        study.run(lambda s: (s["x"], 1), max_trials=3)
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(ImportError, "records"):
            study.trials_dataframe()
        pandas = types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows))
        with mock.patch.dict(sys.modules, {"pandas": pandas}):
            self.assertEqual(study.trials_dataframe(), ("frame", study.records()))


if __name__ == "__main__":
    unittest.main()
