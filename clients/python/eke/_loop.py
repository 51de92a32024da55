"""The loop: ask, evaluate, tell."""

from __future__ import annotations

import logging
import math
import threading
import time
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

from ._errors import BudgetPending, Conflict, EkeError, Over, Paused, TooManyFailures, TrialFailed, TrialStopped, Unreported
from ._evaluators import Evaluators, jobs_of
from ._progress import both, watching
from ._reading import Reading
from ._returned import metrics_of, value_and_cost
from ._trial import MAX_VALUE, Trial, TrialInfo, exit_code_of, failure_of, number_of

log = logging.getLogger("eke")

Function = Callable[[Dict[str, Any]], Any]


_RESULTS_AT_FIRST = 3  # as eke run has it: a function that never returns a limited quantity will not begin to

_LAST_ANSWERS = 5.0  # seconds to wait after Ctrl-C for answers that are under way

_WORDS = {
    "budget_spent": "the budget is spent", "not_worth": "no affordable setting is worth trying", "exhausted": "every setting has been tried",
    "closed": "the study was ended", "budget_pending": "others held the rest of the budget for too long", "max_trials": "max_trials was reached",
}


@dataclass(frozen=True)
class Ended:
    """How a loop ended."""

    trials: int
    reason: str
    detail: str


def run(study: Reading, ask: Callable[..., Trial], f: Function, *, workers: int, n_jobs: int, max_trials: Optional[int], max_failures: int, patience: float,
        max_wait: float, on_trial: Optional[Callable[[TrialInfo], None]], progress: Optional[bool],
        worker: str) -> Ended:
    """Evaluates the trials of a study with f until there are no more. ask is the study's, and worker the client's name."""
    if not callable(f):
        raise TypeError("f must be a function that takes a setting")
    jobs = jobs_of(n_jobs)
    if workers < 1 or max_failures < 1:
        raise ValueError("workers and max_failures must be at least 1")
    if workers > 1 and jobs > 1:
        raise ValueError("give workers, which are threads, or n_jobs, which are processes")
    try:
        return _run(study, ask, f, workers, jobs, max_trials, max_failures, patience, max_wait, on_trial, progress, worker)
    except KeyboardInterrupt:
        log.warning("interrupted: study %s is kept (%s); to go on, run it again with name=%r", study.name, study.place, study.name)
        raise


def _run(study: Reading, ask: Callable[..., Trial], f: Function, workers: int, jobs: int, max_trials: Optional[int], max_failures: int, patience: float,
         max_wait: float, on_trial: Optional[Callable[[TrialInfo], None]], progress: Optional[bool], worker: str) -> Ended:
    with watching(study, progress) as watch, Evaluators(f, jobs) as evaluators:
        loop = _Loop(study, ask, evaluators, max_trials, max_failures, patience, max_wait, both(watch, on_trial))
        if workers == 1 and jobs == 1:
            loop.work()
        else:
            loop.work_together(max(workers, jobs), worker if study.definition.get("changeover") else "")
        study.refresh()
        detail = loop.detail or _WORDS.get(loop.reason, "")
        watch.end(detail)
    return Ended(loop.evaluated, loop.reason, detail)


class _Loop:
    def __init__(self, study: Reading, ask: Callable[..., Trial], evaluate: Evaluators, max_trials: Optional[int], max_failures: int,
                 patience: float, max_wait: float, on_trial: Optional[Callable[[TrialInfo], None]]) -> None:
        self.study, self.ask, self.evaluate, self.on_trial = study, ask, evaluate, on_trial
        self.measured, self.objective, self.limits = study.measured, study.objective, set(study.definition.get("limits") or ())
        self.asked_for = (*study.objectives, *self.limits)  # metrics that matter more than others
        self.max_trials, self.max_failures, self.patience, self.max_wait = max_trials, max_failures, patience, max_wait
        self.changed = threading.Condition()
        self.stopping = threading.Event()
        self.interrupted = False
        self.begun = self.asking = self.evaluated = self.failures = 0
        self.results = 0  # without a limited quantity that nobody has reported
        self.foreseen = 1.0  # the chance of the failures in a row, by what was expected
        self.reason = self.detail = ""
        self.error: Optional[BaseException] = None
        self.active: Dict[int, Trial] = {}

    def work(self, place: Optional[str] = None) -> None:
        """Evaluates trials until there are no more. place is where, if changes cost something and there are several."""
        while self._claim():
            trial = None
            try:
                trial = self._ask(place)
                if trial is not None and self.interrupted:
                    _give_up(trial)
                    trial = None
            finally:
                with self.changed:
                    self.asking -= 1
                    if trial is None:
                        self.begun -= 1
                    else:
                        self.active[trial.number] = trial
                    self.changed.notify_all()
            if trial is None or self.interrupted:
                return
            try:
                with trial:
                    self._evaluate(trial)
            finally:
                with self.changed:
                    self.active.pop(trial.number, None)
                    self.evaluated += 1
                    self.changed.notify_all()

    def work_together(self, workers: int, place: str) -> None:
        threads = [threading.Thread(target=self._guarded, args=(f"{place}/{i + 1}" if place else None,), name=f"eke-worker-{i}", daemon=True)
                   for i in range(workers)]
        try:
            for t in threads:
                t.start()
            for t in threads:
                while t.is_alive():
                    t.join(0.2)  # with a timeout, so that KeyboardInterrupt gets through on every system
        except BaseException:
            # Functions in threads cannot be stopped. Their results are told late.
            self.interrupted = True
            self._stop()
            with self.changed:  # those that are asking get trials that nobody will evaluate
                self.changed.wait_for(lambda: not self.asking, _LAST_ANSWERS)
                left = list(self.active.values())
            for trial in left:
                _give_up(trial)
            raise
        if self.error is not None:
            raise self.error

    def _guarded(self, place: Optional[str]) -> None:
        try:
            self.work(place)
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
            self.asking += 1
            return True

    def _ask(self, place: Optional[str]) -> Optional[Trial]:
        where = {"place": place} if place else {}
        key, until = uuid.uuid4().hex, time.monotonic() + self.max_wait
        while not self.stopping.is_set():
            ended = self.evaluated
            try:
                trial = self.ask(key=key, patience=self.patience, cancel=self.stopping, **where)
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
            if self.interrupted:  # Ctrl-C reaches what f has started as well, so this says nothing about the setting
                raise KeyboardInterrupt from e
            note, cost = failure_of(e)
            log.info("trial %d failed: %s", trial.number, note)
            if self.measured and cost is not None:
                log.warning("trial %d: the cost of TrialFailed is left out: the cost of this study is wall time, which is measured", trial.number)
                cost = None
            code = exit_code_of(e)
            self._settle(trial, e, lambda: trial.fail(note, cost=cost, exit_code=code))
            return
        value, cost, metrics = self._read(returned)
        if abs(value) <= MAX_VALUE:
            self._settle(trial, None, lambda: trial.tell(value, cost, metrics=metrics))
            return
        missing = [o for o in self.study.objectives if o not in metrics]
        if len(missing) < len(self.study.objectives):
            note = f"it reported no {' and no '.join(missing)}; what it reported is kept"
        else:
            note, metrics = f"the function returned {value}" + (", which is larger than any value that can be kept" if math.isfinite(value) else ""), {}
        self._settle(trial, ValueError(note), lambda: trial.fail(note, cost=cost, metrics=metrics))

    def _read(self, returned: Any) -> Tuple[float, Optional[float], Dict[str, float]]:
        """Reads the result of f. If it has the wrong type, so will the next one, so the loop ends."""
        metrics: Dict[str, float] = {}
        if isinstance(returned, Mapping):
            returned, metrics = self._split(returned)
        elif self.study.objectives:
            raise TypeError(f"f must return a dict of all objectives, {', '.join(self.study.objectives)}, not {type(returned).__name__}")
        value, cost = value_and_cost(returned)
        if self.measured and cost is not None:
            raise TypeError("f returned a cost, but the cost of this study is wall time, which is measured; return the value alone, "
                            "or create the study with another cost")
        if not self.measured and cost is None:
            raise TypeError("the costs of this study are reported, so f must return (value, cost)")
        try:
            return number_of("the value that f returns", value), cost, metrics
        except ValueError:
            return float(value), cost, metrics

    def _split(self, returned: Mapping[Any, Any]) -> Tuple[Any, Dict[str, float]]:
        """Reads a result such as {"objective": 0.2, "cost": 3, "memory": 7.4}. Other finite numbers than value and cost are metrics. Of several objectives,
        the first may be missing as well as another."""
        keys = ("objective", self.objective, "value")
        names = [name for name in keys if name in returned]
        if not names and not set(self.study.objectives) & set(returned):
            raise TypeError(f"f returned a dict without the key {self.objective!r} or 'objective', which has the value")
        value = returned[names[0]] if names else None
        if value is None and self.study.objectives:
            value = math.nan
        return (value, returned["cost"]) if "cost" in returned else value, metrics_of(returned, (*keys, "cost"), self.asked_for)

    def _settle(self, trial: Trial, failure: Optional[Exception], end: Callable[[], TrialInfo]) -> None:
        try:
            info = end()
        except Conflict as e:  # somebody else has ended it
            log.warning("the result of trial %d was refused: %s", trial.number, e.detail)
            return
        if failure is None and info.state == "failed":  # an objective is missing
            failure = TrialFailed(info.note)
        with self.changed:
            self.failures = self.failures + 1 if failure is not None else 0
            self.foreseen = self.foreseen * _to_fail(info) if failure is not None else 1.0
            many = self.failures >= self.max_failures and self.foreseen < 1e-3
            self.limits -= set(info.metrics)  # what was once reported is known to be
            self.results += info.state == "done"
            unreported = sorted(self.limits) if self.results >= _RESULTS_AT_FIRST else []
        if self.on_trial is not None:
            self.on_trial(info)
        if many and failure is not None:
            raise TooManyFailures(f"{self.max_failures} trials failed in a row, the last one with: {failure}") from failure
        if unreported and info.state == "done":
            self._check_limits(unreported)

    def _check_limits(self, names: Sequence[str]) -> None:
        """Ends the loop if nobody has ever reported a quantity that a limit is on: the rest of the money would buy nothing that counts."""
        infeasible = self.study.refresh().infeasible
        known = {name for t in self.study.trials() for name in t.metrics}
        with self.changed:
            self.limits = (self.limits - known) & set(self.study.definition.get("limits") or ())
            left = [name for name in names if name in self.limits]
        if left and infeasible:  # an earlier study may have reported it
            raise Unreported(f"{self.results} results, and no {', no '.join(left)} was reported; {infeasible}; let the function return "
                             f'{{"objective": …, "{left[0]}": …}}, or take the limit out; study.correct(TRIAL, metrics={{"{left[0]}": …}}) adds it to a result')


def _give_up(trial: Trial) -> None:
    try:
        trial.give_up("interrupted")
    except EkeError as e:
        log.warning("trial %d could not be abandoned: %s", trial.number, e.detail)


def _to_fail(info: TrialInfo) -> float:
    """Returns the chance that a trial fails, by what was expected of it when it was chosen; 0 if nobody expected anything. A long row of failures is no surprise
    next to a wall where failures are cheap. No forecast counts as more than 90 % sure: after a few results it may be wrong."""
    why = info.raw.get("why") or {}
    works = (why.get("expected") or {}).get("works")
    return 0.0 if works is None else 1.0 - min(float(works), 0.9)
