"""Exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Type

__all__ = [
    "BadRequest", "BudgetPending", "BudgetSpent", "Closed", "Conflict", "EkeError", "Exhausted", "Exists", "Fault", "Forbidden",
    "NotFound", "NotWorth", "Over", "Paused", "TooLarge", "TooMany", "TooManyFailures", "TrialFailed", "TrialStopped", "Unauthenticated",
    "Unavailable", "Unreported",
]


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a request."""

    location: str
    """The field, such as ``body.value``, or ``body.parameters.lr.min`` in a study's definition."""
    message: str
    hint: str = ""
    """What to do about it; empty if there is nothing to say."""
    line: int = 0
    """The line of the study's YAML text, from 1; 0 if there is none."""
    column: int = 0
    value: Any = None
    """What the request has there, if it is short."""

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.field}: {self.message}{hint}"

    @property
    def field(self) -> str:
        """The field as people know it: ``parameters.lr.min``."""
        return self.location[len("body."):] if self.location.startswith("body.") else self.location


class EkeError(Exception):
    """An error from the server, or the lack of an answer.

    Every code has a subclass, so ``except eke.NotFound`` works.
    """

    code: str = ""
    """What went wrong, for programs, such as ``not_found`` or ``budget_spent``."""

    def __init__(self, detail: str, *, code: str = "", hint: str = "", status: int = 0, title: str = "",
                 faults: Sequence[Fault] = (), retry_after: Optional[float] = None) -> None:
        super().__init__(detail)
        self.detail = detail
        """What went wrong, for people."""
        self.hint = hint
        """What to do about it; empty if there is nothing to say."""
        self.code = code or type(self).code
        self.status = status
        """The HTTP status; 0 if there was no answer."""
        self.title = title
        self.faults: Tuple[Fault, ...] = tuple(faults)
        """What is wrong with each field of the request."""
        self.retry_after = retry_after
        """How many seconds to wait before the next attempt, if the server said so."""

    @property
    def fields(self) -> Dict[str, str]:
        """What is wrong with each field of the request, by location."""
        return {f.location: f.message for f in self.faults}

    def __str__(self) -> str:
        if not self.faults or (len(self.faults) == 1 and not self.faults[0].hint):
            detail = self.detail.replace(self.faults[0].location, self.faults[0].field) if self.faults else self.detail
            return f"{detail} ({self.hint})" if self.hint else detail
        first = self.faults[0]
        head = self.detail.partition(f"{first.location}: {first.message}")[0].rstrip(": ")  # the detail ends in the first of them, or is it
        return "\n  ".join(([head + ":"] if head else []) + [str(f) for f in self.faults])


class BadRequest(EkeError):
    """The request has mistakes; ``fields`` says where."""

    code = "bad_request"


class Unauthenticated(EkeError):
    """The server needs a token (``EKE_TOKEN``), or does not know the one that was sent."""

    code = "unauthenticated"


class Forbidden(EkeError):
    """The token's role does not allow this."""

    code = "forbidden"


class NotFound(EkeError):
    """There is no such study or trial."""

    code = "not_found"


class Exists(EkeError):
    """There is already a study of that name."""

    code = "exists"


class Conflict(EkeError):
    """The request contradicts what is on record. For example, the trial has already ended."""

    code = "conflict"


class UnknownLease(Conflict):
    """The study does not have the trial: another study has its name by now, or its log was restored from a backup."""

    code = "unknown_lease"


class Over(EkeError):
    """The study hands out no more trials. The base of BudgetSpent, NotWorth, Exhausted and Closed."""


class BudgetSpent(Over):
    """The budget is spent."""

    code = "budget_spent"


class NotWorth(Over):
    """No affordable setting is worth trying."""

    code = "not_worth"


class Exhausted(Over):
    """Every setting has been tried."""

    code = "exhausted"


class Closed(Over):
    """The study was ended, or its deadline has passed."""

    code = "closed"


class Paused(EkeError):
    """The study is paused. Ask again when somebody has resumed it."""

    code = "paused"


class BudgetPending(EkeError):
    """The rest of the budget is reserved by trials under way. Ask again when one has ended."""

    code = "budget_pending"


class TooLarge(EkeError):
    """The request is too large."""

    code = "too_large"


class TooMany(EkeError):
    """There are too many requests, or too many studies."""

    code = "too_many"


class Unavailable(EkeError):
    """The server cannot be reached, or cannot answer now."""

    code = "unavailable"


class TrialStopped(Exception):
    """Raised by :meth:`Trial.check` when the trial has reached a limit. Do not catch it: the trial ends as cut."""


class TrialFailed(Exception):
    """Raise this in your function when a trial failed and you know what it cost. ``exit_code`` is how a program ended that it has run, as in
    ``subprocess``: negative for a signal. ``exceeded_by`` of a limit goes by it."""

    def __init__(self, note: str = "", cost: Optional[float] = None, exit_code: Optional[int] = None) -> None:
        super().__init__(note)
        self.cost = cost
        self.exit_code = exit_code


class TooManyFailures(RuntimeError):
    """Too many trials failed in a row. Its cause is the exception of the last one."""


class Unreported(RuntimeError):
    """There is a limit on a quantity that the function does not return, so no result counts."""


_KINDS: Dict[str, Type[EkeError]] = {
    kind.code: kind
    for kind in (BadRequest, Unauthenticated, Forbidden, NotFound, Exists, Conflict, UnknownLease, BudgetSpent, NotWorth, Exhausted, Closed,
                 BudgetPending, Paused, TooLarge, TooMany, Unavailable)
}

_BY_STATUS = {401: "unauthenticated", 403: "forbidden", 404: "not_found", 409: "conflict", 413: "too_large", 429: "too_many"}


def from_problem(status: int, problem: Any, retry_after: Optional[float]) -> EkeError:
    """Makes an exception of a bad answer. It may come from a proxy and not be a problem document."""
    document: Mapping[str, Any] = problem if isinstance(problem, dict) else {}
    code = document.get("code")
    if not isinstance(code, str) or not code:
        code = _BY_STATUS.get(status, "unavailable" if status >= 500 else "bad_request")
    listed = document.get("errors")
    faults = [
        Fault(location=str(f.get("location") or ""), message=str(f.get("message") or ""),
              hint=str(f.get("hint") or f.get("mend") or ""),  # older servers say mend
              line=int(f.get("line") or 0), column=int(f.get("column") or 0), value=f.get("value"))
        for f in (listed if isinstance(listed, list) else []) if isinstance(f, dict)
    ]
    detail = str(document.get("detail") or document.get("title") or f"the server answered {status}")
    return _KINDS.get(code, EkeError)(detail, code=code, hint=str(document.get("hint") or ""), status=status,
                                      title=str(document.get("title") or ""), faults=faults, retry_after=retry_after)
