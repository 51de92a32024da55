"""Evaluates a function: here, or in processes that can be stopped and may be killed."""

from __future__ import annotations

import contextvars
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import threading
import time
from types import TracebackType
from typing import Any, Callable, Dict, Optional, Tuple, Type

from ._errors import TrialFailed, TrialStopped
from ._trial import Trial, _current, describe, exit_code_of

_LOOK = 0.1  # seconds between two looks at whether a trial should stop
_GRACE = 2.0  # seconds from SIGTERM to SIGKILL

# One process is started at a time. Another one that is forked meanwhile would hold the first one's end of its pipe, and when the first one
# dies, nobody would hear of it. A start also collects the processes that have ended, so whoever asks how one ended waits for it.
_starting = threading.Lock()

Function = Callable[[Dict[str, Any]], Any]


def jobs_of(n_jobs: int) -> int:
    """Returns how many processes are meant."""
    if n_jobs == -1:
        return os.cpu_count() or 1
    if n_jobs < 1:
        raise ValueError("n_jobs must be at least 1, or -1 for one process per processor")
    return n_jobs


class Evaluators:
    """Calls f for trials: in the thread that asks, or, if there is more than one job, in processes."""

    def __init__(self, f: Function, jobs: int) -> None:
        self._f = f
        self._free = threading.Condition()
        self._all = [_Process(f) for _ in range(jobs)] if jobs > 1 else []  # before threads are started, which forks do not like
        self._idle = list(self._all)
        self._last: Dict[int, _Process] = {}  # by thread: a process may hold what is dear to change, so a thread goes back to it

    def __call__(self, trial: Trial) -> Any:
        if not self._all:
            return call(self._f, trial)
        me = threading.get_ident()
        with self._free:
            self._free.wait_for(lambda: self._idle)
            process = self._last.get(me)
            if process not in self._idle:  # then one that is nobody's
                taken = list(self._last.values())
                process = next((p for p in self._idle if p not in taken), self._idle[0])
            self._idle.remove(process)
            self._last[me] = process
        try:
            return process.evaluate(trial)
        finally:
            with self._free:
                self._idle.append(process)
                self._free.notify()

    def __enter__(self) -> Evaluators:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        for process in self._all:
            process.end()


def call(f: Function, trial: Trial) -> Any:
    """Calls f with the trial as the current one."""
    before: contextvars.Token[Optional[Trial]] = _current.set(trial)
    try:
        return f(dict(trial.setting))
    finally:
        _current.reset(before)


class _Process:
    """A process that evaluates one trial after another. If it dies, the next trial gets a new one."""

    def __init__(self, f: Function) -> None:
        self._f = f
        # Forks take functions of notebooks and lambdas. On macOS its libraries do not survive forks.
        self._how: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
        self._ended = False
        self._start()

    def _start(self) -> None:
        with _starting:
            self._pipe, theirs = self._how.Pipe()
            self._process = self._how.Process(target=_serve, args=(theirs, self._f, os.getpid()), daemon=True)
            self._process.start()
            theirs.close()

    def evaluate(self, trial: Trial) -> Any:
        if not self._alive() and not self._ended:
            self._start()
        try:
            self._pipe.send((trial.number, dict(trial.setting)))
            kind, said, cost, error = self._hear(trial)
            while kind == "step":
                self._pipe.send(_answer(trial, said))
                kind, said, cost, error = self._hear(trial)
        except (EOFError, OSError):
            how, code = self._fate()
            self._kill()
            raise TrialFailed(f"the process that evaluated it {how}", exit_code=code) from None
        if kind == "returned":
            return said
        if kind == "stopped":
            raise TrialStopped(said)
        note, code = said
        raise TrialFailed(note, cost, code) from error

    def _hear(self, trial: Trial) -> Tuple[str, Any, Optional[float], Optional[BaseException]]:
        """Waits for what the process says."""
        while not self._pipe.poll(_LOOK):
            if trial.stop:
                self._kill()
                trial.check()
            if not self._alive() and not self._pipe.poll():  # what f has forked may hold the other end, so there may be no end of file
                raise EOFError
        said: Tuple[str, Any, Optional[float], Optional[BaseException]] = self._pipe.recv()
        return said

    def _alive(self) -> bool:
        with _starting:
            return bool(self._process.is_alive())

    def _fate(self) -> Tuple[str, Optional[int]]:
        """Says how the process ended, in words and with its exit code. One that has closed its pipe is given time to end."""
        _wait_while(self._alive)
        with _starting:
            code = self._process.exitcode
        if code is None:
            return "does not answer any more", None
        return (f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"), code

    def _kill(self) -> None:
        self._stop()
        self._pipe.close()

    def _stop(self) -> None:
        """Ends the process, and what f has started there: it may hold memory that the next trial needs."""
        leader = self._process.pid or 0
        if not _signal(leader, "SIGTERM"):
            self._process.terminate()
        # What f has started may hold the sentinel, so that join would wait for it.
        if not _wait_while(lambda: self._alive() or _left(leader)):
            _signal(leader, "SIGKILL")
            self._process.kill()
        self._process.join()

    def end(self) -> None:
        """Ends the process. After Ctrl-C a thread may still listen to it, so the pipe is left open."""
        self._ended = True
        if self._alive():
            self._stop()


def _answer(trial: Trial, step: Tuple[float, float, Optional[float]]) -> Tuple[str, Optional[BaseException]]:
    """Reports a value for the process, and returns what Trial.report_step returns, or what it raises. The process waits for one of them."""
    try:
        return trial.report_step(*step), None
    except Exception as e:
        return "", _sendable(e) or RuntimeError(describe(e))


def _serve(pipe: multiprocessing.connection.Connection, f: Function, parent: int) -> None:
    """Evaluates trials in the child, until it is told to end or its parent is gone."""
    global _starting
    _starting = threading.Lock()  # the parent's was taken when this process was forked
    multiprocessing.current_process().daemon = False  # so that f may start processes, as PyTorch's DataLoader does; the parent still ends this one
    if sys.platform != "win32":
        os.setsid()  # it leads a group of its own, which ends with it; and a terminal does not stop what writes to it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C may have reached it before; the parent decides
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    while True:
        try:
            number, setting = pipe.recv()
        except (EOFError, OSError):
            return
        trial = Trial.elsewhere(number, setting, lambda step, value, cost: _report(pipe, (step, value, cost)))
        try:
            answer: Tuple[str, Any, Optional[float], Optional[BaseException]] = ("returned", call(f, trial), None, None)
        except TrialStopped as e:
            answer = ("stopped", str(e), None, None)
        except Exception as e:
            answer = ("raised", (describe(e), exit_code_of(e)), e.cost if isinstance(e, TrialFailed) else None, _sendable(e))
        try:
            pipe.send(answer)
        except (pickle.PicklingError, TypeError, AttributeError):
            pipe.send(("returned", None, None, None))  # which is no number either; the parent says so


def _report(pipe: multiprocessing.connection.Connection, step: Tuple[float, float, Optional[float]]) -> str:
    """Has the parent report a value, and returns why the trial should stop, or nothing. It raises what is raised there."""
    pipe.send(("step", step, None, None))
    reason, error = pipe.recv()
    if error is not None:
        raise error
    return str(reason)


def _sendable(error: BaseException) -> Optional[BaseException]:
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:  # whatever an exception of another library may raise here
        return None


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    if _signal(os.getpid(), "SIGTERM"):  # which f may handle
        time.sleep(_GRACE)
        _signal(os.getpid(), "SIGKILL")
    os._exit(1)


def _signal(leader: int, name: str = "") -> bool:
    """Signals a process and what it has started, and says whether any of them is there. Without a name it only looks. Windows has no such groups."""
    if sys.platform == "win32" or not leader:
        return False
    try:
        os.killpg(leader, getattr(signal, name) if name else 0)
    except OSError:  # there is none yet, or no more
        return False
    return True


def _left(leader: int) -> bool:
    """Says whether a process that has ended left some behind. If this program is the first of a container, it inherits them, and nobody else collects them."""
    try:
        while sys.platform != "win32" and os.waitpid(-leader, os.WNOHANG)[0]:
            pass
    except OSError:
        pass
    return _signal(leader)


def _wait_while(test: Callable[[], bool]) -> bool:
    """Waits for the end of something, but not for long, and says whether it came."""
    until = time.monotonic() + _GRACE
    while test():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
