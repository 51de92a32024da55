"""A searcher for Ray Tune that spends a budget::

    from ray import tune
    from eke.integrations.ray import EkeSearch

    search = EkeSearch({"lr": eke.Float(1e-5, 1e-1, log=True)}, budget=200, cost="gpu_hours", metric="loss", mode="min")
    tune.Tuner(train, tune_config=tune.TuneConfig(search_alg=search, num_samples=-1)).fit()

``train`` reports the metric, and what it has cost so far under the name given as ``cost``. Without ``cost`` the cost is wall time.
It was written for the interface of Ray 2, and is tested with a stand-in of it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Union

from ray.tune.search import Searcher

from .._client import Client, Study
from .._embedded import client_for
from .._errors import BudgetPending, Conflict, Over, Paused
from .._parameters import Parameter, definition_of
from .._trial import MAX_VALUE, Trial

__all__ = ["EkeSearch"]


class EkeSearch(Searcher):
    """Suggests configurations until the budget is spent or nothing is worth it.

    Args:
        parameters, budget, client, server, token, study: as for :func:`eke.minimize`.
        cost: the name under which a trial reports its cost so far. None: the cost is wall time.
        metric, mode: as in Ray: what a trial reports, and "min" or "max".
        name: the name of the study; one that exists is continued.
    """

    def __init__(self, parameters: Mapping[str, Parameter], budget: Union[float, str, Mapping[str, Any]], *, metric: str, mode: str,
                 name: str, cost: Optional[str] = None, client: Optional[Client] = None, server: Optional[str] = None,
                 token: Optional[str] = None, study: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None) -> None:
        if mode not in ("min", "max"):
            raise ValueError('mode must be "min" or "max"')
        super().__init__(metric=metric, mode=mode)
        self._metric, self._cost = metric, cost
        goal, unit = "minimize" if mode == "min" else "maximize", cost.replace("_", "-") if cost else "walltime"
        made = definition_of(name, goal, parameters, budget, unit, {"seed": seed, **(study or {})})
        self.study: Study = client_for(client, server, token).create(made, exist_ok=True)
        self._open: Dict[str, Trial] = {}
        self.reason = self.detail = ""

    def suggest(self, trial_id: str) -> Optional[Union[Dict[str, Any], str]]:
        """Returns a configuration; None if there is none now; FINISHED if there are no more."""
        try:
            trial = self._open[trial_id] = self.study.ask(patience=5)
        except (BudgetPending, Paused):
            return None
        except Over as e:
            self.reason, self.detail = e.code, e.detail
            finished: str = Searcher.FINISHED
            return finished
        return dict(trial.setting)

    def on_trial_complete(self, trial_id: str, result: Optional[Dict[str, Any]] = None, error: bool = False) -> None:
        """Charges the trial and tells its result. One that ended early is charged, too."""
        trial = self._open.pop(trial_id, None)
        if trial is None:
            return
        value = (result or {}).get(self._metric)
        cost = (result or {}).get(self._cost) if self._cost else None
        try:
            if error or value is None or not abs(value) <= MAX_VALUE or (self._cost and cost is None):
                trial.fail("failed" if error else f"it reported no {self._metric if value is None else self._cost}", cost=cost)
            else:
                trial.tell(value, cost)
        except Conflict:
            pass  # somebody ended it on the server

    def save(self, checkpoint_path: str) -> None:
        """Does nothing: the server keeps everything."""

    def restore(self, checkpoint_path: str) -> None:
        """Does nothing: the server keeps everything."""

    def set_search_properties(self, metric: Optional[str], mode: Optional[str], config: Dict[str, Any], **spec: Any) -> bool:
        """Refuses another metric and a space of Ray's: both were given already."""
        return not config and metric in (None, self._metric)

    def add_evaluated_point(self, parameters: Dict[str, Any], value: float, error: bool = False, pruned: bool = False,
                            intermediate_values: Optional[List[float]] = None) -> None:
        """Has the study learn from a result that is known."""
        if not error and not pruned:
            self.study.import_results([{"setting": parameters, "value": value}])
