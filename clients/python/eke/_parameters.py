"""Parameters and studies, in the form of the study file."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

Parameter = Dict[str, Any]
"""A parameter as in the study file: ``{"type": "float", "min": 0, "max": 1}``."""

When = Optional[Mapping[str, Any]]


def _parameter(kind: str, when: When, **more: Any) -> Parameter:
    made: Parameter = {"type": kind}
    made.update((name, value) for name, value in more.items() if value is not None and value is not False)
    if when:
        made["when"] = dict(when)
    return made


def Float(min: float, max: float, *, log: bool = False, when: When = None) -> Parameter:
    """A real number. log: it varies by orders of magnitude. when: it exists only then, for example ``{"opt": "adam"}``."""
    return {**_parameter("float", when, log=log), "min": min, "max": max}


def Int(min: int, max: int, *, step: Optional[int] = None, log: bool = False, when: When = None) -> Parameter:
    """A whole number."""
    return {**_parameter("int", when, step=step, log=log), "min": min, "max": max}


def _values(of: str, values: Sequence[Any]) -> List[Any]:
    if isinstance(values, (str, bytes)):  # whose characters would be the values
        raise TypeError(f"the values are a list: eke.{of}([{values!r}, …])")
    return list(values)


def Choice(values: Sequence[Any], *, when: When = None) -> Parameter:
    """One of several values without an order."""
    return _parameter("choice", when, values=_values("Choice", values))


def Ordered(values: Sequence[Any], *, when: When = None) -> Parameter:
    """One of several values, given in order."""
    return _parameter("ordered", when, values=_values("Ordered", values))


def Bool(*, when: When = None) -> Parameter:
    """True or False."""
    return _parameter("bool", when)


def Fixed(value: Any, *, when: When = None) -> Parameter:
    """Always the same value."""
    return {**_parameter("fixed", when), "value": value}


def definition_of(name: str, goal: str, parameters: Mapping[str, Mapping[str, Any]], budget: Union[float, str, Mapping[str, Any]],
                  cost: str, more: Mapping[str, Any]) -> Dict[str, Any]:
    """Makes the definition of a study. cost is "walltime", or the unit of reported costs."""
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must be a dict of parameters by name, not {type(parameters).__name__}")
    for key, p in parameters.items():
        if not isinstance(p, Mapping):
            raise TypeError(f"parameter {key!r} must be something like eke.Float(0, 1), not {p!r}")
    made: Dict[str, Any] = {
        "name": name,
        "objective": {"goal": goal},
        "cost": {"source": "walltime"} if cost == "walltime" else {"source": "reported", "unit": cost},
        "budget": dict(budget) if isinstance(budget, Mapping) else {"total": budget},
        "parameters": {key: dict(p) for key, p in parameters.items()},
    }
    made.update((key, value) for key, value in more.items() if value is not None)
    return made


_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)"  # as in study files


def amount_of(amount: Union[float, str], measured: bool) -> float:
    """Reads an amount of a study's cost, which may be written like "2h30m" if it is wall time."""
    if not isinstance(amount, str):
        return amount
    if not measured:
        raise ValueError(f"{amount!r} must be a number: the cost of this study is not wall time")
    if not re.fullmatch(f"({_PART})+", amount):
        raise ValueError(f'{amount!r} is neither a number of seconds nor a time such as "90s" or "2h30m"')
    return sum(float(number) * _SECONDS[unit] for number, unit in re.findall(_PART, amount))


def objectives_of(definition: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """Returns the objectives of a study with several, the first first; empty if it has one."""
    several = definition.get("objectives") or []
    if isinstance(several, Mapping):  # as in a study file
        return [{"name": str(name), **({"goal": o} if isinstance(o, str) else o)} for name, o in several.items()]
    return list(several)


def _goals(definition: Mapping[str, Any]) -> str:
    several = ", ".join(f"{o['name']} ({o.get('goal')})" for o in objectives_of(definition))
    return f"the objectives {several}" if several else "one objective"


def difference(wanted: Mapping[str, Any], there: Mapping[str, Any]) -> str:
    """Says how an existing study differs from the one wanted, in what can never be changed. Empty if it does not."""
    want, have = _goals(wanted), _goals(there)
    if want != have and ("objectives" in wanted or "objective" in wanted):
        return f"it has {have}, not {want}"
    for part, key in (("objective", "name"), ("objective", "goal"), ("cost", "source"), ("cost", "unit"), ("cost", "of"), ("cost", "price"), ("cost", "rate")):
        want = (wanted.get(part) or {}).get(key)
        have = (there.get(part) or {}).get(key)
        if want is not None and want != have:
            return f"its {part}.{key} is {have}, not {want}"
    for part, want in wanted.items():
        have = there.get(part)
        if part in ("noise", "start_from") and want is not None and (want or have) and want != have:  # empty fields are left out
            return f"its {part} is {have or 'none'}, not {want}"
    parameters = wanted.get("parameters")
    if not isinstance(parameters, Mapping):
        return ""
    have_all = {p["name"]: p for p in there.get("parameters") or []}
    if set(have_all) != set(parameters):
        return f"its parameters are {', '.join(sorted(have_all))}, not {', '.join(sorted(map(str, parameters)))}"
    for name, p in parameters.items():
        for key in ("type", "min", "max", "log", "values", "value"):
            want, have = p.get(key), have_all[name].get(key)
            if (want or have) and want != have:  # empty fields are left out
                return f"its parameter {name} has {key} {have!r}, not {want!r}"
    return ""


def _as_in_file(p: Mapping[str, Any]) -> Dict[str, Any]:
    """Writes a parameter that the server shows as a study file does."""
    made = {key: value for key, value in p.items() if key != "name"}
    if p.get("when"):
        made["when"] = {c["param"]: c["values"] for c in p["when"]}
    return made if p["type"] not in ("float", "int") else {"min": 0, "max": 0, **made}


def _parameters_of(definition: Mapping[str, Any]) -> Dict[str, Dict[str, Any]]:
    found = definition.get("parameters") or {}
    return dict(found) if isinstance(found, Mapping) else {p["name"]: _as_in_file(p) for p in found}


def _comparable(p: Mapping[str, Any]) -> Dict[str, Any]:
    made = {key: value for key, value in p.items() if value or key in ("value", "default", "min", "max")}
    made["when"] = {of: values if isinstance(values, list) else [values] for of, values in (p.get("when") or {}).items()}
    return made


def changed_parts(wanted: Mapping[str, Any], there: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the parts of the study file that may have to change for an existing study to become the one wanted.

    What is not given stays as it is, and so do the seed and the total of the budget. As many trials as now may still run at once: other programs
    may work on the study with as many workers.
    """
    parts: Dict[str, Any] = {}
    for part, want in wanted.items():
        have = there.get(part)
        if part == "parameters":
            have = {name: _comparable(p) for name, p in _parameters_of(there).items()}
            whole = {name: {**{k: v for k, v in have.get(name, {}).items() if k == "default"}, **p} for name, p in _parameters_of(wanted).items()}
            if {name: _comparable(p) for name, p in whole.items()} != have:
                parts[part] = whole
            continue
        if part == "objectives":
            have = {o["name"]: {k: v for k, v in o.items() if k != "name"} for o in objectives_of(there)}
            want = {o["name"]: {**have.get(o["name"], {}), **{k: v for k, v in o.items() if k != "name"}} for o in objectives_of(wanted)}
        elif part in ("objective", "cost", "budget") and isinstance(want, Mapping):
            want = {**(have or {}), **want}
        if part == "budget":
            want["total"] = have["total"]
        if part == "parallel" and (want or 1) <= (have or 1):
            continue
        if part not in ("name", "seed") and (want or None) != (have or None):
            parts[part] = want
    return parts


def with_parts(file: str, parts: Mapping[str, Any]) -> str:
    """Replaces parts of a study file, as the server writes it."""
    kept, keep = [], True
    for line in file.rstrip("\n").split("\n"):
        if re.match(r"[a-z_]+:", line):
            keep = line.partition(":")[0] not in parts
        if keep or line.startswith("#"):
            kept.append(line)
    return "\n".join(kept + [f"{part}: {json.dumps(value, ensure_ascii=False)}" for part, value in parts.items()]) + "\n"


def changes(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """Says what has changed in a study's definition, field by field."""
    if at in ("parameters", "objectives"):
        before, after = ({p["name"]: p for p in of or []} for of in (before, after))
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in {**before, **after}:
            yield from changes(before.get(key), after.get(key), f"{at}.{key}" if at else key)
    elif before != after:
        was, now = ("none" if of is None else of for of in (before, after))
        yield f"{at} was {was} and is {now} now"
