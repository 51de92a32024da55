import gc
import os
import re
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import traceback
import unittest
from unittest import mock

from eke._trial import _Heart

from .support import BINARY, Clock, client, definition, eke, fresh, server_url, wait_for


class Studies(unittest.TestCase):
    def test_create_list_get(self):
        c = client()
        self.assertTrue(c.healthy())
        made = c.create(definition())
        text = f"name: {fresh()}\nobjective: {{goal: maximize}}\ncost: {{source: walltime}}\nbudget: {{total: 1h}}\n" \
               "parameters:\n  x: {type: float, min: 1e-5, max: 1, log: true}\n"
        from_yaml = c.create(text)
        self.assertEqual((from_yaml.goal, from_yaml.measured, from_yaml.total), ("maximize", True, 3600))
        self.assertEqual(c.create(text, exist_ok=True).name, from_yaml.name)
        # What the server shows can be sent again under another name.
        copy = c.create({**from_yaml.definition, "name": fresh()})
        self.assertEqual(copy.definition["parameters"], from_yaml.definition["parameters"])
        listed = {s.name: s for s in c.studies()}
        self.assertLessEqual({made.name, from_yaml.name, copy.name}, set(listed))
        self.assertEqual(listed[made.name].definition, made.definition)
        self.assertEqual(c.study(made.name).left, 100)
        self.assertIsNone(made.best())
        self.assertIn("0 of 100 spent", repr(made))

    def test_manage(self):
        c = client()
        study = c.create(definition())
        tag = fresh()
        self.assertEqual(study.label(tags=["b", tag, "b"], notes="*why*").tags, tuple(sorted(["b", tag])))
        self.assertEqual(study.refresh().notes, "*why*")
        self.assertEqual([s.name for s in c.studies(tag=tag)], [study.name])
        self.assertEqual([s.name for s in c.studies(study.name[2:], state="paused")], [])
        for _ in range(2):
            study.add_budget(5, key="once")
        self.assertEqual(study.total, 105)
        with self.assertRaises(eke.BadRequest):
            study.add_budget(6, key="once")
        with study.ask() as trial:
            trial.tell(1, 2)
        copy = study.copy(fresh(), {"budget": {"total": 7}}, results=True)
        self.assertEqual((copy.total, copy.raw["known"], sum(copy.counts.values())), (7, 1, 0))
        self.assertEqual(sorted(s.name for s in c.studies(tag=tag, sort="left")), sorted([study.name, copy.name]))
        self.assertEqual(study.files(1), [])
        with self.assertRaises(eke.NotFound):
            list(study.output(1))
        self.assertIn("<html", study.report())
        self.assertTrue(c.ready())
        self.assertEqual(c.me()["role"], "admin")
        copy.delete(confirm=copy.name)

    def test_every_kind_of_parameter(self):
        parameters = {
            "lr": eke.Float(1e-5, 1e16, log=True), "n": eke.Int(0, 10, step=5), "opt": eke.Choice(["sgd", "größer 😀", 3]),
            "size": eke.Ordered([1, 2, 8]), "flag": eke.Bool(), "fixed": eke.Fixed("yes"), "beta": eke.Float(0, 1, when={"opt": "sgd"}),
        }
        wanted = definition(parameters=parameters)
        study = client().create(wanted)
        self.assertEqual([p["name"] for p in study.definition["parameters"]], list(parameters))
        self.assertEqual(client().create(wanted, exist_ok=True).name, study.name)
        for trial in study.ask_many(6):
            with trial:
                self.assertLessEqual(set(trial.setting), set(parameters))
                self.assertEqual("beta" in trial.setting, trial.setting["opt"] == "sgd")
                trial.tell(1, 1)

    def test_second_thoughts(self):
        study = client().create(definition())
        self.assertEqual(study.enqueue({"x": 0.5, "n": 3}, "as last year", key="once"), 1)
        self.assertEqual(study.enqueue({"x": 0.5, "n": 3}, "as last year", key="once"), 1)
        study.enqueue({"x": 0.25, "n": 3})
        self.assertEqual([i["number"] for i in study.queue()], [1, 2])
        study.drop(2)
        with self.assertRaises(eke.BadRequest) as refused:
            study.enqueue({"x": 7, "n": 3})
        self.assertEqual(str(refused.exception).count(refused.exception.faults[0].message), 1, str(refused.exception))
        with study.ask() as trial:
            self.assertEqual(dict(trial.setting), {"x": 0.5, "n": 3})
            trial.tell(0.25, 3)
        got = study.import_results([{"setting": {"x": 0.75, "n": 1}, "value": 0.125, "cost": 2}, {"setting": {"x": 9, "n": 1}, "value": 1}])
        self.assertEqual((got["added"], [r["index"] for r in got["refused"]]), (1, [1]))
        study.forget(1)
        self.assertTrue(study.trial(1).forgotten)
        study.forget(1, undo=True)
        corrected = study.correct(1, cost=4, note="misread")
        self.assertEqual((corrected.value, corrected.charged, corrected.raw["was"][0]["charged"]), (0.25, 4, 3))
        self.assertEqual(study.refresh().spent, 4)
        study.retry(1)
        self.assertEqual(study.queue()[0]["retries"], 1)
        self.assertTrue(study.pause().paused)
        with self.assertRaises(eke.Paused):
            study.ask()
        self.assertFalse(study.resume().paused)
        with study.ask() as trial:
            self.assertEqual(study.stop(trial.number).state, "running")
            self.assertTrue(study.trial(trial.number).raw["stopping"])
            trial.fail(state="cut", cost=1)
        self.assertTrue(study.archive().archived)
        with self.assertRaises(eke.Closed):
            study.ask()
        study.archive(undo=True)
        name = fresh()
        self.assertEqual(study.rename(name).name, name)
        with self.assertRaises(eke.BadRequest):
            study.delete(confirm="other")
        study.delete(confirm=name)
        with self.assertRaises(eke.NotFound):
            study.refresh()

    def test_changed_when_it_has_begun(self):
        study = client().create(definition())
        with study.ask() as trial:
            trial.tell(0.25, 3)
        text = study.study_file()
        total = study.definition["budget"]["total"]
        self.assertIn(f"total: {total}", text)
        self.assertEqual(study.change(text), [])
        changes = study.change(text.replace(f"total: {total}", f"total: {total + 5}"))
        self.assertRegex(changes[0], "raised from")
        self.assertEqual(study.definition["budget"]["total"], total + 5)
        study.change({**study.definition, "parallel": 3})
        self.assertEqual(study.definition["parallel"], 3)
        with self.assertRaises(eke.BadRequest) as refused:
            study.change({**study.definition, "seed": 99})
        self.assertEqual(refused.exception.faults[0].location, "body.seed")
        self.assertIsNone(study.finished)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.csv")
            with open(path, "w", encoding="utf-8") as f:
                f.write("x,count,value,cost\n0.5,3,1.5,2\n9,3,1.5,2\n")
            self.assertEqual(study.import_file(path, dry_run=True)["missing"], ["n"])
            got = study.import_file(path, {"count": "n"})
        self.assertEqual((got["added"], got["left_out"], got["matched"]["n"]), (1, 1, "count"))
        near = study.neighbours(1, count=1)
        self.assertEqual((near[0]["known"], near[0]["value"]), (True, 1.5))
        study.end()
        self.assertEqual(study.refresh().finished["code"], "closed")
        self.assertIn("finished: somebody ended it", repr(study))
        listed, = study.client.studies(study.name)
        self.assertEqual(listed.finished, study.finished)

    def test_trial_by_trial(self):
        study = client().create(definition())
        with study.ask() as trial:
            self.assertEqual(set(trial.setting), {"x", "n"})
            told = trial.tell(0.25, 3, note="fine")
        self.assertEqual((told.state, told.value, told.charged, told.note), ("done", 0.25, 3, "fine"))
        self.assertEqual(trial.tell(0.25, 3, note="fine"), told)  # again: the same
        with self.assertRaises(eke.Conflict):
            trial.tell(0.5, 3)
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            with study.ask():
                1 / 0
        with study.ask():
            pass
        with self.assertRaises(SystemExit):
            with study.ask():
                raise SystemExit
        self.assertEqual([t.state for t in study.trials()], ["done", "failed", "abandoned", "abandoned"])
        self.assertIn("ZeroDivisionError", study.trial(2).note)
        self.assertEqual([t.number for t in study.trials(state="abandoned", after=3)], [4])
        self.assertEqual(study.best().number, 1)
        self.assertIn("policy", study.why(1))
        self.assertIsNotNone(study.trial(1).finished.tzinfo)
        by_hand = study.ask(by_hand=True)
        self.assertIsNone(by_hand._heart)
        self.assertEqual(study.tell(by_hand.number, 0.125, 1, key="k").value, 0.125)
        self.assertEqual(study.tell(by_hand.number, 0.125, 1, key="k").value, 0.125)
        self.assertEqual(study.fail(study.ask(by_hand=True).number, "broken", cost=1).state, "failed")
        self.assertEqual(study.ask(key="same").number, study.ask(key="same").number)
        study.end()
        self.assertTrue(study.closed)
        with self.assertRaises(eke.Closed):
            study.ask()

    def test_noise(self):
        study = client().create(definition(noise=True))
        self.assertIsNone(study.best())
        for value in (0.5, 0.7):
            with study.ask() as trial:
                trial.tell(value, 1)
        best = study.best()
        self.assertIsNone(study.trial(best.number).estimate)
        found = best.estimate
        self.assertEqual(best.value, found.value)
        self.assertTrue(found.low <= found.value <= found.high and found.sd >= 0)
        self.assertEqual(found.values, (study.trial(best.number).value,))

    def test_money(self):
        study = client().create(definition(budget={"total": 2, "per_trial": 2}))
        trials = []
        with self.assertRaises(eke.BudgetPending) as caught:
            while True:
                trials.append(study.ask())
        self.assertGreater(caught.exception.retry_after, 0)
        trials[0].tell(1, 2.0)
        for t in trials[1:]:
            t.fail(cost=0)
        with self.assertRaises(eke.BudgetSpent) as spent:
            study.ask()
        self.assertIsInstance(spent.exception, eke.Over)
        self.assertEqual((spent.exception.code, spent.exception.status), ("budget_spent", 409))
        self.assertEqual(study.add_budget(5).total, 7)
        study.ask().tell(1, 1)
        # A loop waits for money that others hold, but not for ever.
        study = client().create(definition(budget={"total": 2, "per_trial": 2}))
        held = study.ask_many(64)
        self.assertEqual(study.run(lambda s: (1, 1), max_wait=0.05).reason, "budget_pending")
        for t in held:
            t.abandon()


class Leases(unittest.TestCase):
    def test_a_namesake_gets_no_result(self):
        """A name and a number are not an identity: a late result is of the trial that was asked for, or of none."""
        how = definition()
        study = client().create(how)
        late, followed = study.ask(), study.ask()
        for trial in (late, followed):
            study.fail(trial.number, "given up", state="abandoned", cost=1)
        name = fresh()
        study = study.rename(name)
        other = client().create(how)
        rightful = other.ask()
        followed.tell(0.5, 1)
        self.assertEqual(study.trial(followed.number).value, 0.5)
        study.delete(confirm=name)
        with self.assertRaises(eke.UnknownLease):
            late.tell(0.25, 1)
        rightful.tell(0.75, 1)
        other.refresh()
        self.assertEqual((other.spent, other.trial(1).value), (1, 0.75))
        with self.assertRaises(eke.NotFound):
            study.refresh()

    def test_a_heartbeat_says_stop(self):
        study = client().create(definition())
        with mock.patch.object(_Heart, "_pause", return_value=0.05), study.ask() as trial:
            study.stop(trial.number)
            wait_for(lambda: trial.stop, "the trial is told to stop")
            with self.assertRaises(eke.TrialStopped):
                trial.check()
            trial.fail(state="cut", cost=1)

    def test_heartbeats_and_late_results(self):
        if not BINARY:
            self.skipTest("there is no program eke")
        with eke.Server(binary=BINARY, lease="10s") as server:  # much longer than a busy machine keeps a heartbeat waiting
            study = server.client().create(definition(parallel=3))
            alive, silent, dropped = study.ask(), study.ask(), study.ask()
            silent._heart.quiet.set()
            number, heart = dropped.number, dropped._heart
            del dropped  # whom nobody holds, nobody will tell
            gc.collect()
            wait_for(lambda: not heart.thread.is_alive(), "the heartbeat of a dropped trial ends")
            wait_for(lambda: {study.trial(n).state for n in (silent.number, number)} == {"abandoned"}, "the silent are abandoned")
            self.assertEqual(study.trial(alive.number).state, "running")  # it was asked for before them
            self.assertFalse(alive.stop or alive.lost)
            # Late, and taken once.
            charged = silent.tell(0.5, 4).charged
            self.assertEqual(charged, 4)
            self.assertEqual(silent.tell(0.5, 4).charged, 4)
            with self.assertRaisesRegex(eke.Conflict, "is already done"):
                silent.fail()
            self.assertEqual(study.trial(silent.number).value, 0.5)
            # Ended by somebody else: the heartbeat hears of it.
            study.fail(alive.number, "by another", cost=1)
            wait_for(lambda: alive.stop, "the trial is told to stop")
            self.assertTrue(alive.lost)
            with self.assertRaises(eke.TrialStopped):
                alive.check()
            with self.assertRaises(eke.Conflict):
                alive.tell(1, 1)
            self.assertAlmostEqual(study.refresh().spent, 5 + study.trial(number).charged)
            wait_for(lambda: not any(t.name.startswith(f"eke-heartbeat-{study.name}") for t in threading.enumerate()), "heartbeats end")


class BadInput(unittest.TestCase):
    def test_definitions(self):
        c = client()
        wrong = definition(objective={"goal": "minimise"}, parameters={"x": eke.Float(3, 1)})
        with self.assertRaises(eke.BadRequest) as caught:
            c.create(wrong)
        e = caught.exception
        self.assertEqual((e.code, e.status), ("bad_request", 422))
        self.assertEqual(set(e.fields), {"body.objective.goal", "body.parameters.x.max"})
        self.assertEqual(str(e), "the study's definition has mistakes:\n"
                         '  objective.goal: goal is "minimise", but must be one of minimize, maximize (did you mean minimize?)\n'
                         "  parameters.x.max: min is 3, above max 1 (give the smaller one as min)")
        with self.assertRaisesRegex(eke.BadRequest, "line 2: budgets"):
            c.create(f"name: {fresh()}\nbudgets: 3\n")
        there = c.create(definition())
        with self.assertRaises(eke.Exists):
            c.create(definition(name=there.name))
        with self.assertRaisesRegex(ValueError, "already a study .*, and its parameter x has max 2, not 7"):
            c.create(definition(name=there.name, parameters={"x": eke.Float(-1, 7), "n": eke.Int(1, 4)}), exist_ok=True)
        with self.assertRaisesRegex(ValueError, "its parameters are n, x, not y"):
            c.create(definition(name=there.name, parameters={"y": eke.Float(-1, 7)}), exist_ok=True)
        with self.assertRaisesRegex(TypeError, "parameter 'x' must be something like"):
            eke.minimize(lambda s: 1, {"x": (0, 1)}, 1, client=c)
        for kind in (eke.Choice, eke.Ordered):
            with self.assertRaisesRegex(TypeError, rf"the values are a list: eke\.{kind.__name__}\(\['wal', …\]\)"):
                kind("wal")
        with self.assertRaisesRegex(TypeError, "YAML text or a dict, not int"):
            c.create(3)
        with self.assertRaisesRegex(ValueError, "finite"):
            c.create(definition(budget={"total": float("inf")}))

    def test_results(self):
        study = client().create(definition())
        with study.ask() as trial:
            for value, kind, message in ((float("nan"), ValueError, "value must be finite, not nan"), ("1", TypeError, "not str"),
                                         (None, TypeError, "not NoneType"), (1e200, eke.BadRequest, r"(?<!body\.)value")):
                with self.subTest(value), self.assertRaisesRegex(kind, message):
                    trial.tell(value, 1)
            with self.assertRaisesRegex(eke.BadRequest, "^cost: the cost of the trial is missing"):
                trial.tell(1)
            with self.assertRaises(eke.BadRequest) as caught:
                trial.tell(1, -1)
            self.assertIn("body.cost", caught.exception.fields)
            with self.assertRaisesRegex(eke.BadRequest, r"(?<!body\.)state"):
                trial.fail(state="lazy")
            trial.tell(1, 1)
        with self.assertRaisesRegex(eke.BadRequest, r"(?<!body\.)count"):
            study.ask_many(0)
        with self.assertRaisesRegex(eke.BadRequest, r"(?<!body\.)worker"):
            study.ask(worker="two words")
        with self.assertRaisesRegex(eke.BadRequest, r"(?<!body\.)add"):
            study.add_budget(-3)
        with self.assertRaises(eke.NotFound):
            study.trial(99)
        with self.assertRaisesRegex(eke.NotFound, "no study of that name"):
            client().study("no/such?study")
        with self.assertRaises(ValueError):
            study.run(lambda s: 1, workers=0)

    def test_nobody_there(self):
        clock = Clock()
        with mock.patch("eke._http.time", clock):
            with self.assertRaisesRegex(eke.Unavailable, r"eke serve, or .* eke\.Server\(db=\"eke\.db\"\)\.start\(\)\.client\(\)"):
                eke.Client("http://127.0.0.1:9").studies()
            self.assertEqual(clock.monotonic(), Clock().monotonic(), "it waits for a server that nobody has started")
            self.assertFalse(eke.Client("http://127.0.0.1:9").healthy())
            there = eke.Client("http://127.0.0.1:9", patience=8)
            there._transport._answered = True  # one that was there may come back
            with self.assertRaisesRegex(eke.Unavailable, "cannot be reached"):
                there.studies()
            self.assertGreater(clock.monotonic(), Clock().monotonic())

    def test_addresses(self):
        for url in ("ftp://x", "localhost:8420", "http://", "http://a/?b=c"):
            with self.subTest(url), self.assertRaisesRegex(ValueError, "is not the address of a server"):
                eke.Client(url)
        with self.assertRaisesRegex(ValueError, "write http://localhost:8420$"):
            eke.Client("localhost:8420")
        for url in ("http://a:1/eke/api/v1", "http://a:1/eke/api/v1/", "http://a:1/eke/"):
            self.assertEqual(eke.Client(url).url, "http://a:1/eke")
        with self.assertRaisesRegex(ValueError, "set EKE_TOKEN") as caught:
            eke.Client("http://me:hidden@host")
        self.assertNotIn("hidden", str(caught.exception))
        with self.assertRaisesRegex(FileNotFoundError, "in the PATH"), mock.patch("shutil.which", return_value=None):
            eke.Server()


class Tokens(unittest.TestCase):
    def test_roles(self):
        if not BINARY:
            self.skipTest("there is no program eke")
        with eke.Server(binary=BINARY) as server:
            def new(role):
                return subprocess.run([BINARY, "--db", server.db, "token", "new", "--role", role], check=True, timeout=120,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
            admin, worker, reader = server.client(new("admin")), server.client(new("worker")), server.client(new("reader"))

            def guarded():
                try:
                    server.client().studies()
                except eke.Unauthenticated:
                    return True

            wait_for(guarded, "the server notices that there are tokens")
            study = admin.create(definition())
            with self.assertRaisesRegex(eke.Forbidden, "needs the role admin; the token has the role worker"):
                worker.create(definition())
            worker.study(study.name).ask().tell(1, 1)
            with self.assertRaises(eke.Forbidden):
                reader.study(study.name).ask()
            self.assertEqual(reader.study(study.name).spent, 1)
            with self.assertRaisesRegex(eke.Unauthenticated, "needs a token .*eke token new"):
                server.client().studies()
            with self.assertRaisesRegex(eke.Unauthenticated, "unknown or revoked"):
                server.client("eke_wrong").studies()
            secret = admin._transport._token
            with mock.patch.dict(os.environ, {"EKE_TOKEN": secret, "EKE_SERVER": server.url}):
                by_environment = eke.Client()
                self.assertEqual([s.name for s in by_environment.studies()], [study.name])
                with self.assertRaises(eke.Unauthenticated):
                    eke.Client(token="").studies()
            trial = by_environment.study(study.name).ask()
            for thing in (admin, by_environment, admin._transport, study, trial, server):
                self.assertNotIn(secret, repr(thing) + str(thing))
            trial.abandon()

    def test_not_unencrypted(self):
        with self.assertRaisesRegex(ValueError, "unencrypted") as caught:
            eke.Client("http://eke.example.org", "eke_secret")
        self.assertNotIn("eke_secret", str(caught.exception))
        eke.Client("http://eke.example.org", "eke_secret", insecure=True)
        eke.Client("https://eke.example.org", "eke_secret")
        eke.Client("http://[::1]:8420", "eke_secret")
        with self.assertRaises(ValueError) as caught:
            eke.Client("http://localhost", "eke_se\ncret")
        self.assertNotIn("cret", str(caught.exception))

    def test_tls(self):
        url, certificate = os.environ.get("EKE_TEST_TLS_SERVER"), os.environ.get("EKE_TEST_TLS_CERT")
        if not url or not certificate:
            self.skipTest("go test starts the server for this")
        wary = eke.Client(url)
        with mock.patch.object(wary._transport, "_once", side_effect=wary._transport._once) as once:
            with self.assertRaisesRegex(eke.Unavailable, "certificate of .* is not trusted"):
                wary.studies()
        self.assertEqual(once.call_count, 1)  # waiting will not help
        trusting = eke.Client(url, context=ssl.create_default_context(cafile=certificate))
        trusting.create(definition()).ask().tell(1, 1)


def whole_request(peer):
    """Reads a request to its end. If a part of it is left, the system resets the connection, and the answer may be lost."""
    with peer.makefile("rb") as stream:
        head = b"".join(iter(stream.readline, b"\r\n")).decode()
        length = re.search(r"(?i)^content-length: (\d+)", head, re.M)
        return head + stream.read(int(length.group(1)) if length else 0).decode()


class Flaky(unittest.TestCase):
    """A server that reads requests and hangs up. How often the client asks again does not depend on how fast that is."""

    def setUp(self):
        patched = mock.patch("eke._http.time", Clock())
        patched.start()
        self.addCleanup(patched.stop)

    def serve(self, answers):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        seen = []

        def run():
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                with peer:
                    seen.append(whole_request(peer))
                    peer.sendall(answers[min(len(seen), len(answers)) - 1].encode())

        threading.Thread(target=run, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}", seen

    def test_repeats_what_may_be_repeated(self):
        good = "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"studies\":[]}"
        url, seen = self.serve(["", good[:-3], "HTTP/1.1 503 x\r\nContent-Length: 0\r\nRetry-After: 0\r\n\r\n", good])
        self.assertEqual(eke.Client(url).studies(), [])
        self.assertEqual(len(seen), 4)

    def test_keys_stay_the_same(self):
        url, seen = self.serve(["", "HTTP/1.1 404 x\r\nContent-Length: 2\r\n\r\nno"])
        study = eke.Study(eke.Client(url), {"name": "s"})
        with self.assertRaises(eke.NotFound):
            study.ask()
        keys = {line for request in seen for line in request.splitlines() if line.startswith("Idempotency-Key")}
        self.assertEqual((len(seen), len(keys)), (2, 1))

    def test_money_is_not_added_twice(self):
        url, seen = self.serve([""])
        with self.assertRaisesRegex(eke.Unavailable, "may have been carried out"):
            eke.Study(eke.Client(url), {"name": "s"}).add_budget(3)
        self.assertEqual(len(seen), 1)

    def test_gives_up(self):
        url, seen = self.serve([""])
        with self.assertRaisesRegex(eke.Unavailable, "cannot be reached") as caught:
            eke.Client(url, "eke_secret", patience=0.3).studies()
        self.assertGreater(len(seen), 1)
        self.assertNotIn("eke_secret", "".join(traceback.format_exception(None, caught.exception, None)))
        self.assertFalse(eke.Client(url).healthy())

    def test_silence(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        begun = time.monotonic()
        with self.assertRaisesRegex(eke.Unavailable, "did not answer in time"):
            eke.Client(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.2, patience=0).studies()
        self.assertLess(time.monotonic() - begun, 20)

    def test_not_eke(self):
        url, _ = self.serve(["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"])
        with self.assertRaisesRegex(eke.EkeError, "is not an eke server"):
            eke.Client(url).studies()
        url, _ = self.serve(["HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\n<html>"])
        with self.assertRaisesRegex(eke.EkeError, "is not an eke server: it answered 404"):
            eke.Client(url).study("oven")


if __name__ == "__main__":
    unittest.main()
