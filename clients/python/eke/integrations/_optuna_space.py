"""Optuna's distributions as parameters of eke, and the space of a define-by-run objective as its trials reveal it."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence

from optuna.distributions import (BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution, distribution_to_json,
                                  json_to_distribution)
from optuna.trial import FrozenTrial

from .._parameters import Parameter


class Space:
    """The parameters of a study: Optuna's distributions by name, and the conditions under which they exist.

    A condition is ``{name: [values]}`` of a categorical parameter, or ``{name: (low, high)}`` of a whole number. A parameter that
    is ``loose`` is missing from some trials, nobody knows when.
    """

    def __init__(self, distributions: Mapping[str, BaseDistribution], when: Optional[Mapping[str, Mapping[str, Any]]] = None,
                 loose: Optional[Mapping[str, Any]] = None) -> None:
        self.distributions = {name: d for name, d in sorted(distributions.items()) if not d.single()}
        self.when = {name: dict(c) for name, c in (when or {}).items() if name in self.distributions and c}
        self.loose = dict(loose or {})
        self._names = _safe_names(self.distributions)

    def to_json(self) -> str:
        """Writes the space, so that other processes can read it from the study on the server."""
        return json.dumps({"distributions": {n: distribution_to_json(d) for n, d in self.distributions.items()},
                           "when": self.when, "loose": self.loose}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Space:
        raw = json.loads(text)
        return cls({n: json_to_distribution(d) for n, d in raw["distributions"].items()}, raw["when"], raw["loose"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.to_json() == other.to_json()

    def parameters(self) -> Dict[str, Parameter]:
        """Returns the parameters in the form of the study file."""
        made: Dict[str, Parameter] = {}
        for name, d in self.distributions.items():
            p = _parameter(d)
            if name in self.when:
                p["when"] = {self._names[on]: self._condition(on, wanted) for on, wanted in self.when[name].items()}
            if name in self.loose:
                p["default"] = self._encode(name, self.loose[name])
            made[self._names[name]] = p
        return made

    def _condition(self, on: str, wanted: Sequence[Any]) -> Any:
        if isinstance(self.distributions[on], CategoricalDistribution):
            return [self._encode(on, value) for value in wanted]
        low, high = wanted
        return " and ".join(f"{sign} {bound}" for sign, bound in ((">=", low), ("<=", high)) if bound is not None)

    def exists(self, name: str, params: Mapping[str, Any]) -> bool:
        """Returns whether a parameter exists in a setting."""
        for on, wanted in self.when.get(name, {}).items():
            if on not in params:
                return False
            if isinstance(self.distributions[on], CategoricalDistribution):
                if params[on] not in wanted:
                    return False
            elif (wanted[0] is not None and params[on] < wanted[0]) or (wanted[1] is not None and params[on] > wanted[1]):
                return False
        return True

    def allows(self, params: Mapping[str, Any], distributions: Mapping[str, BaseDistribution]) -> bool:
        """Returns whether a trial's parameters are those that exist in its setting, with values of this space."""
        for name, d in distributions.items():
            if d.single():
                continue
            mine = self.distributions.get(name)
            if mine is None or type(mine) is not type(d) or not mine._contains(mine.to_internal_repr(params[name])):
                return False
        return all((name in params) == self.exists(name, params) or name in self.loose for name in self.distributions)

    def encode(self, params: Mapping[str, Any]) -> Dict[str, Any]:
        """Turns Optuna's parameters into a setting."""
        return {self._names[name]: self._encode(name, value) for name, value in params.items() if name in self._names}

    def decode(self, setting: Mapping[str, Any]) -> Dict[str, Any]:
        """Turns a setting into Optuna's parameters."""
        return {name: _decode(d, setting[self._names[name]]) for name, d in self.distributions.items() if self._names[name] in setting}

    def _encode(self, name: str, value: Any) -> Any:
        d = self.distributions[name]
        if isinstance(d, CategoricalDistribution):
            return _labels(d)[int(d.to_internal_repr(value))]
        return value


def _safe_names(names: Iterable[str]) -> Dict[str, str]:
    """Gives each parameter a name that is still different from all others as an environment variable."""
    taken, made = set(), {}
    for name in names:
        safe = base = re.sub(r"[^A-Za-z0-9_]", "_", name) if re.match(r"[A-Za-z_]", name) else "p_" + re.sub(r"[^A-Za-z0-9_]", "_", name)
        count = 1
        while safe.upper() in taken:
            count += 1
            safe = f"{base}_{count}"
        taken.add(safe.upper())
        made[name] = safe
    return made


def _labels(d: CategoricalDistribution) -> List[str]:
    """Choices as texts: they may be anything in Optuna, such as None."""
    texts = [str(c) for c in d.choices]
    return texts if len(set(texts)) == len(texts) and all(texts) else [f"{i}: {t}" for i, t in enumerate(texts)]


def _parameter(d: BaseDistribution) -> Parameter:
    if isinstance(d, CategoricalDistribution):
        return {"type": "choice", "values": _labels(d)}
    if not isinstance(d, (FloatDistribution, IntDistribution)):
        raise TypeError(f"eke has no parameter like {d!r}")
    made: Parameter = {"type": "int" if isinstance(d, IntDistribution) else "float", "min": d.low, "max": d.high}
    if d.log:
        made["log"] = True
    if d.step is not None and (isinstance(d, FloatDistribution) or d.step != 1):
        made["step"] = d.step
    return made


def _decode(d: BaseDistribution, value: Any) -> Any:
    if isinstance(d, CategoricalDistribution):
        return d.choices[_labels(d).index(str(value))]
    if isinstance(d, IntDistribution):
        return int(min(max(round(value), d.low), d.high))
    assert isinstance(d, FloatDistribution)
    return float(min(max(value, d.low), d.high))


def infer(trials: Sequence[FrozenTrial]) -> Optional[Space]:
    """Returns the space that trials reveal, or None if they reveal none.

    A parameter that some trials lack depends on a categorical parameter or on a whole number whose values tell those trials apart.
    """
    seen: Dict[str, BaseDistribution] = {}
    unlike = set()
    for t in trials:
        for name, d in t.distributions.items():
            if not d.single():
                joined = _join(seen.get(name, d), d)
                if joined is None:
                    unlike.add(name)
                seen[name] = joined or d
    seen = {name: d for name, d in seen.items() if name not in unlike}
    if not seen:
        return None
    trials = [t for t in trials if any(name in t.params for name in seen)]
    when: Dict[str, Dict[str, Any]] = {}
    loose: Dict[str, Any] = {}
    for name in sorted(seen):
        having = [t for t in trials if name in t.params]
        lacking = [t for t in trials if name not in t.params]
        if not lacking:
            continue
        condition = _condition_of(name, having, lacking, seen)
        if condition:
            when[name] = condition
        else:
            loose[name] = having[-1].params[name]
    return Space(seen, when, loose)


def _join(a: BaseDistribution, b: BaseDistribution) -> Optional[BaseDistribution]:
    """Returns a distribution that holds both, or None if they are of different kinds."""
    if a == b:
        return a
    if isinstance(a, FloatDistribution) and isinstance(b, FloatDistribution) and (a.log, a.step) == (b.log, b.step):
        return FloatDistribution(min(a.low, b.low), max(a.high, b.high), log=a.log, step=a.step)
    if isinstance(a, IntDistribution) and isinstance(b, IntDistribution) and (a.log, a.step) == (b.log, b.step):
        return IntDistribution(min(a.low, b.low), max(a.high, b.high), log=a.log, step=a.step)
    return None


def _condition_of(name: str, having: Sequence[FrozenTrial], lacking: Sequence[FrozenTrial], seen: Mapping[str, BaseDistribution]) -> Dict[str, Any]:
    """Finds a parameter that decides whether another exists: one that all trials have is better than one that is conditional itself."""
    always = [n for n in sorted(seen) if n != name and all(n in t.params for t in having)]
    always.sort(key=lambda n: sum(n not in t.params for t in lacking))
    for on in always:
        d = seen[on]
        with_it = {t.params[on] for t in having}
        without = {t.params[on] for t in lacking if on in t.params}
        if with_it & without:
            continue
        if isinstance(d, CategoricalDistribution):
            return {on: sorted(with_it, key=d.to_internal_repr)}
        if isinstance(d, IntDistribution) and without:
            if min(with_it) > max(without):
                return {on: [max(without) + 1, None]}
            if max(with_it) < min(without):
                return {on: [None, min(without) - 1]}
    return {}
