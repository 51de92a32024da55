"""tune, with scikit-learn itself (Debian: python3-sklearn)."""

import contextlib
import io
import math
import os
import re
import unittest
from unittest import mock

from .support import BINARY, eke, server_url

try:
    import sklearn  # noqa: F401
except ImportError:
    raise unittest.SkipTest("scikit-learn is not installed (Debian: python3-sklearn)")

from sklearn.datasets import load_iris, make_classification  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import StratifiedKFold  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402

from eke.integrations.sklearn import _Evaluation  # noqa: E402


class Tune(unittest.TestCase):
    def test_a_pipeline(self):
        X, y = load_iris(return_X_y=True)
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
        space = {"logisticregression__C": eke.Float(1e-4, 1e3, log=True)}
        tuned = eke.tune(model, space, X, y, budget="10m", max_trials=8, server=server_url(), study={"seed": 1})
        self.assertGreater(tuned.best_score, 0.94)
        self.assertGreater(tuned.score(X, y), 0.94)
        self.assertEqual(set(tuned.best_params), set(space))
        self.assertLessEqual(tuned.result.spent, 600)
        self.assertEqual(len(tuned.predict(X)), len(y))

    def test_poor_settings_see_a_part_of_the_data(self):
        X, y = make_classification(1500, 12, n_informative=6, random_state=1)
        seen = []

        class Tree(DecisionTreeClassifier):
            def fit(self, X, y, **more):
                seen.append(len(X))
                return super().fit(X, y, **more)

        def evaluation(part):
            return _Evaluation(Tree(random_state=1), X, y, list(StratifiedKFold(5).split(X, y)), lambda model, X, y: model.score(X, y), part)

        screening, full = evaluation(0.25), evaluation(None)
        settings = [{"max_depth": depth, "min_samples_leaf": leaf} for depth, leaf in ((8, 1), (6, 1), (2, 1), (9, 1), (1, 290), (7, 1), (3, 290))]
        scores = [in_trial(screening, s) for s in settings]
        self.assertEqual(sum(n == 300 for n in seen), len(settings))
        self.assertEqual(sum(n == 1200 for n in seen), 5 * 5)  # all but the two that learn nothing
        seen.clear()
        exact = [in_trial(full, s) for s in settings]
        self.assertNotIn(300, seen)
        best = scores.index(max(scores))
        self.assertEqual(scores[best], exact[best])  # it was evaluated in full
        self.assertNotEqual(scores, exact)

    def test_scores_that_are_no_numbers_are_not_compared(self):
        X, y = make_classification(500, 4, random_state=1)
        folds = list(StratifiedKFold(5).split(X, y))
        evaluation = _Evaluation(DecisionTreeClassifier(random_state=1), X, y, folds, lambda model, X, y: math.nan if model.max_depth == 2 else model.score(X, y), 0.25)
        scores = [in_trial(evaluation, {"max_depth": depth}) for depth in (2, 3)]
        self.assertTrue(math.isnan(scores[0]))
        self.assertEqual([full for _, full in evaluation.pairs], scores[1:])

    def test_the_readme(self):
        if not BINARY:
            self.skipTest("there is no program eke")
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "..", "README.md"), encoding="utf-8") as file:
            example = re.search(r"```python\n(.*?)```", file.read().split("## scikit-learn")[1], re.S).group(1)
        with mock.patch.dict(os.environ, {"EKE_SERVER": server_url()}), contextlib.redirect_stdout(io.StringIO()) as said:
            exec(compile(example, "README.md", "exec"), {"__name__": "__main__"})
        self.assertRegex(said.getvalue(), "gamma.* 0.9")

    def test_arguments(self):
        X, y = load_iris(return_X_y=True)
        with self.assertRaises(ValueError):
            eke.tune(DecisionTreeClassifier(), {"max_depth": eke.Int(1, 3)}, X, y, "1s", part=2)


def in_trial(evaluation, setting):
    from eke._evaluators import call
    from eke._trial import Trial

    return call(evaluation, Trial.elsewhere(1, dict(setting)))


if __name__ == "__main__":
    unittest.main()
