"""Logs trials to MLflow or to Weights & Biases, one run each::

    result = eke.minimize(train, space, budget=40, cost="GPU-hours", on_trial=MLflowLogger("net"))

Both are thin: they are tested with stand-ins of the functions that they call, not with the services.
"""

from __future__ import annotations

import importlib
import re
from typing import Any, Dict, Optional

from .._trial import TrialInfo

__all__ = ["MLflowLogger", "WandbLogger"]


def _metrics(info: TrialInfo) -> Dict[str, float]:
    made = {**info.metrics, "cost": info.charged, "wall": info.wall}
    if info.value is not None:
        made["value"] = info.value
    return made


class MLflowLogger:
    """Logs each trial that has ended as a run of an experiment. Give it as ``on_trial``; not with ``workers``, as MLflow has one active
    run at a time."""

    def __init__(self, experiment: str, tracking_uri: Optional[str] = None) -> None:
        self._mlflow: Any = importlib.import_module("mlflow")
        if tracking_uri is not None:
            self._mlflow.set_tracking_uri(tracking_uri)
        self._mlflow.set_experiment(experiment)

    def __call__(self, info: TrialInfo) -> None:
        with self._mlflow.start_run(run_name=f"trial-{info.number}"):
            self._mlflow.log_params(dict(info.setting))
            self._mlflow.log_metrics({re.sub(r"[^\w\-. /]", "_", name): x for name, x in _metrics(info).items()})  # it takes no other names
            self._mlflow.set_tags({"eke.state": info.state, "eke.trial": str(info.number), "eke.note": info.note})


class WandbLogger:
    """Logs each trial that has ended as a run of a project. Give it as ``on_trial``."""

    def __init__(self, project: str, **more: Any) -> None:
        self._wandb: Any = importlib.import_module("wandb")
        self._project, self._more = project, more

    def __call__(self, info: TrialInfo) -> None:
        run = self._wandb.init(project=self._project, name=f"trial-{info.number}", config=dict(info.setting), reinit=True, **self._more)
        run.log(_metrics(info))
        run.summary["state"] = info.state
        run.finish(exit_code=0 if info.state == "done" else 1)
