"""eke finds good settings for expensive experiments within a budget. This is the client for its server (``eke serve``).

::

    import eke

    def train(setting):
        return loss_of_a_network(setting["lr"], setting["layers"])

    result = eke.minimize(train, {"lr": eke.Float(1e-5, 1e-1, log=True), "layers": eke.Int(1, 8)}, budget="2h")
    print(result.setting, result.value)

It needs nothing but Python's standard library.
"""

from ._client import Client, Definition, Study
from ._errors import (BadRequest, BudgetPending, BudgetSpent, Closed, Conflict, EkeError, Exhausted, Exists, Fault, Forbidden, NotFound,
                      NotWorth, Over, Paused, TooLarge, TooMany, TooManyFailures, TrialFailed, TrialStopped, Unauthenticated, Unavailable)
from ._loop import Result, maximize, minimize
from ._parameters import Bool, Choice, Fixed, Float, Int, Ordered, Parameter
from ._server import Server
from ._trial import Estimate, Trial, TrialInfo, current_trial

__version__ = "0.1.0"

__all__ = [
    "BadRequest", "Bool", "BudgetPending", "BudgetSpent", "Choice", "Client", "Closed", "Conflict", "Definition", "EkeError", "Estimate", "Exhausted",
    "Exists", "Fault", "Fixed", "Float", "Forbidden", "Int", "NotFound", "NotWorth", "Ordered", "Over", "Parameter", "Paused", "Result",
    "Server", "Study", "TooLarge", "TooMany", "TooManyFailures", "Trial", "TrialFailed", "TrialInfo", "TrialStopped", "Unauthenticated",
    "Unavailable", "current_trial", "maximize", "minimize",
]
