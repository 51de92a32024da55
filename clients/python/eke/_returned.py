"""Reads what a function returns: a value, a value and a cost, or a dict of them and of metrics."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from ._trial import number_of

_MOST_METRICS, _LONGEST_NAME = 200, 100


def value_and_cost(returned: Any) -> Tuple[Any, Optional[float]]:
    """Reads a value, or (value, cost)."""
    if not isinstance(returned, (tuple, list)):
        return returned, None
    if len(returned) != 2:
        raise TypeError(f"f must return a value or (value, cost), not {len(returned)} things")
    return returned[0], cost_of(returned[1])


def cost_of(x: Any) -> float:
    """Reads a cost."""
    return number_of("the cost that f returns", x)


def metrics_of(returned: Mapping[Any, Any], but: Sequence[str], first: Sequence[str] = ()) -> Dict[str, float]:
    """Returns the finite numbers of a dict that have other names and can be kept with a trial. If there are too many, those that are asked for come first."""
    metrics: Dict[str, float] = {}
    for name, x in sorted(returned.items(), key=lambda item: item[0] not in first):
        if name in but or not _can_be_kept(str(name)) or len(metrics) == _MOST_METRICS:
            continue
        try:
            metrics[str(name)] = number_of(str(name), x)
        except (TypeError, ValueError):
            pass  # a text, or no number at all
    return metrics


def _can_be_kept(name: str) -> bool:
    """Says whether a number of that name can be kept with a trial."""
    return name != "" and name == name.strip() and len(name) <= _LONGEST_NAME and not any(c < " " or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in name)


def line_of(returned: Mapping[Any, Any]) -> Dict[str, Any]:
    """Returns the line for a dict such as {"loss": 0.2, "cost": 3, "memory": 7.4}. Whoever reads the line knows which of them is the objective, so what is
    not finite is written as text, which is no number there either."""
    line: Dict[str, Any] = {}
    for name, x in returned.items():
        if name == "step":  # it would be a value on the way
            continue
        try:
            line[str(name)] = x if isinstance(x, bool) else number_of(str(name), x)
        except ValueError:
            line[str(name)] = str(float(x))
        except TypeError:
            pass  # a text, or no number at all
    if "cost" in returned:
        line["cost"] = cost_of(returned["cost"])
    return line
