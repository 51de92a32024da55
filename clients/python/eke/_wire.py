# Generated from the server's OpenAPI document: go generate ./internal/api
"""What the server sends and accepts: its types, codes and limits."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

MAX_NOTE = 4000
"""Characters of a note."""

MAX_COUNT = 64
"""Trials that one ask may hand out."""

MAX_LISTED = 10000
"""Trials in one answer."""

WORKER_PATTERN = "^[A-Za-z0-9_.:@/+-]{1,100}$"
"""What a worker's name looks like."""

ASK_SECONDS = 600
"""How long the server may take to answer an ask."""

PING_SECONDS = 15
"""How often a stream of events sends a ping."""

CODES = ("bad_request", "unauthenticated", "forbidden", "not_found", "exists", "conflict", "unknown_lease", "budget_spent", "budget_pending", "not_worth", "exhausted", "closed", "too_large", "too_many", "unavailable", "paused")
"""What an error may be."""

OVER = ("budget_spent", "not_worth", "exhausted", "closed")
"""Codes after which a study hands out no more trials."""

Code = Literal["bad_request", "unauthenticated", "forbidden", "not_found", "exists", "conflict", "unknown_lease", "budget_spent", "budget_pending", "not_worth", "exhausted", "closed", "too_large", "too_many", "unavailable", "paused"]

Direction = Literal["rises", "falls", "peaks", "dips", "flat", "varies"]

EventKind = Literal["asked", "started", "extended", "queued", "finished", "budget", "closed", "defined", "known", "forgotten", "remembered", "corrected", "enqueued", "wanted", "dequeued", "stop", "paused", "resumed", "archived", "restored", "lowered", "reshaped", "labelled", "prior", "step"]

Goal = Literal["minimize", "maximize"]

InsightState = Literal["ready", "not_enough"]

Kind = Literal["float", "int", "choice", "ordered", "bool", "fixed"]

Source = Literal["reported", "walltime", "slurm", "kubernetes"]

State = Literal["pending", "running", "done", "failed", "cut", "stopped early", "abandoned"]

Stop = Union[Literal["never"], Dict[str, Any]]

Value = Union[str, float, bool]

Setting = Dict[str, Value]


class _Ahead(TypedDict):
    finished: Optional[End]
    """Why the study is over, or null. It is over although there is money left if the rest is not worth its price."""
    rest: Optional[Rest]
    """What the rest of the money is expected to buy, or null if there is none, or too little is known."""


class Ahead(_Ahead, total=False):
    version: int
    """The version of the study that the forecast is of. It is an older one if the models of other studies are being fitted."""


class _Aim(TypedDict):
    goal: Goal
    name: str


class Aim(_Aim, total=False):
    max: float
    """The most that the number can be. No forecast goes beyond. Left out: nothing is known of that."""
    min: float
    """The least that the number can be. No forecast goes beyond. Left out: nothing is known of that."""
    worst: float
    """The worst that counts. Left out: it is found from the first results."""


class ArchiveRequest(TypedDict, total=False):
    undo: bool
    """Take it out again."""


class AskRequest(TypedDict, total=False):
    by_hand: bool
    """A person evaluates the trial. There is no lease, and no heartbeat is needed."""
    count: int
    """How many trials to hand out. There may be fewer."""
    place: str
    """Where the trial will be evaluated, such as a machine and its slot. The price of a change depends on the last trial there. Missing: the worker is the place."""
    worker: str
    """The worker's name. Required unless by_hand is true."""


class _Asked(TypedDict):
    point: List[float]
    reserved: float
    setting: Setting


class Asked(_Asked, total=False):
    checkpoint: int
    credible: float
    item: int
    look: bool
    plan: Any
    resumes: int
    thinking: float
    why: Any


class _Axis(TypedDict):
    kind: Kind
    parameter: str
    values: List[Value]


class Axis(_Axis, total=False):
    at: Value
    log: bool


class Beat(TypedDict):
    lease_seconds: float
    """The worker loses the trial after this many seconds without a heartbeat."""
    limit: Optional[float]
    """How many seconds the trial may run, or null for no limit."""
    reserved: float
    """The money held for the trial now."""
    stop: bool
    """Stop the trial: it has reached its limit, or no longer belongs to this worker."""


class Bound(TypedDict, total=False):
    exceeded_by: ExceededBy
    max: float
    min: float
    unit: str


class _Budget(TypedDict):
    total: float


class Budget(_Budget, total=False):
    deadline: str
    """How long after the first trial the last one may start, such as 12h. Running trials go on."""
    limit: Literal["none"]
    """none: a trial that takes far longer than was forecast is not stopped."""
    over: Literal["cut"]
    """cut: a result that cost more than per_trial does not count."""
    per_trial: float
    """The most that one trial may cost."""
    timeout: str
    """The most time that one trial may take, such as 30m."""
    trials: int
    """How many trials may be run."""


class BudgetRequest(TypedDict):
    add: float
    """The amount, in the unit of the study's cost."""


class Buys(TypedDict):
    cost_each: float
    trials: int
    words: str
    """The same for people."""


class Change(TypedDict):
    study: Study
    trials: List[Trial]
    version: int


class _Changeover(TypedDict):
    of: List[str]


class Changeover(_Changeover, total=False):
    cost: float
    down: Downward
    per_unit: float


class _Changes(TypedDict):
    count: int
    """How many trials had to pay for a change."""
    spent: float
    """What they paid for it: what they reported, or what the study file says, as far as it says so."""
    words: str
    """The same for people."""


class Changes(_Changes, total=False):
    unsure: int
    """How many of them paid something that nobody knows."""


class _Clause(TypedDict):
    words: str
    """What is said, with a placeholder for each number, such as %.2f. Without numbers it is plain."""


class Clause(_Clause, total=False):
    numbers: List[float]
    """What clauses of the same words may differ in."""


class Columns(TypedDict):
    asked: List[int]
    """When each trial was asked for, in milliseconds after since."""
    charged: List[float]
    """What each trial cost."""
    finished: List[Optional[int]]
    """When each trial ended, in milliseconds after since, or null."""
    first: int
    """The number of the first trial. The others follow without gaps."""
    more: List[Trial]
    """Trials with more than this: those that are not over, failed, have a note, do not count, reported further numbers or were corrected. Without their reasons."""
    runner: List[int]
    """Who evaluated each trial, as a place in runners, from 0."""
    runners: List[str]
    """Those who evaluated trials."""
    settings: Dict[str, List[Value]]
    """The settings: a list for each parameter, with null where it does not exist."""
    since: str
    """What asked and finished count from."""
    state: List[int]
    """The state of each trial, as a place in states, from 0."""
    states: List[State]
    """The states that trials have."""
    values: List[Optional[float]]
    """The result of each trial, or null unless it is done."""
    version: int
    """The version of the study that this is."""
    wall: List[float]
    """How long each trial ran, in seconds."""


class Condition(TypedDict):
    param: str
    values: List[Value]


class _CopyRequest(TypedDict):
    name: str
    """The name of the new study."""


class CopyRequest(_CopyRequest, total=False):
    changes: Dict[str, Any]
    """Fields of the definition that differ, such as budget or parameters. null removes one."""
    results: bool
    """Give the new study the results of the old one, as known results, as far as its parameters allow them."""


class CorrectRequest(TypedDict, total=False):
    cost: float
    """What the trial cost."""
    failed: bool
    """The trial had no value."""
    metrics: Dict[str, float]
    """Other numbers that the trial reported, by name. The others stay as they are."""
    note: str
    """Why it is corrected."""
    setup: float
    """The part of the cost that went into changes, if the study has a changeover."""
    value: float
    """What the trial returned. A trial without a value is done then."""


class _Corrected(TypedDict):
    charged: float
    state: State


class Corrected(_Corrected, total=False):
    exact: bool
    metrics: Dict[str, float]
    note: str
    setup: float
    value: float
    without: str


class _Cost(TypedDict):
    source: Source
    unit: str


_CostWords = TypedDict("_CostWords", {"from": "str"}, total=False)


class Cost(_Cost, _CostWords, total=False):
    node_prices: Dict[str, Dict[str, float]]
    of: str
    price: float
    prices: Dict[str, float]
    rate: float


class CostRequest(TypedDict):
    cost: float
    """What the trial cost."""
    worker: str
    """The worker that evaluated the trial."""


class _Definition(TypedDict):
    budget: Budget
    cost: Cost
    name: str
    objective: Objective
    parallel: int
    """How many trials eke run evaluates at once; 0: one on each GPU."""
    parameters: List[Param]
    policy: Policy
    seed: int


class Definition(_Definition, total=False):
    changeover: List[Changeover]
    """What it costs to give parameters other values than they had in the trial before, at the same place. Entries add up."""
    command: List[str]
    """The command that evaluates a trial."""
    engine: Engine
    """Where trials are evaluated. If not given: where eke run runs."""
    env: Dict[str, str]
    """Variables for the command."""
    fidelity: Fidelity
    """How thorough a trial is. One below the highest is a cheaper look, whose value does not count."""
    gpus: Literal["auto"]
    """auto: every GPU of a machine is a slot."""
    initial: Setting
    """What is set before the first trial, by parameter, as far as changes cost something."""
    limits: Dict[str, Bound]
    """Limits on further numbers that trials report, by name. A value counts only if the trial meets all of them."""
    noise: bool
    """The same setting may return different values."""
    notify: Notify
    """Who is told what happens in a run."""
    objectives: List[Aim]
    """All objectives, if there are several: two or three. The first is objective, which may then be left out. Trials report them by these names."""
    protocol: Literal["lines"]
    """lines: the command stays alive, reads a setting per line, and prints a result per line."""
    slots: List[Slot]
    """Places for trials on a machine, each for one trial at a time. Only workers and admins see their env."""
    start_from: str
    """An earlier, similar study on the server, to use as prior knowledge where it proves to predict this one."""
    stop: Stop
    """When the study ends although there is money left. If not given: when the whole rest is expected to gain less than a thousandth of the spread of the values seen."""
    trials: List[Setting]
    """Settings to try first."""
    where: List[str]
    """Constraints between parameters. Only settings that meet all of them are tried."""
    workdir: str
    """The folder in which the command runs."""


class DeleteRequest(TypedDict):
    confirm: str
    """The study's name, again. Export the study first."""


class Deleted(TypedDict):
    deleted: str
    """The study's name."""


class Downward(TypedDict, total=False):
    cost: float
    per_unit: float


class _Earlier(TypedDict):
    name: str
    results: List[EarlierResult]


class Earlier(_Earlier, total=False):
    looks: List[EarlierResult]
    noisy: bool


class _EarlierResult(TypedDict):
    setting: Setting
    value: float


class EarlierResult(_EarlierResult, total=False):
    cost: float
    metrics: Dict[str, float]


class End(TypedDict):
    code: Code
    """What a request for a trial would be refused with."""
    reason: str
    """The same for people."""


class _Engine(TypedDict):
    type: Literal["slurm", "kubernetes"]


class Engine(_Engine, total=False):
    context: str
    """A context of the kubeconfig. If not given: its current one."""
    image: str
    """What the command runs in, on Kubernetes."""
    namespace: str
    """Where jobs of Kubernetes are. If not given: as kubectl has it."""
    options: Dict[str, str]
    """Options of sbatch, by their long names."""
    poll: str
    """How often Slurm is asked, such as 30s."""
    queue: str
    """A queue of Kueue."""
    resources: Dict[str, str]
    """What a pod asks for, such as cpu."""
    save: str
    """How long before its limit a command gets SIGUSR1."""
    setup: List[str]
    """Lines of the job's script before the command."""
    template: str
    """A file with a pod, to which all else is added."""
    time: str
    """The time limit of every job. If not given: as the cost of each trial is forecast."""


class _EnqueueRequest(TypedDict):
    setting: Setting
    """The value of each parameter, by name. A parameter with a default may be left out; the policy chooses the others that are."""


class EnqueueRequest(_EnqueueRequest, total=False):
    note: str


class _Enqueued(TypedDict):
    point: List[float]
    setting: Setting


class Enqueued(_Enqueued, total=False):
    note: str
    retries: int


class Estimate(TypedDict):
    high: float
    """The value is below this with a chance of 90 %."""
    low: float
    """The value is above this with a chance of 90 %."""
    sd: float
    """Its standard deviation."""
    value: float
    """The expected value, without the noise."""
    values: List[float]
    """All values observed at this setting, oldest first."""


class _Event(TypedDict):
    at: str
    kind: EventKind
    seq: int


class Event(_Event, total=False):
    added: float
    asked: Asked
    before: str
    corrected: Corrected
    definition: Any
    digest: str
    enqueued: Enqueued
    finished: Finished
    item: int
    key: str
    known: Known
    labels: Labels
    lowered: float
    place: str
    prior: Earlier
    reason: str
    reserved: float
    result: int
    runner: str
    step: TrialStep
    token: str
    trial: int


class ExceededBy(TypedDict, total=False):
    exit: List[int]
    stderr: str


class _Exit(TypedDict):
    code: int


class Exit(_Exit, total=False):
    signal: str


class _Expected(TypedDict):
    cost: float
    cost_high: float
    cost_low: float
    cost_median: float
    cost_sd: float
    fits: float
    value: float
    value_sd: float


class Expected(_Expected, total=False):
    also: Dict[str, Range]
    """What is expected of the other objectives, by name."""
    beats: float
    early: bool
    """Fewer than three values were known, so what is said of values is a guess."""
    failure_cost: float
    """What the trial is expected to cost if it fails."""
    setup: float
    """The part of the cost that is expected to go into changes."""
    setup_sd: float
    """The standard deviation of that part, where a price is learnt."""
    value_high: float
    """What nine values in ten stay below."""
    value_low: float
    """What one value in ten stays below."""
    within: float
    """The chance that the trial meets all limits; of a look: that its setting does at the highest fidelity. Left out where there are none, or nobody knows."""
    works: float
    """The chance that the trial does not fail. Left out where none has failed before, or nobody knows."""


class FailRequest(TypedDict, total=False):
    cost: float
    """What the trial cost. The server estimates a missing cost."""
    estimated: bool
    """The cost could not be measured, and is estimated."""
    exit: Exit
    """How the trial's command ended, if it has one."""
    lost: bool
    """There was no checkpoint to go on from, so the trial began anew."""
    metrics: Dict[str, float]
    """Numbers that the trial reported all the same, by name. The models learn from those that are objectives, if the study has several."""
    note: str
    setup: float
    """The part of the cost that went into changes, if the study has changeovers."""
    state: Literal["failed", "cut", "abandoned"]
    """cut: the trial was stopped at a limit. abandoned: the setting is not to blame and is tried again."""
    stopped: bool
    """Of an abandoned trial: somebody stopped it or gave it up, so that its setting is tried again any number of times. Otherwise a setting that is abandoned three times has failed, since it may have killed its workers."""
    wall: float
    """How long the trial ran, in seconds."""


class _Fidelity(TypedDict):
    name: str


class Fidelity(_Fidelity, total=False):
    count: Literal["last", "best"]
    log: bool
    max: float
    min: float
    resume: bool
    steps: List[float]
    stop_early: Literal["model", "median", "never"]


class _FieldError(TypedDict):
    message: str
    """What is wrong with it."""


class FieldError(_FieldError, total=False):
    column: int
    """The column of a definition in YAML, from 1."""
    hint: str
    """What to do about it."""
    line: int
    """The line of a definition in YAML, from 1."""
    location: str
    """The field, such as body.value, or body.parameters.lr.min in a study's definition."""
    value: Any
    """What the request has there, if it is short."""


class File(TypedDict):
    kept: int
    """How many of them are kept."""
    name: str
    """stdout and stderr are what the trial prints, environment is where it ran; others are artifacts."""
    size: int
    """How many bytes were written."""


class Files(TypedDict):
    files: List[File]


class _Finished(TypedDict):
    charged: float
    state: State


class Finished(_Finished, total=False):
    estimated: bool
    exit: Exit
    lost: bool
    machine: bool
    metrics: Dict[str, float]
    note: str
    setup: float
    stopped: bool
    value: float
    wall: float


class _Forecast(TypedDict):
    cost: float
    expected: Expected
    state: State
    trial: int


class Forecast(_Forecast, total=False):
    value: float


class ForgetRequest(TypedDict, total=False):
    known: List[int]
    """The numbers of known results, from 1."""
    note: str
    """Why they are ignored, or count again."""
    trials: List[int]
    """The trials' numbers."""
    undo: bool
    """Let them count again."""


class _Front(TypedDict):
    hypervolume: float
    """The volume between the front and the worst that counts."""
    trials: List[Trial]
    """The results that no other dominates, ordered by the first objective, the best first. If evaluations have noise, by what the models expect of their settings."""
    worst: List[float]
    """The worst that counts, in the order of the objectives. Empty before there is a result."""


_FrontWords = TypedDict("_FrontWords", {"from": "int"}, total=False)


class Front(_Front, _FrontWords, total=False):
    beyond: str
    """Which results would be on the front if they were better than the worst that the study file gives, and which are on it by the models' means alone, in words."""
    expected: List[List[float]]
    """What the models expect of the objectives of each of these trials, by which it is on the front. Left out if evaluations have no noise."""
    seen: List[List[List[float]]]
    """All that was seen of the objectives at the setting of each of these trials, the oldest first. Left out if evaluations have no noise."""


class Health(TypedDict):
    status: Literal["ok"]


class _HeartbeatRequest(TypedDict):
    worker: str
    """The worker's name."""


class HeartbeatRequest(_HeartbeatRequest, total=False):
    queued: str
    """Why the trial waits for its turn where the worker runs it, such as in a cluster's queue. While it waits it has no limit. Missing: it does not wait."""


class Heat(TypedDict):
    a: Axis
    at: Setting
    b: Axis
    cost_median: List[List[float]]
    exists: List[List[bool]]
    value: List[List[float]]
    value_sd: List[List[float]]


class Import(TypedDict):
    added: int
    """Results that are new."""
    charged: float
    """What the study was charged."""
    known: int
    """Results that were known already."""
    refused: List[Refusal]
    """Results that the study does not allow. They were left out."""


class _ImportFileRequest(TypedDict):
    file: str
    """CSV with a header, a list of JSON objects, an export of eke, or an Optuna journal: its text."""


class ImportFileRequest(_ImportFileRequest, total=False):
    charge: bool
    """Charge the study what the results cost."""
    columns: Dict[str, str]
    """For columns with other names: the parameter that each stands for, or value or cost, by the column's name."""
    dry_run: bool
    """Only say what would happen. If columns are missing, say which."""


class _ImportRequest(TypedDict):
    results: List[KnownResult]


class ImportRequest(_ImportRequest, total=False):
    charge: bool
    """Charge the study what the results cost."""
    dry_run: bool
    """Only say what would happen."""


class _Importance(TypedDict):
    cost: Share
    parameter: str
    value: Share


class Importance(_Importance, total=False):
    also: Dict[str, Share]
    """The same for the other objectives of a study with several, by name."""


class ImportedFile(TypedDict):
    added: int
    """Results that are new."""
    charged: float
    """What the study was charged."""
    columns: List[str]
    """The columns of the file."""
    form: str
    """What kind of file it is."""
    known: int
    """Results that were known already."""
    left_out: int
    """Rows that the study does not allow."""
    matched: Dict[str, str]
    """For each parameter, value and cost: the column it was read from."""
    missing: List[str]
    """The parameters, or value, that no column was found for. Only a dry run comes this far."""
    refused: List[RefusedRow]
    """The first hundred of them."""
    rows: int
    without: int
    """Rows of trials that failed, were pruned or are not over."""


class _Insight(TypedDict):
    observed: int
    state: InsightState


class Insight(_Insight, total=False):
    best: int
    cut_short: bool
    forecasts: List[Forecast]
    importance: List[Importance]
    looks: int
    missing: str
    slices: List[Slice]
    through: Setting


class _Item(TypedDict):
    number: int
    """Items are numbered from 1."""
    setting: Setting


class Item(_Item, total=False):
    note: str
    part: bool
    """The setting leaves parameters out, which the policy chooses."""
    retries: int
    """The trial that is tried again."""


class _Known(TypedDict):
    point: List[float]
    setting: Setting
    value: float


class Known(_Known, total=False):
    cost: float
    forgotten: bool
    look: bool
    metrics: Dict[str, float]
    row: str


class _KnownResult(TypedDict):
    setting: Setting
    """The value of each parameter, by name."""
    value: float


class KnownResult(_KnownResult, total=False):
    cost: float
    """What it cost. 0: nobody knows."""
    metrics: Dict[str, float]
    """The other numbers that it reported, by name."""


class LabelRequest(TypedDict, total=False):
    group: str
    """Whose tokens may see the study, beside those without a group, which see all. Only admins without a group may change it."""
    notes: str
    """A text in Markdown."""
    owner: str
    """The ID of the token that may do everything with the study. Only admins may change it."""
    tags: List[str]
    """Words to find the study by."""


class Labels(TypedDict, total=False):
    group: str
    notes: str
    owner: str
    tags: List[str]


class _Lease(TypedDict):
    asked: str
    lease_seconds: float
    """The worker loses the trial after this many seconds without a heartbeat. 0: it never does."""
    limit: Optional[float]
    """How many seconds the trial may run, or null for no limit. A heartbeat may raise it."""
    number: int
    """Trials are numbered from 1."""
    point: List[float]
    """The setting as a point in the unit cube."""
    setting: Setting
    """The value of each parameter, by name."""
    state: State
    value: Optional[float]
    """The result, or null unless the trial is done. Of the best, it is the value of the estimate, if there is one."""


class Lease(_Lease, total=False):
    beyond: bool
    """The cost exceeded the budget, so the value does not count."""
    charged: float
    """What the trial cost."""
    checkpoint: int
    """The first of the trials that go on from each other, whose checkpoint this one uses."""
    credible: float
    """How many seconds the forecast makes credible. A trial that takes longer, from its start or from its last step, is stopped, unless the study has `budget.timeout`, or `budget.per_trial` in time."""
    early: str
    """Why the trial is stopped early, or was."""
    early_at: float
    """The step at which it was decided to stop the trial early."""
    estimate: Estimate
    """What is known about the setting's value. Only the best has it, and only if evaluations have noise."""
    estimated: bool
    """The cost could not be measured, and is estimated."""
    exit: Exit
    """How the command ended."""
    finished: str
    forgot: str
    """Why the trial was forgotten, if somebody said."""
    forgotten: bool
    """Somebody had the trial forgotten. It is charged, but does not count."""
    id: str
    """It tells the trial from one of the same number in another study of that name. Send it in the header Eke-Trial with whatever you report of the trial."""
    item: int
    """The number in the queue, if somebody wanted the setting to be tried."""
    known: bool
    """The result was known before the study and cost it nothing."""
    look: bool
    """The fidelity is not the highest, so the value does not count."""
    lost: bool
    """There was no checkpoint to go on from, so the trial began anew and was paid in full."""
    machine: bool
    """The trial failed because of the machine, not because of its setting, which is tried again."""
    metrics: Dict[str, float]
    """The other numbers that the trial reported, by name."""
    note: str
    """What went wrong."""
    outside: bool
    """The parameters have changed since, and do not allow the setting. It does not count."""
    place: str
    """Where the trial is evaluated, if changes cost something there."""
    queued: str
    """Why the trial waits for its turn in an engine, in the engine's words. It costs nothing yet."""
    reserved: float
    """The money held for the trial until it ends."""
    resumes: int
    """The earlier trial, with a lower fidelity of the same setting, that this one goes on from."""
    retries: int
    """The earlier trial whose setting this one tries again."""
    runner: str
    """Who evaluates the trial."""
    setup: float
    """The part of the cost that went into changes, as the trial reported it."""
    started: str
    steps: List[TrialStep]
    """The values that the trial had at lower fidelities on its way, oldest first."""
    stopped: bool
    """The trial was abandoned because its run was stopped."""
    stopping: bool
    """Somebody wants the trial to be stopped."""
    thinking: float
    """How long it took to choose the setting, in seconds."""
    token: str
    """The ID of the token that the trial was asked for with. Only it, the study's owner and admins may report on the trial and stop it."""
    violates: List[str]
    """The limits that the trial does not meet, or is not known to meet, by name. Its value does not count."""
    wall: float
    """How long the trial ran, in seconds."""
    was: List[Was]
    """The figures before each correction, oldest first."""
    why: Why
    """Why this setting was chosen."""


class Leases(TypedDict):
    trials: List[Lease]


class Ledger(TypedDict):
    reserved: float
    spent: float
    total: float


class Log(TypedDict):
    events: List[Event]


class _Me(TypedDict):
    open: bool
    """There are no tokens: everybody on the server's machine may do everything."""
    role: Literal["reader", "worker", "admin"]


class Me(_Me, total=False):
    group: str
    id: str
    """The ID of the token."""
    name: str


class Neighbour(TypedDict):
    cost: float
    """What it cost."""
    differs: List[str]
    """The parameters that differ."""
    distance: float
    """How far away it is, in the unit cube that the models work in: each parameter has a length of 1. 0: the same setting."""
    known: bool
    """It is a result from elsewhere."""
    number: int
    """The trial's number, or that of the known result."""
    setting: Setting
    state: State
    value: Optional[float]
    """What it returned, or null if it returned nothing."""


class Neighbours(TypedDict):
    neighbours: List[Neighbour]


class _NewToken(TypedDict):
    created: str
    id: str
    """It identifies the token, and is not secret."""
    name: str
    role: Literal["reader", "worker", "admin"]
    token: str
    """The token itself. It is shown only now."""


class NewToken(_NewToken, total=False):
    group: str


class Notify(TypedDict, total=False):
    command: List[str]
    on: List[str]
    url: str


class _Objective(TypedDict):
    goal: Goal
    name: str


class Objective(_Objective, total=False):
    max: float
    """The most that the number can be. No forecast goes beyond. Left out: nothing is known of that."""
    min: float
    """The least that the number can be. No forecast goes beyond. Left out: nothing is known of that."""


class Outlook(TypedDict):
    better: float
    gain: float
    median: float
    money: float
    worse: float


class Output(TypedDict):
    next: int
    """Where to go on: the after of the next request."""
    offset: int
    """Where the text begins."""
    size: int
    """How many bytes were printed."""
    skipped: int
    """How many bytes before the text are not kept any more."""
    text: str
    """What was printed, as text."""


class _Param(TypedDict):
    name: str
    type: Kind


class Param(_Param, total=False):
    default: Value
    """The value in settings that have none, such as those of earlier trials."""
    log: bool
    """The parameter varies by orders of magnitude."""
    max: float
    min: float
    step: float
    value: Value
    """The value of a fixed parameter."""
    values: List[Value]
    """The values of a choice."""
    when: List[Condition]
    """The parameter exists only if all of these hold."""


class Picked(TypedDict):
    name: str
    why: str


class _Policy(TypedDict):
    name: str
    preset: str


class Policy(_Policy, total=False):
    design: int
    fantasies: List[int]


class _Problem(TypedDict):
    code: Code
    """What went wrong, for programs."""
    detail: str
    """What went wrong, for people."""
    status: int
    """The HTTP status."""
    title: str


class Problem(_Problem, total=False):
    errors: List[FieldError]
    """What is wrong with each field of the request."""
    hint: str
    """What to do about it."""


class Queue(TypedDict):
    items: List[Item]


class Range(TypedDict):
    high: float
    low: float
    sd: float
    value: float


class Reach(TypedDict):
    points: List[ReachPoint]
    """The edge of the front, from the worst of the other objective that counts to the best that may be reached."""
    right: str
    """The name of the other objective."""
    up: str
    """The name of an objective."""


class ReachPoint(TypedDict):
    at: float
    """A value of the other objective, which must be at least as good."""
    better: float
    """The best value of the first objective here is better than this with one chance in ten."""
    worse: float
    """The best value of the first objective here is worse than this with one chance in ten."""


class Redefined(TypedDict):
    changes: List[str]
    """What has changed in the budget and in the parameters, in words."""
    study: Study


class Refusal(TypedDict):
    index: int
    """Its place in the request, from 0."""
    problem: str


class RefusedRow(TypedDict):
    problem: str
    where: str
    """Where it is in the file, such as line 3."""


class RenameRequest(TypedDict):
    name: str
    """The new name."""


class _ReportRequest(TypedDict):
    step: float
    """The fidelity that the trial has reached, such as the number of epochs."""
    value: float
    """The objective there."""


class ReportRequest(_ReportRequest, total=False):
    cost: float
    """What the trial has cost so far. A step is not charged; the trial is charged once, when it ends."""
    ended: bool
    """The trial has ended, and its end will be told: do not decide whether it is to stop."""


class _Reported(TypedDict):
    reason: str
    """Why. Empty if the trial is to go on."""
    stop: bool
    """Stop the trial: its rest does not earn its price, or somebody wants it to stop."""


class Reported(_Reported, total=False):
    early_at: float
    """The step at which it was decided to stop the trial early."""


class _Rest(TypedDict):
    best: float
    better: float
    fan: List[Outlook]
    gain: float
    left: float
    median: float
    money: float
    worse: float


class Rest(_Rest, total=False):
    of: str
    """hypervolume with several objectives: best, and the values in the forecasts, are then hypervolumes of the front."""
    reach: List[Reach]
    """With several objectives: where the front may be when the money is spent, for every pair of them."""
    reserved: float
    """The part of left that is reserved for trials under way."""


class RetryRequest(TypedDict):
    trials: List[int]
    """The trials' numbers."""


class Revoked(TypedDict):
    revoked: str
    """The token's ID."""


class _Share(TypedDict):
    first: float
    total: float


class Share(_Share, total=False):
    direction: Direction


class _Slice(TypedDict):
    kind: Kind
    parameter: str
    points: List[Expected]
    values: List[Value]


class Slice(_Slice, total=False):
    at: Value
    log: bool


class Slot(TypedDict, total=False):
    env: Dict[str, str]


class Spending(TypedDict):
    looks: float
    """What was spent on looks (trials below the highest fidelity) that returned a value."""
    lost: float
    """What was spent on all other trials, such as those that failed or were over budget."""
    results: float
    """What was spent on trials that returned a value at the highest fidelity."""


class Step(TypedDict):
    expected: Expected
    setting: Setting


class StopRequest(TypedDict):
    stop: Stop
    """"never", or the gain that the rest of the money has to be expected to make. A gain of 0 is the default rule."""


class Studies(TypedDict):
    studies: List[Summary]
    total: int
    """How many studies match the request. This answer may contain only some of them."""


class _Study(TypedDict):
    archived: bool
    """The study is put away. It hands out no trials."""
    best: Optional[Trial]
    """The best trial, or null if there is none yet. If evaluations have noise, it is the first trial of the setting that the models expect to be the best. In a list of many studies with noise, it may lag behind, or be null until the models are fitted."""
    buys: Optional[Buys]
    """What the money left will buy, or null while costs are unknown."""
    changed: str
    """When a trial last began or ended."""
    closed: bool
    """Somebody ended the study. It hands out no more trials."""
    cost: Cost
    counts: Dict[str, int]
    """The number of trials in each state."""
    created: str
    definition: Definition
    """The study file as JSON. Only workers and admins see env."""
    finished: Optional[End]
    """Why the study hands out no more trials, or null if it may hand out more. Whether the rest of the money is worth spending is known once somebody has asked for a trial, or for the rest, or nothing has happened for a minute."""
    initial: float
    """The budget that the study began with."""
    known: int
    """How many results from elsewhere the study has."""
    ledger: Ledger
    left: float
    """The money that is neither spent nor reserved."""
    name: str
    notes: str
    """What people have written about the study, in Markdown."""
    objective: Objective
    overrun: float
    """How far reported costs exceeded the budget."""
    paused: bool
    """Somebody paused the study. It hands out no trials for now."""
    policy: Picked
    queued: int
    """How many of the running trials wait for their turn in an engine, such as a cluster."""
    spending: Spending
    """What the money of the trials that have ended was spent on."""
    tags: List[str]
    """Words to find the study by."""
    time: Times
    version: int
    """Every change raises the version."""
    waiting: int
    """How many settings of people's own are to be tried next."""


class Study(_Study, total=False):
    changes: Changes
    """What went into changes, if they cost something."""
    damaged: str
    """Why the study cannot be read. Then only its name, its creation and its version are known."""
    front: Front
    """The front, if the study has several objectives."""
    group: str
    """Whose tokens may see the study, beside those without a group, which see all."""
    hurts: str
    """A text that says so if a lower fidelity gave the best setting a better value, if the models judge limits otherwise than what was seen, if the study may have seen nothing but a plateau, or if values of choices were never evaluated in full."""
    id: str
    """It tells the study from every other, also from one that had its name before. Send it in the header Eke-Study, and the study is found under any name."""
    infeasible: str
    """If there are results but none of them meets the study's limits: a text that says so, and how near they came."""
    objectives: List[Aim]
    """All objectives, if there are several. The first is objective, whose best is best."""
    owner: str
    """The ID of the token that may do everything with the study."""
    saved: str
    """What stopping trials early has saved, in words."""
    spent_at: str
    """What was spent at each fidelity, in words."""
    start: str
    """What the study started from (start_from), and how well that predicts it, in words."""


class StudyFile(TypedDict):
    version: int
    """The version of the study that it describes."""
    yaml: str
    """The study file, with the budget that the study has now. Only workers and admins see env."""


class _Summary(TypedDict):
    archived: bool
    """The study is put away. It hands out no trials."""
    best: Optional[Trial]
    """The best trial, or null if there is none yet. If evaluations have noise, it is the first trial of the setting that the models expect to be the best. In a list of many studies with noise, it may lag behind, or be null until the models are fitted."""
    buys: Optional[Buys]
    """What the money left will buy, or null while costs are unknown."""
    changed: str
    """When a trial last began or ended."""
    closed: bool
    """Somebody ended the study. It hands out no more trials."""
    cost: Cost
    counts: Dict[str, int]
    """The number of trials in each state."""
    created: str
    finished: Optional[End]
    """Why the study hands out no more trials, or null if it may hand out more. Whether the rest of the money is worth spending is known once somebody has asked for a trial, or for the rest, or nothing has happened for a minute."""
    initial: float
    """The budget that the study began with."""
    known: int
    """How many results from elsewhere the study has."""
    ledger: Ledger
    left: float
    """The money that is neither spent nor reserved."""
    name: str
    objective: Objective
    overrun: float
    """How far reported costs exceeded the budget."""
    paused: bool
    """Somebody paused the study. It hands out no trials for now."""
    queued: int
    """How many of the running trials wait for their turn in an engine, such as a cluster."""
    tags: List[str]
    """Words to find the study by."""
    time: Times
    version: int
    """Every change raises the version."""
    waiting: int
    """How many settings of people's own are to be tried next."""


class Summary(_Summary, total=False):
    damaged: str
    """Why the study cannot be read. Then only its name, its creation and its version are known."""
    group: str
    """Whose tokens may see the study, beside those without a group, which see all."""
    id: str
    """It tells the study from every other, also from one that had its name before. Send it in the header Eke-Study, and the study is found under any name."""
    infeasible: str
    """If there are results but none of them meets the study's limits: a text that says so, and how near they came."""
    objectives: List[Aim]
    """All objectives, if there are several. The first is objective, whose best is best."""
    owner: str
    """The ID of the token that may do everything with the study."""


class _TellRequest(TypedDict):
    value: float
    """The result of the trial."""


class TellRequest(_TellRequest, total=False):
    cost: float
    """What the trial cost. Optional if the study charges wall time."""
    estimated: bool
    """The cost could not be measured, and is estimated."""
    lost: bool
    """There was no checkpoint to go on from, so the trial began anew."""
    metrics: Dict[str, float]
    """The other numbers that the trial reported, by name, such as memory. The study's limits apply to these."""
    note: str
    setup: float
    """The part of the cost that went into changes, if the study has changeovers."""
    wall: float
    """How long the trial ran, in seconds."""


class Times(TypedDict):
    evaluating: float
    """Time spent running trials."""
    thinking: float
    """Time spent choosing settings."""


class _Token(TypedDict):
    created: str
    id: str
    """It identifies the token, and is not secret."""
    name: str
    role: Literal["reader", "worker", "admin"]


class Token(_Token, total=False):
    group: str


class _TokenRequest(TypedDict):
    role: Literal["reader", "worker", "admin"]


class TokenRequest(_TokenRequest, total=False):
    group: str
    """Whose studies the token is for; empty: those of everybody."""
    name: str
    """Whose token it is, for your information."""


class Tokens(TypedDict):
    tokens: List[Token]


class _Trial(TypedDict):
    asked: str
    number: int
    """Trials are numbered from 1."""
    point: List[float]
    """The setting as a point in the unit cube."""
    setting: Setting
    """The value of each parameter, by name."""
    state: State
    value: Optional[float]
    """The result, or null unless the trial is done. Of the best, it is the value of the estimate, if there is one."""


class Trial(_Trial, total=False):
    beyond: bool
    """The cost exceeded the budget, so the value does not count."""
    charged: float
    """What the trial cost."""
    checkpoint: int
    """The first of the trials that go on from each other, whose checkpoint this one uses."""
    credible: float
    """How many seconds the forecast makes credible. A trial that takes longer, from its start or from its last step, is stopped, unless the study has `budget.timeout`, or `budget.per_trial` in time."""
    early: str
    """Why the trial is stopped early, or was."""
    early_at: float
    """The step at which it was decided to stop the trial early."""
    estimate: Estimate
    """What is known about the setting's value. Only the best has it, and only if evaluations have noise."""
    estimated: bool
    """The cost could not be measured, and is estimated."""
    exit: Exit
    """How the command ended."""
    finished: str
    forgot: str
    """Why the trial was forgotten, if somebody said."""
    forgotten: bool
    """Somebody had the trial forgotten. It is charged, but does not count."""
    id: str
    """It tells the trial from one of the same number in another study of that name. Send it in the header Eke-Trial with whatever you report of the trial."""
    item: int
    """The number in the queue, if somebody wanted the setting to be tried."""
    known: bool
    """The result was known before the study and cost it nothing."""
    look: bool
    """The fidelity is not the highest, so the value does not count."""
    lost: bool
    """There was no checkpoint to go on from, so the trial began anew and was paid in full."""
    machine: bool
    """The trial failed because of the machine, not because of its setting, which is tried again."""
    metrics: Dict[str, float]
    """The other numbers that the trial reported, by name."""
    note: str
    """What went wrong."""
    outside: bool
    """The parameters have changed since, and do not allow the setting. It does not count."""
    place: str
    """Where the trial is evaluated, if changes cost something there."""
    queued: str
    """Why the trial waits for its turn in an engine, in the engine's words. It costs nothing yet."""
    reserved: float
    """The money held for the trial until it ends."""
    resumes: int
    """The earlier trial, with a lower fidelity of the same setting, that this one goes on from."""
    retries: int
    """The earlier trial whose setting this one tries again."""
    runner: str
    """Who evaluates the trial."""
    setup: float
    """The part of the cost that went into changes, as the trial reported it."""
    started: str
    steps: List[TrialStep]
    """The values that the trial had at lower fidelities on its way, oldest first."""
    stopped: bool
    """The trial was abandoned because its run was stopped."""
    stopping: bool
    """Somebody wants the trial to be stopped."""
    thinking: float
    """How long it took to choose the setting, in seconds."""
    token: str
    """The ID of the token that the trial was asked for with. Only it, the study's owner and admins may report on the trial and stop it."""
    violates: List[str]
    """The limits that the trial does not meet, or is not known to meet, by name. Its value does not count."""
    wall: float
    """How long the trial ran, in seconds."""
    was: List[Was]
    """The figures before each correction, oldest first."""
    why: Why
    """Why this setting was chosen."""


class _TrialStep(TypedDict):
    step: float
    value: float


class TrialStep(_TrialStep, total=False):
    cost: float
    look: bool


class Trials(TypedDict):
    trials: List[Trial]
    version: int
    """The version of the study that was read."""


class _UploadRequest(TypedDict):
    data: str
    """At most 256 KiB, in base64."""
    offset: int
    """Where the data begins in the file."""
    worker: str
    """The worker that has the trial."""


class UploadRequest(_UploadRequest, total=False):
    skip: bool
    """The data may begin behind the end of the file: what is missing was too much to be sent."""


class Uploaded(TypedDict):
    size: int
    """Where the file ends now. Go on from there; if it is less than was sent, send what is missing."""


class _Was(TypedDict):
    charged: float
    state: State
    until: str
    value: float


class Was(_Was, total=False):
    metrics: Dict[str, float]
    setup: float
    why: str


class _Why(TypedDict):
    picked: str
    policy: str


class Why(_Why, total=False):
    between: List[int]
    clauses: List[Clause]
    cut_short: bool
    earlier: str
    expected: Expected
    follows: bool
    hoped: float
    """The chance to beat the best, or to extend the front, by the models alone. Left out where the study's own record has not changed it."""
    ln_acquisition: float
    next: List[Step]
