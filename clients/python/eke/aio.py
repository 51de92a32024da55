"""The client for programs that use asyncio::

    client = eke.aio.AsyncClient()
    study = await client.study("airfoil")
    async with await study.ask() as trial:
        await trial.tell(await evaluate(trial.setting), cost=3.4)

Every method is that of :class:`eke.Client`, :class:`eke.Study` or :class:`eke.Trial`, in a thread, so that the event loop goes on.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Type

from ._client import Client, Definition, Study
from ._trial import Trial, TrialInfo

__all__ = ["AsyncClient", "AsyncStudy", "AsyncTrial"]


class AsyncClient:
    """A server; see :class:`eke.Client`, whose arguments it takes. Or give it a client."""

    def __init__(self, client: Optional[Client] = None, **more: Any) -> None:
        self.client = client or Client(**more)

    async def studies(self) -> List[AsyncStudy]:
        return [AsyncStudy(s) for s in await asyncio.to_thread(self.client.studies)]

    async def study(self, name: str) -> AsyncStudy:
        return AsyncStudy(await asyncio.to_thread(self.client.study, name))

    async def create(self, definition: Definition, *, exist_ok: bool = False) -> AsyncStudy:
        return AsyncStudy(await asyncio.to_thread(lambda: self.client.create(definition, exist_ok=exist_ok)))


class AsyncStudy:
    """A study. What is not listed here is a method of ``study`` in a thread: ``await study.call("forget", 3)``."""

    def __init__(self, study: Study) -> None:
        self.study = study

    async def call(self, method: str, *args: Any, **more: Any) -> Any:
        """Calls a method of the study in a thread."""
        f: Callable[..., Any] = getattr(self.study, method)
        return await asyncio.to_thread(lambda: f(*args, **more))

    async def ask(self, **more: Any) -> AsyncTrial:
        return AsyncTrial(await asyncio.to_thread(lambda: self.study.ask(**more)))

    async def refresh(self) -> AsyncStudy:
        await asyncio.to_thread(self.study.refresh)
        return self

    async def best(self) -> Optional[TrialInfo]:
        return await asyncio.to_thread(self.study.best)

    async def trials(self, **more: Any) -> List[TrialInfo]:
        return await asyncio.to_thread(lambda: self.study.trials(**more))


class AsyncTrial:
    """A trial under way; see :class:`eke.Trial`. A thread sends its heartbeats."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.number = trial.number
        self.setting: Dict[str, Any] = trial.setting

    @property
    def stop(self) -> bool:
        return self.trial.stop

    def check(self) -> None:
        self.trial.check()

    def should_stop(self) -> bool:
        return self.trial.should_stop()

    async def report(self, step: float, value: float, cost: Optional[float] = None) -> None:
        await asyncio.to_thread(self.trial.report, step, value, cost)

    async def tell(self, value: float, cost: Optional[float] = None, *, note: str = "", metrics: Optional[Mapping[str, float]] = None,
                   setup: Optional[float] = None) -> TrialInfo:
        return await asyncio.to_thread(lambda: self.trial.tell(value, cost, note=note, metrics=metrics, setup=setup))

    async def fail(self, note: str = "", *, cost: Optional[float] = None, state: str = "failed", metrics: Optional[Mapping[str, float]] = None,
                   exit_code: Optional[int] = None) -> TrialInfo:
        return await asyncio.to_thread(lambda: self.trial.fail(note, cost=cost, state=state, metrics=metrics, exit_code=exit_code))

    async def __aenter__(self) -> AsyncTrial:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        await asyncio.to_thread(self.trial.__exit__, kind, error, trace)
