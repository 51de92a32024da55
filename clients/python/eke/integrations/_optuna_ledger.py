"""The money of an Optuna study: one budget, however often its space grows and however many processes work on it."""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from optuna.study import Study as OptunaStudy
from optuna.trial import FrozenTrial, TrialState

from .._client import Client, Study
from .._errors import BadRequest, BudgetPending, BudgetSpent, Closed, EkeError, Exists, Forbidden, NotFound, Paused, TooLarge
from .._http import to_json
from .._parameters import definition_of
from .._trial import MAX_COST, MAX_VALUE, Trial, TrialInfo
from .._words import count
from ._optuna_space import Space, infer

log = logging.getLogger("eke")

COST = "eke:cost"  # the system attribute of a trial that has what it was charged
STUDY = "eke:study"  # and the one that has where
CONSTRAINTS = "constraints"  # where Optuna keeps what constraints_func returned
_SPACE = "OPTUNA_SPACE"  # where a study on the server keeps its space
_LOOK = 0.2  # seconds between two looks at whether trials under way have ended
_PART, _BYTES = 500, 500_000  # results, and how long they may be as JSON, in one request


def constraints_of(found: Sequence[float]) -> Dict[str, float]:
    """Names the constraints of a trial. One that is infinite is as far beyond its limit as a number can be."""
    return {f"constraint_{i}": min(max(float(c), -MAX_VALUE), MAX_VALUE) for i, c in enumerate(found)}


def _parts(results: Sequence[Mapping[str, Any]]) -> Iterator[List[Mapping[str, Any]]]:
    """Cuts results into as many as a server takes at once."""
    part: List[Mapping[str, Any]] = []
    size = 0
    for result in results:
        more = len(to_json(result))
        if part and (len(part) == _PART or size + more > _BYTES):
            yield part
            part, size = [], 0
        part.append(result)
        size += more
    if part:
        yield part


class Ledger:
    """The studies on the server that stand for one study of Optuna.

    A study on the server has a fixed space. When trials reveal more of the objective's space, the study is ended and what is left of
    its money goes to a successor: NAME, NAME.2, NAME.3, … First the study is paused until no trial is under way, so that what is left
    is known. Every step can be repeated, by any process, and the server creates a study of a name once. So the money moves once.
    """

    def __init__(self, client: Client, name: str, goals: Mapping[str, str], budget: Union[float, str, Mapping[str, Any]], cost_attr: Optional[str],
                 more: Mapping[str, Any], space: Optional[Space], max_wait: float) -> None:
        self._client, self._name, self._goals, self._budget, self._cost_attr, self._more = client, name, dict(goals), budget, cost_attr, dict(more)
        self._declared, self._max_wait = space is not None, max_wait
        self._lock = threading.RLock()
        self._number = 1
        self._imported: "set[int]" = set()
        self._kept: "set[int]" = set()  # the trials that did not end in time for a move to a larger space
        self._warned = False
        made = self._create(1, space, budget)
        self.study = made or self._client.study(name)
        self.space = self._space_of(self.study)
        while self._follow():
            pass
        if made is None:
            wanted = self._definition(self._number, self.space, budget)
            if wanted.get("limits"):  # those on constraints are learnt later; see _limit
                have = self.study.definition.get("limits") or {}
                wanted["limits"] = {**{name: limit for name, limit in have.items() if name.startswith("constraint_")}, **wanted["limits"]}
            if self._number > 1:
                wanted["budget"].pop("trials", None)  # a successor has what is left of them
            self.study._adopt({part: want for part, want in wanted.items() if part not in ("parameters", "env")})

    def _definition(self, number: int, space: Optional[Space], budget: Union[float, str, Mapping[str, Any]]) -> Dict[str, Any]:
        more = {**self._more}
        if space is None:  # nothing is known yet: the study keeps the money while trials are drawn at random
            more.update(policy={"name": "random"}, stop="never")
        parameters = space.parameters() if space else {"draw": {"type": "float", "min": 0, "max": 1}}
        unit = self._cost_attr.replace("_", "-") if self._cost_attr else "walltime"
        made = definition_of(self._named(number), next(iter(self._goals.values())), parameters, budget, unit, more)
        if len(self._goals) > 1:
            del made["objective"]
            made["objectives"] = {name: {"goal": goal, **((more.get("objectives") or {}).get(name) or {})} for name, goal in self._goals.items()}
        made["env"] = {**(made.get("env") or {}), _SPACE: space.to_json().replace("{", "{{").replace("}", "}}") if space else ""}
        return made

    def _create(self, number: int, space: Optional[Space], budget: Union[float, str, Mapping[str, Any]]) -> Optional[Study]:
        """Creates a study on the server; None if there is one of that name."""
        try:
            return self._client.create(self._definition(number, space, budget))
        except Exists:
            return None

    def _named(self, number: int) -> str:
        return self._name if number == 1 else f"{self._name}.{number}"

    def _space_of(self, study: Study) -> Optional[Space]:
        text = (study.definition.get("env") or {}).get(_SPACE)
        return Space.from_json(text.replace("{{", "{").replace("}}", "}")) if text else None

    def _follow(self) -> bool:
        """Goes on to the successor, if there is one."""
        try:
            found = self._client.study(self._named(self._number + 1))
        except NotFound:
            return False
        self._number, self.study, self.space = self._number + 1, found, self._space_of(found)
        self._imported.clear()
        self._kept.clear()
        return True

    def spent(self) -> float:
        """What all trials have cost together."""
        return sum(self._client.study(self._named(n)).spent for n in range(1, self._number + 1))

    def ask(self, optuna_study: OptunaStudy, grow: bool) -> Tuple[Study, Trial, Optional[Space]]:
        """Returns a trial with its money reserved, its study, and the study's space. It waits while others hold the rest. With grow it moves on to
        a larger space if need be, once no trial is under way: whoever has to tell some of them cannot wait for that.

        Raises Over if there is none.
        """
        until = time.monotonic() + self._max_wait
        while True:
            with self._lock:
                self._learn(optuna_study, grow)
                study, space = self.study, self.space
            try:
                return study, study.ask(), space
            except Closed:
                with self._lock:
                    if self.study is study and not self._follow():
                        raise
            except (Paused, BudgetPending) as e:
                if isinstance(e, BudgetPending) and time.monotonic() > until:
                    raise BudgetSpent(e.detail, hint=e.hint) from e
                with self._lock:
                    if not (self.study is study and self._follow()):
                        time.sleep(min(e.retry_after or _LOOK, _LOOK))

    def _learn(self, optuna_study: OptunaStudy, grow: bool) -> None:
        """Compares the space with what the trials reveal, and moves on to a larger one if need be."""
        # From the storage: with Hyperband a sampler sees only the trials of one bracket.
        everything = optuna_study._storage.get_all_trials(optuna_study._study_id, deepcopy=False, states=(TrialState.COMPLETE,))
        trials = [t for t in everything if t.params]
        if self._declared or self.space is not None and all(self.space.allows(t.params, t.distributions) for t in trials if t.number not in self._imported):
            self._import(trials)
            return
        grown = infer(trials)
        if grown is None or grown == self.space or self._follow() or self._is_kept():
            return
        if not grow:
            if self.space is None and not self._warned:
                self._warned = True
                log.warning("settings are drawn at random as long as this thread has other trials under way; declare the space to avoid that")
            return
        if self._move(grown):
            self._import(trials)
        else:
            self._kept = {t.number for t in self.study.trials() if t.open}
            log.warning("the space of study %s stays as it is: its trials under way did not end within %g s", self.study.name, self._max_wait)

    def _is_kept(self) -> bool:
        """Says whether a trial is still under way that has kept the study from a larger space."""
        self._kept = {t.number for t in self.study.trials() if t.open and t.number in self._kept} if self._kept else set()
        return bool(self._kept)

    def _move(self, grown: Space) -> bool:
        old, until, paused = self.study, time.monotonic() + self._max_wait, False
        while not old.refresh().closed:
            if not old.paused:
                old.pause()
                paused = True
            elif old.reserved > 0 or old.counts.get("running", 0) + old.counts.get("pending", 0) > 0:
                if time.monotonic() > until:  # perhaps they wait for this
                    if paused:  # and not by somebody else
                        old.resume()
                    return False
                time.sleep(_LOOK)
            else:
                old.end()
        left = old.total - old.spent - old.reserved
        if left <= 0:
            raise BudgetSpent("the budget is spent")
        budget: Dict[str, Any] = dict(self._budget) if isinstance(self._budget, Mapping) else {}
        if "trials" in budget:
            begun = sum(sum(self._client.study(self._named(n)).counts.values()) for n in range(1, self._number + 1))
            if begun >= budget["trials"]:
                raise BudgetSpent("the number of trials that the budget allows is reached")
            budget["trials"] -= begun
        self._create(self._number + 1, grown, {**budget, "total": left})
        return self._follow()

    def _import(self, trials: Sequence[FrozenTrial]) -> None:
        """Has the study learn from trials before it, which it is not charged for. Each counts once, so it may be repeated."""
        if self.space is None or self._imported:
            return
        known = [{"setting": self.space.encode(t.params), "value": t.values[0], "cost": self._cost_of(t), **self._metrics_of(t)} for t in trials
                 if t.values and abs(t.values[0]) <= MAX_VALUE and t.system_attrs.get(STUDY) != self.study.name and self.space.allows(t.params, t.distributions)]
        self._imported = {t.number for t in trials} | {-1}
        if known:
            self.learn(self.study, known)

    def _metrics_of(self, trial: FrozenTrial) -> Dict[str, Any]:
        found = constraints_of(trial.system_attrs.get(CONSTRAINTS) or ())
        found.update((name, float(v)) for name, v in list(zip(self._goals, trial.values or ()))[1:] if math.isfinite(v))
        return {"metrics": found} if found else {}

    def limit(self, names: Iterable[str]) -> None:
        """Has the study on the server count only trials none of whose constraints is above 0."""
        with self._lock:
            limits = {**{name: {"max": 0} for name in names}, **(self._more.get("limits") or {})}
            self._more["limits"] = limits
            have = self.study.definition.get("limits") or {}
            if all(name in have for name in limits):
                return
            try:
                self.study.change({**self.study.definition, "limits": {**limits, **have}})
            except (Forbidden, BadRequest) as e:
                log.warning("the constraints are not limits of study %s: %s", self.study.name, e.detail)

    def _cost_of(self, trial: FrozenTrial) -> float:
        """What a trial cost, or 0 if nobody knows. One of another sampler may have reported it all the same."""
        if COST in trial.system_attrs:
            return float(trial.system_attrs[COST])
        if self._cost_attr is not None:
            try:
                cost = float(trial.user_attrs.get(self._cost_attr) or 0)
            except (TypeError, ValueError):
                return 0.0
            return cost if 0 <= cost <= MAX_COST else 0.0
        return trial.duration.total_seconds() if trial.duration else 0.0

    def learn(self, study: Study, results: Sequence[Mapping[str, Any]]) -> None:
        """Has a study learn from results that it is not charged for, as far as the server allows that."""
        for part in _parts(results):
            try:
                refused, why = study.import_results(part)["refused"], ""
            except (Forbidden, BadRequest, TooLarge) as e:  # a worker's token may not; the study knows less then
                refused, why = part, e.detail
            if refused:
                log.warning("study %s does not learn from %s: %s", study.name, count(len(refused), "result"), why or refused[0]["problem"])

    def settle_elsewhere(self, study: Study, trial: Trial, result: Optional[Mapping[str, Any]], cost: Optional[float]) -> TrialInfo:
        """Ends a trial whose objective chose other values than those that it was given: its money is spent, and the result is learnt
        where it belongs, if it is within the space."""
        ended = trial.fail("the objective used other values", cost=cost)
        try:
            study.forget(trial.number)
        except EkeError:
            pass
        if result is not None:
            self.learn(study, [{**result, "cost": ended.charged}])
        return ended
