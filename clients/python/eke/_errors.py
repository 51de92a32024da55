"""What can go wrong, as exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Type

__all__ = [
    "BadRequest", "BudgetPending", "BudgetSpent", "Closed", "Conflict", "EkeError", "Exhausted", "Exists", "Fault", "Forbidden",
    "NotFound", "NotWorth", "Over", "TooLarge", "TooMany", "TooManyFailures", "TrialFailed", "TrialStopped", "Unauthenticated",
    "Unavailable",
]


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a request."""

    location: str
    """Such as ``body.value``, or ``body.parameters.lr.min`` of a study's definition."""
    message: str
    mend: str = ""
    """What to do about it; empty if that is not known."""
    line: int = 0
    """In the study's YAML text, from 1; 0: it has no place there."""
    column: int = 0
    value: Any = None
    """What was given there, if it is short."""

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        mend = f" ({self.mend})" if self.mend else ""
        return f"{where}{self.location}: {self.message}{mend}"


class EkeError(Exception):
    """An error that the server answered with, or that kept it from answering.

    There is a subclass for every code, so ``except eke.NotFound`` works.
    """

    code: str = ""
    """What went wrong, for programs: ``not_found``, ``budget_spent``, …"""

    def __init__(self, detail: str, *, code: str = "", status: int = 0, title: str = "", faults: Sequence[Fault] = (),
                 retry_after: Optional[float] = None) -> None:
        super().__init__(detail)
        self.detail = detail
        """What went wrong, and what to do about it, for people."""
        self.code = code or type(self).code
        self.status = status
        """Of HTTP; 0: there was no answer."""
        self.title = title
        self.faults: Tuple[Fault, ...] = tuple(faults)
        """What exactly is wrong with the request."""
        self.retry_after = retry_after
        """Seconds after which to try again, if the server said so."""

    @property
    def fields(self) -> Dict[str, str]:
        """What is wrong with each field of the request, by its location."""
        return {f.location: f.message for f in self.faults}

    def __str__(self) -> str:
        if not self.faults or (len(self.faults) == 1 and not self.faults[0].mend):
            return self.detail
        head = self.detail.split(": " + self.faults[0].location)[0]
        return "\n  ".join([head + ":"] + [str(f) for f in self.faults])


class BadRequest(EkeError):
    """The request is wrong; ``fields`` says where."""

    code = "bad_request"


class Unauthenticated(EkeError):
    """A token is needed (``EKE_TOKEN``), or the one that was sent is not known."""

    code = "unauthenticated"


class Forbidden(EkeError):
    """The token's role may not do this."""

    code = "forbidden"


class NotFound(EkeError):
    """There is no such study or trial."""

    code = "not_found"


class Exists(EkeError):
    """There is a study of that name already."""

    code = "exists"


class Conflict(EkeError):
    """It cannot be done as things stand: for example, the trial has ended already."""

    code = "conflict"


class Over(EkeError):
    """Nothing more is to be had from this study: the base of BudgetSpent, NotWorth, Exhausted and Closed."""


class BudgetSpent(Over):
    """The budget is spent."""

    code = "budget_spent"


class NotWorth(Over):
    """Nothing that can be paid for is worth trying."""

    code = "not_worth"


class Exhausted(Over):
    """Every setting has been tried."""

    code = "exhausted"


class Closed(Over):
    """The study was ended, or its deadline has passed."""

    code = "closed"


class BudgetPending(EkeError):
    """What is left is reserved by trials under way: ask again when one has ended."""

    code = "budget_pending"


class TooLarge(EkeError):
    """The request is too large."""

    code = "too_large"


class TooMany(EkeError):
    """Too many requests, or studies."""

    code = "too_many"


class Unavailable(EkeError):
    """The server cannot be reached, or cannot answer now."""

    code = "unavailable"


class TrialStopped(Exception):
    """Raised by :meth:`Trial.check` when the trial has reached a limit. Let it through: the trial ends as cut."""


class TrialFailed(Exception):
    """For a function to raise when a trial failed and it knows what that cost."""

    def __init__(self, note: str = "", cost: Optional[float] = None) -> None:
        super().__init__(note)
        self.cost = cost


class TooManyFailures(RuntimeError):
    """So many trials failed one after the other that the fault is likely not theirs. The last one's exception is the cause."""


_KINDS: Dict[str, Type[EkeError]] = {
    kind.code: kind
    for kind in (BadRequest, Unauthenticated, Forbidden, NotFound, Exists, Conflict, BudgetSpent, NotWorth, Exhausted, Closed,
                 BudgetPending, TooLarge, TooMany, Unavailable)
}

_BY_STATUS = {401: "unauthenticated", 403: "forbidden", 404: "not_found", 409: "conflict", 413: "too_large", 429: "too_many"}


def from_problem(status: int, problem: Any, retry_after: Optional[float]) -> EkeError:
    """Makes an exception of an answer; it need not be a problem document, as proxies answer, too."""
    document: Mapping[str, Any] = problem if isinstance(problem, dict) else {}
    code = document.get("code")
    if not isinstance(code, str) or not code:
        code = _BY_STATUS.get(status, "unavailable" if status >= 500 else "bad_request")
    listed = document.get("errors")
    faults = [
        Fault(location=str(f.get("location") or ""), message=str(f.get("message") or ""), mend=str(f.get("mend") or ""),
              line=int(f.get("line") or 0), column=int(f.get("column") or 0), value=f.get("value"))
        for f in (listed if isinstance(listed, list) else []) if isinstance(f, dict)
    ]
    detail = str(document.get("detail") or document.get("title") or f"the server answered with status {status}")
    return _KINDS.get(code, EkeError)(detail, code=code, status=status, title=str(document.get("title") or ""), faults=faults,
                                      retry_after=retry_after)
