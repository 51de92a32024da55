"""Shows how a study is going, in a terminal or in a notebook."""

from __future__ import annotations

import math
import shutil
import sys
import threading
import time
from types import TracebackType
from typing import Any, Callable, Dict, Optional, TextIO, Type

from ._errors import EkeError
from ._html import amount, counts, study_html
from ._reading import Reading
from ._trial import TrialInfo
from ._words import count, unit_of

_BAR = 24  # characters
_EVERY = 3.0  # seconds between two looks at a study in a notebook
_SELDOM = 30.0  # seconds between two lines in a file, unless there is a new best


class Watch:
    """Shows nothing. The base of those that do."""

    def __init__(self, study: Reading) -> None:
        self.study = study

    def trial_ended(self, info: TrialInfo) -> None:
        pass

    def end(self, why: str) -> None:
        pass

    def close(self) -> None:
        pass

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()


def watching(study: Reading, wanted: Optional[bool]) -> Watch:
    """Returns what fits the place where this program runs. By default a file, such as the log of a job, has a line now and then."""
    if wanted is False:
        return Watch(study)
    if _kernel() is not None:
        return _Notebook(study)
    if sys.stderr is None:
        return Watch(study)
    return _Terminal(study, sys.stderr, bool(wanted) or sys.stderr.isatty())


def both(watch: Watch, on_trial: Optional[Callable[[TrialInfo], None]]) -> Callable[[TrialInfo], None]:
    """Returns what to do after each trial."""
    def do(info: TrialInfo) -> None:
        watch.trial_ended(info)
        if on_trial is not None:
            on_trial(info)
    return do


def _kernel() -> Any:
    """Returns the notebook's kernel, or None. IPython is not imported for that: in a notebook it is there."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None)


class _Live(Watch):
    """Reads the study after each trial and shows it again."""

    def __init__(self, study: Reading) -> None:
        super().__init__(study)
        self._lock = threading.Lock()
        self._seen: Dict[int, TrialInfo] = {}
        self._mine: Reading = study._another(study.raw)  # the caller's is left as it is
        self._begun = time.monotonic()

    def trial_ended(self, info: TrialInfo) -> None:
        with self._lock:
            self._seen[info.number] = info
            try:
                self._mine.refresh()
            except EkeError:
                pass  # the server is away; the loop deals with that
            self.show("")

    def end(self, why: str) -> None:
        with self._lock:
            try:
                self._mine.refresh()
            except EkeError:
                pass
            self.show(why)

    def show(self, why: str) -> None:
        raise NotImplementedError


class _Terminal(_Live):
    def __init__(self, study: Reading, out: TextIO, each: bool) -> None:
        super().__init__(study)
        self._out, self._wide, self._open, self._each = out, 0, False, each
        self._animated = out.isatty()
        self._shown, self._top = 0.0, -math.inf
        self._sign = {"minimize": -1.0, "maximize": 1.0}.get((study.definition.get("objective") or {}).get("goal", ""), 0.0)  # 0: there are several
        out.write(f"study {study.name}: {study.place}\n")
        self.show("")

    def trial_ended(self, info: TrialInfo) -> None:
        if self._each or self._is_news(info):
            super().trial_ended(info)

    def _is_news(self, info: TrialInfo) -> bool:
        """Whether a trial is the best that this program has seen, or the last line is long ago."""
        with self._lock:
            if self._sign and info.value is not None and counts(info) and self._sign * info.value > self._top:
                self._top = self._sign * info.value
                return True
            return time.monotonic() - self._shown >= _SELDOM

    def show(self, why: str) -> None:
        self._shown = time.monotonic()
        line = line_of(self._mine, self._shown - self._begun)
        if not self._each:
            line = line.lstrip("█░ ")
        try:
            line.encode(self._out.encoding or "ascii")
        except UnicodeEncodeError:
            line = line.replace("█", "#").replace("░", ".").replace("·", "|")
        if self._animated:
            line = line[:shutil.get_terminal_size().columns - 1]  # one that wraps could not be written over
            self._out.write("\r" + line.ljust(self._wide))
            self._wide, self._open = len(line), True
        else:
            self._out.write(line + "\n")
        if why:
            self._out.write(("\n" if self._open else "") + why)
            self._open = True
        self._out.flush()

    def close(self) -> None:
        if self._open:
            self._out.write("\n")
            self._out.flush()


def line_of(study: Reading, seconds: float) -> str:
    """Describes a study in one line."""
    unit = unit_of(study.raw["cost"], study.total)
    share = min(1.0, study.spent / study.total) if study.total > 0 else 1.0
    full = round(_BAR * share)
    best = study.raw.get("best")
    parts = [f"{'█' * full}{'░' * (_BAR - full)} {amount(study.spent)}/{amount(study.total)} {unit}", count(sum(study.counts.values()), "trial")]
    if study.objectives:  # the best is that of the first alone
        parts.append(f"{count(len((study.raw.get('front') or {}).get('trials') or []), 'result')} on the front")
    elif best:
        parts.append(f"best {amount(float(best['value']))}")
    parts.append(f"{int(seconds) // 60}:{int(seconds) % 60:02d}")
    return " · ".join(parts)


class _Notebook(_Live):
    """Shows the study after each trial, and every few seconds: a trial that runs for an hour is seen to run, and so are those of others."""

    def __init__(self, study: Reading) -> None:
        super().__init__(study)
        display: Any = sys.modules["IPython"].display
        self._html: Any = display.HTML
        self._drawn = ""
        self._read()
        self._drawn = self._picture("")
        self._place: Any = display.display(self._html(self._drawn), display_id=True)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="eke-notebook", daemon=True)
        self._thread.start()

    def _read(self, last: bool = False) -> None:
        """Reads the trials that may have changed: those after the last one of which all before have ended. The last time it reads all, since
        people may have changed what has ended: forgotten trials, corrected them, or changed the parameters."""
        settled = 0
        while not last and settled + 1 in self._seen and not self._seen[settled + 1].open:
            settled += 1
        for t in self._mine.trials(after=settled):
            self._seen[t.number] = t

    def _look(self) -> None:
        while not self._over.wait(_EVERY):
            with self._lock:
                if self._over.is_set():
                    return
                try:
                    self._mine.refresh()
                except EkeError:
                    continue  # the server is away; the loop deals with that
                self.show("")

    def _picture(self, why: str) -> str:
        return study_html(self._mine.raw, [self._seen[n] for n in sorted(self._seen)], why)

    def show(self, why: str) -> None:
        if why:
            self._over.set()
        try:
            self._read(last=bool(why))
        except EkeError:
            pass
        picture = self._picture(why)
        if picture != self._drawn:
            self._drawn = picture
            self._place.update(self._html(picture))

    def close(self) -> None:
        self._over.set()
        self._thread.join(timeout=60)
