"""BoTorch: with_botorch.py logei|ehvi [cost]. LogEI of a Gaussian process with the priors of BoTorch since 0.12, or qLogEHVI with several objectives
(qLogNEHVI if they have noise); with cost, minus the log cost that another process expects, so that it is improvement per cost. What is under way counts as
what the process expects of it. Choices and ints are relaxed, and rounded."""

import protocol  # first

import math
import sys
import warnings

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.acquisition.multi_objective.logei import qLogExpectedHypervolumeImprovement, qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.multi_objective.box_decompositions import FastNondominatedPartitioning
from gpytorch.constraints import GreaterThan
from gpytorch.kernels import RBFKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from gpytorch.priors import LogNormalPrior

torch.set_num_threads(1)
torch.set_default_dtype(torch.double)
warnings.simplefilter("ignore")


def fitted(x, y):
    """A Gaussian kernel without a scale (C. Hvarfner, E. Hellsten, L. Nardi, Vanilla Bayesian Optimization Performs Great in High Dimensions, 2024)."""
    lengths, noise = LogNormalPrior(math.sqrt(2) + math.log(x.shape[-1]) / 2, math.sqrt(3)), LogNormalPrior(-4.0, 1.0)
    model = SingleTaskGP(
        x, y.unsqueeze(-1), outcome_transform=Standardize(1),
        covar_module=RBFKernel(ard_num_dims=x.shape[-1], lengthscale_prior=lengths,
                               lengthscale_constraint=GreaterThan(2.5e-2, transform=None, initial_value=lengths.mode)),
        likelihood=GaussianLikelihood(noise, noise_constraint=GreaterThan(1e-4, transform=None, initial_value=noise.mode)))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


class PerCost(torch.nn.Module):
    def __init__(self, rule, costs):
        super().__init__()
        self.rule, self.costs = rule, costs

    def forward(self, x):
        return self.rule(x) - self.costs.posterior(x).mean.squeeze(-1).squeeze(-1)


class BoTorch:
    def __init__(self, task):
        torch.manual_seed(task.seed)
        self.cube, self.under_way, self.x, self.losses, self.costs = protocol.Cube(task), {}, [], [], []

    def start(self, number, setting):
        self.under_way[number] = self.cube.point(setting)

    def rule(self, x):
        model = fitted(x, -torch.tensor(self.losses))
        if self.under_way:
            expected = torch.tensor(list(self.under_way.values()))
            model = model.condition_on_observations(expected, model.posterior(expected).mean.detach())
        return LogExpectedImprovement(model, best_f=max(-loss for loss in self.losses))

    def ask(self, number):
        if len(self.x) < 2:
            setting = self.cube.setting(torch.rand(self.cube.dim).tolist())
        else:
            x = torch.tensor(self.x)
            rule = self.rule(x)
            if "cost" in sys.argv[2:]:
                rule = PerCost(rule, fitted(x, torch.tensor(self.costs).clamp_min(1e-9).log()))
            cube = torch.tensor([[0.0], [1.0]]).expand(2, self.cube.dim)
            point, _ = optimize_acqf(rule, cube, q=1, num_restarts=10, raw_samples=512)
            setting = self.cube.setting(point[0].tolist())
        self.start(number, setting)
        return setting

    def tell(self, number, setting, loss, cost):
        self.under_way.pop(number, None)
        self.x.append(self.cube.point(setting))
        self.losses.append(loss)
        self.costs.append(cost)


class Several(BoTorch):
    """Several objectives, each with a process of its own, and so has each number with a limit."""

    def __init__(self, task):
        super().__init__(task)
        self.task, self.limits = task, []

    def tell(self, number, setting, losses, cost, limits):
        super().tell(number, setting, losses, cost)
        self.limits.append(limits)

    def rule(self, x):
        values, limits, worst = -torch.tensor(self.losses), torch.tensor(self.limits), -torch.tensor(self.task.worst)
        columns = [*values.unbind(-1), *limits.unbind(-1)]
        model, objectives = ModelListGP(*(fitted(x, column) for column in columns)), list(range(len(self.task.worst)))
        more = {
            "sampler": SobolQMCNormalSampler(torch.Size([128]), seed=self.task.seed), "objective": IdentityMCMultiOutputObjective(outcomes=objectives),
            "constraints": [lambda y, i=i: -y[..., i] for i in range(len(objectives), len(columns))] or None,
            "X_pending": torch.tensor(list(self.under_way.values())) if self.under_way else None}
        if self.task.noise:
            return qLogNoisyExpectedHypervolumeImprovement(model, worst, x, prune_baseline=True, **more)
        known = FastNondominatedPartitioning(worst, values[(limits >= 0).all(-1)])
        return qLogExpectedHypervolumeImprovement(model, worst, known, **more)


protocol.play(Several if sys.argv[1] == "ehvi" else BoTorch)
