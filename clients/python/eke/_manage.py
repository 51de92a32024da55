"""What people do with a study beside its trials: tags and notes, copies, and what trials leave behind."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple


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
