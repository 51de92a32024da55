"""The pictures in a notebook: a study with its trials, what the rest of its money is expected to buy, and the plan behind a trial."""

from __future__ import annotations

import math
from html import escape
from itertools import accumulate
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from ._draw import BLUE, GREY, ORANGE, Chart, number, shown, span
from ._trial import TrialInfo
from ._words import count, unit_of

_WIDTH = 520
_LAST = 8  # trials in the table
_MOST = 1000  # trials in the table of all
_DRAWN = 2000  # dots

amount = number


def counts(t: TrialInfo) -> bool:
    """Says whether the value of a trial counts."""
    return t.value is not None and not t.beyond and not t.look and not t.forgotten and not t.outside and not t.violates


def counting(trials: Sequence[TrialInfo]) -> List[TrialInfo]:
    """Returns the trials whose values count."""
    return [t for t in trials if counts(t)]


def _in_order(trials: Sequence[TrialInfo]) -> List[TrialInfo]:
    return sorted(trials, key=lambda t: (t.finished is None, t.finished and t.finished.timestamp() or 0.0, t.number))


def staircase(trials: Sequence[TrialInfo], goal: str) -> List[Tuple[float, float]]:
    """Returns the best value after each amount of money."""
    spent, best, steps = 0.0, None, []
    for t in _in_order(trials):
        spent += t.charged
        if t.value is None or not counts(t):
            continue
        if best is None or (t.value < best if goal == "minimize" else t.value > best):
            best = t.value
        steps.append((spent, best))
    return steps


def _unit(raw: Mapping[str, Any]) -> str:
    return unit_of(raw["cost"], float(raw["ledger"]["total"]))


def _money(raw: Mapping[str, Any], x: float) -> str:
    return f"{amount(x)} {unit_of(raw['cost'], x)}".rstrip()


def _chart(raw: Mapping[str, Any], trials: Sequence[TrialInfo]) -> str:
    """Draws every trial that has ended against the money spent by then, and the best value so far."""
    goal, name, unit = raw["objective"]["goal"], str(raw["objective"].get("name") or "value"), _unit(raw)
    ended = [t for t in _in_order(trials) if not t.open]
    best: Mapping[str, Any] = raw.get("best") or {}
    estimate: Optional[Mapping[str, Any]] = best.get("estimate")
    values = [t.value for t in ended if t.value is not None]
    if estimate:
        values += [float(estimate["low"]), float(estimate["high"])]
    heights = shown(values, goal)
    spent = sum(t.charged for t in ended)
    if heights is None or spent <= 0:
        return ""
    chart = Chart((0, spent), heights, f"spent, {unit}" if unit else "spent", name, f"the values of {len(ended)} trials against the money spent")
    stairs = staircase(ended, goal)
    if estimate:  # the best observation is mostly luck, so there is no line from best to best
        ends = (stairs[0][0] if stairs else 0.0, spent)
        chart.band([(x, float(estimate["low"])) for x in ends], [(x, float(estimate["high"])) for x in ends])
        chart.line([(x, float(estimate["value"])) for x in ends])
    else:
        chart.stairs(stairs, spent)
    at, top = 0.0, None
    every = max(1, -(-len(ended) // _DRAWN))
    for k, t in enumerate(ended):
        at += t.charged
        title = f"trial {t.number}: {_outcome(t)} for {_money(raw, t.charged)}"
        if t.value is None:
            chart.cross(at, title)
        elif t.number == best.get("number") and not best.get("known"):
            top = (at, t.value, title)
        elif k % every == 0:
            chart.dot(at, t.value, title, "trial" if counts(t) else "quiet")
    if top is not None:  # over all others
        chart.dot(*top, "best")
    return chart.svg() + (f'<div style="font-size:smaller"><span style="color:{BLUE}">●</span> trial <span style="color:{ORANGE}">●</span> best'
                          f' <span style="color:{GREY}">○</span> does not count</div>')


def _outcome(t: TrialInfo) -> str:
    return t.state if t.value is None else amount(t.value)


_Row = Tuple[Sequence[str], bool]  # its cells, and whether it is the best or on the front


def _table(rows: Sequence[_Row], head: Sequence[str]) -> str:
    cells = "".join(f"<th>{escape(h)}</th>" for h in head)
    body = ""
    for row, best in rows:
        look = f' class="best" style="font-weight:bold;background:{ORANGE}33"' if best else ""
        body += f"<tr{look}>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>"
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def setting_text(setting: Mapping[str, Any]) -> str:
    """Writes a setting on one line."""
    return ", ".join(f"{k}={amount(v) if isinstance(v, float) else v}" for k, v in setting.items())


def _cells(t: TrialInfo, values: Sequence[Optional[float]]) -> List[str]:
    state = t.state if t.value is None or counts(t) else f"{t.state}, does not count"
    return [str(t.number), state, *("" if v is None else amount(v) for v in values), amount(t.charged), setting_text(t.setting)]


def _tables(raw: Mapping[str, Any], trials: Sequence[TrialInfo]) -> str:
    """The last trials and the best one, and all of them on demand."""
    best = raw.get("best") or {}
    top = None if best.get("known") else best.get("number")
    head = ["trial", "state", str(raw["objective"].get("name") or "value"), "cost", "setting"]

    def row(t: TrialInfo) -> _Row:
        return _cells(t, [t.value]), t.number == top

    newest = list(trials)[::-1]
    last = newest[:_LAST]
    if top is not None and all(t.number != top for t in last):
        last = [t for t in newest if t.number == top] + last
    parts = _table([row(t) for t in last], head)
    if len(newest) > len(last):
        parts += _on_demand(len(newest), _table([row(t) for t in newest[:_MOST]], head))
    return parts


def _on_demand(trials: int, table: str) -> str:
    all_of = f"all {trials} trials" if trials <= _MOST else f"the newest {_MOST} of {trials} trials"
    return f"<details><summary>{all_of}</summary>{table}</details>"


def values_of(t: TrialInfo, names: Sequence[str]) -> List[Optional[float]]:
    """Returns the objectives of a trial, in the order of their names: the first is its value, and the others are among its metrics."""
    return [t.value, *(t.metrics.get(name) for name in names[1:])]


def _called(t: TrialInfo) -> str:
    return "known result" if t.raw.get("known") else f"trial {t.number}"


class Front(List[TrialInfo]):
    """The trials on the front: a list, which writes itself with a line for each."""

    def __init__(self, trials: Iterable[TrialInfo], names: Sequence[str]) -> None:
        super().__init__(trials)
        self._names = names

    def __repr__(self) -> str:
        return "\n".join(f"{_called(t)}: {_named(self._names, values_of(t, self._names))}" for t in self) or "[]"


def _named(names: Sequence[str], values: Sequence[Optional[float]]) -> str:
    return ", ".join(f"{name}={'' if v is None else amount(v)}" for name, v in zip(names, values))


_Placed = Tuple[TrialInfo, Sequence[Optional[float]]]  # with its objectives


def _front_parts(raw: Mapping[str, Any], trials: Sequence[TrialInfo]) -> List[str]:
    """Draws the front of several objectives: what it is worth, the first two objectives against each other, and the tables."""
    aims: Sequence[Mapping[str, Any]] = raw["objectives"]
    names = [str(o["name"]) for o in aims]
    found: Mapping[str, Any] = raw.get("front") or {}
    listed = [TrialInfo.of(t) for t in found.get("trials") or []]
    # With noise, the front is that of what the models expect.
    front: List[_Placed] = list(zip(listed, found.get("expected") or [values_of(t, names) for t in listed]))
    on = {t.number for t in listed}
    others: List[_Placed] = [(t, values_of(t, names)) for t in reversed(trials) if t.number not in on]
    says = escape(str(raw.get("infeasible") or "nothing is on the front yet"))
    if front:
        says = f"the front has <b>{count(len(front), 'result')}</b>, hypervolume <b>{amount(float(found['hypervolume']))}</b>"
        if found.get("expected"):
            says += ", by what the models expect of the settings"
    if found.get("beyond"):
        says += f"; {escape(str(found['beyond']))}"
    parts = [f"<div>{says}</div>", _scatter(aims, front, others)]
    head = ["trial", "state", *names, "cost", "setting"]
    marked: List[_Row] = [(["known" if t.raw.get("known") else str(t.number), f"{t.state}, on the front", *_cells(t, values)[2:]], True)
                          for t, values in front]
    plain: List[_Row] = [(_cells(t, values), False) for t, values in others[:_MOST]]
    if marked or plain:
        parts.append(_table(marked + plain[:_LAST], head))
    if len(others) > _LAST:
        parts.append(_on_demand(len(trials), _table((marked + plain)[:_MOST], head)))
    return parts


def _scatter(aims: Sequence[Mapping[str, Any]], front: Sequence[_Placed], others: Sequence[_Placed]) -> str:
    """Draws the first two objectives of every result against each other."""
    names = [str(o["name"]) for o in aims]
    results = [(t, values) for t, values in others if None not in values][:_DRAWN]
    if not front and not results:
        return ""

    def axis(k: int) -> Tuple[float, float]:
        best, every = ([float(values[k] or 0) for _, values in some] for some in (front, [*front, *results]))
        ends = [*(shown(every, aims[k]["goal"]) or ()), *(span(best) if best else ())]  # the whole front is within
        return min(ends), max(ends)

    x_name, y_name = (f"{o['name']} ({o['goal']})" for o in aims[:2])
    chart = Chart(axis(0), axis(1), x_name, y_name, f"{names[0]} and {names[1]} of {count(len(front) + len(results), 'result')}")

    def dot(t: TrialInfo, values: Sequence[Optional[float]], kind: str) -> None:
        chart.dot(float(values[0] or 0), float(values[1] or 0), f"{_called(t)}: {_named(names, values)}", kind)

    for t, values in results:
        dot(t, values, "faded" if counts(t) else "quiet")
    for t, values in front:  # over all others
        dot(t, values, "best")
    return chart.svg() + (f'<div style="font-size:smaller"><span style="color:{ORANGE}">●</span> on the front <span style="color:{BLUE};opacity:.4">●</span>'
                          f' not on the front <span style="color:{GREY}">○</span> does not count</div>')


def study_html(raw: Mapping[str, Any], trials: Sequence[TrialInfo], ended: str = "") -> str:
    """Draws a study, given as the server's answer, with its trials. ``ended`` says why its loop ended."""
    ledger = raw["ledger"]
    total, spent = float(ledger["total"]), float(ledger["spent"])
    unit = _unit(raw)
    share = min(100.0, 100 * spent / total) if total > 0 else 100.0
    running = sum(t.open for t in trials)
    parts = [
        f"<div><b>{escape(str(raw['name']))}</b>: {amount(spent)} of {amount(total)} {escape(unit)} spent, {count(len(trials), 'trial')}"
        + (f", {running} running" if running else "") + (f"; {escape(ended)}" if ended else "") + "</div>",
        f'<div style="width:{_WIDTH}px;max-width:100%;border:1px solid #8888;height:10px"><div style="width:{share:.1f}%;background:{BLUE};height:10px">'
        "</div></div>",
    ]
    best = raw.get("best")
    if raw.get("objectives"):
        return '<div class="eke-study">' + "".join(parts + _front_parts(raw, trials)) + "</div>"
    if best:
        which = "known before" if best.get("known") else f"trial {int(best['number'])}"
        parts.append(f"<div>best: <b>{amount(float(best['value']))}</b> at {escape(setting_text(best['setting']))} ({which})</div>")
    parts.append(_chart(raw, trials))
    if trials:
        parts.append(_tables(raw, trials))
    return '<div class="eke-study">' + "".join(parts) + "</div>"


def _digits_for(values: Sequence[float]) -> int:
    """Returns how many digits tell values apart from the first, to two digits of the largest difference. As in the program, there are four to eight."""
    gap = max(abs(v - values[0]) for v in values)
    if gap == 0 or values[0] == 0 or not math.isfinite(gap):
        return 4
    return min(max(math.ceil(math.log10(abs(values[0]) / gap)) + 2, 4), 8)


class Rest(Dict[str, Any]):
    """What the rest of the money is expected to buy: the server's answer, which shows itself in a notebook, and in short in a terminal."""

    def __init__(self, answer: Mapping[str, Any], study: Mapping[str, Any]) -> None:
        super().__init__(answer)
        self._study = study

    def __repr__(self) -> str:
        name, _ = self._names()
        held = float(self.get("reserved") or 0)
        left = max(self["left"] - held, 0)
        money = f"The remaining {self._money(left)} {'is' if amount(left) == '1' and self._study['cost'].get('source') != 'walltime' else 'are'}"
        if held:
            money = f"The remaining {self._money(left)}, and the reserved {self._money(held)}, are"
        values = [float(self[k]) for k in ("best", "median", "worse", "better")]
        best, median, low, high = (f"{v:.{_digits_for(values)}g}" for v in (*values[:2], *sorted(values[2:])))
        improves = best != median and (self["median"] - self["best"]) * (self["better"] - self["worse"]) >= 0
        does = f"improve {name} from {best} to about {median}" if improves else f"leave {name} at about {median}"
        if low != high:
            does += f" (80% between {low} and {high})"
        elif not self.get("gain"):  # often there is not enough for another trial
            does = f"buy nothing better than {name} {best}"
        return f"{money} expected to {does}."

    def _money(self, x: float) -> str:
        return _money(self._study, x)

    def _names(self) -> Tuple[str, str]:
        name = "the hypervolume of the front" if self.get("of") == "hypervolume" else str(self._study["objective"].get("name") or "value")
        return name, _unit(self._study)

    def _repr_html_(self) -> str:
        (name, unit), words = self._names(), repr(self)
        fan: List[Mapping[str, float]] = [{"money": 0.0, "worse": self["best"], "median": self["best"], "better": self["best"]}, *(self.get("fan") or [])]
        if len(fan) < 2:
            return f"<div>{escape(words)}</div>"
        chart = Chart((0, fan[-1]["money"]), span([o[k] for o in fan for k in ("worse", "median", "better")]),
                      f"more money, {unit}" if unit else "more money", f"best {name}", words)
        chart.band([(o["money"], o["worse"]) for o in fan], [(o["money"], o["better"]) for o in fan])
        chart.line([(o["money"], o["median"]) for o in fan], dashed=True)
        chart.level(self["best"], f"now {amount(self['best'])}")
        return f'<div class="eke-rest"><div>{escape(words)}</div>{chart.svg()}</div>'


class Plan(Dict[str, Any]):
    """Why a trial was chosen and what was to follow: the server's answer, which shows itself in a notebook, and in short in a terminal."""

    def __init__(self, answer: Mapping[str, Any], number: int, setting: Mapping[str, Any], study: Mapping[str, Any]) -> None:
        super().__init__(answer)
        self.number, self.setting = number, setting
        self._study = study

    def steps(self) -> List[Mapping[str, Any]]:
        """Returns the trials of the plan in their order, each with its setting and what is expected of it."""
        first = [{"setting": self.setting, "expected": self["expected"]}] if self.get("expected") else []
        return first + list(self.get("next") or [])

    def _title(self) -> str:
        return f"trial {self.number}: {self.get('picked') or self.get('policy') or 'asked for by hand'}"

    def __repr__(self) -> str:
        """Writes a line for each trial; ``dict(plan)`` shows all there is."""
        name, lines = self._study["objective"].get("name") or "value", []
        for s in self.steps():
            value, low, high = _range(s["expected"], "")
            expected = "" if s["expected"].get("early") else f"{name} {amount(value)} (80% between {amount(low)} and {amount(high)}), "
            lines.append(f"{setting_text(s['setting'])}: expected {expected}cost {_money(self._study, float(s['expected']['cost_median']))}")
        return f"{self._title()}\n  " + "\n  then ".join(lines or [setting_text(self.setting)])

    def _repr_html_(self) -> str:
        unit, title, steps = _unit(self._study), self._title(), self.steps()
        if not steps:
            return f'<div class="eke-plan"><div>{escape(title)}</div><div>{escape(setting_text(self.setting))}</div></div>'
        costs = [float(s["expected"]["cost_median"]) for s in steps]
        ends = list(accumulate(costs))
        cells = [[str(k + 1), setting_text(s["setting"])] for k, s in enumerate(steps)]
        heads: List[str] = []
        charts = ""
        for k, o in enumerate(self._study.get("objectives") or [self._study["objective"]]):
            name = str(o.get("name") or "value")
            ranges = [_range(s["expected"], name if k else "") for s in steps if not k or name in (s["expected"].get("also") or {})]
            if len(ranges) < len(steps):  # it is not known
                continue
            heads.append(f"{name}, expected")
            early = [bool(s["expected"].get("early")) for s in steps]
            for (y, low, high), guess, row in zip(ranges, early, cells):
                row.append("not known yet" if guess else f"{amount(y)} (80% between {amount(low)} and {amount(high)})")
            if any(early):
                continue
            chart = Chart((0, ends[-1] * 1.08 or 1), span([v for r in ranges for v in r]), f"cost from here on, {unit}" if unit else "cost from here on",
                          heads[-1], f"the plan of {title}")
            chart.line([(x, y) for x, (y, _, _) in zip(ends, ranges)], dashed=True)
            for x, (y, low, high), s in zip(ends, ranges, steps):
                chart.whisker(x, low, high)
                chart.dot(x, y, f"{amount(y)} for {_money(self._study, x)}: {setting_text(s['setting'])}")
            charts += chart.svg()
        rows: List[_Row] = [([*row, amount(cost)], False) for row, cost in zip(cells, costs)]
        return f'<div class="eke-plan"><div>{escape(title)}</div>{charts}' + _table(rows, ["step", "setting", *heads, f"cost, {unit}" if unit else "cost"]) + "</div>"


def _range(e: Mapping[str, Any], other: str) -> Tuple[float, float, float]:
    """Returns what is expected of the first objective, or of another one by its name, with the ends of its band."""
    if other:
        return float(e["also"][other]["value"]), float(e["also"][other]["low"]), float(e["also"][other]["high"])
    value, sd = float(e["value"]), float(e["value_sd"])
    return value, float(e.get("value_low", value - 1.28 * sd)), float(e.get("value_high", value + 1.28 * sd))
