"""Trials: as they are on record, and under way."""

from __future__ import annotations

import contextvars
import hashlib
import logging
import math
import threading
import time
import traceback
import uuid
import weakref
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Tuple, Type

from ._errors import Conflict, EkeError, NotFound, TrialFailed, TrialStopped, Unavailable
from ._http import Transport, path_of, to_json

log = logging.getLogger("eke")

_LONGEST_NOTE = 4000
_LAST_PATIENCE = 5.0  # seconds, for what is said on the way out


@dataclass(frozen=True)
class TrialInfo:
    """A trial as it is on record."""

    number: int
    state: str
    """pending, running, done, failed, cut or abandoned."""
    setting: Mapping[str, Any]
    """The parameters' values; one that does not exist in this setting (``when``) is not in it."""
    value: Optional[float]
    """What it returned; None: it returned nothing (yet)."""
    charged: float
    """What it cost, once it has ended."""
    reserved: float
    """What is held for it while it is under way."""
    wall: float
    """Seconds it took."""
    beyond: bool
    """Its cost went past the budget, so its value does not count."""
    runner: str
    note: str
    """What went wrong."""
    asked: Optional[datetime]
    started: Optional[datetime]
    finished: Optional[datetime]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """All of it, as the server sent it; ``raw["why"]`` are the reasons it was chosen for."""

    @property
    def open(self) -> bool:
        """Whether it is under way."""
        return self.state in ("pending", "running")

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> TrialInfo:
        """Reads what the server sent."""
        return cls(
            number=int(raw["number"]), state=str(raw["state"]), setting=dict(raw.get("setting") or {}),
            value=float(raw["value"]) if raw["state"] == "done" else None, charged=float(raw.get("charged") or 0),
            reserved=float(raw.get("reserved") or 0), wall=float(raw.get("wall") or 0), beyond=bool(raw.get("beyond")),
            runner=str(raw.get("runner") or ""), note=str(raw.get("note") or ""), asked=_when(raw.get("asked")),
            started=_when(raw.get("started")), finished=_when(raw.get("finished")), raw=raw)


def _when(text: Optional[str]) -> Optional[datetime]:
    if not text:
        return None
    # fromisoformat of older Pythons knows neither Z nor nanoseconds.
    whole, _, fraction = text.rstrip("Z").partition(".")
    try:
        return datetime.fromisoformat(f"{whole}.{(fraction + '000000')[:6]}+00:00")
    except ValueError:
        return None


def end_trial(transport: Transport, study: str, number: int, verb: str, body: Mapping[str, Any], key: str,
              patience: Optional[float]) -> TrialInfo:
    return TrialInfo.of(transport.request("POST", path_of("studies", study, "trials", number, verb), body, key=key, patience=patience))


def tell_body(value: float, cost: Optional[float], wall: Optional[float], note: str) -> Dict[str, Any]:
    body: Dict[str, Any] = {"value": number_of("value", value)}
    return _with(body, cost, wall, note)


def fail_body(state: str, cost: Optional[float], wall: Optional[float], note: str) -> Dict[str, Any]:
    return _with({"state": state}, cost, wall, note)


def _with(body: Dict[str, Any], cost: Optional[float], wall: Optional[float], note: str) -> Dict[str, Any]:
    if cost is not None:
        body["cost"] = number_of("cost", cost)
    if wall is not None:
        body["wall"] = number_of("wall", wall)
    if note:
        body["note"] = note[:_LONGEST_NOTE]
    return body


def number_of(name: str, x: Any) -> float:
    """Reads a number, also one of another library's."""
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
    """An exception as a note: what it says, and where it came from. Of TrialFailed it is what the function said."""
    if isinstance(error, TrialFailed) and str(error):
        return str(error)
    words = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    where = f"\nat {frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""
    return words[:_LONGEST_NOTE - 500] + where[:500]


class _Heart:
    """Tells the server that a trial's worker is alive, until it is stopped. It knows nothing of the Trial, so that a trial which
    nobody holds any more falls silent, and its money becomes free again."""

    def __init__(self, transport: Transport, study: str, number: int, worker: str, lease: float, limit: Optional[float]) -> None:
        self._transport, self._study, self._number, self._worker = transport, study, number, worker
        self._lease, self._begun = lease, time.monotonic()
        self.limit = limit
        self.over = threading.Event()  # it has reached a limit, or was ended by others
        self.lost = False
        self.quiet = threading.Event()
        self.thread = threading.Thread(target=self._beat_on, name=f"eke-heartbeat-{study}-{number}", daemon=True)
        self.thread.start()

    def _pause(self) -> float:
        """Well within the lease; and in time to get more wall time, which is given when less than half of it is left."""
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
            except EkeError as e:  # it may be back later; until then the trial goes on
                log.warning("no heartbeat for trial %d of %s: %s", self._number, self._study, e.detail)
            except Exception:  # whatever it is must not end the heartbeat
                log.exception("no heartbeat for trial %d of %s", self._number, self._study)

    def _beat(self) -> bool:
        at = ("studies", self._study, "trials", self._number)
        answer = self._transport.request("POST", path_of(*at, "heartbeat"), {"worker": self._worker}, timeout=max(1.0, self._lease / 2),
                                         patience=self._lease / 4, cancel=self.quiet)
        if not answer["stop"]:
            self.limit, self._lease = answer["limit"], float(answer["lease_seconds"] or self._lease)
            return True
        if answer.get("limit") is not None:
            self.over.set()
            return False
        # It is not this worker's any more. The result of one that was taken for dead is still welcome, so that one goes on.
        self.lost = True
        if self._transport.request("GET", path_of(*at), patience=self._lease / 4, cancel=self.quiet)["state"] != "abandoned":
            self.over.set()
        return False


class Trial:
    """A trial under way: a setting to be evaluated, with money reserved for it.

    While it lasts a thread tells the server that this worker is alive. Use it as a context manager::

        with study.ask() as trial:
            trial.tell(evaluate(**trial.setting))

    Leaving the block ends the trial if it was not told: as failed after an exception, as cut after TrialStopped, and as abandoned
    after KeyboardInterrupt or nothing at all.
    """

    def __init__(self, transport: Transport, study: str, worker: str, lease: Mapping[str, Any], patience: Optional[float] = None) -> None:
        self._transport, self._study, self._patience = transport, study, patience
        self.info = TrialInfo.of(lease)
        """What is on record of it."""
        self.number = self.info.number
        self.setting: Dict[str, Any] = dict(self.info.setting)
        """The parameters' values."""
        self._begun = time.monotonic()
        self._wall: Optional[float] = None
        self._nonce = uuid.uuid4().hex
        self._pending: Optional[Tuple[str, Dict[str, Any]]] = None  # what the server has not acknowledged
        self._heart: Optional[_Heart] = None
        seconds = float(lease.get("lease_seconds") or 0)
        if seconds > 0 and self.info.open:
            self._heart = _Heart(transport, study, self.number, worker, seconds, lease.get("limit"))
            weakref.finalize(self, self._heart.quiet.set)

    def __repr__(self) -> str:
        return f"<Trial {self.number} of {self._study!r}: {self.info.state}, {self.setting!r}>"

    @property
    def ended(self) -> bool:
        """Whether the server has acknowledged its end."""
        return not self.info.open

    @property
    def seconds(self) -> float:
        """How long it has taken, or took."""
        return time.monotonic() - self._begun if self._wall is None else self._wall

    @property
    def limit(self) -> Optional[float]:
        """How many seconds it may take, as far as is known now; None: there is no limit. It grows while there is money."""
        return self._heart.limit if self._heart else None

    @property
    def stop(self) -> bool:
        """Whether it should stop: it has reached a limit, or somebody else has ended it."""
        return self._heart is not None and self._heart.over.is_set()

    @property
    def lost(self) -> bool:
        """Whether the server took its worker for dead. Its result is still welcome."""
        return self._heart is not None and self._heart.lost

    def check(self) -> None:
        """Raises TrialStopped if the trial should stop. Call it now and then where trials have limits."""
        if self.stop:
            raise TrialStopped(f"trial {self.number} has reached a limit after {self.seconds:.1f} s, or was ended by another")

    def tell(self, value: float, cost: Optional[float] = None, *, wall: Optional[float] = None, note: str = "") -> TrialInfo:
        """Says what it returned and cost. Where wall time is the cost it is measured, and cost is left out.

        It may be repeated: the same result is taken once. Another result of an ended trial is a Conflict.
        """
        return self._end("tell", tell_body(value, cost, self._measure(wall), note))

    def fail(self, note: str = "", *, cost: Optional[float] = None, wall: Optional[float] = None, state: str = "failed") -> TrialInfo:
        """Says that it returned nothing: it failed, was ``cut`` at a limit, or was ``abandoned``, which says nothing of its setting."""
        return self._end("fail", fail_body(state, cost, self._measure(wall), note))

    def abandon(self, note: str = "") -> TrialInfo:
        """Gives it up. What it has used is charged; its setting will be tried once more."""
        return self.fail(note, state="abandoned")

    def _measure(self, wall: Optional[float]) -> float:
        if wall is not None:
            return wall
        if self._wall is None:
            self._wall = time.monotonic() - self._begun  # kept, so that a repeated result is the same one
        return self._wall

    def _end(self, verb: str, body: Dict[str, Any], patience: Optional[float] = None) -> TrialInfo:
        self._pending = (verb, body)
        key = hashlib.sha256(self._nonce.encode() + verb.encode() + to_json(body)).hexdigest()
        try:
            self.info = end_trial(self._transport, self._study, self.number, verb, body, key,
                                  self._patience if patience is None else patience)
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
                pass  # as patient as could be, in vain
            elif error is None:
                self.abandon("it was left without a result")
            elif isinstance(error, TrialStopped):
                self.fail(str(error), state="cut")
            elif isinstance(error, Exception):
                self.fail(describe(error), cost=error.cost if isinstance(error, TrialFailed) else None)
            else:
                self.give_up(type(error).__name__)
        except EkeError as e:  # must not hide what happened in the block
            log.warning("the end of trial %d of %s could not be told: %s", self.number, self._study, e.detail)
        finally:
            self._hush()

    def give_up(self, note: str = "") -> None:
        """Abandons it in a hurry. If the server is away, it will notice the silence."""
        self._hush()
        self._end("fail", fail_body("abandoned", None, time.monotonic() - self._begun, note), patience=_LAST_PATIENCE)


_current: contextvars.ContextVar[Optional[Trial]] = contextvars.ContextVar("eke_trial", default=None)


def current_trial() -> Trial:
    """Returns the trial that is being evaluated, for use in the function given to minimize, maximize or Study.run."""
    trial = _current.get()
    if trial is None:
        raise RuntimeError("no trial is being evaluated here")
    return trial
