"""The pictures in notebooks, and the tutorial, which is run as it is."""

import ast
import io
import json
import os
import re
import subprocess
import sys
import threading
import types
import unittest
import xml.dom.minidom
from unittest import mock

from .support import BINARY, client, definition, eke
from eke import _draw, _html, _progress

HERE = os.path.dirname(os.path.abspath(__file__))
TUTORIAL = os.path.join(HERE, "..", "..", "..", "examples", "notebook", "tutorial.ipynb")


class Notebook:
    """Stands for IPython: it has the parts that are in use, and keeps what is shown."""

    def __init__(self):
        self.shown = []  # everything, in its order
        self.news = threading.Condition()

        class HTML:
            def __init__(self, data):
                self.data = data

        class Place:
            def update(place, html):
                self._show(html.data)

        def display(html, display_id):
            self._show(html.data)
            return Place()

        self.module = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()),
                                            display=types.SimpleNamespace(HTML=HTML, display=display))

    def _show(self, html):
        with self.news:
            self.shown.append(html)
            self.news.notify_all()

    def wait(self, says):
        """Waits until something is shown that says so."""
        with self.news:
            assert self.news.wait_for(lambda: any(says in html for html in self.shown), timeout=300), f"{says!r} was never shown"

    def __enter__(self):
        self._patch = mock.patch.dict(sys.modules, {"IPython": self.module})
        self._patch.start()
        return self

    def __exit__(self, *_):
        self._patch.stop()

    def run(self, source, names):
        """Runs a cell; what its last expression shows of itself is shown."""
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if hasattr(value, "_repr_html_"):
                self._show(value._repr_html_())


def pictures(html):
    """The SVG pictures in some HTML, parsed."""
    return [xml.dom.minidom.parseString(svg).documentElement for svg in re.findall(r"<svg.*?</svg>", html, re.S)]


def texts(svg):
    return [t.firstChild.data for t in svg.getElementsByTagName("text") if t.firstChild]


def dots(svg, kind):
    return [c for c in svg.getElementsByTagName("circle") if c.getAttribute("class") == kind]


class Drawing(unittest.TestCase):
    def test_ticks_are_round(self):
        self.assertEqual(_draw.ticks(0, 10, 5), [0, 2, 4, 6, 8, 10])
        self.assertEqual(_draw.ticks(0.12, 0.31, 4), [0.15000000000000002, 0.2, 0.25, 0.30000000000000004])
        self.assertEqual(_draw.ticks(3, 3, 5), [3])
        self.assertEqual(_draw.ticks(0, float("inf"), 5), [0])

    def test_a_few_bad_values_do_not_press_the_rest_into_a_line(self):
        low, high = _draw.shown([1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1000], "minimize")
        self.assertLess(high, 3)
        low, high = _draw.shown([1, 2, 3], "maximize")
        self.assertTrue(low < 1 and high > 3)
        self.assertIsNone(_draw.shown([], "minimize"))

    def test_what_is_outside_is_at_the_edge(self):
        chart = _draw.Chart((0, 1), (0, 1), "x", "y", "<chart>")
        chart.dot(9, 9, "<far>")
        svg, = pictures(chart.svg())
        self.assertEqual(float(dots(svg, "trial")[0].getAttribute("cx")), 508)


class Pictures(unittest.TestCase):
    def test_a_study_has_axes_dots_and_all_trials_on_demand(self):
        study = client().create(definition(budget={"total": 100}, objective={"name": "loss", "goal": "minimize"}))

        def f(setting):
            number = eke.current_trial().number
            if number == 3:
                raise eke.TrialFailed("bad batch", cost=2)
            return abs(number - 5), 2  # the best is the fifth

        study.run(f, max_trials=20)
        html = study._repr_html_()
        svg, = pictures(html)
        self.assertEqual((len(dots(svg, "trial")), len(dots(svg, "best"))), (18, 1))
        self.assertIn("trial 5: 0 for 2 coins", dots(svg, "best")[0].toxml())
        self.assertEqual(len([p for p in svg.getElementsByTagName("path") if p.getAttribute("class") == "failed"]), 1)
        for said in ("spent, coins", "loss", "0", "10", "20", "30", "40"):
            self.assertIn(said, texts(svg))
        short, whole = html.split("<details>")
        self.assertIn("all 20 trials", whole)
        self.assertEqual((short.count("<tr") - 1, whole.count("<tr") - 1), (9, 20))  # the last eight and the best; all
        for table in (short, whole):
            self.assertEqual(re.findall(r'<tr class="best"[^>]*><td>(\d+)', table), ["5"])

    def test_a_best_that_was_known_before_is_no_trial(self):
        study = client().create(definition())
        study.import_results([{"setting": {"x": 0, "n": 1}, "value": -3, "cost": 1}])
        study.run(lambda s: (1, 1), max_trials=1)
        html = study._repr_html_()
        self.assertIn("best: <b>-3</b> at n=1, x=0 (known before)", html)
        self.assertNotIn("(trial", html)

    def test_one_coin_is_in_the_singular(self):
        study = client().create(definition(policy={"name": "auto"}, seed=4, budget={"total": 1}, parameters={"x": eke.Float(0, 1)}, stop="never"))
        study.import_results([{"setting": {"x": x}, "value": x, "cost": 0.5} for x in (0.25, 0.5, 0.75)])
        with study.ask() as trial:
            trial.tell(1, cost=0.5)
        self.assertIn("for 0.5 coins", dots(pictures(study._repr_html_())[0], "trial")[0].toxml())  # of 1 coin
        plan = study.plan()
        one = type(plan)({**plan, "expected": {**plan["expected"], "cost_median": 1}, "next": []}, 1, trial.setting, study.raw)
        self.assertRegex(repr(one), "cost 1 coin$")
        self.assertIn("for 1 coin:", dots(pictures(one._repr_html_())[0], "trial")[0].toxml())
        study.add_budget(99)
        with study.ask() as trial:
            trial.tell(2, cost=1)
        self.assertIn("trial 2: 2 for 1 coin<", dots(pictures(study.refresh()._repr_html_())[0], "trial")[1].toxml())

    def test_a_trial_outside_of_changed_parameters_does_not_count(self):
        study = client().create(definition(parameters={"x": eke.Float(0, 1)}))
        for x, value in ((0.9, 0.1), (0.2, 0.5)):
            study.enqueue({"x": x})
            with study.ask() as trial:
                trial.tell(value, cost=1)
        study.change({**study.definition, "parameters": {"x": eke.Float(0, 0.5)}})
        trials = study.trials()
        self.assertEqual([t.outside for t in trials], [True, False])
        self.assertEqual(_html.staircase(trials, "minimize"), [(2, 0.5)])
        html = study._repr_html_()
        self.assertIn("<td>1</td><td>done, does not count</td><td>0.1</td>", html)
        svg, = pictures(html)
        self.assertEqual((len(dots(svg, "quiet")), len(dots(svg, "best"))), (1, 1))
        terminal = _progress._Terminal(study, io.StringIO(), False)
        self.assertEqual([terminal._is_news(t) for t in trials], [False, True])
        self.assertEqual([row["outside"] for row in study.records()], [True, False])

    def test_a_noisy_study_has_a_band_and_no_stairs(self):
        study = client().create(definition(noise=True, seed=2, budget={"total": 100}))
        study.run(lambda s: ((s["x"] - 0.5) ** 2 + 0.1 * (eke.current_trial().number % 3), 1), max_trials=12)
        self.assertIsNotNone(study.refresh().raw["best"].get("estimate"))
        svg, = pictures(study._repr_html_())
        self.assertEqual(len(svg.getElementsByTagName("polygon")), 1)
        self.assertEqual(len(svg.getElementsByTagName("polyline")[0].getAttribute("points").split()), 2)

    def test_rest_and_plan_are_dicts_and_pictures(self):
        study = client().create(definition(policy={"name": "auto"}, seed=4, budget={"total": 60}, stop="never"))
        self.assertIsNone(study.plan())
        study.run(lambda s: ((s["x"] - 0.5) ** 2 + 0.1 * s["n"], s["n"]), max_trials=9)
        rest = study.rest(add=10)
        self.assertIsInstance(rest, dict)
        self.assertEqual(json.loads(json.dumps(rest)), rest)
        self.assertRegex(str(rest), r"^The remaining \S+ coins are expected to (improve|leave) objective .*\(80% between \S+ and \S+\)\.$")
        worse = type(rest)({**rest, "left": 12.0, "reserved": 2.0, "best": 1.0, "worse": 1.5, "median": 1.1, "better": 0.5}, study.raw)
        self.assertEqual(repr(worse), "The remaining 10 coins, and the reserved 2 coins, are expected to leave objective at about 1.1 (80% between 0.5 and 1.5).")
        small = type(rest)({**rest, "left": 1.0, "reserved": 0.0, "best": 10.0, "worse": 10.0, "median": 9.99996, "better": 9.9999}, study.raw)
        self.assertEqual(repr(small), "The remaining 1 coin is expected to improve objective from 10 to about 9.99996 (80% between 9.9999 and 10).")
        none = type(rest)({**rest, "left": 0.5, "reserved": 0.0, "best": 1.0, "worse": 1.0, "median": 1.0, "better": 1.0, "gain": 0.0}, study.raw)
        self.assertEqual(repr(none), "The remaining 0.5 coins are expected to buy nothing better than objective 1.")
        svg, = pictures(rest._repr_html_())
        self.assertIn("more money, coins", texts(svg))
        self.assertEqual((len(svg.getElementsByTagName("polygon")), len(svg.getElementsByTagName("polyline"))), (1, 1))
        self.assertIn(f"now {rest['best']:.4g}", texts(svg))
        plan = study.plan()
        self.assertEqual((plan.number, dict(plan)), (9, study.why(9)))
        self.assertEqual(plan.setting, study.trial(9).setting)
        self.assertRegex(repr(plan), r"^trial 9: .*\n  .*x=.*: expected .* \(80% between .* and .*\), cost ")
        self.assertEqual(repr(plan).count("\n  then "), len(plan.steps()) - 1)
        svg, = pictures(plan._repr_html_())
        self.assertIn("cost from here on, coins", texts(svg))
        self.assertEqual(len(dots(svg, "trial")), len(plan.steps()))
        with self.assertRaises(eke.NotFound):
            study.plan(99)
        study.enqueue({"x": 0.5, "n": 2})
        with study.ask() as trial:
            trial.tell(1, cost=1)
        self.assertIn("trial 10", study.plan()._repr_html_())

    def test_a_plan_shows_no_values_while_their_scale_is_not_known(self):
        one = definition(policy={"name": "auto"})
        two = definition(policy={"name": "auto"}, objectives={"cut": {"goal": "minimize"}, "wear": {"goal": "minimize"}})
        del two["objective"]
        for made, unknown in ((one, 1), (two, 2)):
            study = client().create(made)
            study.import_results([{"setting": {"x": x, "n": 1}, "value": x, "cost": 1, "metrics": {"wear": -x}} for x in (0.25, 0.75)])
            with study.ask() as trial:
                plan = study.plan(trial.number)
                trial.tell(1, cost=1, metrics={"wear": 1})
            self.assertTrue(plan["expected"]["early"])
            html = plan._repr_html_()
            self.assertEqual((pictures(html), html.count("<td>not known yet</td>")), ([], unknown), html)
            for text in (repr(plan), html):
                self.assertNotIn("80% between", text)
                self.assertIn("x=", text)

    def test_several_objectives_show_their_front(self):
        made = definition(objectives={"<accuracy>": {"goal": "maximize"}, "<latency>": {"goal": "minimize", "worst": 200}})
        del made["objective"]
        study = client().create(made)
        self.assertIn("nothing is on the front yet", study._repr_html_())
        seen = [(1, 90), (2, 100), (3, 110), (2, 120), (1, 130), (0, 140), (0, 141), (0, 142), (0, 143), (0, 144), (0, 145), (0, 146)]

        def f(setting):
            accuracy, latency = seen[eke.current_trial().number - 1]
            return {"<accuracy>": accuracy, "<latency>": latency, "cost": 1}

        result = study.run(f, max_trials=len(seen))
        self.assertEqual(repr(result.front()), "trial 3: <accuracy>=3, <latency>=110\ntrial 2: <accuracy>=2, <latency>=100\ntrial 1: <accuracy>=1, <latency>=90")
        self.assertEqual(result.front(), [study.trial(n) for n in (3, 2, 1)])
        for html in (result._repr_html_(), study._repr_html_()):
            self.assertIn(f"the front has <b>3 results</b>, hypervolume <b>{study.raw['front']['hypervolume']:.4g}</b>", html)
            self.assertNotIn("best:", html)
            svg, = pictures(html)
            self.assertEqual((len(dots(svg, "best")), len(dots(svg, "faded"))), (3, 9))
            self.assertIn("trial 3: &lt;accuracy&gt;=3, &lt;latency&gt;=110", dots(svg, "best")[0].toxml())
            for said in ("<accuracy> (maximize)", "<latency> (minimize)", "0", "3", "100", "140"):
                self.assertIn(said, texts(svg))
            short, whole = html.split("<details>")
            self.assertIn("<th>&lt;accuracy&gt;</th><th>&lt;latency&gt;</th>", short)
            self.assertNotIn("<accuracy>", html)
            for table, others in ((short, [12, 11, 10, 9, 8, 7, 6, 5]), (whole, [12, 11, 10, 9, 8, 7, 6, 5, 4])):
                rows = re.findall(r"<tr( class=\"best\")?[^>]*><td>(\d+)</td>", table)
                self.assertEqual([int(n) for _, n in rows], [3, 2, 1] + others)
                self.assertEqual([bool(marked) for marked, _ in rows], [True] * 3 + [False] * len(others))
            self.assertRegex(short, "<td>3</td><td>done, on the front</td><td>3</td><td>110</td><td>1</td>")
        study.change({**study.definition, "policy": {"name": "auto"}})
        study.run(lambda s: {"<accuracy>": 1, "<latency>": 100, "cost": 1}, max_trials=1)
        html = study.plan()._repr_html_()
        self.assertIn("<th>&lt;accuracy&gt;, expected</th><th>&lt;latency&gt;, expected</th>", html)
        self.assertEqual([len(dots(svg, "trial")) for svg in pictures(html)], [1, 1])

    def test_a_plan_ahead_is_a_path(self):
        study = client().create(definition(policy={"name": "2-bmsei"}, seed=4, budget={"total": 40}, stop="never", parameters={"x": eke.Float(0, 1)}))
        study.run(lambda s: ((s["x"] - 0.5) ** 2, 2), max_trials=7)
        plan = study.plan()
        self.assertGreater(len(plan.steps()), 1)
        html = plan._repr_html_()
        svg, = pictures(html)
        self.assertEqual((len(dots(svg, "trial")), html.count("<tr") - 1), (len(plan.steps()),) * 2)

    def test_the_picture_is_live_while_a_trial_runs(self):
        study = client().create(definition())
        with Notebook() as book, mock.patch.object(_progress, "_EVERY", 0.05):
            def f(setting):
                if eke.current_trial().number == 2:
                    book.wait("2 trials, 1 running")
                return setting["x"], 1
            study.run(f, max_trials=2)
        self.assertIn("max_trials was reached", book.shown[-1])
        self.assertNotIn("running", book.shown[-1])
        self.assertFalse([t for t in threading.enumerate() if t.name == "eke-notebook"])

    def test_the_last_picture_knows_what_became_of_trials_meanwhile(self):
        study = client().create(definition())

        def f(setting):
            number = eke.current_trial().number
            if number == 3:
                study.forget(1)
                study.correct(2, value=7.25)
            return number, 1

        with Notebook() as book:
            study.run(f, max_trials=4)
        self.assertIn("max_trials was reached", book.shown[-1])
        self.assertIn("<td>1</td><td>done, does not count</td>", book.shown[-1])
        self.assertIn("<td>2</td><td>done</td><td>7.25</td>", book.shown[-1])


class Tutorial(unittest.TestCase):
    def cells(self):
        with open(TUTORIAL, encoding="utf-8") as file:
            return json.load(file)["cells"]

    def server(self):
        if not BINARY:
            self.skipTest("there is no program eke")
        own = eke.Server(binary=BINARY, timeout=300).start()
        self.addCleanup(own.close)
        return own.url

    def test_it_is_clean(self):
        for cell in self.cells():
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), "run the notebook in a copy; commit it without its output")
        for link in re.findall(r"\]\(([^)]+)\)", json.dumps(self.cells())):
            self.assertTrue(os.path.exists(os.path.join(os.path.dirname(TUTORIAL), link)), link)

    def test_it_runs(self):
        """With a stand-in for IPython; in a real notebook where nbconvert is installed."""
        names, shown = {}, {}
        with Notebook() as book, mock.patch.dict(os.environ, {"EKE_SERVER": self.server()}):
            for cell in self.cells():
                if cell["cell_type"] == "code":
                    before = len(book.shown)
                    book.run("".join(cell["source"]), names)
                    shown[cell["id"]] = book.shown[before:]
        self.assertRegex(shown["minimize"][-1], r"[\d.]+ of 20 GPU-hours spent, \d+ trials; ")
        for cell, kind in {"minimize": "eke-study", "rest": "eke-rest", "plan": "eke-plan", "more": "eke-study", "study": "eke-study"}.items():
            self.assertIn(f'class="{kind}"', shown[cell][-1])
            self.assertEqual(len(pictures(shown[cell][-1])), 1, cell)
        charged = [row["charged"] for row in names["rows"]]
        spent = sum(charged)
        self.assertTrue(20 < spent and spent - charged[-1] < 40, charged)  # the last trial may cost more than was forecast, and no other begins
        self.assertIn(f"{spent:g} of 40 GPU-hours spent, {len(names['rows'])} trials", shown["study"][0])
        self.assertIn({"lr": 1e-3, "layers": 4, "opt": "adam"}, [t.setting for t in names["study"].trials()])

    def test_it_runs_in_a_real_notebook(self):
        python = "/usr/bin/python3"
        if subprocess.run([python, "-c", "import nbconvert, ipykernel"], capture_output=True).returncode:
            self.skipTest("no notebook is run: nbconvert and ipykernel are not installed (Debian: jupyter-nbconvert python3-ipykernel)")
        script = r'''
import sys, nbformat
from nbconvert.preprocessors import ExecutePreprocessor
book = nbformat.read(sys.argv[1], as_version=4)
ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(book, {})
for cell in book.cells:
    if cell.cell_type == "code":
        print(cell.id, sum("<svg" in o.get("data", {}).get("text/html", "") for o in cell.outputs))
'''
        done = subprocess.run([python, "-c", script, TUTORIAL], capture_output=True, text=True, timeout=1500,
                              env={**os.environ, "PYTHONPATH": os.path.join(HERE, ".."), "PATH": "/usr/bin:/bin", "EKE_SERVER": self.server()})
        self.assertEqual(done.returncode, 0, done.stderr)
        drawn = dict(line.split() for line in done.stdout.splitlines())
        self.assertEqual([drawn[cell] for cell in ("minimize", "rest", "plan", "study")], ["1"] * 4)


if __name__ == "__main__":
    unittest.main()
