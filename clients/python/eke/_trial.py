"""Trials, on record and under way."""

from __future__ import annotations

import contextvars
import hashlib
import logging
import math
import signal
import threading
import time
import traceback
import uuid
import weakref
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Type

from . import _wire
from ._errors import BadRequest, Conflict, EkeError, NotFound, TrialFailed, TrialStopped, Unavailable
from ._http import Transport, path_of, to_json

log = logging.getLogger("eke")

_LAST_PATIENCE = 5.0  # seconds, when the program is about to end
MAX_VALUE = 1e100  # on either side of zero; a server takes none beyond
MAX_COST = 1e15


@dataclass(frozen=True)
class Estimate:
    """What is known about the value of a setting whose evaluations have noise."""

    value: float
    """The expected value, without the noise."""
    sd: float
    """Its standard deviation."""
    low: float
    """The value is above this with a chance of 90 %."""
    high: float
    """The value is below this with a chance of 90 %."""
    values: Tuple[float, ...]
    """All values observed at this setting, oldest first."""

    @classmethod
    def of(cls, raw: Optional[_wire.Estimate]) -> Optional[Estimate]:
        """Makes one from the server's answer."""
        if not raw:
            return None
        return cls(value=float(raw["value"]), sd=float(raw["sd"]), low=float(raw["low"]), high=float(raw["high"]), values=tuple(float(v) for v in raw["values"]))


@dataclass(frozen=True)
class TrialInfo:
    """A trial on record."""

    number: int
    state: str
    """pending, running, done, failed, cut, stopped early or abandoned."""
    setting: Mapping[str, Any]
    """The value of each parameter. A parameter that does not exist in this setting (``when``) is left out."""
    value: Optional[float]
    """The result, or None if there is none."""
    charged: float
    """What the trial cost."""
    setup: Optional[float]
    """The part of the cost that went into changes, as the trial reported it, or None if it did not."""
    reserved: float
    """The money held for the trial until it ends."""
    wall: float
    """How long the trial ran, in seconds."""
    beyond: bool
    """The cost exceeded the budget, so the value does not count."""
    look: bool
    """The fidelity is not the highest, so the value does not count."""
    forgotten: bool
    """Somebody had the trial forgotten. It is charged, but does not count."""
    outside: bool
    """The parameters have changed since, and do not allow the setting. It does not count."""
    runner: str
    note: str
    """What went wrong."""
    estimate: Optional[Estimate]
    """What is known about the setting's value. Only the best trial has it, and only if evaluations have noise: its value is the estimated one then."""
    asked: Optional[datetime]
    started: Optional[datetime]
    finished: Optional[datetime]
    metrics: Mapping[str, float]
    """The other numbers that the trial reported."""
    violates: Tuple[str, ...]
    """The limits that the trial does not meet, or is not known to meet. If there are any, the value does not count."""
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """Everything that the server sent; ``raw["why"]`` says why the setting was chosen."""

    @property
    def open(self) -> bool:
        """Whether the trial is under way."""
        return self.state in ("pending", "running")

    @classmethod
    def of(cls, raw: _wire.Trial) -> TrialInfo:
        """Makes one from the server's answer."""
        value, setup = raw["value"], raw.get("setup")
        return cls(
            number=int(raw["number"]), state=str(raw["state"]), setting=dict(raw.get("setting") or {}),
            value=float(value) if raw["state"] == "done" and value is not None else None, charged=float(raw.get("charged") or 0),
            setup=None if setup is None else float(setup),
            reserved=float(raw.get("reserved") or 0), wall=float(raw.get("wall") or 0), beyond=bool(raw.get("beyond")), look=bool(raw.get("look")), forgotten=bool(raw.get("forgotten")),
            outside=bool(raw.get("outside")),
            runner=str(raw.get("runner") or ""), note=str(raw.get("note") or ""), estimate=Estimate.of(raw.get("estimate")), asked=_when(raw.get("asked")),
            started=_when(raw.get("started")), finished=_when(raw.get("finished")),
            metrics={str(k): float(v) for k, v in (raw.get("metrics") or {}).items()}, violates=tuple(raw.get("violates") or ()), raw=raw)


def _when(text: Optional[str]) -> Optional[datetime]:
    if not text:
        return None
    # Older Pythons read neither Z nor nanoseconds.
    whole, _, fraction = text.rstrip("Z").partition(".")
    try:
        return datetime.fromisoformat(f"{whole}.{(fraction + '000000')[:6]}+00:00")
    except ValueError:
        return None


def end_trial(transport: Transport, study: str, number: int, verb: str, body: Mapping[str, Any], key: str,
              patience: Optional[float], about: Mapping[str, str]) -> TrialInfo:
    def end(body: Mapping[str, Any]) -> TrialInfo:
        return TrialInfo.of(transport.request("POST", path_of("studies", study, "trials", number, verb), body, key=key, patience=patience,
                                              about=about))

    try:
        return end(body)
    except BadRequest:  # perhaps of an older server, which does not know the field
        if "exit" not in body:
            raise
        return end({name: value for name, value in body.items() if name != "exit"})


def identity(study: str, trial: str = "") -> Dict[str, str]:
    """Returns the headers that say which study and trial are meant, by their IDs: a name and a number may be another's by now. An older
    server has no IDs."""
    return {name: of for name, of in (("Eke-Study", study), ("Eke-Trial", trial)) if of}


def tell_body(value: float, cost: Optional[float], wall: Optional[float], note: str, metrics: Optional[Mapping[str, float]] = None,
              setup: Optional[float] = None) -> Dict[str, Any]:
    body: Dict[str, Any] = {"value": number_of("value", value)}
    if setup is not None:
        body["setup"] = number_of("setup", setup)
    return _with({**body, **_metrics(metrics)}, cost, wall, note)


def fail_body(state: str, cost: Optional[float], wall: Optional[float], note: str, metrics: Optional[Mapping[str, float]] = None,
              exit_code: Optional[int] = None) -> Dict[str, Any]:
    return _with({"state": state, **_metrics(metrics), **_exit(exit_code)}, cost, wall, note)


def _exit(code: Optional[int]) -> Dict[str, Any]:
    """Writes how a program ended. A signal is a negative code, as in subprocess."""
    if not isinstance(code, int):
        return {}
    if code >= 0:
        return {"exit": {"code": code}}
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return {"exit": {"code": -1, "signal": name}}


def exit_code_of(error: Optional[BaseException]) -> Optional[int]:
    """Returns how the program ended that a trial has failed by, if the error knows."""
    return getattr(error, "exit_code", None) if isinstance(error, TrialFailed) else None


def _metrics(metrics: Optional[Mapping[str, float]]) -> Dict[str, Any]:
    return {"metrics": {str(name): number_of(str(name), x) for name, x in metrics.items()}} if metrics else {}


def _with(body: Dict[str, Any], cost: Optional[float], wall: Optional[float], note: str) -> Dict[str, Any]:
    if cost is not None:
        body["cost"] = number_of("cost", cost)
    if wall is not None:
        body["wall"] = number_of("wall", wall)
    if note:
        body["note"] = note[:_wire.MAX_NOTE]
    return body


def number_of(name: str, x: Any) -> float:
    """Reads a number, which may be of another library's type."""
    if isinstance(x, (bool, str, bytes)) or x is None:
        raise TypeError(f"{name} must be a number, not {type(x).__name__}")
    try:
        number = float(x)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be a number, not {type(x).__name__}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, not {number}")
    return number


def describe(error: BaseException) -> str:
    """Turns an exception into a note: its message and its place. The note of TrialFailed is the one it was given."""
    if isinstance(error, TrialFailed) and str(error):
        return str(error)
    words = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    where = f"\nat {frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""
    return words[:_wire.MAX_NOTE - 500] + where[:500]


def failure_of(error: BaseException) -> Tuple[str, Optional[float]]:
    """Returns the note of a failed trial, and what it cost if the error knows. A cost that is no amount of money is left out, and the note says so."""
    note, cost = describe(error), error.cost if isinstance(error, TrialFailed) else None
    if cost is None:
        return note, None
    try:
        amount = number_of("cost", cost)
        if not 0 <= amount <= MAX_COST:
            raise ValueError(f"cost must be from 0 to {MAX_COST:g}, not {amount}")
        return note, amount
    except (TypeError, ValueError) as wrong:
        return f"{note}; {wrong}", None
    except Exception as wrong:  # whatever the conversion of another library's type may raise
        return f"{note}; cost cannot be read: {wrong}", None


class _Heart:
    """Sends heartbeats for a trial until it is stopped. It does not refer to the Trial: when nobody holds that any more, the heartbeats
    stop, and the server frees the money."""

    def __init__(self, transport: Transport, study: str, number: int, worker: str, lease: float, limit: Optional[float],
                 about: Mapping[str, str]) -> None:
        self._transport, self._study, self._number, self._worker, self._about = transport, study, number, worker, about
        self._lease, self._begun = lease, time.monotonic()
        self.limit = limit
        self.over = threading.Event()  # it has reached a limit, or somebody else ended it
        self.lost = False
        self.quiet = threading.Event()
        self.thread = threading.Thread(target=self._beat_on, name=f"eke-heartbeat-{study}-{number}", daemon=True)
        self.thread.start()

    def _pause(self) -> float:
        """Well within the lease; and in time to get more wall time, which the server grants when less than half of it is left."""
        pause = self._lease / 4
        if self.limit is not None:
            elapsed = time.monotonic() - self._begun
            due = 0.6 * self.limit - elapsed
            if due <= 0:
                due = (self.limit - elapsed) / 2
            pause = min(pause, max(due, 0.05))
        return pause

    def _beat_on(self) -> None:
        while not self.quiet.wait(self._pause()):
            try:
                if not self._beat():
                    return
            except (NotFound, Conflict) as e:
                log.warning("trial %d of %s: %s", self._number, self._study, e.detail)
                return
            except EkeError as e:  # the server may come back; until then the trial goes on
                log.warning("no heartbeat for trial %d of %s: %s", self._number, self._study, e.detail)
            except Exception:  # nothing must end the heartbeats
                log.exception("no heartbeat for trial %d of %s", self._number, self._study)

    def _beat(self) -> bool:
        at = ("studies", self._study, "trials", self._number)
        answer: _wire.Beat = self._transport.request("POST", path_of(*at, "heartbeat"), {"worker": self._worker},
                                                     timeout=max(1.0, self._lease / 2), patience=self._lease / 4, cancel=self.quiet, about=self._about)
        if not answer["stop"]:
            self.limit, self._lease = answer["limit"], float(answer["lease_seconds"] or self._lease)
            return True
        if answer.get("limit") is not None:
            self.over.set()
            return False
        # The trial no longer belongs to this worker. If it was abandoned, its late result is still welcome, so it goes on.
        self.lost = True
        if self._transport.request("GET", path_of(*at), patience=self._lease / 4, cancel=self.quiet, about=self._about)["state"] != "abandoned":
            self.over.set()
        return False


class Trial:
    """A trial under way: a setting to evaluate, with money reserved for it.

    A thread sends heartbeats until the trial ends. Use it as a context manager::

        with study.ask() as trial:
            trial.tell(evaluate(**trial.setting))

    If the block ends without a result, the trial has failed after an exception, is cut after TrialStopped, and is abandoned after
    KeyboardInterrupt or without an exception.
    """

    def __init__(self, transport: Transport, study: str, worker: str, lease: _wire.Lease, patience: Optional[float] = None,
                 study_id: str = "") -> None:
        self._transport, self._study, self._patience = transport, study, patience
        self._about = identity(study_id, str(lease.get("id") or ""))
        self.info = TrialInfo.of(lease)
        """The trial on record."""
        self.number = self.info.number
        self.setting: Dict[str, Any] = dict(self.info.setting)
        """The value of each parameter."""
        self._begun = time.monotonic()
        self._wall: Optional[float] = None
        self._nonce = uuid.uuid4().hex
        self._pending: Optional[Tuple[str, Dict[str, Any]]] = None  # what the server has not confirmed
        self._heart: Optional[_Heart] = None
        self._reason = ""  # why it is to stop, as the answer to a report said
        self._pass_on: Optional[Callable[[float, float, Optional[float]], str]] = None  # to the process that can report
        seconds = float(lease.get("lease_seconds") or 0)
        if seconds > 0 and self.info.open:
            self._heart = _Heart(transport, study, self.number, worker, seconds, lease.get("limit"), self._about)
            weakref.finalize(self, self._heart.quiet.set)

    @classmethod
    def elsewhere(cls, number: int, setting: Dict[str, Any], report: Optional[Callable[[float, float, Optional[float]], str]] = None) -> Trial:
        """Makes the trial that current_trial returns in a process of its own. The parent reports its values and its end, and stops it."""
        nowhere = Transport(None, "", timeout=1, patience=0, context=None, insecure=False)
        trial = cls(nowhere, "", "", {"number": number, "state": "running", "setting": setting, "lease_seconds": 0, "limit": None,
                                      "value": 0, "point": [], "asked": ""})
        trial._pass_on = report
        return trial

    def __repr__(self) -> str:
        return f"<Trial {self.number} of {self._study!r}: {self.info.state}, {self.setting!r}>"

    @property
    def ended(self) -> bool:
        """Whether the server has confirmed its end."""
        return not self.info.open

    @property
    def seconds(self) -> float:
        """How long the trial has run, in seconds."""
        return time.monotonic() - self._begun if self._wall is None else self._wall

    @property
    def limit(self) -> Optional[float]:
        """How many seconds the trial may run, or None for no limit. The limit grows while there is money."""
        return self._heart.limit if self._heart else None

    @property
    def stop(self) -> bool:
        """Whether the trial should stop: it has reached a limit, or somebody else ended it."""
        return self._heart is not None and self._heart.over.is_set()

    @property
    def lost(self) -> bool:
        """Whether the server has given the trial up because it heard nothing. A late result is still welcome."""
        return self._heart is not None and self._heart.lost

    def check(self) -> None:
        """Raises TrialStopped if the trial should stop. Call it now and then if trials have limits."""
        if self._reason:
            raise TrialStopped(self._reason)
        if self.stop:
            raise TrialStopped(f"trial {self.number} reached a limit after {self.seconds:.1f} s, or somebody else ended it")

    def report(self, step: float, value: float, cost: Optional[float] = None) -> None:
        """Reports a value that the trial has on its way, such as the loss after some epochs. The study needs a ``fidelity``; the step is
        how much of it is reached. The cost is what the trial has cost until then; leave it out if it is wall time. The trial is
        charged once, when it ends. Ask :meth:`should_stop` then.

        Report as often as you like: few of many values are kept. A report takes about a millisecond, so measure a cost that you report without it. If the server is away, the trial goes on. A value
        that is too large to be kept is left out.
        """
        step, value = number_of("step", step), number_of("value", value)
        if abs(value) > MAX_VALUE:
            return
        if self._pass_on is not None:
            self._reason = self._pass_on(step, value, cost)
            return
        self._reason = self.report_step(step, value, cost)

    def report_step(self, step: float, value: float, cost: Optional[float]) -> str:
        """Reports a value, and returns why the trial should stop, or nothing."""
        body = {"step": step, "value": value}
        if cost is not None:
            body["cost"] = number_of("cost", cost)
        try:
            answer: _wire.Reported = self._transport.request("POST", path_of("studies", self._study, "trials", self.number, "report"), body,
                                                             patience=_LAST_PATIENCE, about=self._about)
        except Unavailable as e:
            log.warning("step %g of trial %d of %s could not be reported: %s", step, self.number, self._study, e.detail)
            return self._reason
        return str(answer["reason"] or "the server says so") if answer["stop"] else ""

    def should_stop(self) -> bool:
        """Whether the trial should stop: the rest of it does not earn its price, it has reached a limit, or somebody else ended it.

        Return what you have, or raise TrialStopped. A value that is returned after an early stop does not count: the last report does.
        """
        return bool(self._reason) or self.stop

    def tell(self, value: float, cost: Optional[float] = None, *, wall: Optional[float] = None, note: str = "",
             metrics: Optional[Mapping[str, float]] = None, setup: Optional[float] = None) -> TrialInfo:
        """Reports the result and the cost. Leave the cost out if it is wall time, which is measured. ``metrics`` are other numbers that
        the trial found, such as ``{"memory": 7.4}``; the study's limits are on these. ``setup`` is the part of the cost that went into
        changes, if the study has a changeover.

        The same result may be told again; it counts once. Another result for an ended trial raises Conflict.
        """
        return self._end("tell", tell_body(value, cost, self._measure(wall), note, metrics, setup))

    def fail(self, note: str = "", *, cost: Optional[float] = None, wall: Optional[float] = None, state: str = "failed",
             metrics: Optional[Mapping[str, float]] = None, exit_code: Optional[int] = None) -> TrialInfo:
        """Reports that the trial ended without a result: it failed, was ``cut`` at a limit, or was ``abandoned`` through no fault of its setting.
        ``metrics`` are numbers that it returned all the same: a study with several objectives learns from those that are among its objectives.
        ``exit_code`` is that of the program that it ran, negative for a signal; see :class:`TrialFailed`."""
        return self._end("fail", fail_body(state, cost, self._measure(wall), note, metrics, exit_code))

    def abandon(self, note: str = "") -> TrialInfo:
        """Gives the trial up. What it used is charged, and its setting is tried again."""
        return self.fail(note, state="abandoned")

    def _measure(self, wall: Optional[float]) -> float:
        if wall is not None:
            return wall
        if self._wall is None:
            self._wall = time.monotonic() - self._begun  # kept, so that a repeated result is the same
        return self._wall

    def _end(self, verb: str, body: Dict[str, Any], patience: Optional[float] = None) -> TrialInfo:
        self._pending = (verb, body)
        key = hashlib.sha256(self._nonce.encode() + verb.encode() + to_json(body)).hexdigest()
        try:
            self.info = end_trial(self._transport, self._study, self.number, verb, body, key,
                                  self._patience if patience is None else patience, self._about)
        except EkeError as e:
            if not isinstance(e, Unavailable):
                self._pending = None
            if isinstance(e, Conflict):
                self._hush()
            raise
        self._pending = None
        self._hush()
        return self.info

    def _hush(self) -> None:
        if self._heart:
            self._heart.quiet.set()

    def __enter__(self) -> Trial:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        try:
            if self.ended:
                return
            if self._pending and not isinstance(error, Exception):
                self._end(*self._pending, patience=_LAST_PATIENCE)  # interrupted while telling: the result is known
            elif self._pending:
                pass  # it was tried for as long as allowed
            elif error is None:
                self.abandon("the block ended without a result")
            elif isinstance(error, TrialStopped):
                self.fail(str(error), state="cut")
            elif isinstance(error, Exception):
                note, cost = failure_of(error)
                self.fail(note, cost=cost, exit_code=exit_code_of(error))
            else:
                self.give_up(type(error).__name__, stopped=isinstance(error, KeyboardInterrupt))
        except EkeError as e:  # it must not hide the exception of the block
            log.warning("the end of trial %d of %s could not be reported: %s", self.number, self._study, e.detail)
        finally:
            self._hush()

    def give_up(self, note: str = "", stopped: bool = True) -> None:
        """Abandons the trial without waiting long. If the server is away, it will notice the silence. ``stopped`` says that somebody stopped it,
        so that its setting is not to blame, however often that happens."""
        self._hush()
        body = fail_body("abandoned", None, time.monotonic() - self._begun, note)
        try:
            self._end("fail", {**body, "stopped": True} if stopped else body, patience=_LAST_PATIENCE)
        except BadRequest:  # of an older server, which does not know the field
            if not stopped:
                raise
            self._end("fail", body, patience=_LAST_PATIENCE)


_current: contextvars.ContextVar[Optional[Trial]] = contextvars.ContextVar("eke_trial", default=None)


def current_trial() -> Trial:
    """Returns the trial that is being evaluated. Call it in the function that you give to minimize, maximize or Study.run."""
    trial = _current.get()
    if trial is None:
        raise RuntimeError("no trial is being evaluated here")
    return trial
