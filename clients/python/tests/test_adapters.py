"""The thin adapters: asyncio; Ray Tune, MLflow and Weights & Biases with stand-ins of the interfaces that they use."""

import asyncio
import importlib
import sys
import types
import unittest
from unittest import mock

import eke.aio

from .support import client, definition, eke, fresh, server_url


class Asyncio(unittest.TestCase):
    def test_many_at_once(self):
        async def work(study):
            async with await study.ask() as trial:
                await asyncio.sleep(0.01)
                return await trial.tell(trial.setting["x"], cost=2, metrics={"memory": 7})

        async def main():
            study = await eke.aio.AsyncClient(client()).create(definition(parallel=4, budget={"total": 40}))
            ended = await asyncio.gather(*(work(study) for _ in range(4)))
            self.assertEqual({t.state for t in ended}, {"done"})
            with self.assertRaises(ZeroDivisionError):
                async with await study.ask():
                    1 / 0
            trials = await study.trials()
            self.assertEqual([t.metrics for t in trials[:4]], [{"memory": 7}] * 4)
            self.assertEqual([t.state for t in trials], ["done"] * 4 + ["failed"])
            self.assertEqual((await study.best()).value, min(t.value for t in trials[:4]))
            await study.call("forget", 1)
            self.assertGreaterEqual((await study.refresh()).study.spent, 8)

        asyncio.run(main())


class Searcher:
    """The parts of ray.tune.search.Searcher (Ray 2) that are in use."""

    FINISHED = "FINISHED"

    def __init__(self, metric=None, mode=None):
        pass


class Ray(unittest.TestCase):
    def test_search(self):
        search = types.SimpleNamespace(Searcher=Searcher)
        modules = {"ray": types.SimpleNamespace(), "ray.tune": types.SimpleNamespace(search=search), "ray.tune.search": search}
        with mock.patch.dict(sys.modules, modules):
            adapter = importlib.import_module("eke.integrations.ray")
        made = adapter.EkeSearch({"x": eke.Float(0, 1)}, 6, metric="loss", mode="min", cost="gpu_hours", name=fresh(), server=server_url())
        self.assertFalse(made.set_search_properties("accuracy", "max", {}))
        self.assertTrue(made.set_search_properties("loss", "min", {}))
        for i in range(100):
            config = made.suggest(f"t{i}")
            if config == Searcher.FINISHED:
                break
            if i == 1:
                made.on_trial_complete("t1", {"gpu_hours": 0.5}, error=True)
            else:
                made.on_trial_complete(f"t{i}", {"loss": config["x"] ** 2, "gpu_hours": 1})
        made.on_trial_complete("unknown", None)
        self.assertIn(made.reason, ("budget_spent", "not_worth"))
        self.assertEqual(made.study.refresh().spent, 0.5 + (i - 1))
        self.assertLessEqual(made.study.spent, 6)


class Loggers(unittest.TestCase):
    def run_with(self, logger):
        study = client().create(definition())
        study.run(lambda s: {"objective": s["x"], "cost": 2, "memory (GB)": 7} if eke.current_trial().number == 1 else 1 / 0, max_trials=2, on_trial=logger)

    def test_mlflow(self):
        fake = mock.MagicMock()
        with mock.patch.dict(sys.modules, {"mlflow": fake}):
            from eke.integrations.loggers import MLflowLogger
            logger = MLflowLogger("net", "file:runs")
        self.run_with(logger)
        fake.set_experiment.assert_called_once_with("net")
        self.assertEqual([c.kwargs["run_name"] for c in fake.start_run.call_args_list], ["trial-1", "trial-2"])
        first, second = (c.args[0] for c in fake.log_metrics.call_args_list)
        self.assertEqual((first["cost"], "value" in first, "value" in second), (2, True, False))
        self.assertEqual((first["memory _GB_"], "memory _GB_" in second), (7, False))  # MLflow takes no brackets
        self.assertEqual(fake.set_tags.call_args_list[1].args[0]["eke.state"], "failed")

    def test_wandb(self):
        fake = mock.MagicMock()
        with mock.patch.dict(sys.modules, {"wandb": fake}):
            from eke.integrations.loggers import WandbLogger
            logger = WandbLogger("net")
        self.run_with(logger)
        self.assertEqual(fake.init.return_value.log.call_args_list[0].args[0]["memory (GB)"], 7)
        self.assertEqual([c.kwargs["exit_code"] for c in fake.init.return_value.finish.call_args_list], [0, 1])


if __name__ == "__main__":
    unittest.main()
