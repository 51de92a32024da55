"""A server and its studies."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import socket
import ssl
import threading
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Union

from . import _loop, _wire
from ._errors import BadRequest, EkeError, Exists, NotFound
from ._html import Front, Plan, setting_text, study_html
from ._http import Transport, path_of, to_json
from ._manage import Managing
from ._parameters import changed_parts, changes, difference, with_parts
from ._reading import Reading
from ._trial import Trial, TrialInfo, end_trial, fail_body, identity, tell_body
from ._words import count

Definition = Union[str, Mapping[str, Any]]
"""A study, as the YAML text of a study file or as a dict of the same shape."""

log = logging.getLogger("eke")

_ASK_TIMEOUT = _wire.ASK_SECONDS + 60.0  # seconds: choosing a setting may take long


def _where() -> str:
    """Stands for this machine since it was started, and for the numbers of its processes: those in a container are its own. A server that finds
    the same knows when this process has ended. Empty where nobody knows."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
            return "@" + hashlib.sha256((f.read().strip() + os.readlink("/proc/self/ns/pid")).encode()).hexdigest()[:8]
    except OSError:
        return ""


class Client:
    """A server. Several threads may use it.

    Args:
        server: its address. The default is ``$EKE_SERVER``, or that of ``eke serve`` on this machine. A server of your program's own
            has :meth:`Server.client`.
        token: the default is ``$EKE_TOKEN``. An empty string means no token.
        timeout: how many seconds to wait for an answer, except for that to ask.
        patience: for how many seconds to repeat a request while the server is away. Nothing is carried out twice. A server that has never
            answered is given a few seconds at most, and none where nobody listens on this machine.
        worker: the name of this worker. The default is made from the name of the machine and the number of the process.
        context: the context for https. The default is Python's.
        insecure: send the token to another machine over http.
    """

    def __init__(self, server: Optional[str] = None, token: Optional[str] = None, *, timeout: float = 30.0, patience: float = 60.0,
                 worker: Optional[str] = None, context: Optional[ssl.SSLContext] = None, insecure: bool = False) -> None:
        self._transport = Transport(server, token, timeout=timeout, patience=patience, context=context, insecure=insecure)
        self._worker = worker
        self._nonce = uuid.uuid4().hex[:6]
        self.place = self.url
        """Where the studies are: the server's address, or the store that a server of this program's own keeps them in."""

    @property
    def worker(self) -> str:
        """The name of this worker."""
        host = re.sub(r"[^A-Za-z0-9_.-]", "-", socket.gethostname())[:60] or "python"
        return self._worker or f"{host}-{os.getpid()}-{self._nonce}{_where()}"  # after a fork it is another one

    @property
    def url(self) -> str:
        """The server's address."""
        return self._transport.url

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"

    def healthy(self) -> bool:
        """Returns whether the server is alive, without waiting for it."""
        try:
            return bool(self._transport.request("GET", "/healthz", patience=0)["status"] == "ok")
        except EkeError:
            return False

    def ready(self) -> bool:
        """Returns whether the server's store can be written to, without waiting for it."""
        try:
            return bool(self._transport.request("GET", "/readyz", patience=0)["status"] == "ok")
        except EkeError:
            return False

    def studies(self, search: str = "", *, tag: str = "", state: str = "", sort: str = "created", down: bool = False) -> List[Study]:
        """Lists the studies, or those with all words of ``search`` in their name or their tags, with a tag, or in a state.

        The states are active, finished, paused, ended, archived and damaged; :attr:`Study.finished` says why. They can be sorted by created, changed, name, spent, left and trials.
        """
        query: Dict[str, object] = {k: v for k, v in (("search", search), ("tag", tag), ("state", state), ("sort", sort if sort != "created" else "")) if v}
        if down:
            query["down"] = "true"
        found: List[Study] = []
        while True:
            page = self._transport.request("GET", path_of("studies"), query={**query, "skip": len(found)} if found else query)
            found += [Study(self, s) for s in page["studies"]]
            if not page["studies"] or len(found) >= page.get("total", len(found)):
                return found

    def me(self) -> Mapping[str, Any]:
        """Returns what the token allows: its role, its group, and whether the server needs none."""
        found: Mapping[str, Any] = self._transport.request("GET", path_of("me"))
        return found

    def tokens(self) -> List[Mapping[str, Any]]:
        """Lists the tokens, without their secrets."""
        return list(self._transport.request("GET", path_of("tokens"))["tokens"])

    def create_token(self, role: str, name: str = "", *, group: str = "") -> Mapping[str, Any]:
        """Makes a token. The secret is in ``token``, only now."""
        made: Mapping[str, Any] = self._transport.request("POST", path_of("tokens"), body={"role": role, "name": name, "group": group}, repeat=False)
        return made

    def revoke_token(self, token_id: str) -> None:
        """Revokes a token by its ID. Once the last one is revoked, nobody can use the server."""
        self._transport.request("POST", path_of("tokens", token_id, "revoke"), repeat=False)

    def study(self, name: str) -> Study:
        """Returns a study. Raises NotFound if there is none of that name."""
        if not isinstance(name, str) or not name:
            raise ValueError("the study's name is missing")
        return Study(self, self._transport.request("GET", path_of("studies", name)))

    def create(self, definition: Definition, *, exist_ok: bool = False) -> Study:
        """Creates a study from the YAML text of a study file, or from a dict of the same shape.

        With exist_ok, a study of that name may exist already; it is continued. If a dict has other values than that study, they are changed as an
        edited study file changes them (see :meth:`Study.change`), and a warning says so. The study keeps what the dict leaves out, and its budget's
        total. Raises ValueError if the parameters differ, or what can never be changed. A YAML text changes nothing.
        """
        raw, kind = _document(definition)
        try:
            made = self._transport.request("POST", path_of("studies"), raw=raw, content_type=kind, repeat=exist_ok)
            return Study(self, made)
        except BadRequest as e:
            if isinstance(definition, Mapping):  # it has no lines
                e.faults = tuple(replace(f, line=0, column=0) for f in e.faults)
            raise
        except Exists:
            name = definition.get("name") if isinstance(definition, Mapping) else _name_in(definition)
            if not exist_ok or not isinstance(name, str):
                raise
        study = self.study(name)
        if isinstance(definition, Mapping):
            study._adopt(definition)
        return study


def _document(definition: Definition) -> "tuple[bytes, str]":
    if isinstance(definition, str):
        return definition.encode("utf-8"), "application/yaml"
    if not isinstance(definition, Mapping):
        raise TypeError(f"a study is YAML text or a dict, not {type(definition).__name__}")
    if isinstance(definition.get("parameters"), list):  # the form in which the server shows it
        return to_json({"definition": definition}), "application/json"
    return to_json(definition), "application/yaml"  # JSON is YAML


def _name_in(text: str) -> Optional[str]:
    found = re.search(r"""^name:\s*["']?([\w.-]+)""", text, re.MULTILINE)
    return found.group(1) if found else None


class Study(Managing, Reading):
    """A study on a server. Its figures are those of the last reading; see :meth:`refresh`."""

    def __init__(self, client: Client, raw: Mapping[str, Any]) -> None:
        self.client = client
        self.raw = raw
        """Everything that the server sent."""

    def __repr__(self) -> str:
        end = self.raw.get("finished")
        over = f", finished: {end['reason']}" if end else ""
        return f"<Study {self.name!r}: {self.spent:g} of {self.total:g} spent, {sum(self.counts.values())} trials{over}>"

    def _about(self, number: int) -> Dict[str, str]:
        """Returns the headers for a trial that is known by its number alone."""
        if not self.id:
            return {}
        found = self._request("GET", "trials", number)
        return identity(self.id, str(found.get("id") or ""))

    @property
    def place(self) -> str:
        """Where the study is kept: in a file, or at the address of a server."""
        return self.client.place

    def refresh(self) -> Study:
        """Reads the study again and returns it."""
        self.raw = self._request("GET")
        return self

    def ask(self, *, worker: Optional[str] = None, by_hand: bool = False, key: Optional[str] = None, patience: Optional[float] = None,
            cancel: Optional[threading.Event] = None, place: Optional[str] = None) -> Trial:
        """Returns a trial to evaluate, with money reserved for it.

        Raises Over (BudgetSpent, NotWorth, Exhausted or Closed) if there is none, and BudgetPending if there is none now.

        Args:
            worker: a name other than the client's.
            by_hand: a person evaluates the trial. It has no lease, and stays open until somebody tells its result, for example
                with ``eke tell``.
            key: the same key returns the same trial to the same worker.
            patience: a patience other than the client's, for this request and for the end of the trial.
            cancel: once it is set, the request is not repeated.
            place: where the trial will be evaluated, such as an oven, if the study has a changeover: what a change costs depends on the
                last trial there. The default is the worker.
        """
        return self._ask(1, worker, by_hand, key, patience, cancel, place)[0]

    def ask_many(self, count: int, *, worker: Optional[str] = None, by_hand: bool = False, key: Optional[str] = None) -> List[Trial]:
        """Returns up to ``count`` trials, at least one; see :meth:`ask`."""
        return self._ask(count, worker, by_hand, key, None, None)

    def _ask(self, count: int, worker: Optional[str], by_hand: bool, key: Optional[str], patience: Optional[float],
             cancel: Optional[threading.Event], place: Optional[str] = None) -> List[Trial]:
        worker = worker or self.client.worker
        body: Dict[str, Any] = {"worker": worker, "count": count}
        if by_hand:
            body["by_hand"] = True
        if place:
            body["place"] = place
        answer = self._request("POST", "ask", body=body, key=key or uuid.uuid4().hex, timeout=_ASK_TIMEOUT, patience=patience, cancel=cancel)
        return [Trial(self.client._transport, self.name, worker, lease, patience, self.id) for lease in answer["trials"]]

    def tell(self, number: int, value: float, cost: Optional[float] = None, *, wall: Optional[float] = None, note: str = "",
             metrics: Optional[Mapping[str, float]] = None, setup: Optional[float] = None, key: Optional[str] = None) -> TrialInfo:
        """Reports the result of a trial that was handed out elsewhere or by hand; see :meth:`Trial.tell`. It can be repeated with the same key."""
        return end_trial(self.client._transport, self.name, number, "tell", tell_body(value, cost, wall, note, metrics, setup), key or uuid.uuid4().hex, None, self._about(number))

    def fail(self, number: int, note: str = "", *, cost: Optional[float] = None, wall: Optional[float] = None, state: str = "failed",
             metrics: Optional[Mapping[str, float]] = None, exit_code: Optional[int] = None, key: Optional[str] = None) -> TrialInfo:
        """Reports that such a trial ended without a result; see :meth:`Trial.fail`."""
        return end_trial(self.client._transport, self.name, number, "fail", fail_body(state, cost, wall, note, metrics, exit_code), key or uuid.uuid4().hex, None, self._about(number))

    def add_budget(self, amount: Union[float, str], *, key: Optional[str] = None) -> Study:
        """Adds money to the budget; wall time in seconds, or like "2h30m". Called again with the same key, it is added once.

        The request is repeated only if the server cannot have seen it: one of version 0.1.0 would add it twice.
        """
        self.raw = self._request("POST", "budget", body={"add": self._amount(amount)}, key=key or uuid.uuid4().hex, repeat=False)
        return self

    def _another(self, raw: Mapping[str, Any]) -> Study:
        return Study(self.client, raw)

    def end(self) -> Study:
        """Ends the study. It hands out no more trials."""
        self.raw = self._request("POST", "end")
        return self

    def enqueue(self, setting: Mapping[str, Any], note: str = "", *, key: Optional[str] = None) -> int:
        """Has a setting of your own tried next, under the budget, and returns its number in the queue.

        Parameters with a default may be left out. The policy chooses others that are left out. It can be repeated with the same key.
        """
        return int(self._request("POST", "queue", body={"setting": dict(setting), "note": note}, key=key or uuid.uuid4().hex)["number"])

    def queue(self) -> List[Mapping[str, Any]]:
        """Lists the settings that are to be tried next."""
        return list(self._request("GET", "queue")["items"])

    def drop(self, item: int) -> None:
        """Takes an item out of the queue, by its number."""
        self._request("POST", "queue", item, "drop", repeat=False)

    def import_results(self, results: Iterable[Mapping[str, Any]], *, charge: bool = False, dry_run: bool = False) -> Mapping[str, Any]:
        """Adds results that were obtained elsewhere, so that the study learns from them.

        Each has ``setting``, ``value`` and, if they are known, ``cost`` and ``metrics``. They cost the study nothing, unless charge is True. The answer
        says how many were ``added``, how many were ``known`` already, and which were ``refused``. A result is added once, however often
        it is told; equal results of one call are repeats, and each is added.
        """
        body = {"results": [dict(r) for r in results], "charge": charge, "dry_run": dry_run}
        found: Mapping[str, Any] = self._request("POST", "results", body=body)
        return found

    def retry(self, *trials: int) -> None:
        """Has the settings of trials tried again, before anything else."""
        self._request("POST", "retry", body={"trials": list(trials)}, repeat=False)

    def forget(self, *trials: int, undo: bool = False, note: str = "") -> Study:
        """Has trials ignored: the models do not learn from them, and none is the best. Their money stays spent. The note says why."""
        body: Dict[str, Any] = {"trials": list(trials), "undo": undo}
        if note:
            body["note"] = note
        self.raw = self._request("POST", "forget", body=body)
        return self

    def correct(self, number: int, *, value: Optional[float] = None, cost: Optional[float] = None, failed: bool = False,
                note: str = "", metrics: Optional[Mapping[str, float]] = None, setup: Optional[float] = None) -> TrialInfo:
        """Corrects a trial that has ended. What is not given stays; the old figures stay on record. ``setup`` is the part of the cost that
        went into changes, if the study has a changeover."""
        body: Dict[str, Any] = {"failed": failed, "note": note}
        body.update({k: v for k, v in (("value", value), ("cost", cost), ("setup", setup), ("metrics", metrics)) if v is not None})
        return TrialInfo.of(self._request("POST", "trials", number, "correct", body=body))

    def stop(self, number: int) -> TrialInfo:
        """Has a running trial stopped by whoever evaluates it. It is charged for what it has used, and not tried again."""
        return TrialInfo.of(self._request("POST", "trials", number, "stop"))

    def pause(self) -> Study:
        """Hands out no trials until :meth:`resume`. Trials under way go on."""
        self.raw = self._request("POST", "pause")
        return self

    def resume(self) -> Study:
        """Hands out trials again."""
        self.raw = self._request("POST", "resume")
        return self

    def archive(self, *, undo: bool = False) -> Study:
        """Puts the study away, or takes it out again. Nothing is lost."""
        self.raw = self._request("POST", "archive", body={"undo": undo})
        return self

    def change(self, definition: Definition) -> List[str]:
        """Changes the study as an edited study file changes one that has begun: its budget, its parameters, when it stops.

        The definition is the text of a study file (see :meth:`study_file`), or a dict of the same shape, such as
        ``{**study.definition, "parallel": 4}``. The answer says what has changed in the budget and in the parameters. What a result
        and a cost mean cannot change.
        """
        raw, kind = _document(definition)
        got = self._request("POST", "definition", raw=raw, content_type=kind)
        self.raw = got["study"]
        return list(got["changes"])

    def _adopt(self, wanted: Mapping[str, Any]) -> None:
        """Makes the study the one wanted, as far as it can be changed, and says what has changed."""
        before = self.definition
        differs = difference(wanted, before)
        if differs:
            raise ValueError(f"there is already a study {self.name!r}, and {differs}; choose another name")
        parts = changed_parts(json.loads(to_json(wanted)), before)
        if parts:
            # The file has the budget of now. The budget as it was defined leaves what others add meanwhile.
            self.change(with_parts(self.study_file(), {"budget": before["budget"], **parts}))
        if wanted.get("seed") is not None and wanted["seed"] != before.get("seed", 0):
            log.warning("study %s exists, and keeps its seed of %s", self.name, before.get("seed", 0))
        changed = "; ".join(changes(before, self.definition))
        if changed:
            log.warning("study %s exists, and was changed: %s", self.name, changed)

    def rename(self, name: str) -> Study:
        """Gives the study another name."""
        self.raw = self._request("POST", "rename", body={"name": name}, repeat=False)
        return self

    def delete(self, *, confirm: str) -> None:
        """Deletes the study for good. ``confirm`` is its name. Export it first: ``eke export``."""
        self._request("POST", "delete", body={"confirm": confirm}, repeat=False)

    def best(self) -> Optional[TrialInfo]:
        """Returns the best trial, or None if no trial has a result yet that meets the limits; see :attr:`infeasible`.

        If evaluations have noise, it is the first trial of the setting that the models expect to be the best. Its value is their estimate;
        see TrialInfo.estimate.
        """
        try:
            return TrialInfo.of(self._request("GET", "best"))
        except NotFound:
            self.refresh()  # raises NotFound if there is no such study
            return None

    def front(self) -> List[TrialInfo]:
        """Returns the trials on the front, ordered by the first objective, the best first. No other trial is at least as good in every objective and
        better in one.

        Only a study with several objectives has a front. If evaluations have noise, it is that of what the models expect of the settings.
        The first objective is the value of a trial, and the others are among its metrics; see :meth:`front_records`.
        """
        self.refresh()
        if not self.raw.get("objectives"):
            raise ValueError(f"study {self.name} has one objective, {self.objective}, and so no front; see best()")
        return Front((TrialInfo.of(t) for t in (self.raw.get("front") or {}).get("trials", [])), self.objectives)

    def trials(self, *, state: Optional[str] = None, after: int = 0) -> List[TrialInfo]:
        """Lists the trials, oldest first; on request only those in one state, or with a number above ``after``."""
        found: List[TrialInfo] = []
        while True:
            query: Dict[str, object] = {"after": after, "limit": _wire.MAX_LISTED}
            if state is not None:
                query["state"] = state
            page = self._request("GET", "trials", query=query)["trials"]
            found += [TrialInfo.of(t) for t in page]
            if len(page) < _wire.MAX_LISTED:
                return found
            after = found[-1].number

    def trial(self, number: int) -> TrialInfo:
        """Returns a trial."""
        return TrialInfo.of(self._request("GET", "trials", number))

    def why(self, number: int) -> Mapping[str, Any]:
        """Returns why a trial was chosen: its expected value and cost, and what was planned after it."""
        found: Mapping[str, Any] = self._request("GET", "trials", number, "why")
        return found

    def plan(self, number: Optional[int] = None) -> Optional[Plan]:
        """Returns the plan behind a trial, by default the newest: why it was chosen, what was expected of it, and what was to follow.

        It is a dict like that of :meth:`why`, in a terminal a few lines, and in a notebook a picture. None if there is no trial yet.
        """
        if number is None:
            number = sum(self.refresh().counts.values())
            if number == 0:
                return None
        return Plan(self.why(number), number, self.trial(number).setting, self.raw)

    def run(self, f: Callable[[Dict[str, Any]], Any], *, workers: int = 1, n_jobs: int = 1, max_trials: Optional[int] = None,
            max_failures: int = 10, patience: float = 3600.0, max_wait: float = 3600.0,
            on_trial: Optional[Callable[[TrialInfo], None]] = None, progress: Optional[bool] = None) -> Result:
        """Asks for trials, evaluates them with f and tells their results, until the study is over.

        f takes a setting, which is a dict, and returns its value, or ``(value, cost)`` if costs are reported. It may
        return a dict such as ``{"objective": 0.2, "cost": 3, "memory": 7.4}``: the other numbers are kept as metrics, which the study's limits are on. If f raises an
        exception or returns a value that is not finite, the trial has failed and the loop goes on. KeyboardInterrupt abandons
        the trials under way and is raised again. Run the study again to continue it. For limits, see :func:`current_trial`.

        Args:
            workers: how many trials to evaluate at once, in threads.
            n_jobs: how many trials to evaluate at once, in processes; -1 for one per processor. A process that is killed fails its
                trial only, and a trial that reaches a limit is stopped. Where processes are not forked (Windows, macOS), f must be
                a function that can be imported.
            max_trials: stop after so many trials.
            max_failures: raise TooManyFailures after so many failures in a row. A row that was likely enough when its trials were chosen, by one in a thousand, is no reason.
            patience: for how many seconds to keep trying while the server is away.
            max_wait: for how many seconds to wait while others hold the rest of the budget.
            on_trial: called with each trial that has ended, in the thread that evaluated it.
            progress: whether to show how the study is going. By default it is shown in terminals and in notebooks; where
                errors go to a file, that has a line for each new best, and otherwise one every 30 seconds at most.
        """
        ended = _loop.run(self, self.ask, f, workers=workers, n_jobs=n_jobs, max_trials=max_trials, max_failures=max_failures,
                          patience=patience, max_wait=max_wait, on_trial=on_trial, progress=progress, worker=self.client.worker)
        return Result(study=self, best=self.best(), trials=ended.trials, reason=ended.reason, detail=ended.detail)

    def _request(self, method: str, *path: object, **more: Any) -> Any:
        more.setdefault("about", identity(self.id))  # the same study, even if its name is another's by now
        return self.client._transport.request(method, path_of("studies", self.name, *path), **more)


@dataclass(frozen=True)
class Result:
    """The outcome of a loop."""

    study: Study
    """The study as it was at the end."""
    best: Optional[TrialInfo]
    """The best trial of the study, or None if no trial has a result."""
    trials: int
    """How many trials this loop evaluated."""
    reason: str
    """Why the loop ended: budget_spent, not_worth, exhausted, closed, budget_pending or max_trials."""
    detail: str = ""
    """The same in words."""

    @property
    def setting(self) -> Optional[Mapping[str, Any]]:
        """The best setting."""
        return self.best.setting if self.best else None

    @property
    def value(self) -> Optional[float]:
        """The value of the best setting."""
        return self.best.value if self.best else None

    @property
    def spent(self) -> float:
        """What the study has cost."""
        return self.study.spent

    def records(self) -> List[Dict[str, Any]]:
        """Returns all trials of the study as flat dicts."""
        return self.study.records()

    def trials_dataframe(self) -> Any:
        """Returns all trials of the study as a pandas DataFrame."""
        return self.study.trials_dataframe()

    def front(self) -> List[TrialInfo]:
        """Returns the front of several objectives; see :meth:`Study.front`."""
        return self.study.front()

    def front_dataframe(self) -> Any:
        """Returns the front of several objectives as a pandas DataFrame."""
        return self.study.front_dataframe()

    def insight(self) -> Mapping[str, Any]:
        """Returns what the models have learnt; see :meth:`Study.insight`."""
        return self.study.insight()

    def importance(self) -> Dict[str, float]:
        """Returns how much each parameter matters; see :meth:`Study.importance`."""
        return self.study.importance()

    def export(self, format: str = "csv") -> str:
        """Returns all trials as the text of a file, "csv" or "json"."""
        return self.study.export(format)

    def __str__(self) -> str:
        if self.study.objectives:
            front = self.study.raw.get("front") or {}
            found = f"{count(len(front.get('trials', [])), 'result')} on the front, a hypervolume of {front.get('hypervolume', 0):g}"
            if self.study.infeasible and not front.get("trials"):
                found = self.study.infeasible
            return f"{self.study.name}: {found}; {self._money()}; {self.detail or self.reason}"
        found = f"{self.value:g} at {setting_text(self.best.setting)}" if self.best and self.value is not None else self.study.infeasible or "no result"
        return f"{self.study.name}: {found}; {self._money()}; {self.detail or self.reason}"

    def _money(self) -> str:
        ever = sum(self.study.counts.values())
        trials = count(ever, "trial") + "," if self.trials == ever else f"{count(self.trials, 'trial')} now, {ever} in all;"
        return f"{trials} {self.spent:g} of {self.study.total:g} spent"

    def _repr_html_(self) -> str:
        return study_html(self.study.raw, self.study.trials(), self.detail or self.reason)
