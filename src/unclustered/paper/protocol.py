"""One trial of the paper's experiment: draw, standardise, fit, count the wrong labels."""

from __future__ import annotations

import warnings
import zlib
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..datasets import Benchmark, DrawnDatasets, draw_datasets
from ..errors import ParameterError
from ..metrics import labeling_error_rate
from .lineup import Contestant

__all__ = ["BALANCES", "PROTOCOL_VERSION", "Balance", "Protocol", "Trial", "run_trial"]

Balance = tuple[float, float]
# p(y = 1) in A and in B, by table of the paper.
BALANCES: dict[str, Balance] = {"table1": (0.2, 0.8), "table2": (0.35, 0.65)}
# Goes up when the same seed would no longer give the same draws or the same count of errors.
PROTOCOL_VERSION = 1


@dataclass(frozen=True)
class Protocol:
    """How a trial is run. The defaults are this library's reading of the paper.

    Attributes
    ----------
    n : int
        Samples in each of A and B.
    standardize : {"pooled", "set", "range", "none"}
        Centre and scale by the pooled samples of the trial, or by the whole labelled set; bring
        every column of the whole set to the range from 0 to 1; or leave the samples as they are.
    counts : {"fixed", "binomial"}
        Whether the number of samples of the class +1 is n theta exactly, or drawn.
    judged : {"fitted", "held-out"}
        Whether the labels of the samples are those of the fit to all of them, or come from
        five-fold cross-fitting, each sample labelled by a fit that has not seen it.
    """

    n: int = 40
    standardize: Literal["pooled", "set", "range", "none"] = "pooled"
    counts: Literal["fixed", "binomial"] = "fixed"
    judged: Literal["fitted", "held-out"] = "fitted"

    @classmethod
    def parse(cls, text: str) -> Protocol:
        """Read what differs from the defaults.

        Examples
        --------
        >>> from unclustered.paper.protocol import Protocol
        >>> Protocol.parse("standardize=none").name
        'standardize=none'
        >>> Protocol().name
        'paper'
        """
        changes: dict[str, Any] = {}
        for item in filter(None, (part.strip() for part in text.split(","))):
            key, _, value = (part.strip() for part in item.partition("="))
            if key == "n" and value.isdecimal() and int(value) >= 5:
                changes[key] = int(value)
            elif value in _CHOICES.get(key, ()):
                changes[key] = value
            else:
                known = "; ".join(f"{k}: {', '.join(v)}" for k, v in _CHOICES.items())
                raise ParameterError(
                    f"{item!r} is no part of the protocol. There are {known}; n: a whole number "
                    "of at least 5. Write as in standardize=none,counts=binomial."
                )
        return cls(**changes)

    @property
    def name(self) -> str:
        """What differs from the defaults, or ``paper``."""
        changed = [
            f"{f.name}={getattr(self, f.name)}"
            for f in fields(self)
            if getattr(self, f.name) != f.default
        ]
        return ",".join(changed) or "paper"


_CHOICES: dict[str, tuple[str, ...]] = {
    "standardize": ("pooled", "set", "range", "none"),
    "counts": ("fixed", "binomial"),
    "judged": ("fitted", "held-out"),
}


@dataclass(frozen=True)
class Trial:
    """What came of one trial: a labelling error rate, or the reason why there is none."""

    ler: float | None
    failure: str | None = None
    warning: str | None = None


def run_trial(
    protocol: Protocol,
    benchmark: Benchmark,
    balance: Balance,
    contestant: Contestant,
    seed: int,
    repetition: int,
) -> Trial:
    """Run one trial. Its draw depends on all but the contestant: rivals share their draws.

    Examples
    --------
    >>> from unclustered.datasets import load_benchmark
    >>> from unclustered.paper.lineup import contestant
    >>> from unclustered.paper.protocol import Protocol, run_trial
    >>> heart = load_benchmark("heart")
    >>> run_trial(Protocol(), heart, (0.2, 0.8), contestant("origin"), seed=0, repetition=3)
    Trial(ler=0.2, failure=None, warning=None)
    """
    drawing, fitting = _seeds(seed, benchmark.name, balance, repetition)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            drawn = _draw(protocol, benchmark, balance, np.random.default_rng(drawing))
            labels = _labels(protocol, benchmark, drawn, contestant, fitting)
        ler = labeling_error_rate(drawn.labels, labels)
    except Exception as error:  # whatever it is: one trial must not end the run, nor be lost
        return Trial(None, failure=f"{type(error).__name__}: {error}")
    if caught:
        return Trial(ler, warning=f"{caught[0].category.__name__}: {caught[0].message}")
    return Trial(ler)


def _seeds(
    seed: int, dataset: str, balance: Balance, repetition: int
) -> tuple[np.random.SeedSequence, int]:
    millionths = [round(theta * 1_000_000) for theta in balance]
    key = (zlib.crc32(dataset.encode()), *millionths, repetition)
    drawing, fitting = np.random.SeedSequence(seed, spawn_key=key).spawn(2)
    return drawing, int(fitting.generate_state(1)[0] % 2**31)


def _draw(
    protocol: Protocol, benchmark: Benchmark, balance: Balance, rng: np.random.Generator
) -> DrawnDatasets:
    theta_a, theta_b = balance
    if protocol.counts == "binomial":
        theta_a, theta_b = (rng.binomial(protocol.n, theta) / protocol.n for theta in balance)
    return draw_datasets(
        benchmark.X, benchmark.y, protocol.n, protocol.n, theta_a, theta_b, random_state=rng
    )


def _labels(
    protocol: Protocol,
    benchmark: Benchmark,
    drawn: DrawnDatasets,
    contestant: Contestant,
    seed: int,
) -> NDArray[Any]:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    X, membership = drawn.X, drawn.membership
    if protocol.standardize == "pooled":
        X = StandardScaler().fit_transform(X)
    elif protocol.standardize == "set":
        X = StandardScaler().fit(benchmark.X).transform(X)
    elif protocol.standardize == "range":
        X = MinMaxScaler().fit(benchmark.X).transform(X)
    estimator = contestant.make(seed)
    if protocol.judged == "held-out":
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        return np.asarray(cross_val_predict(estimator, X, membership, cv=folds))
    return np.asarray(estimator.fit(X, membership).labels_)
