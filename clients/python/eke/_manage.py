"""What people do with a study beside its trials: tags and notes, copies, and what trials leave behind."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union


class Managing:
    """The part of :class:`Study` that manages it."""

    raw: Mapping[str, Any]

    def _request(self, method: str, *path: object, **more: Any) -> Any:
        raise NotImplementedError

    def _another(self, raw: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    @property
    def tags(self) -> Tuple[str, ...]:
        """Words to find the study by."""
        return tuple(self.raw.get("tags") or ())

    @property
    def notes(self) -> str:
        """What people have written about the study, in Markdown. A list of studies does not have it; see :meth:`refresh`."""
        return str(self.raw.get("notes") or "")

    @property
    def damaged(self) -> str:
        """Why the server cannot read the study; empty if it can."""
        return str(self.raw.get("damaged") or "")

    def label(self, *, tags: Optional[Iterable[str]] = None, notes: Optional[str] = None, owner: Optional[str] = None, group: Optional[str] = None) -> Any:
        """Changes the tags, the notes, the owner (the ID of a token) or the group of the study. What is not given stays."""
        given = {"tags": None if tags is None else list(tags), "notes": notes, "owner": owner, "group": group}
        self.raw = self._request("POST", "labels", body={k: v for k, v in given.items() if v is not None})
        return self

    def copy(self, name: str, changes: Optional[Mapping[str, Any]] = None, *, results: bool = False) -> Any:
        """Makes a new study like this one, with another name and with changes of its definition, such as ``{"budget": {"total": 50}}``.

        It has no trials. With results=True it knows the results of this one.
        """
        body: Dict[str, Any] = {"name": name, "results": results}
        if changes:
            body["changes"] = dict(changes)
        return self._another(self._request("POST", "copy", body=body, repeat=False))

    @property
    def finished(self) -> Optional[Mapping[str, Any]]:
        """Why the study hands out no more trials: its ``code`` and its ``reason``. None if it may hand out more.

        A server that was started anew may first have to find out whether the rest is worth its price.
        """
        found: Optional[Mapping[str, Any]] = self.raw.get("finished") or self._request("GET", "rest").get("finished")
        return found

    def study_file(self) -> str:
        """Returns the study as a study file, with the budget that it has now."""
        text: str = self._request("GET", "definition")["yaml"]
        return text

    def import_file(self, path: Union[str, "os.PathLike[str]"], columns: Optional[Mapping[str, str]] = None, *, charge: bool = False,
                    dry_run: bool = False) -> Mapping[str, Any]:
        """Adds the results in a file: CSV with a header, JSON, an export of eke, or an Optuna journal.

        columns says what columns are that have other names: ``{"temperature": "heat", "score": "value"}``. The answer says which
        column was ``matched`` with what, how many results were ``added``, and which rows were ``refused``.
        """
        with open(path, encoding="utf-8") as f:
            body: Dict[str, Any] = {"file": f.read(), "charge": charge, "dry_run": dry_run}
        if columns:
            body["columns"] = dict(columns)
        found: Mapping[str, Any] = self._request("POST", "import", body=body)
        return found

    def neighbours(self, number: int, count: int = 5) -> List[Mapping[str, Any]]:
        """Lists the settings nearest to a trial's, nearest first, each with its value, its cost and the parameters that differ."""
        return list(self._request("GET", "trials", number, "neighbours", query={"count": count})["neighbours"])

    def files(self, number: int) -> List[Mapping[str, Any]]:
        """Lists the files of a trial: stdout, stderr, environment, and its artifacts."""
        return list(self._request("GET", "trials", number, "files")["files"])

    def file(self, number: int, name: str) -> bytes:
        """Returns a file of a trial, as far as it is kept."""
        content: bytes = self._request("GET", "trials", number, "files", name, binary=True)
        return content

    def output(self, number: int, name: str = "stdout", *, after: int = 0) -> Iterator[str]:
        """Returns what a trial has printed so far, piece by piece. Where the server has not kept everything, a piece says so."""
        while True:
            part = self._request("GET", "trials", number, "files", name, "text", query={"after": after})
            if part["skipped"]:
                yield f"\n… {part['skipped']} bytes are not kept …\n"
            if part["text"]:
                yield part["text"]
            if part["next"] >= part["size"] or part["next"] <= after:
                return
            after = part["next"]

    def report(self) -> str:
        """Returns a report of the study: one HTML file that needs nothing else."""
        page: str = self._request("GET", "report", text=True)
        return page
