"""HEBO: its heteroscedastic evolutionary Bayesian optimisation, by its own defaults. It knows neither costs nor fidelities."""

import protocol  # first

import sys
import warnings

import numpy as np
import pandas as pd
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

torch.set_num_threads(1)
warnings.simplefilter("ignore")


def described(p):
    if p.kind == "choice":
        return {"name": p.name, "type": "cat", "categories": list(range(len(p.values)))}
    kind = {("float", False): "num", ("float", True): "pow", ("int", False): "int", ("int", True): "pow_int"}[p.kind, p.log]
    return {"name": p.name, "type": kind, "lb": p.low, "ub": p.high}


class Hebo:
    def __init__(self, task):
        np.random.seed(task.seed)
        torch.manual_seed(task.seed)
        self.task = task
        self.hebo = HEBO(DesignSpace().parse([described(p) for p in task.params]), scramble_seed=task.seed)

    def ask(self, number):
        try:
            values = self.hebo.suggest(1).iloc[0].to_dict()
        except ValueError as e:  # its model may be without a value
            print("HEBO draws a point, since", str(e)[:200], file=sys.stderr)
            values = self.hebo.quasi_sample(1).iloc[0].to_dict()
        return self.task.setting({p.name: p.values[int(values[p.name])] if p.kind == "choice" else values[p.name] for p in self.task.params})

    def tell(self, number, setting, loss, cost):
        flat = self.task.flat(setting)
        row = {p.name: p.values.index(flat[p.name]) if p.kind == "choice" else flat[p.name] for p in self.task.params}
        self.hebo.observe(pd.DataFrame([row]), np.array([[loss]]))


protocol.play(Hebo)
