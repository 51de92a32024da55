"""The picture of a study in a notebook: its budget, its best setting, the best value against the money spent, its last trials."""

from __future__ import annotations

from html import escape
from typing import Any, List, Mapping, Sequence, Tuple

from ._trial import TrialInfo
from ._words import count, unit_of

_WIDTH, _HEIGHT = 460, 130
_LAST = 8  # trials in the table


def amount(x: float) -> str:
    """Writes a number for people."""
    return f"{x:.4g}"


def counting(trials: Sequence[TrialInfo]) -> List[TrialInfo]:
    """Returns the trials whose values count."""
    return [t for t in trials if t.value is not None and not t.beyond and not t.look and not t.forgotten]


def staircase(trials: Sequence[TrialInfo], goal: str) -> List[Tuple[float, float]]:
    """Returns the best value after each amount of money."""
    spent, best, steps = 0.0, None, []
    for t in sorted(trials, key=lambda t: (t.finished is None, t.finished and t.finished.timestamp() or 0.0, t.number)):
        spent += t.charged
        if t.value is None or t.beyond or t.look or t.forgotten:
            continue
        if best is None or (t.value < best if goal == "minimize" else t.value > best):
            best = t.value
        steps.append((spent, best))
    return steps


def _chart(trials: Sequence[TrialInfo], goal: str, total: float) -> str:
    steps = staircase(trials, goal)
    if len(steps) < 2:
        return ""
    low, high = min(v for _, v in steps), max(v for _, v in steps)
    if high <= low or total <= 0:
        return ""

    def at(x: float, y: float) -> str:
        return f"{4 + (_WIDTH - 8) * min(x / max(total, steps[-1][0]), 1):.1f},{6 + (_HEIGHT - 12) * (high - y) / (high - low):.1f}"

    points, before = [], steps[0][1]
    for x, y in steps:
        points += [at(x, before), at(x, y)]
        before = y
    return (f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="the best value against the money spent">'
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#8886"/>'
            f'<polyline fill="none" stroke="#2a78b5" stroke-width="2" points="{" ".join(points)}"/></svg>'
            f'<div style="font-size:smaller">best value, from {amount(steps[0][1])} to {amount(steps[-1][1])}, against money spent</div>')


def _table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    cells = "".join(f"<th>{escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def setting_text(setting: Mapping[str, Any]) -> str:
    """Writes a setting on one line."""
    return ", ".join(f"{k}={amount(v) if isinstance(v, float) else v}" for k, v in setting.items())


def study_html(raw: Mapping[str, Any], trials: Sequence[TrialInfo], ended: str = "") -> str:
    """Draws a study, given as the server's answer, with its trials. ``ended`` says why its loop ended."""
    ledger, goal = raw["ledger"], raw["objective"]["goal"]
    total, spent = float(ledger["total"]), float(ledger["spent"])
    unit = unit_of(raw["cost"], total)
    share = min(100.0, 100 * spent / total) if total > 0 else 100.0
    parts = [
        f"<div><b>{escape(str(raw['name']))}</b>: {amount(spent)} of {amount(total)} {escape(unit)} spent, {count(len(trials), 'trial')}"
        + (f"; {escape(ended)}" if ended else "") + "</div>",
        f'<div style="width:{_WIDTH}px;border:1px solid #8888;height:10px"><div style="width:{share:.1f}%;background:#2a78b5;height:10px">'
        "</div></div>",
    ]
    best = raw.get("best")
    if best:
        parts.append(f"<div>best: <b>{amount(float(best['value']))}</b> at {escape(setting_text(best['setting']))} "
                     f"(trial {int(best['number'])})</div>")
    parts.append(_chart(trials, goal, total))
    if trials:
        rows = [[str(t.number), t.state, "" if t.value is None else amount(t.value), amount(t.charged), setting_text(t.setting)]
                for t in list(trials)[-_LAST:][::-1]]
        parts.append(_table(rows, ["trial", "state", "value", "cost", "setting"]))
    return '<div class="eke-study">' + "".join(parts) + "</div>"
