"""Fitting by passes over data of any size: sample, choose, confirm, descend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ..core import lsdd
from ..core.kernels import gaussian_kernel
from ..core.low_rank import (
    Space,
    choose_landmarks,
    make_space,
    mean_difference,
    second_moment,
    without_redundant,
)
from ..core.low_rank_ramp import LowRankSolution, RampPass, minimise_ramp_low_rank
from ..core.sample import Sample, draw_sample
from ..engines import ArraySource, Engine, FeatureMap, Source
from ..selection.cv_results import best_candidate
from ..selection.search import Choice

__all__ = ["DifferenceFit", "RampFit", "Scorer", "Spaces", "fit_difference", "fit_ramp"]

Float = NDArray[np.float64]

CHOSEN_ON = 2000  # samples on which the exact solver chooses bandwidth and regularization
CONFIRMED_ON = 2**15  # samples on which the choice is confirmed
_HELD_OUT = 2**14  # and further ones that judge
_CONFIRM_RANK = 512
_STARTED_ON = 2**16  # samples on which a larger fit starts
_CENTRES = 2**14  # centres that stand for all
_FARTHEST = 4  # steps in one direction from what the small sample chose
_WORTH = 1e-3  # held-out objective: less than this is noise


@dataclass(frozen=True, eq=False)
class Scorer:
    """What an engine needs to score samples."""

    engine: Engine
    features: FeatureMap
    coef: Float

    def scores(self, source: Source) -> Float:
        """Scores of all samples of a source."""
        return np.concatenate([*self.engine.scores(source, self.features, self.coef)])


class Spaces:
    """Spaces of scores for different bandwidths, on the same landmarks.

    Parameters
    ----------
    engine : Engine
        Where passes run.
    sample : Sample
        A sample of the data.
    n_centres : int or None
        Number of centres of the model; None: all samples.
    rank : int
        Largest number of landmarks.
    penalty : {"coefficients", "rkhs"}
        What is penalised.
    intercept : bool
        Whether there is a constant.
    random_state : Generator
        Draws the landmarks.
    """

    def __init__(
        self,
        engine: Engine,
        sample: Sample,
        *,
        n_centres: int | None,
        rank: int,
        penalty: str,
        intercept: bool,
        random_state: np.random.Generator,
    ) -> None:
        self.engine, self.penalty, self.intercept = engine, penalty, intercept
        self.n_centres = min(sample.n_all, n_centres or sample.n_all)
        centres = sample.first(min(self.n_centres, max(_CENTRES, rank)))
        self.centres = centres.X
        self.counts = centres.stands_for * (self.n_centres / centres.n_all)
        self.landmarks = self.centres[
            np.arange(min(rank, len(centres)))
            if sp.issparse(self.centres)
            else choose_landmarks(self.centres, rank, random_state)
        ]

    def at(self, bandwidth: float, rank: int | None = None) -> Space:
        """Space for a bandwidth, perhaps of a lower rank."""
        landmarks = self.landmarks[:rank]
        landmarks = landmarks[without_redundant(landmarks, bandwidth)]
        moment = None
        if self.penalty == "coefficients":
            moment = second_moment(self.engine, self.centres, self.counts, landmarks, bandwidth)
        return make_space(
            landmarks,
            bandwidth,
            moment=moment,
            intercept=self.intercept,
            eigh=self.engine.eigh,
        )


@dataclass(frozen=True, eq=False)
class RampFit:
    """A fit of DSDD by passes over the data."""

    bandwidth: float
    regularization: float
    space: Space
    solution: LowRankSolution
    cv_results: dict[str, Any] | None


_Fit = TypeVar("_Fit", bound=Callable[..., Any])


def _one_thread_of_blas(fit: _Fit) -> _Fit:
    """Leave the cores to the passes: the matrices between these are small.

    Threads of BLAS wait for each other in a loop; where other programs run, that takes ten times as
    long as doing without.
    """

    @wraps(fit)
    def limited(*args: Any, **kwargs: Any) -> Any:
        with threadpool_limits(1, "blas"):
            return fit(*args, **kwargs)

    return cast(_Fit, limited)


@_one_thread_of_blas
def fit_ramp(
    engine: Engine,
    source: Source,
    choose: Callable[[Sample], Choice],
    *,
    bandwidth: float | None,
    regularization: float | None,
    n_centres: int | None,
    rank: int,
    penalty: str,
    intercept: bool,
    random_state: np.random.Generator,
    starts: Sequence[bool],
    tol: float,
    max_iter: int,
) -> RampFit:
    """Fit DSDD to data that are only passed over.

    Bandwidth and regularization, where they are not given, are chosen by the exact solver on a
    small sample, and confirmed by fits to a larger one.

    Parameters
    ----------
    engine, source : Engine and Source
        Where passes run, and over what.
    choose : callable
        Chooses bandwidth and regularization on a small sample.
    bandwidth, regularization : float or None
        Values that are given.
    n_centres, rank, penalty, intercept, random_state
        As of :class:`Spaces`.
    starts, tol, max_iter
        As of :func:`~unclustered.core.low_rank_ramp.minimise_ramp_low_rank`.
    """
    sample = draw_sample(engine, source, _STARTED_ON, random_state)
    spaces = Spaces(
        engine,
        sample,
        n_centres=n_centres,
        rank=rank,
        penalty=penalty,
        intercept=intercept,
        random_state=random_state,
    )
    options: dict[str, Any] = {"starts": starts, "tol": tol, "max_iter": max_iter}
    cv_results = None
    if bandwidth is None or regularization is None:
        small = sample.first(CHOSEN_ON)
        choice = choose(small)
        cv_results = choice.cv_results
        start = choice.bandwidth, choice.regularization
        if regularization is None and penalty == "coefficients":
            # The kernels of more centres add up to more: the same score is that much cheaper.
            start = start[0], start[1] * spaces.n_centres / min(spaces.n_centres, len(small))
        confirm = _Confirmation(spaces, sample, options)
        bandwidth, regularization = confirm.search(
            *start, move_bandwidth=bandwidth is None, move_regularization=regularization is None
        )
    space = spaces.at(bandwidth)
    u = None
    if source.n_rows > 2 * len(sample):
        u = minimise_ramp_low_rank(engine, sample.source(), space, regularization, **options).u
    solution = minimise_ramp_low_rank(engine, source, space, regularization, u=u, **options)
    return RampFit(float(bandwidth), float(regularization), space, solution, cv_results)


@dataclass(frozen=True, eq=False)
class DifferenceFit:
    """A fit of LSDD by a pass over the data."""

    bandwidth: float
    regularization: float
    space: Space
    solution: lsdd.LSDDSolution
    """Its ``coef`` are coordinates of the space."""
    cv_results: dict[str, Any] | None


@_one_thread_of_blas
def fit_difference(
    engine: Engine,
    source: Source,
    choose: Callable[[Sample], Choice],
    *,
    bandwidth: float | None,
    regularization: float | None,
    n_centres: int | None,
    rank: int,
    random_state: np.random.Generator,
) -> DifferenceFit:
    """Fit LSDD to data that are only passed over; parameters as of :func:`fit_ramp`."""
    sample = draw_sample(engine, source, _STARTED_ON, random_state)
    spaces = Spaces(
        engine,
        sample,
        n_centres=n_centres,
        rank=rank,
        penalty="coefficients",
        intercept=False,
        random_state=random_state,
    )
    cv_results = None
    if bandwidth is None or regularization is None:
        small = sample.first(CHOSEN_ON)
        choice = choose(small)
        cv_results = choice.cv_results
        # The ridge weighs the coefficients of all centres: the more centres, the smaller they are.
        more = spaces.n_centres / min(spaces.n_centres, len(small))
        bandwidth, regularization = _confirmed_difference(
            spaces,
            sample,
            choice.bandwidth * np.array([0.7, 1.0, 1.4]) if bandwidth is None else [bandwidth],
            choice.regularization * more * 10.0 ** np.arange(-2.0, 0.6, 0.5)
            if regularization is None
            else [regularization],
        )
    space = spaces.at(bandwidth)
    h = mean_difference(engine, source, space.features)
    solution = lsdd.solve(
        _overlap(space, bandwidth),
        space.lift.T @ h,
        regularization,
        bandwidth,
        source.n_features,
    )
    return DifferenceFit(float(bandwidth), float(regularization), space, solution, cv_results)


def _overlap(space: Space, bandwidth: float) -> Float:
    """Integrals of products of the space's directions, in units of the kernels' volume."""
    G = gaussian_kernel(space.landmarks, None, bandwidth * np.sqrt(2.0))
    return np.asarray(space.lift.T @ G @ space.lift)


def _confirmed_difference(
    spaces: Spaces, sample: Sample, bandwidths: Any, regularizations: Any
) -> tuple[float, float]:
    """Bandwidth and regularization of the best held-out score on a larger sample."""
    held_out, train = _split(sample)
    ridges = np.asarray(regularizations, dtype=np.float64)
    n_features = sample.X.shape[1]

    def score(bandwidth: float) -> Float:
        space = spaces.at(bandwidth, _CONFIRM_RANK)
        h = [mean_difference(spaces.engine, part, space.features) for part in (train, held_out)]
        seen, unseen = (space.lift.T @ part[:, None] for part in h)
        return lsdd.held_out_scores(_overlap(space, bandwidth), seen, unseen, ridges)

    volumes = np.array([lsdd.log_volume(b, n_features) for b in bandwidths])
    scores = lsdd.in_common_units(np.stack([score(float(b)) for b in bandwidths]), volumes)
    best_bandwidth, best_ridge = best_candidate(scores)
    return float(bandwidths[best_bandwidth]), float(ridges[best_ridge])


def _split(sample: Sample) -> tuple[ArraySource, ArraySource]:
    """Split into samples that judge and samples to fit to."""
    n_held_out = min(_HELD_OUT, len(sample) // 3)
    rest = sample.rows(np.arange(n_held_out, len(sample)))
    return sample.rows(np.arange(n_held_out)).source(), rest.first(CONFIRMED_ON).source()


class _Confirmation:
    """Fits to a larger sample, judged on samples that they have not seen."""

    def __init__(self, spaces: Spaces, sample: Sample, options: dict[str, Any]) -> None:
        self.held_out, self.train = _split(sample)
        self.spaces, self.options = spaces, options
        self.known: dict[tuple[float, float], float] = {}
        self.near: dict[float, tuple[Space, Float | None]] = {}

    def search(
        self,
        bandwidth: float,
        regularization: float,
        *,
        move_bandwidth: bool,
        move_regularization: bool,
    ) -> tuple[float, float]:
        """Go to better neighbours, of which more samples allow more: less smoothing first."""
        best = bandwidth, regularization
        moves = [(1.0, 10.0**-0.5), (1.0, 10.0**0.5)] * move_regularization
        moves += [(0.7, 1.0), (1.4, 1.0)] * move_bandwidth
        for wider, stronger in moves:
            for _ in range(_FARTHEST):
                other = best[0] * wider, best[1] * stronger
                if other in self.known or self.score(*other) < self.score(*best) + _WORTH:
                    break
                best = other
        return best

    def score(self, bandwidth: float, regularization: float) -> float:
        """Minus the held-out ramp objective."""
        place = bandwidth, regularization
        if place not in self.known:
            space, u = self.near.get(bandwidth) or (self.spaces.at(bandwidth, _CONFIRM_RANK), None)
            engine = self.spaces.engine
            found = minimise_ramp_low_rank(
                engine, self.train, space, regularization, u=u, **self.options
            )
            self.near[bandwidth] = space, found.u
            wanted = RampPass((space.lift @ found.u)[:, None], 1.0)
            ramp = engine.add_up(self.held_out, space.features, wanted).values[0, 0]
            self.known[place] = 2.0 - float(ramp)
        return self.known[place]
