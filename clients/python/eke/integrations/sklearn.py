"""Tunes estimators of scikit-learn within a budget of time."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing as rows_of

from .._client import Result
from .._minimize import maximize
from .._parameters import Parameter
from .._trial import current_trial

_SMALL = 400  # rows; a part of fewer says little
_FIRST = 4  # settings that are evaluated in full before any is judged by a part of the data


@dataclass(frozen=True)
class Tuned:
    """The outcome of :func:`tune`."""

    result: Result
    """The study: its trials, what it cost, why it ended."""
    best_params: Mapping[str, Any]
    best_score: float
    """The mean score over all folds."""
    best_estimator: Any
    """Fitted to all data with the best parameters; None with refit=False."""

    def predict(self, X: Any) -> Any:
        """Predicts with the best estimator."""
        return self.best_estimator.predict(X)

    def score(self, X: Any, y: Any) -> float:
        """Scores the best estimator."""
        return float(self.best_estimator.score(X, y))

    def _repr_html_(self) -> str:
        return self.result._repr_html_()


def tune(estimator: Any, space: Mapping[str, Parameter], X: Any, y: Any, budget: Union[float, str, Mapping[str, Any]], *, cv: Any = 5,
         scoring: Any = None, part: Optional[float] = 0.25, refit: bool = True, **more: Any) -> Tuned:
    """Finds the parameters of an estimator with the best score in cross-validation, within a budget of time.

    A setting is first fitted to a part of the data. It goes on to cross-validation if it may still be the best: if its score there, and
    the most that any setting has gained from there to cross-validation, add up to more than the best score. Otherwise it counts with
    the score that it is expected to reach, and costs little.

    Args:
        estimator: an estimator or a pipeline of scikit-learn.
        space: what to vary, by the names of its parameters, such as ``{"svc__C": eke.Float(1e-3, 1e3, log=True)}``.
        budget: the most time to spend on evaluations, such as "10m". Fitting the best to all data in the end comes on top.
        cv, scoring: as in scikit-learn.
        part: the part of the training data to try first. None: always all data, as with fewer than 400 rows.
        refit: fit the best parameters to all data in the end.
        more: see :func:`eke.minimize`, such as ``n_jobs=4`` or ``name="forest"``.
    """
    folds = list(check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y))
    if part is not None and not 0 < part < 1:
        raise ValueError("part must be between 0 and 1, or None")
    evaluation = _Evaluation(estimator, X, y, folds, check_scoring(estimator, scoring), part if len(folds[0][0]) >= _SMALL else None)
    result = maximize(evaluation, space, budget, **more)
    if result.best is None or result.setting is None or result.value is None:
        raise RuntimeError(f"no setting could be evaluated: {result.detail}")
    best = clone(estimator).set_params(**result.setting)
    return Tuned(result, dict(result.setting), result.value, best.fit(X, y) if refit else None)


@dataclass
class _Evaluation:
    """Scores a setting. It remembers how scores on a part of the data relate to those in cross-validation."""

    estimator: Any
    X: Any
    y: Any
    folds: List[Tuple[Any, Any]]
    scorer: Any
    part: Optional[float]
    pairs: List[Tuple[float, float]] = field(default_factory=list)  # scores on a part of the data and in cross-validation
    __name__ = "tune"

    def __call__(self, setting: Dict[str, Any]) -> float:
        small = None
        if self.part is not None:
            train, test = self.folds[0]
            step = max(1, round(1 / self.part))
            small = self._score(setting, train[::step], test)
            gains = [full - part for part, full in self.pairs]
            if len(gains) >= _FIRST and small + max(gains) < max(full for _, full in self.pairs):
                return small + statistics.median(gains)
        scores = []
        for train, test in self.folds:
            current_trial().check()
            scores.append(self._score(setting, train, test))
        full = statistics.fmean(scores)
        if small is not None and math.isfinite(full - small):
            self.pairs.append((small, full))
        return full

    def _score(self, setting: Dict[str, Any], train: Any, test: Any) -> float:
        model = clone(self.estimator).set_params(**setting)
        model.fit(rows_of(self.X, train), rows_of(self.y, train))
        return float(self.scorer(model, rows_of(self.X, test), rows_of(self.y, test)))
