"""The loop: ask, evaluate, tell."""

from __future__ import annotations

import logging
import math
import re
import threading
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from ._errors import BudgetPending, Conflict, EkeError, Over, Paused, TooManyFailures, TrialFailed, TrialStopped
from ._evaluators import Evaluators, jobs_of
from ._html import setting_text, study_html
from ._parameters import Parameter, definition_of
from ._progress import both, watching
from ._trial import Trial, TrialInfo, describe, number_of

if TYPE_CHECKING:
    from ._client import Client, Study

log = logging.getLogger("eke")

Function = Callable[[Dict[str, Any]], Any]


_WORDS = {
    "budget_spent": "the budget is spent", "not_worth": "no affordable setting is worth trying", "exhausted": "every setting has been tried",
    "closed": "the study was ended", "budget_pending": "others held the rest of the budget for too long", "max_trials": "max_trials was reached",
}


@dataclass(frozen=True)
class Result:
    """The outcome of a loop."""

    study: Study
    """The study as it was at the end."""
    best: Optional[TrialInfo]
    """The best trial of the study, or None if no trial has a result."""
    trials: int
    """How many trials this loop evaluated."""
    reason: str
    """Why the loop ended: budget_spent, not_worth, exhausted, closed, budget_pending or max_trials."""
    detail: str = ""
    """The same in words."""

    @property
    def setting(self) -> Optional[Mapping[str, Any]]:
        """The best setting."""
        return self.best.setting if self.best else None

    @property
    def value(self) -> Optional[float]:
        """The value of the best setting."""
        return self.best.value if self.best else None

    @property
    def spent(self) -> float:
        """What the study has cost."""
        return self.study.spent

    def records(self) -> List[Dict[str, Any]]:
        """Returns all trials of the study as flat dicts."""
        return self.study.records()

    def trials_dataframe(self) -> Any:
        """Returns all trials of the study as a pandas DataFrame."""
        return self.study.trials_dataframe()

    def insight(self) -> Mapping[str, Any]:
        """Returns what the models have learnt; see :meth:`Study.insight`."""
        return self.study.insight()

    def importance(self) -> Dict[str, float]:
        """Returns how much each parameter matters; see :meth:`Study.importance`."""
        return self.study.importance()

    def export(self, format: str = "csv") -> str:
        """Returns all trials as the text of a file, "csv" or "json"."""
        return self.study.export(format)

    def __str__(self) -> str:
        found = f"{self.value:g} at {setting_text(self.best.setting)}" if self.best and self.value is not None else "no result"
        return f"{self.study.name}: {found}; {self.trials} trials, {self.spent:g} of {self.study.total:g} spent; {self.detail or self.reason}"

    def _repr_html_(self) -> str:
        return study_html(self.study.raw, self.study.trials(), self.detail or self.reason)


def run(study: Study, f: Function, *, workers: int, n_jobs: int, max_trials: Optional[int], max_failures: int, patience: float,
        max_wait: float, on_trial: Optional[Callable[[TrialInfo], None]], progress: Optional[bool]) -> Result:
    if not callable(f):
        raise TypeError("f must be a function that takes a setting")
    jobs = jobs_of(n_jobs)
    if workers < 1 or max_failures < 1:
        raise ValueError("workers and max_failures must be at least 1")
    if workers > 1 and jobs > 1:
        raise ValueError("give workers, which are threads, or n_jobs, which are processes")
    with watching(study, progress) as watch, Evaluators(f, jobs) as evaluators:
        loop = _Loop(study, evaluators, max_trials, max_failures, patience, max_wait, both(watch, on_trial))
        if workers == 1 and jobs == 1:
            loop.work()
        else:
            loop.work_together(max(workers, jobs))
        study.refresh()
        detail = loop.detail or _WORDS.get(loop.reason, "")
        watch.end(detail)
    return Result(study=study, best=study.best(), trials=loop.evaluated, reason=loop.reason, detail=detail)


class _Loop:
    def __init__(self, study: Study, evaluate: Evaluators, max_trials: Optional[int], max_failures: int, patience: float, max_wait: float,
                 on_trial: Optional[Callable[[TrialInfo], None]]) -> None:
        self.study, self.evaluate, self.on_trial = study, evaluate, on_trial
        self.max_trials, self.max_failures, self.patience, self.max_wait = max_trials, max_failures, patience, max_wait
        self.measured = study.measured
        self.changed = threading.Condition()
        self.stopping = threading.Event()
        self.begun = self.evaluated = self.failures = 0
        self.reason = self.detail = ""
        self.error: Optional[BaseException] = None
        self.active: Dict[int, Trial] = {}

    def work(self) -> None:
        """Evaluates trials until there are no more."""
        while self._claim():
            trial = None
            try:
                trial = self._ask()
            finally:
                if trial is None:
                    with self.changed:
                        self.begun -= 1
            if trial is None:
                return
            with self.changed:
                self.active[trial.number] = trial
            try:
                with trial:
                    self._evaluate(trial)
            finally:
                with self.changed:
                    self.active.pop(trial.number, None)
                    self.evaluated += 1
                    self.changed.notify_all()

    def work_together(self, workers: int) -> None:
        threads = [threading.Thread(target=self._guarded, name=f"eke-worker-{i}", daemon=True) for i in range(workers)]
        try:
            for t in threads:
                t.start()
            for t in threads:
                while t.is_alive():
                    t.join(0.2)  # with a timeout, so that KeyboardInterrupt gets through on every system
        except BaseException:
            # Functions in threads cannot be stopped. Their results are told late.
            self._stop()
            with self.changed:
                left = list(self.active.values())
            for trial in left:
                try:
                    trial.give_up("interrupted")
                except EkeError as e:
                    log.warning("trial %d could not be abandoned: %s", trial.number, e.detail)
            raise
        if self.error is not None:
            raise self.error

    def _guarded(self) -> None:
        try:
            self.work()
        except BaseException as e:
            with self.changed:
                self.error = self.error or e
            self._stop()

    def _stop(self) -> None:
        self.stopping.set()
        with self.changed:
            self.changed.notify_all()

    def _claim(self) -> bool:
        with self.changed:
            if self.stopping.is_set():
                return False
            if self.max_trials is not None and self.begun >= self.max_trials:
                self.reason = self.reason or "max_trials"
                return False
            self.begun += 1
            return True

    def _ask(self) -> Optional[Trial]:
        key, until = uuid.uuid4().hex, time.monotonic() + self.max_wait
        while not self.stopping.is_set():
            ended = self.evaluated
            try:
                trial = self.study.ask(key=key, patience=self.patience, cancel=self.stopping)
                if not trial.ended:
                    return trial
                key = uuid.uuid4().hex  # the answer took so long that the trial was abandoned meanwhile; its setting will be tried again
            except Over as e:
                self.reason, self.detail = e.code, e.detail
                return None
            except Paused as e:  # somebody will resume it
                until = time.monotonic() + self.max_wait
                self.stopping.wait(e.retry_after or 5.0)
            except BudgetPending as e:
                left = until - time.monotonic()
                if left <= 0:
                    self.reason = e.code
                    return None
                with self.changed:  # until a trial ends, here or elsewhere
                    self.changed.wait_for(lambda: self.evaluated != ended or self.stopping.is_set(), min(e.retry_after or 5.0, left))
        return None

    def _evaluate(self, trial: Trial) -> None:
        try:
            returned = self.evaluate(trial)
        except TrialStopped as e:
            self._settle(trial, None, lambda: trial.fail(str(e), state="cut"))
            return
        except Exception as e:
            note, cost = describe(e), e.cost if isinstance(e, TrialFailed) else None
            log.info("trial %d failed: %s", trial.number, note)
            self._settle(trial, e, lambda: trial.fail(note, cost=cost))
            return
        value, cost = self._read(returned)
        if math.isfinite(value):
            self._settle(trial, None, lambda: trial.tell(value, cost))
        else:
            note = f"the function returned {value}"
            self._settle(trial, ValueError(note), lambda: trial.fail(note, cost=cost))

    def _read(self, returned: Any) -> Tuple[float, Optional[float]]:
        """Reads the result of f. If it has the wrong type, so will the next one, so the loop ends."""
        cost: Optional[float] = None
        value = returned
        if isinstance(returned, (tuple, list)):
            if len(returned) != 2:
                raise TypeError(f"f must return a value or (value, cost), not {len(returned)} things")
            value, cost = returned[0], number_of("the cost that f returns", returned[1])
        if self.measured and cost is not None:
            raise TypeError("f returned a cost, but the cost of this study is wall time, which is measured; return the value alone, "
                            "or create the study with another cost")
        if not self.measured and cost is None:
            raise TypeError("the costs of this study are reported, so f must return (value, cost)")
        try:
            return number_of("the value that f returns", value), cost
        except ValueError:
            return float(value), cost

    def _settle(self, trial: Trial, failure: Optional[Exception], end: Callable[[], TrialInfo]) -> None:
        try:
            info = end()
        except Conflict as e:  # somebody else has ended it
            log.warning("the result of trial %d was refused: %s", trial.number, e.detail)
            return
        with self.changed:
            self.failures = self.failures + 1 if failure is not None else 0
            many = self.failures >= self.max_failures
        if self.on_trial is not None:
            self.on_trial(info)
        if many and failure is not None:
            raise TooManyFailures(f"{self.max_failures} trials failed in a row, the last one with: {failure}") from failure


def _named(f: Function) -> str:
    name = re.sub(r"[^A-Za-z0-9_.-]", "", getattr(f, "__name__", "")) or "study"
    return f"{name[:40]}-{time.strftime('%Y%m%d-%H%M%S')}-{uuid.uuid4().hex[:6]}"


def _optimize(goal: str, f: Function, parameters: Mapping[str, Parameter], budget: Union[float, str, Mapping[str, Any]],
              name: Optional[str], cost: str, client: Optional[Client], server: Optional[str], token: Optional[str],
              study: Optional[Mapping[str, Any]], fidelity: Optional[Mapping[str, Any]], workers: int, n_jobs: int, more: Dict[str, Any]) -> Result:
    from ._embedded import client_for

    parallel = max(workers, jobs_of(n_jobs))
    extra = {"parallel": parallel if parallel > 1 else None, "fidelity": fidelity, **(study or {})}
    definition = definition_of(name or _named(f), goal, parameters, budget, cost, extra)
    return client_for(client, server, token).create(definition, exist_ok=True).run(f, workers=workers, n_jobs=n_jobs, **more)


def minimize(f: Function, parameters: Mapping[str, Parameter], budget: Union[float, str, Mapping[str, Any]], *, name: Optional[str] = None,
             cost: str = "walltime", client: Optional[Client] = None, server: Optional[str] = None, token: Optional[str] = None,
             study: Optional[Mapping[str, Any]] = None, fidelity: Optional[Mapping[str, Any]] = None, workers: int = 1, n_jobs: int = 1, max_trials: Optional[int] = None,
             max_failures: int = 10, patience: float = 3600.0, max_wait: float = 3600.0,
             on_trial: Optional[Callable[[TrialInfo], None]] = None, progress: Optional[bool] = None) -> Result:
    """Finds the setting for which f returns the least, within a budget.

    Args:
        f: takes a setting, which is a dict, and returns its value, or ``(value, cost)`` if costs are reported; see
            :meth:`Study.run`.
        parameters: the parameters by name, such as ``{"lr": eke.Float(1e-5, 1e-1, log=True)}``.
        budget: the most to spend. Wall time is given in seconds, or like "2h30m". It may be a dict as in the study file, such as
            ``{"total": 200, "per_trial": 20, "deadline": "72h"}``.
        name: the name of the study. A study of that name that exists is continued, within its own budget.
        cost: "walltime", which is measured, or the unit in which f reports costs, such as "core-hours".
        client, server, token: the server to use; see :class:`Client`. The default is ``$EKE_SERVER``, or ``eke serve`` on this machine.
            If there is none, one is started for as long as this program runs. It keeps its studies where the command ``eke`` does:
            in ``$EKE_DB``, or in the file ``eke.db``.
        study: more of the study file, such as ``{"seed": 1, "noise": True, "policy": {"name": "ei"}}``.
        fidelity: what makes an evaluation thorough, such as ``{"name": "epochs", "min": 1, "max": 81, "log": True}``. It is one more entry
            of the setting, and f may report values on its way: ``eke.current_trial().report(epoch, loss)``.
        workers, n_jobs, max_trials, max_failures, patience, max_wait, on_trial, progress: see :meth:`Study.run`.
    """
    return _optimize("minimize", f, parameters, budget, name, cost, client, server, token, study, fidelity, workers, n_jobs, dict(
        max_trials=max_trials, max_failures=max_failures, patience=patience, max_wait=max_wait, on_trial=on_trial, progress=progress))


def maximize(f: Function, parameters: Mapping[str, Parameter], budget: Union[float, str, Mapping[str, Any]], *, name: Optional[str] = None,
             cost: str = "walltime", client: Optional[Client] = None, server: Optional[str] = None, token: Optional[str] = None,
             study: Optional[Mapping[str, Any]] = None, fidelity: Optional[Mapping[str, Any]] = None, workers: int = 1, n_jobs: int = 1, max_trials: Optional[int] = None,
             max_failures: int = 10, patience: float = 3600.0, max_wait: float = 3600.0,
             on_trial: Optional[Callable[[TrialInfo], None]] = None, progress: Optional[bool] = None) -> Result:
    """Finds the setting for which f returns the most, within a budget; see :func:`minimize`."""
    return _optimize("maximize", f, parameters, budget, name, cost, client, server, token, study, fidelity, workers, n_jobs, dict(
        max_trials=max_trials, max_failures=max_failures, patience=patience, max_wait=max_wait, on_trial=on_trial, progress=progress))
