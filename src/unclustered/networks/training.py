"""Descend on a risk, both datasets in every mini-batch, until the held-out gap grows no more."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from .checkpoint import Checkpoint
from .samples import Samples, balanced_batches

__all__ = ["PRECISIONS", "Parts", "Plan", "Trained", "forward", "seeded", "train"]

Index = NDArray[np.intp]
Float = NDArray[np.float64]
PRECISIONS = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Plan:
    """How to train."""

    risk: Callable[[Any, Any], Any]
    learning_rate: float
    weight_decay: float
    batch_size: int
    max_epochs: int
    patience: int
    precision: str
    seed: int


@dataclass(frozen=True)
class Parts:
    """Rows of A and of B to descend on, and those that are held out."""

    a: Index
    b: Index
    held_a: Index
    held_b: Index


@dataclass(frozen=True)
class Trained:
    """How the training went; the network holds the weights of the best epoch."""

    history: dict[str, list[float]]
    best_epoch: int
    early: bool


@contextmanager
def seeded(torch: Any, device: Any, seed: int) -> Iterator[None]:
    """PyTorch's generators from this seed on, in the user's state again afterwards."""
    cuda = [device] if device.type == "cuda" else []
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=cuda))
        if cuda:  # the fastest convolution of the day need not be the same tomorrow
            stack.enter_context(torch.backends.cudnn.flags(deterministic=True, benchmark=False))
        torch.manual_seed(seed)
        yield


def forward(network: Any, samples: Any) -> Any:
    """Scores, one a sample, in float32."""
    out = network(samples)
    if out.ndim == 2 and out.shape[1] == 1:
        out = out[:, 0]
    if out.shape != (len(samples),):
        raise ParameterError(
            f"module must give one score a sample, of shape ({len(samples)},) or "
            f"({len(samples)}, 1), but it gave {tuple(out.shape)}. End it with "
            "a layer of one output."
        )
    return out.float()


def train(
    torch: Any,
    network: Any,
    samples: Samples,
    parts: Parts,
    plan: Plan,
    score: Callable[[Any, Samples, Index], Float],
    checkpoint: Checkpoint,
    device: Any,
) -> Trained:
    """Train a network in place; ``score`` gives its scores of some rows."""
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=plan.learning_rate, weight_decay=plan.weight_decay
    )
    scaler = torch.amp.GradScaler(device.type, enabled=plan.precision == "float16")
    progress = _Progress(has_held_out=len(parts.held_a) > 0)
    state = checkpoint.load(device)
    if state is not None:
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        scaler.load_state_dict(state["scaler"])
        progress.load(state["progress"])

    while progress.epoch < plan.max_epochs and not progress.waited(plan.patience):
        # Each epoch begins with a seed of its own, so one that goes on needs no generator's state.
        epoch = progress.epoch
        torch.manual_seed(int(np.random.default_rng([plan.seed, epoch, 0]).integers(2**62)))
        batches = balanced_batches(
            parts.a, parts.b, plan.batch_size, np.random.default_rng([plan.seed, epoch, 1])
        )
        network.train()
        total, count = torch.zeros((), device=device), 0
        for rows_a, rows_b in batches:
            batch = samples.rows(np.concatenate([rows_a, rows_b]))
            with _lower_precision(torch, device, plan.precision):
                scores = forward(network, batch)
            risk = plan.risk(scores[: len(rows_a)], scores[len(rows_a) :])
            optimizer.zero_grad(set_to_none=True)
            scaler.scale(risk).backward()
            scaler.step(optimizer)
            scaler.update()
            total += risk.detach()
            count += 1
        mean = float(total) / count
        if not math.isfinite(mean):
            raise ParameterError(
                f"The risk is not finite any more in epoch {epoch + 1}. Take a smaller "
                f"learning_rate than {plan.learning_rate:g}"
                + ("." if plan.precision == "float32" else ', or precision="float32".')
            )
        held_out = None
        if progress.has_held_out:
            held_a, held_b = (score(network, samples, r) for r in (parts.held_a, parts.held_b))
            gap = float((held_a > 0).mean() - (held_b > 0).mean())
            held_out = gap, float(plan.risk(torch.from_numpy(held_a), torch.from_numpy(held_b)))
        progress.add(mean, held_out, network)
        checkpoint.save(
            {
                "network": network.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scaler": scaler.state_dict(),
                "progress": progress.state(),
            }
        )
    if progress.best is not None:
        network.load_state_dict(progress.best)
    return Trained(progress.history, progress.best_epoch, progress.waited(plan.patience))


class _Progress:
    """Risks and gaps of the epochs so far, and the weights of the best."""

    def __init__(self, *, has_held_out: bool) -> None:
        self.has_held_out = has_held_out
        self.history: dict[str, list[float]] = {"risk": []}
        if has_held_out:
            self.history |= {"held_out_gap": [], "held_out_risk": []}
        self.best: Any = None
        self.best_epoch = 0  # counted from 1; 0 is none yet

    @property
    def epoch(self) -> int:
        return len(self.history["risk"])

    def waited(self, patience: int) -> bool:
        return self.has_held_out and self.epoch - self.best_epoch >= patience

    def add(self, risk: float, held_out: tuple[float, float] | None, network: Any) -> None:
        self.history["risk"].append(risk)
        if held_out is None:
            self.best_epoch = self.epoch
            return
        gaps, risks = self.history["held_out_gap"], self.history["held_out_risk"]
        gaps.append(held_out[0])
        risks.append(held_out[1])
        # Of equal gaps, which are common where few samples are held out, that of the lower risk.
        standing = [(gap, -value) for gap, value in zip(gaps, risks, strict=True)]
        if self.best_epoch == 0 or standing[-1] > standing[self.best_epoch - 1]:
            self.best_epoch = self.epoch
            self.best = copy.deepcopy(network.state_dict())

    def state(self) -> dict[str, Any]:
        return {"history": self.history, "best": self.best, "best_epoch": self.best_epoch}

    def load(self, state: dict[str, Any]) -> None:
        self.history, self.best = state["history"], state["best"]
        self.best_epoch = state["best_epoch"]


def _lower_precision(torch: Any, device: Any, precision: str) -> Any:
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=getattr(torch, precision))
