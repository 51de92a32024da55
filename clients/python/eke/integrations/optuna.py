"""A sampler for Optuna that spends a budget::

    import optuna
    from eke.integrations.optuna import EkeSampler

    sampler = EkeSampler(budget=200, cost_attr="gpu_hours")
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective)        # ends when the money is spent, or nothing is worth it
    print(study.best_params, sampler.spent, sampler.detail)

The objective reports what it cost: ``trial.set_user_attr("gpu_hours", 3.4)``. Without ``cost_attr`` the cost is wall time.
"""

from __future__ import annotations

import math
import re
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from .._client import Client
from .._client import Study as EkeStudy
from .._embedded import client_for
from .._errors import Conflict, Over
from .._trial import MAX_VALUE, Trial, TrialInfo
from ._optuna_ledger import CONSTRAINTS, COST, STUDY, Ledger, constraints_of
from ._optuna_space import Space

__all__ = ["EkeSampler"]

_VOID = "eke:void"  # the system attribute of a trial for which there was no money; it says why
_log = optuna.logging.get_logger("optuna.samplers.eke")


@dataclass(frozen=True)
class _Held:
    """A trial under way: where it is charged, and what the objective was given."""

    study: EkeStudy
    trial: Trial
    space: Optional[Space]
    params: Dict[str, Any]
    thread: threading.Thread  # that asked for it


class EkeSampler(BaseSampler):
    """Chooses settings by what they are expected to improve for their price, and stops the study when the budget is spent.

    Every trial is charged: completed, pruned and failed ones, and those of workers that were killed. Several threads (``n_jobs``) and
    several processes may work on one study; they share one ledger, on one server or in one store.

    A study with two or three directions is one with several objectives: trials are chosen for the hypervolume that they are expected to add
    to the front, for their price. The objectives have the study's metric names, or are called ``objective_0``, ``objective_1``, …

    When there is no money for another trial, Optuna has already begun one. It ends as pruned at its first ``suggest``, and costs nothing.

    Args:
        budget: the most to spend, as for :func:`eke.minimize`. Wall time is given in seconds, or like "2h30m". A ``deadline`` in it
            counts from when the space was last found to be larger; declare the space to avoid that.
        cost_attr: the user attribute in which the objective reports the cost. None: the cost is wall time, which is measured.
        space: the parameters, as Optuna's distributions by name. None: they are learnt from the trials, conditions among them.
        name: the name of the study on the server. The default is made from that of Optuna's study.
        client, server, token: the server to use; see :func:`eke.minimize`.
        study: more of the study file, such as ``{"parallel": 4}``.
        max_wait: for how many seconds to wait while others hold the rest of the budget, or have trials under way that keep it from a larger space.
        constraints_func: takes a completed trial and returns its constraints, as for Optuna's samplers: a trial is feasible if none of them is
            above 0. On the server they are the metrics ``constraint_0``, ``constraint_1``, …, with limits of 0.
        seed: studies with the same seed and the same results have the same trials.
    """

    def __init__(self, budget: Union[float, str, Mapping[str, Any]], cost_attr: Optional[str] = None, *,
                 space: Optional[Mapping[str, BaseDistribution]] = None, name: Optional[str] = None, client: Optional[Client] = None,
                 server: Optional[str] = None, token: Optional[str] = None, study: Optional[Mapping[str, Any]] = None,
                 max_wait: float = 3600.0, constraints_func: Optional[Callable[[FrozenTrial], Sequence[float]]] = None, seed: Optional[int] = None) -> None:
        self._budget, self._cost_attr, self._space, self._name = budget, cost_attr, dict(space) if space else None, name
        self._server, self._token, self._max_wait = server, token, max_wait
        self._more = {**({} if seed is None else {"seed": seed}), **(study or {})}
        self._client, self._constraints_func = client, constraints_func
        self.reason = ""
        """Why there are no more trials: budget_spent, not_worth, exhausted or closed. Empty while there are."""
        self.detail = ""
        """The same in words."""
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.RLock()
        self._ledger: Optional[Ledger] = None
        self._open: Dict[int, _Held] = {}
        self._random = RandomSampler(seed=self._more.get("seed"))

    def __getstate__(self) -> Dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_lock", "_ledger", "_open", "_random", "_client")}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._client = None
        self._begin()

    @property
    def spent(self) -> float:
        """What the study has cost so far."""
        return self._ledger.spent() if self._ledger else 0.0

    @property
    def study(self) -> Optional[EkeStudy]:
        """The study on the server; None before the first trial."""
        return self._ledger.study if self._ledger else None

    def trial_of(self, trial: Union[optuna.Trial, FrozenTrial]) -> Trial:
        """Returns the :class:`eke.Trial` of a trial under way, with its ``limit`` and ``check()``."""
        return self._open[trial._trial_id].trial

    def reseed_rng(self) -> None:
        self._random.reseed_rng()

    def _opened(self, study: Study) -> Ledger:
        with self._lock:
            if self._ledger is None:
                goals = {n: d.name.lower() for n, d in zip(self._names(study), study.directions)}
                name = self._name or "optuna-" + re.sub(r"[^A-Za-z0-9_.-]+", "-", study.study_name)[:80]
                self._ledger = Ledger(client_for(self._client, self._server, self._token), name, goals, self._budget,
                                      self._cost_attr, self._more, Space(self._space) if self._space else None, self._max_wait)
            return self._ledger

    @staticmethod
    def _names(study: Study) -> Sequence[str]:
        """What the objectives are called on the server; one objective has no name of its own."""
        named: Optional[Sequence[str]] = getattr(study, "metric_names", None)  # Optuna has names since 3.2
        return named or [f"objective_{i}" for i in range(len(study.directions))]

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> Dict[str, BaseDistribution]:
        """Asks for a trial and returns the distributions of its parameters."""
        ledger, thread = self._opened(study), threading.current_thread()
        with self._lock:
            holds = any(held.thread is thread for held in self._open.values())
        try:
            on, given, space = ledger.ask(study, grow=not holds)
        except Over as e:
            self._stop(study, trial, e)
            return {}
        params = space.decode(given.setting) if space else {}
        with self._lock:
            self._open[trial._trial_id] = _Held(on, given, space, params, thread)
        return {name: space.distributions[name] for name in params} if space else {}

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: Dict[str, BaseDistribution]) -> Dict[str, Any]:
        held = self._open.get(trial._trial_id)
        return dict(held.params) if held else {}

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        """Draws a parameter that eke does not know yet at random. Ends a trial for which there is no money."""
        why = study._storage.get_trial_system_attrs(trial._trial_id).get(_VOID)
        if why:
            raise optuna.TrialPruned(why)
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def _stop(self, study: Study, trial: FrozenTrial, why: Over) -> None:
        self.reason, self.detail = why.code, why.detail
        study._storage.set_trial_system_attr(trial._trial_id, _VOID, why.detail)
        study._storage.set_trial_system_attr(trial._trial_id, "fixed_params", {})  # an enqueued trial has no money either
        try:
            study.stop()
            _log.info(f"The study ends: {why.detail}.")
        except (RuntimeError, AttributeError):  # not within optimize: the caller of ask has to know
            study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL, None)
            raise why from None

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Optional[Sequence[float]]) -> None:
        """Charges the trial and tells its result."""
        with self._lock:
            held = self._open.pop(trial._trial_id, None)
        if held is None:
            return
        given = held.trial
        cost = self._cost_of(trial)
        constraints = self._constraints(study, trial, state)
        metrics = dict(constraints)
        if values is not None:  # one that is not a number is missing
            metrics.update((name, float(v)) for name, v in list(zip(self._names(study), values))[1:] if math.isfinite(v))
        try:
            if state == TrialState.COMPLETE and values is not None and self._cost_attr and cost is None:
                given.fail(f"no user attribute {self._cost_attr}")
                raise ValueError(f"trial {trial.number} reported no cost: call trial.set_user_attr({self._cost_attr!r}, …) in the objective")
            if state == TrialState.COMPLETE and values is not None and abs(values[0]) <= MAX_VALUE:
                ended = self._tell(held, trial, float(values[0]), cost, metrics)
            else:
                note = "pruned" if state == TrialState.PRUNED else str(trial.system_attrs.get("fail_reason") or "failed")
                ended = given.fail(note, cost=cost)
            study._storage.set_trial_system_attr(trial._trial_id, COST, ended.charged)
            study._storage.set_trial_system_attr(trial._trial_id, STUDY, held.study.name)
        except Conflict as e:  # somebody ended it on the server
            _log.warning(f"The result of trial {trial.number} was refused: {e.detail}.")
        if constraints and self._ledger is not None:
            self._ledger.limit(constraints)  # only now: whoever moves to a larger study keeps the ledger until this trial has ended

    def _constraints(self, study: Study, trial: FrozenTrial, state: TrialState) -> Dict[str, float]:
        """Evaluates the constraints of a completed trial, and keeps them where Optuna does."""
        if self._constraints_func is None or state != TrialState.COMPLETE:
            return {}
        found = tuple(float(c) for c in self._constraints_func(trial))
        if any(math.isnan(c) for c in found):
            raise ValueError(f"constraints_func returned {found!r} for trial {trial.number}; a constraint must be a number")
        study._storage.set_trial_system_attr(trial._trial_id, CONSTRAINTS, found)
        return constraints_of(found)

    def _tell(self, held: _Held, trial: FrozenTrial, value: float, cost: Optional[float], metrics: Mapping[str, float]) -> TrialInfo:
        space, ledger = held.space, self._ledger
        if space is None or ledger is None or all(trial.params[n] == v for n, v in held.params.items() if n in trial.params):
            return held.trial.tell(value, cost, metrics=metrics)
        result: Optional[Dict[str, Any]] = None
        if space.allows(trial.params, trial.distributions):
            result = {"setting": space.encode(trial.params), "value": value, **({"metrics": dict(metrics)} if metrics else {})}
        return ledger.settle_elsewhere(held.study, held.trial, result, cost)

    def _cost_of(self, trial: FrozenTrial) -> Optional[float]:
        if self._cost_attr is None:
            return None
        found = trial.user_attrs.get(self._cost_attr)
        if found is None:
            return None
        cost = float(found)
        if not math.isfinite(cost) or cost < 0:
            raise ValueError(f"trial {trial.number} reported a cost of {found!r}, which is not an amount")
        return cost
