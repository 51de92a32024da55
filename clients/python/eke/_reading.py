"""What a study has to show: its figures, tables, models, exports, and its picture in a notebook."""

from __future__ import annotations

import importlib
from typing import Any, Dict, List, Mapping, Optional, Union

from ._http import to_json
from ._html import Rest, study_html, values_of
from ._parameters import amount_of
from ._trial import TrialInfo


class Reading:
    """The part of :class:`Study` that only reads."""

    raw: Mapping[str, Any]

    def trials(self, *, state: Optional[str] = None, after: int = 0) -> List[TrialInfo]:
        raise NotImplementedError

    def front(self) -> List[TrialInfo]:
        raise NotImplementedError

    @property
    def place(self) -> str:
        raise NotImplementedError

    def refresh(self) -> Any:
        raise NotImplementedError

    def _another(self, raw: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def _request(self, method: str, *path: object, **more: Any) -> Any:
        raise NotImplementedError

    @property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def id(self) -> str:
        """What tells the study from every other, also from one that had its name before. An older server has none."""
        return str(self.raw.get("id") or "")

    @property
    def definition(self) -> Mapping[str, Any]:
        """The study file as JSON."""
        if "definition" not in self.raw:  # a list leaves them out
            self.refresh()
        found: Mapping[str, Any] = self.raw["definition"]
        return found

    @property
    def goal(self) -> str:
        """minimize or maximize."""
        return str(self.definition["objective"]["goal"])

    @property
    def measured(self) -> bool:
        """Whether the cost is wall time, which is measured."""
        return bool(self.definition["cost"]["source"] == "walltime")

    @property
    def objective(self) -> str:
        """The name of the value."""
        return str((self.definition.get("objective") or {}).get("name") or "objective")

    @property
    def infeasible(self) -> str:
        """That there are results, but that none of them meets the limits, in words; empty if that is not so."""
        return str(self.raw.get("infeasible") or "")

    @property
    def total(self) -> float:
        """The budget."""
        return float(self.raw["ledger"]["total"])

    @property
    def spent(self) -> float:
        return float(self.raw["ledger"]["spent"])

    @property
    def reserved(self) -> float:
        """The money held for trials under way."""
        return float(self.raw["ledger"]["reserved"])

    @property
    def left(self) -> float:
        """The money that is neither spent nor reserved."""
        return float(self.raw["left"])

    @property
    def closed(self) -> bool:
        return bool(self.raw["closed"])

    @property
    def paused(self) -> bool:
        return bool(self.raw.get("paused"))

    @property
    def archived(self) -> bool:
        return bool(self.raw.get("archived"))

    @property
    def counts(self) -> Dict[str, int]:
        """The number of trials in each state."""
        return dict(self.raw["counts"])

    def records(self) -> List[Dict[str, Any]]:
        """Returns the trials as a list of flat dicts: the number, the state, the value, what was charged, each parameter ("params_lr") and each metric ("metrics_memory").

        A value does not count where "beyond", "look", "forgotten" or "outside" is True, or where "violates" names limits, with spaces
        between them as in the CSV file; see :class:`TrialInfo`.
        """
        return [{"number": t.number, "state": t.state, "value": t.value, "charged": t.charged, "wall": t.wall, **({} if t.setup is None else {"setup": t.setup}),
                 **{f"params_{name}": value for name, value in t.setting.items()}, **{f"metrics_{name}": x for name, x in t.metrics.items()},
                 "beyond": t.beyond, "look": t.look, "forgotten": t.forgotten, "outside": t.outside,
                 "violates": " ".join(t.violates), "note": t.note, "started": t.started, "finished": t.finished}
                for t in self.trials()]

    def trials_dataframe(self) -> Any:
        """Returns the trials as a pandas DataFrame, one row each. It needs pandas; :meth:`records` does not."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as e:
            raise ImportError("trials_dataframe needs pandas; install it, or use records(), which returns a list of dicts") from e
        return pandas.DataFrame(self.records())

    @property
    def objectives(self) -> List[str]:
        """The names of the objectives of a study with several, the first first; empty if it has one."""
        return [o["name"] for o in self.raw.get("objectives") or []]

    def front_records(self) -> List[Dict[str, Any]]:
        """Returns the front as a list of flat dicts: the number, each objective, what was charged and each parameter ("params_lr").

        An objective called like one of the others has the name that it has in :meth:`records`: "metrics_number", "metrics_charged".
        """
        front, names = self.front(), self.objectives
        keys = [f"metrics_{name}" if name in ("number", "charged") or name.startswith(("params_", "metrics_")) else name for name in names]
        return [{"number": t.number, **dict(zip(keys, values_of(t, names))), "charged": t.charged,
                 **{f"params_{name}": value for name, value in t.setting.items()}} for t in front]

    def front_dataframe(self) -> Any:
        """Returns the front as a pandas DataFrame, one row each. It needs pandas; :meth:`front_records` does not."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as e:
            raise ImportError("front_dataframe needs pandas; install it, or use front_records(), which returns a list of dicts") from e
        return pandas.DataFrame(self.front_records())

    def insight(self) -> Mapping[str, Any]:
        """Returns what the models have learnt: the importance of each parameter, slices, and how good forecasts were."""
        found: Mapping[str, Any] = self._request("GET", "insight")
        return found

    def importance(self) -> Dict[str, float]:
        """Returns how much of the value's variation each parameter explains, from 0 to 1, the most important first.

        It is empty while too little is known.
        """
        listed = self.insight().get("importance") or []
        return dict(sorted(((str(i["parameter"]), float(i["value"]["total"])) for i in listed), key=lambda pair: -pair[1]))

    def _amount(self, amount: Union[float, str]) -> float:
        return amount_of(amount, isinstance(amount, str) and self.measured)

    def rest(self, add: Union[float, str] = 0) -> Optional[Rest]:
        """Returns what the rest of the money, and ``add`` more, are expected to buy; None if too little is known. Wall time may be written
        like "2h30m".

        It is a dict, and in a notebook a picture.
        """
        found: Optional[Mapping[str, Any]] = self._request("GET", "rest", query={"add": self._amount(add)} if add else None)["rest"]
        return None if found is None else Rest(found, self.raw)

    def slice(self, parameter: str, at: Optional[Mapping[str, Any]] = None) -> Mapping[str, Any]:
        """Returns the expected value and cost along one parameter, through the best setting or through ``at``."""
        query: Dict[str, object] = {"parameter": parameter}
        if at is not None:
            query["at"] = to_json(dict(at)).decode()
        found: Mapping[str, Any] = self._request("GET", "slice", query=query)
        return found

    def heat(self, a: str, b: str, n: int = 40) -> Mapping[str, Any]:
        """Returns the expected value and cost over two parameters, on a grid of n by n."""
        found: Mapping[str, Any] = self._request("GET", "heat", query={"a": a, "b": b, "n": n})
        return found

    def export(self, format: str = "csv") -> str:
        """Returns all trials as the text of a file: "csv", or "json", which has everything."""
        return str(self._request("GET", "export", query={"format": format}, text=True))

    def _repr_html_(self) -> str:
        """Shows the study as it is now in a notebook."""
        self.refresh()
        return study_html(self.raw, self.trials())
