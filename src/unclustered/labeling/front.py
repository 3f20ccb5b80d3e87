"""``label(A, B)``: a label for every sample."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags

from ..bags import Bags, pool
from ..errors import DataError, NoEvidenceWarning, ParameterError, PriorsWarning
from ..evidence import (
    ClassProbabilities,
    Evidence,
    Priors,
    bagged_scores,
    class_probabilities,
    gather_evidence,
)
from ..evidence.groups import coded_groups, joined_groups
from ..evidence.priors import priors_from_samples
from ..methods._base import as_label
from ..selection.cross_fit import CrossFit, units_of
from ..selection.scores import score_of
from .estimator import make_estimator
from .result import Labeling

__all__ = ["label"]

Float = NDArray[np.float64]
Label = NDArray[np.int64]
_FEWEST = 4  # samples in each dataset: with fewer, no part can be held out and fitted without


def label(
    A: Any,
    B: Any,
    method: Any = "auto",
    *,
    standardize: bool = True,
    missing: Literal["error", "impute"] = "error",
    evidence: bool = True,
    permutations: int | None = None,
    groups: tuple[ArrayLike, ArrayLike] | None = None,
    priors: Any = None,
    abstain: float = 0.0,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **params: Any,
) -> Labeling:
    r"""Label every sample of two unlabelled datasets.

    A and B hold samples of the same two hidden classes, mixed in different proportions: p(x | y) is
    shared, p(y) differs. Then the sign of p_A(x) - p_B(x) separates the classes, and the method
    learns it from which dataset each sample is in.

    Parameters
    ----------
    A, B : table or array
        The samples, one a row: data frames (pandas, polars, pyarrow or whatever narwhals knows),
        :class:`~unclustered.tables.Table`, dicts of columns, two-dimensional arrays, lists of rows,
        or sparse matrices. Columns of tables are matched by name. Text, categories and true/false
        become one indicator per level.
    method : str, estimator or class
        Short name of a method (see :func:`unclustered.methods.method_names`), or any scikit-learn
        classifier, which is cloned, never changed.
    standardize : bool, default=True
        Centre each column and divide it by its standard deviation, both of A and B together. The
        indicators of one category share a unit, so that each column counts the same. Sparse
        matrices are scaled but not centred.
    missing : {"error", "impute"}, default="error"
        What to do with missing values: refuse them, or put in the column's median, and in columns
        of text a level of its own.
    evidence : bool, default=True
        Whether to find out how far the labels can be trusted. This fits the method many times.
    permutations : int, optional
        Shuffled memberships that the evidence rests on; the method is fitted anew to each. See
        :func:`unclustered.evidence.gather_evidence` for the default.
    groups : pair of array-like, optional
        For each row of A and of B, what it belongs to: a donor, a batch, a day. The evidence then
        holds out and shuffles groups as wholes, as rows of one group are alike anyway.
    priors : pair of float, Priors or "estimate", optional
        Share of class +1 in A and in B, where they are known or estimated; "estimate" does it
        (:func:`unclustered.evidence.estimate_priors`). Each sample then has a probability, its
        dataset counted as evidence, and its label follows from that. Needs ``evidence``.
    abstain : float, default=0.0
        Share of the samples, the least sure ones, that are labelled 0.
    random_state : None, int, Generator or RandomState, default=None
        Seed of everything random. None always gives the same labels for this library's methods.
    n_jobs : int, optional
        Threads over the refits that the evidence takes; -1: one a core. No result depends on it.
    progress : callable, optional
        Called with the number of permutations done and to do.
    **params : Any
        Parameters of the method.

    Returns
    -------
    Labeling
        Labels and scores of all samples, and the fitted model.

    Raises
    ------
    DataError
        If the data cannot be used; the message says which table, column and rows.
    ParameterError
        If a parameter makes no sense.

    Warns
    -----
    NoEvidenceWarning
        If nothing shows that the labels are more than noise.
    DroppedColumnWarning
        If columns were left out because they tell nothing: constant ones, text with all values
        different, numbers of rows, or what merely names the dataset.

    Notes
    -----
    A label has a sign but no name: +1 is the class over-represented in A. Which of your
    classes that is takes knowledge from outside.

    A classifier that learns its training samples by heart (a forest, one nearest neighbour) labels
    each of these by its dataset, which tells nothing. Regularise it, or label samples that it was
    not fitted on with :meth:`Labeling.predict`.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import label
    >>> rng = np.random.default_rng(0)
    >>> def draw(n_first, n_second):
    ...     return np.r_[rng.normal(-3, 1, (n_first, 2)), rng.normal(3, 1, (n_second, 2))]
    >>> result = label(draw(40, 10), draw(10, 40), method="lsdd")
    >>> result
    Labeling(A: 40 of 50 labelled +1; B: 10 of 50 labelled +1; method LSDD; trustworthy)
    >>> result.predict([[-3.0, -2.0], [2.0, 3.0]])
    array([ 1, -1])
    >>> result.evidence.error_bound < 0.5
    True
    """
    if not 0 <= abstain < 1:
        raise ParameterError(f"abstain must be at least 0 and below 1, got {abstain!r}.")
    if priors is not None and not evidence:
        raise ParameterError("priors are used with held-out scores: they need evidence=True.")
    if isinstance(priors, str) and priors != "estimate":
        raise ParameterError(f'priors must be two shares or "estimate", got {priors!r}.')
    estimator = make_estimator(method, params, random_state)
    bags, encoding = pool(A, B, standardize=standardize, missing=missing)
    if sp.issparse(bags.X) and not get_tags(estimator).input_tags.sparse:
        raise DataError(
            f"{type(estimator).__name__} cannot use sparse samples: choose a method that can, or "
            "pass A.toarray() and B.toarray()."
        )
    model = estimator.fit(bags.X, bags.side)
    plain = score_of(model, bags.X)
    scores = _fitted_scores(model, plain)
    labels = _fitted_labels(model, scores)
    joined = None if groups is None else joined_groups(groups, bags.n_a, bags.n_b)
    found, fitted = None, None
    if evidence:
        found, fitted = _evidence(
            estimator, bags, joined, permutations, random_state, n_jobs, progress
        )
    held_out, probabilities, confidence = None, None, None
    if fitted is not None and priors is not None:
        if isinstance(priors, str):
            priors = _estimated(bags, joined, random_state)
        held_out = bagged_scores(
            estimator, bags.X, bags.side, groups=joined, random_state=random_state
        )
        probabilities = class_probabilities(*_halves(held_out, bags.n_a), priors)
        labels = np.r_[probabilities.labels_a, probabilities.labels_b]
        probabilities = _for_new_samples(probabilities, fitted, plain, bags.n_a)
    if fitted is not None:
        confidence = np.where(labels > 0, fitted.votes, 1.0 - fitted.votes)
    if abstain:
        labels[_least_sure(scores, confidence, probabilities, abstain)] = 0

    labels_a, labels_b = _halves(labels, bags.n_a)
    scores_a, scores_b = _halves(scores, bags.n_a)
    plain_a, plain_b = _halves(plain, bags.n_a)
    confidence_a, confidence_b = _halves(confidence, bags.n_a)
    held_out_a, held_out_b = _halves(held_out, bags.n_a)
    return Labeling(
        labels_a=labels_a,
        labels_b=labels_b,
        scores_a=scores_a,
        scores_b=scores_b,
        plain_scores_a=plain_a,
        plain_scores_b=plain_b,
        confidence_a=confidence_a,
        confidence_b=confidence_b,
        evidence=found,
        probabilities=probabilities,
        priors=priors if isinstance(priors, Priors) else None,
        held_out_a=held_out_a,
        held_out_b=held_out_b,
        model=model,
        encoding=encoding,
        library=bags.library,
    )


def _fitted_scores(model: Any, plain: Float) -> Float:
    """Scores of the fitted samples: the method's own where it knows more of them than their place.

    Such scores are those that its labels are the signs of.
    """
    scores = getattr(model, "fitted_scores_", None)
    return plain if scores is None else np.array(scores, dtype=np.float64)


def _fitted_labels(model: Any, scores: Float) -> Label:
    """Labels of the fitted samples: the method's own where it has any."""
    labels = getattr(model, "labels_", None)
    if labels is None:
        return as_label(scores)
    return np.array(labels, dtype=np.int64)


def _evidence(
    estimator: Any,
    bags: Bags,
    groups: NDArray[Any] | None,
    permutations: int | None,
    random_state: Any,
    n_jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[Evidence | None, CrossFit | None]:
    """Evidence, and the scores it is from; a warning where it is missing or says no."""
    if min(bags.n_a, bags.n_b) < _FEWEST:
        warnings.warn(
            f"There is no evidence for these labels: A has {bags.n_a} rows and B {bags.n_b}, too "
            f"few to hold any out ({_FEWEST} are needed in each).",
            NoEvidenceWarning,
            stacklevel=3,
        )
        return None, None
    found, fitted = gather_evidence(
        estimator,
        bags.X,
        bags.side,
        permutations=permutations,
        groups=groups,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
    )
    if not found.trustworthy:
        warnings.warn(found.verdict, NoEvidenceWarning, stacklevel=3)
    return found, fitted


def _estimated(bags: Bags, groups: NDArray[Any] | None, random_state: Any) -> Priors:
    side = bags.side.astype(np.float64)
    codes = None if groups is None else coded_groups(groups, side)[0]
    return priors_from_samples(bags.X, side, groups=codes, random_state=random_state)


def _for_new_samples(
    probabilities: ClassProbabilities, fitted: CrossFit, scores: Float, n_a: int
) -> ClassProbabilities:
    """Probabilities that know what the score of a new sample means, which is that of one fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorsWarning)  # it has been given
        single = class_probabilities(*_halves(fitted.in_units[0], n_a), probabilities.priors)
    centre, spread = units_of(scores)
    return replace(probabilities, calibration=single.calibration, centre=centre, spread=spread)


def _least_sure(
    scores: Float,
    confidence: Float | None,
    probabilities: ClassProbabilities | None,
    share: float,
) -> NDArray[np.intp]:
    """Rows of the least sure samples; among equally sure ones, those of the smallest score."""
    if probabilities is not None:
        sure = np.abs(np.r_[probabilities.posterior_a, probabilities.posterior_b] - 0.5)
    else:
        sure = np.ones(len(scores)) if confidence is None else confidence
    return np.lexsort((np.abs(scores), sure))[: round(share * len(scores))]


def _halves(values: NDArray[Any] | None, n_a: int) -> tuple[Any, Any]:
    """Split into what belongs to A and what to B, neither of which can be changed."""
    if values is None:
        return None, None
    parts = values[:n_a].copy(), values[n_a:].copy()
    for part in parts:
        part.flags.writeable = False
    return parts
