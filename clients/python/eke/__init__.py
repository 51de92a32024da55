"""eke finds good settings for expensive experiments within a budget. This is the client for its server (``eke serve``).

::

    import eke

    def train(setting):
        return loss_of_a_network(setting["lr"], setting["layers"])

    result = eke.minimize(train, {"lr": eke.Float(1e-5, 1e-1, log=True), "layers": eke.Int(1, 8)}, budget="2h")
    print(result.setting, result.value)

It needs nothing but Python's standard library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Union

from ._client import Client, Definition, Result, Study
from ._errors import (BadRequest, BudgetPending, BudgetSpent, Closed, Conflict, EkeError, Exhausted, Exists, Fault, Forbidden, NotFound,
                      NotWorth, Over, Paused, TooLarge, TooMany, TooManyFailures, TrialFailed, TrialStopped, Unauthenticated, Unavailable,
                      UnknownLease, Unreported)
from ._minimize import maximize, minimize, optimize
from ._parameters import Bool, Choice, Fixed, Float, Int, Ordered, Parameter
from ._server import Server
from ._trial import Estimate, Trial, TrialInfo, current_trial
from ._worker import worker

if TYPE_CHECKING:
    from .integrations.sklearn import Tuned


def tune(estimator: Any, space: Mapping[str, Parameter], X: Any, y: Any, budget: Union[float, str, Mapping[str, Any]], **more: Any) -> Tuned:
    """Tunes an estimator of scikit-learn within a budget of time; see :func:`eke.integrations.sklearn.tune`."""
    from .integrations import sklearn  # which is imported only if it is used

    return sklearn.tune(estimator, space, X, y, budget, **more)


__version__ = "0.2.0"

__all__ = [
    "BadRequest", "Bool", "BudgetPending", "BudgetSpent", "Choice", "Client", "Closed", "Conflict", "Definition", "EkeError", "Estimate", "Exhausted",
    "Exists", "Fault", "Fixed", "Float", "Forbidden", "Int", "NotFound", "NotWorth", "Ordered", "Over", "Parameter", "Paused", "Result",
    "Server", "Study", "TooLarge", "TooMany", "TooManyFailures", "Trial", "TrialFailed", "TrialInfo", "TrialStopped", "Unauthenticated",
    "Unavailable", "UnknownLease", "Unreported", "current_trial", "maximize", "minimize", "optimize", "tune", "worker",
]
