"""What all rivals share: the suite's lines of JSON, the initial design, and the parameters in three kinds.

A rival is a class with these methods. It minimises.

    __init__(self, task)                       a Task
    ask(self, number)                          a setting to try, or None if nothing is worth the rest
    tell(self, number, setting, loss, cost)    what came out; also of settings that the rival did not ask for: the design
    go_on(self, number, setting, level, loss)  only a rival that stops trainings on their way has it: whether this one goes on
    start(self, number, setting)               only if a setting of the design has to be known before it is told
    design = False                             only if it tries the settings of task.first() by itself
    knows_failures = True                      only if a loss may be None, of a trial that failed

With limits (task.limits is how many) tell gets one argument more: a list of numbers that must not be below 0. So it does with several objectives, even if there
are no limits; task.worst has the worst of each that counts, and is None with one. A loss is then a list.

Import this module first: it keeps what libraries print out of the answers.
"""

import json
import math
import os
import sys

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

# The initial design ends when it has spent this part of the budget, as eke's own does.
SHARE = 0.25


class Param:
    """A parameter as a float or an int between low and high, or as a choice. What is ordered, or has steps, is an int that counts."""

    def __init__(self, p):
        self.name, self.when = p["name"], p.get("when", [])
        kind, low, high, step = p["type"], p.get("min", 0), p.get("max", 0), p.get("step", 0)
        self.log, self.kind, self.list = p.get("log", False), kind, None
        if kind in ("choice", "bool"):
            self.kind, self.values = "choice", p.get("values") or [False, True]
        elif kind == "ordered":
            self.kind, self.low, self.high, self.list = "int", 0, len(p["values"]) - 1, p["values"]
        elif step and not self.log and (kind == "float" or step != 1):
            count = int((high - low) / step + 1e-9)
            self.kind, self.low, self.high, self.list = "int", 0, count, [low + i * step for i in range(count + 1)]
        else:
            number = int if kind == "int" else float
            self.low, self.high = number(low), number(high)

    def out(self, value):
        """The value as the suite knows it."""
        if self.kind == "choice":
            return value
        if self.kind == "int":
            value = min(max(int(round(value)), self.low), self.high)
            return value if self.list is None else self.list[value]
        return min(max(float(value), self.low), self.high)

    def into(self, value):
        """The value as a rival knows it."""
        if self.list is None:
            return value
        if value in self.list:
            return self.list.index(value)
        return min(range(len(self.list)), key=lambda i: abs(self.list[i] - value))

    def middle(self):
        if self.kind == "choice":
            return self.values[0]
        middle = (self.low * self.high) ** 0.5 if self.log else (self.low + self.high) / 2
        return int(middle) if self.kind == "int" else middle


class Cube:
    """Settings as points of the unit cube, for rivals that know nothing else. A choice has a coordinate for each of its values."""

    def __init__(self, task):
        self.task, self.dim = task, sum(len(p.values) if p.kind == "choice" else 1 for p in task.params)

    def point(self, setting):
        point, flat = [], self.task.flat(setting)
        for p in self.task.params:
            if p.kind == "choice":
                point += [float(v == flat[p.name]) for v in p.values]
            else:
                scale = math.log if p.log else float
                point.append((scale(flat[p.name]) - scale(p.low)) / ((scale(p.high) - scale(p.low)) or 1))
        return point

    def setting(self, point):
        values, point = {}, list(point)
        for p in self.task.params:
            if p.kind == "choice":
                here, point = point[:len(p.values)], point[len(p.values):]
                values[p.name] = p.values[here.index(max(here))]
            else:
                at = point.pop(0)
                values[p.name] = p.low * (p.high / p.low) ** at if p.log else p.low + at * (p.high - p.low)
        return self.task.setting(values)


class Task:
    """What the suite says at first."""

    def __init__(self, hello):
        self.params = [Param(p) for p in hello["params"] if p["type"] != "fixed"]
        self.fixed = {p["name"]: p["value"] for p in hello["params"] if p["type"] == "fixed"}
        self.sign = 1 if hello["goal"] == "minimize" else -1
        self.budget, self.noise, self.seed = hello["budget"], hello["noise"], hello["seed"]
        self.design, self.fidelity, self.worst = hello.get("design", []), hello.get("fidelity"), hello.get("worst")
        self.limits = hello.get("limits", 0)
        if self.fidelity:
            self.levels = self.steps = self.fidelity["levels"]
            low, self.top = self.fidelity.get("min", 0), self.levels[-1]
            if self.fidelity.get("resume") and low == int(low) and self.top == int(self.top):
                self.steps = list(range(int(low), int(self.top) + 1))  # a training reports after every epoch

    def first(self):
        """The settings of the design, for a rival with design = False, which has to be given them when it is made: as many as its share of the budget buys on average."""
        return self.design[:max(2, int(SHARE * self.budget))]

    def setting(self, values):
        """Makes a setting of values for all parameters: those that do not exist are left out."""
        setting = dict(self.fixed)
        for p in self.params:
            if exists(p, setting):
                setting[p.name] = p.out(values[p.name])
        return setting

    def flat(self, setting):
        """The reverse: a parameter that does not exist has its middle value."""
        return {p.name: p.into(setting[p.name]) if p.name in setting else p.middle() for p in self.params}


def exists(p, setting):
    return all(c["param"] in setting and setting[c["param"]] in c["values"] for c in p.when)


class Training:
    """A setting under way. Of a rival that stops trainings it goes from step to step."""

    def __init__(self, number, setting, cost=0):
        self.number, self.setting, self.cost, self.step = number, setting, cost, -1


def answer(message):
    print(json.dumps(message), file=answers, flush=True)


def play(make):
    """Plays a study to its end."""
    task = Task(json.loads(sys.stdin.readline()))
    rival = make(task)
    climbs = task.fidelity and hasattr(rival, "go_on")
    design, spent, worst = list(task.design) if getattr(rival, "design", True) else [], 0.0, None
    asked, trainings, under_way, waiting = 0, 0, {}, []

    def new():
        nonlocal trainings
        trainings += 1
        if not design or spent >= SHARE * task.budget:
            return Training(trainings, rival.ask(trainings))
        setting = design.pop(0)
        if hasattr(rival, "start"):
            rival.start(trainings, setting)
        return Training(trainings, setting)

    for line in sys.stdin:
        message = json.loads(line)
        if "ask" in message:
            training = waiting.pop(0) if waiting else new()
            if training.setting is None:
                answer({"done": True})
                continue
            asked += 1
            under_way[asked] = training
            setting = training.setting
            if climbs:
                training.step += 1
                setting = {**setting, task.fidelity["name"]: task.steps[training.step]}
            answer({"number": asked, "setting": setting})
            continue
        if "observe" in message:
            training = Training(None, message["observe"])
        else:
            training = under_way.pop(message["tell"])
            spent += message["cost"]
        training.cost += message["cost"]
        loss = message["value"]
        if task.worst is not None:
            rival.tell(training.number, training.setting, loss, training.cost, message["limits"] or [])
            continue
        if loss is not None:
            loss *= task.sign
            worst = loss if worst is None else max(worst, loss)
        if climbs and loss is not None and training.number and training.step < len(task.steps) - 1:
            if rival.go_on(training.number, training.setting, task.steps[training.step], loss):
                waiting.append(training)
        elif task.limits and loss is not None:
            rival.tell(training.number, training.setting, loss, training.cost, message["limits"])
        elif loss is not None or getattr(rival, "knows_failures", False):
            rival.tell(training.number, training.setting, loss, training.cost)
        elif worst is not None:  # to a rival that knows no failures, one is as bad as the worst
            rival.tell(training.number, training.setting, worst, training.cost)
