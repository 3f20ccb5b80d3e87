"""Whether A and B can be two mixtures of the same two classes with these balances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError
from .given import checked_priors, checked_scores

__all__ = ["SharedClassesTest", "TailShare", "check_shared_classes"]

Float = NDArray[np.float64]

_TAILS = (0.02, 0.05, 0.1, 0.2, 0.5)  # of the pooled samples, at either end of the scores
_FEWEST = 5  # samples; a smaller tail proves nothing


@dataclass(frozen=True)
class TailShare:
    """How one dataset is represented among the samples with the most extreme scores.

    Attributes
    ----------
    dataset : {"A", "B"}
        The dataset that this end of the scores points to.
    n_samples : int
        Samples in the tail, of both datasets.
    share : float
        Share of them that are from that dataset.
    largest : float
        The largest share that the balances allow: the tail then holds one class only.
    p_value : float
        Probability of such a share or a larger one, were the true share ``largest``.
    """

    dataset: str
    n_samples: int
    share: float
    largest: float
    p_value: float


@dataclass(frozen=True, repr=False)
class SharedClassesTest:
    """Whether the scores fit two mixtures of the same two classes with the given balances.

    Attributes
    ----------
    p_value : float
        Small: A and B differ by more than their balances allow. Either the balances are wrong, or
        p(x | y) is not the same in both.
    tails : tuple of TailShare
        The parts of it, for each end of the scores from the smallest tail to the largest.
    """

    p_value: float
    tails: tuple[TailShare, ...]

    @property
    def worst(self) -> TailShare:
        """The tail that speaks the most against it."""
        return min(self.tails, key=lambda tail: tail.p_value)

    def __repr__(self) -> str:
        worst = self.worst
        return (
            f"SharedClassesTest(p = {self.p_value:.2g}; tail of {worst.dataset}: {worst.share:.0%} "
            f"of {worst.n_samples} samples are from {worst.dataset}, {worst.largest:.0%} allowed)"
        )


def check_shared_classes(
    scores_a: ArrayLike, scores_b: ArrayLike, priors: Any
) -> SharedClassesTest:
    r"""Test that two densities of classes can have made A and B with these balances.

    Two mixtures of given balances determine the two classes:

    .. math:: p(x | {+1}) \propto (1 - \theta_B)\, p_A - (1 - \theta_A)\, p_B, \qquad
              p(x | {-1}) \propto \theta_A\, p_B - \theta_B\, p_A .

    All that can go wrong is that one of these is negative somewhere. So this is all that can be
    tested: in no region may A have more than theta_A / theta_B times its share of B, nor B more
    than (1 - theta_B) / (1 - theta_A) times its share of A. The regions are the tails of the
    scores: those that point the most to A and to B, 2 to 50 % of all samples. In each, the number
    of samples from the dataset in question is compared with the largest allowed by a one-sided
    binomial test. The p-value is the smallest of theirs times their number (Bonferroni), so that it
    is at most a with probability at most a. It is too large rather than too small.

    Parameters
    ----------
    scores_a, scores_b : array-like
        Scores of the samples of A and of B, each by a fit that has not seen it; large for A.
    priors : pair of float
        theta_A and theta_B, known from elsewhere. Estimates from these very data fit them by
        construction: testing them says nothing.

    Returns
    -------
    SharedClassesTest
        The p-value and the tails.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered.evidence import check_shared_classes
    >>> rng = np.random.default_rng(0)
    >>> scores_a = np.r_[rng.normal(2, 1, 160), rng.normal(-2, 1, 40)]  # balances 0.8 and 0.2
    >>> scores_b = np.r_[rng.normal(2, 1, 40), rng.normal(-2, 1, 160)]
    >>> check_shared_classes(scores_a, scores_b, (0.8, 0.2)).p_value > 0.05
    True
    >>> check_shared_classes(scores_a, scores_b, (0.65, 0.35))
    SharedClassesTest(p = 0.00046; tail of A: 78% of 200 samples are from A, 65% allowed)
    """
    from scipy.stats import binom

    theta_a, theta_b = checked_priors(priors)
    a, b = checked_scores("scores_a", scores_a), checked_scores("scores_b", scores_b)
    largest_ratio = {"A": theta_a / theta_b, "B": (1 - theta_b) / (1 - theta_a)}
    tails = []
    for dataset, mine, other in (("A", a, b), ("B", -b, -a)):
        odds = largest_ratio[dataset] * len(mine) / len(other)
        largest = odds / (1 + odds)
        falling = np.sort(np.concatenate([mine, other]))[::-1]
        for tail in _TAILS:
            threshold = falling[int(np.ceil(tail * len(falling))) - 1]
            n_mine = int((mine >= threshold).sum())
            n = n_mine + int((other >= threshold).sum())
            if n >= _FEWEST:
                p_value = float(binom.sf(n_mine - 1, n, largest))
                tails.append(TailShare(dataset, n, n_mine / n, largest, p_value))
    if not tails:
        raise DataError(
            f"{len(a)} samples in A and {len(b)} in B are too few to test anything: at least "
            f"{2 * _FEWEST} are needed in all."
        )
    smallest = min(tail.p_value for tail in tails)
    return SharedClassesTest(min(1.0, len(tails) * smallest), tuple(tails))
