"""Charts as SVG, for notebooks: axes with round numbers, dots, lines and bands. They need no library, and suit light and dark pages."""

from __future__ import annotations

import math
from html import escape
from typing import List, Optional, Sequence, Tuple

BLUE, ORANGE, GREY = "#2a78b5", "#e07b00", "#888"
Point = Tuple[float, float]


def number(x: float) -> str:
    """Writes a number for people."""
    return f"{x:.4g}"


def ticks(low: float, high: float, most: int) -> List[float]:
    """Returns at most about that many round numbers between two."""
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return [low] if math.isfinite(low) else []
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power * most >= (high - low) * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, first + most + 2) if k * step <= high + 1e-9 * step]


def span(values: Sequence[float], margin: float = 0.06) -> Point:
    """Returns a range that holds all of them, with some room."""
    low, high = min(values), max(values)
    room = (high - low) * margin or abs(low) / 10 or 1.0
    return low - room, high + room


class Chart:
    """A chart with two linear axes. What lies outside is drawn at its edge."""

    def __init__(self, x: Point, y: Point, x_name: str, y_name: str, label: str, width: int = 520, height: int = 240) -> None:
        self._x, self._y = x, y
        self._width, self._height = width, height
        self._left, self._right, self._top, self._bottom = 58, width - 12, 24, height - 38
        self._label = label
        self._parts: List[str] = []
        for v in ticks(*x, 6):
            at = self.x(v)
            self._add(f'<path d="M{at:.1f} {self._top}V{self._bottom}" stroke="{GREY}" stroke-opacity=".25"/>')
            self._text(at, self._bottom + 15, number(v), "middle")
        for v in ticks(*y, 5):
            at = self.y(v)
            self._add(f'<path d="M{self._left} {at:.1f}H{self._right}" stroke="{GREY}" stroke-opacity=".25"/>')
            self._text(self._left - 6, at + 4, number(v), "end")
        self._add(f'<path d="M{self._left} {self._top}V{self._bottom}H{self._right}" fill="none" stroke="{GREY}"/>')
        self._text(self._right, self._bottom + 31, x_name, "end")
        self._text(2, self._top - 9, y_name, "start")

    def x(self, v: float) -> float:
        return self._left + (self._right - self._left) * _part(v, self._x)

    def y(self, v: float) -> float:
        return self._bottom - (self._bottom - self._top) * _part(v, self._y)

    def _add(self, part: str) -> None:
        self._parts.append(part)

    def _text(self, x: float, y: float, text: str, anchor: str, colour: str = "currentColor") -> None:
        self._add(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>')

    def _points(self, points: Sequence[Point]) -> str:
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)

    def line(self, points: Sequence[Point], dashed: bool = False) -> None:
        if len(points) > 1:
            dash = ' stroke-dasharray="5 4"' if dashed else ""
            self._add(f'<polyline fill="none" stroke="{BLUE}" stroke-width="2"{dash} points="{self._points(points)}"/>')

    def stairs(self, points: Sequence[Point], end: float) -> None:
        """Draws what holds until it changes."""
        corners: List[Point] = []
        for x, y in points:
            corners += [(x, corners[-1][1] if corners else y), (x, y)]
        self.line(corners + [(end, corners[-1][1])] if corners else [])

    def band(self, low: Sequence[Point], high: Sequence[Point]) -> None:
        self._add(f'<polygon fill="{BLUE}" fill-opacity=".18" points="{self._points([*low, *reversed(high)])}"/>')

    def level(self, y: float, text: str) -> None:
        """Draws a value across the chart."""
        self._add(f'<path d="M{self._left} {self.y(y):.1f}H{self._right}" stroke="{ORANGE}" stroke-dasharray="4 3"/>')
        self._text(self._left + 5, self.y(y) - 5, text, "start", ORANGE)

    def dot(self, x: float, y: float, title: str, kind: str = "trial") -> None:
        """Draws a trial: the best one or one on the front, one that counts, one that counts but is not on the front, or one that does not count."""
        look = {"best": f'r="5" fill="{ORANGE}"', "trial": f'r="3" fill="{BLUE}"', "faded": f'r="3" fill="{BLUE}" fill-opacity=".4"'}.get(kind, f'r="2.6" fill="none" stroke="{GREY}" stroke-opacity=".6"')
        self._add(f'<circle class="{kind}" cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" {look}><title>{escape(title)}</title></circle>')

    def cross(self, x: float, title: str) -> None:
        """Draws a trial without a value, at the bottom."""
        at = self.x(x)
        self._add(f'<path class="failed" d="M{at - 3:.1f} {self._bottom - 7}l6 6m0 -6l-6 6" stroke="#a3245f" stroke-opacity=".65"><title>{escape(title)}</title></path>')

    def whisker(self, x: float, low: float, high: float) -> None:
        self._add(f'<path d="M{self.x(x):.1f} {self.y(low):.1f}V{self.y(high):.1f}" stroke="{BLUE}" stroke-width="5" stroke-opacity=".35"/>')

    def svg(self) -> str:
        return (f'<svg width="{self._width}" height="{self._height}" viewBox="0 0 {self._width} {self._height}" role="img" '
                f'aria-label="{escape(self._label)}" style="max-width:100%;font:11px sans-serif">{"".join(self._parts)}</svg>')


def _part(v: float, within: Point) -> float:
    low, high = within
    return min(max((v - low) / (high - low), 0.0), 1.0) if high > low else 0.0


def shown(values: Sequence[float], goal: str) -> Optional[Point]:
    """Returns the range of values to draw: all, unless a few bad ones would press the rest into one line."""
    if not values:
        return None
    ordered = sorted(values, reverse=goal == "maximize")
    n, best, worst = len(ordered), ordered[0], ordered[-1]
    most = ordered[max((n * 9 - 1) // 10, 0)]
    if n >= 8 and most != best and abs(worst - best) > 6 * abs(most - best):
        worst = most
    return span([best, worst])
