"""A and B side by side: aligned, encoded, standardised."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import DataError, DroppedColumnWarning, ParameterError
from .columns import Columns, listing, sentence
from .encoding import Encoding, first_text, is_number
from .informative import spread_of, useless_numbers, useless_text
from .reading import read_columns

__all__ = ["Bags", "pool"]

Float = NDArray[np.float64]

_MOST_CODES = 10  # more different numbers than this are measurements, not codes


@dataclass(frozen=True, eq=False)
class Bags:
    """The samples of A and B as one array; which of the two each is from is all that is known.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_a + n_b, n_encoded_columns)
        Samples, those of A first, in float64.
    side : ndarray of int of shape (n_a + n_b,)
        Membership: +1 for A, -1 for B.
    n_a, n_b : int
        Numbers of samples.
    names : tuple of str
        Names of the encoded columns.
    library : str or None
        The data frame library that A came from.
    """

    X: Any
    side: NDArray[np.int64]
    n_a: int
    n_b: int
    names: tuple[str, ...]
    library: str | None


def pool(
    A: Any,
    B: Any,
    *,
    standardize: bool = True,
    missing: Literal["error", "impute"] = "error",
) -> tuple[Bags, Encoding]:
    """Align two tables and turn them into numbers.

    Parameters
    ----------
    A, B : table or array
        As :func:`unclustered.label` takes them.
    standardize : bool
        Whether each column is centred and divided by its standard deviation over A and B. The
        indicators of a categorical column share one unit, the root of their total variance: so each
        column of the table adds the same to the mean squared distance, and a column
        of true and false counts as one of 0 and 1 does.
    missing : "error" or "impute"
        Whether missing values are an error or replaced: with the median of A and B in a column of
        numbers, with a level of their own in a categorical one.

    Returns
    -------
    bags : Bags
        The samples.
    encoding : Encoding
        Does the same to new samples.

    Examples
    --------
    >>> from unclustered.bags import pool
    >>> a = {"size": [1.0, 2.0], "phase": ["S", "G1"]}
    >>> b = {"phase": ["S", "S"], "size": [3.0, 2.0]}
    >>> bags, encoding = pool(a, b, standardize=False)
    >>> bags.names
    ('size', 'phase=G1', 'phase=S')
    >>> bags.X
    array([[1., 0., 1.],
           [2., 1., 0.],
           [3., 0., 1.],
           [2., 0., 1.]])
    """
    if missing not in ("error", "impute"):
        raise ParameterError(f'missing must be "error" or "impute", got {missing!r}.')
    a, b = read_columns(A, "A"), read_columns(B, "B")
    for columns in (a, b):
        if columns.n_rows < 2:
            raise DataError(f"{columns.place} has too few rows ({columns.n_rows}): 2 are needed.")
        if not columns.names:
            raise DataError(f"{columns.place} has no columns.")
    plan = _plan(a, b, impute=missing == "impute")
    encoded = (plan.encoded(a), plan.encoded(b))
    X = sp.vstack(encoded, format="csr") if plan.sparse else np.vstack(encoded)
    means, spread = spread_of(X)
    useless = useless_numbers(plan, a, b, X, spread, standardize)
    dropped = {**plan.dropped, **useless}
    if len(dropped) == len(plan.columns):
        raise DataError(f"No column can be used: {_reasons(dropped, plan.named)}.")
    if dropped:
        reasons = _reasons(dropped, plan.named)
        warnings.warn(f"Columns left out: {reasons}.", DroppedColumnWarning, stacklevel=3)
    if standardize:
        units = [spread[: len(plan.numbers)], *_shared_units(plan, spread)]
        means = np.zeros_like(means) if plan.sparse else means
        plan = replace(plan, means=means, scales=np.concatenate(units))
    if useless:
        encoding, kept = plan.without(useless)
        X = X[:, kept]
    else:
        encoding = plan
    X = encoding.scaled(X)
    _check_different(X, a.n_rows)
    side = np.repeat([1, -1], [a.n_rows, b.n_rows])
    return Bags(X, side, a.n_rows, b.n_rows, encoding.names, a.library), encoding


def _plan(a: Columns, b: Columns, impute: bool) -> Encoding:
    """Plan the encoding of every column that may tell something, without units yet."""
    plan = Encoding(
        columns=a.names,
        named=a.place.named,
        sparse=sp.issparse(a.block),
        numbers=a.number_names,
        levels={},
        dropped={},
        medians=None,
        means=np.zeros(0),
        scales=np.zeros(0),
    )
    plan.check_columns(b)
    dropped: dict[str, str] = {}
    if impute:
        for columns in (b, a):
            dropped |= dict.fromkeys(columns.blank, f"no value in {columns.place.dataset}")
    levels: dict[str, tuple[str | None, ...]] = {}
    for name in [n for n in a.names if n in a.texts or n in b.texts]:
        if name not in dropped:
            _check_kind(name, a, b)
            reason = useless_text(name, a, b)
            if reason:
                dropped[name] = reason
            else:
                levels[name] = _levels(name, a, b, impute)
    numbers = tuple(n for n in a.names if n not in levels and n not in dropped)
    n_encoded = len(numbers) + sum(map(len, levels.values()))
    return replace(
        plan,
        numbers=numbers,
        levels=levels,
        dropped=dropped,
        medians=_medians(a, b, numbers) if impute and not plan.sparse else None,
        means=np.zeros(n_encoded),
        scales=np.ones(n_encoded),
    )


def _check_kind(name: str, a: Columns, b: Columns) -> None:
    """Raise an error where one table has numbers and the other text, or one has both."""
    if name in a.blank or name in b.blank:  # an error about missing values follows
        return
    for text, number in ((a, b), (b, a)):
        if name in text.texts and name not in number.texts:
            raise DataError(
                f"{sentence(text.place.title(name))} holds numbers in {number.place}, but in "
                f"{text.place} {first_text(text, name)}{text.place.counted}."
            )
    for columns in (a, b):
        if name in columns.texts:
            _check_not_numbers(name, columns)


def _check_not_numbers(name: str, columns: Columns) -> None:
    """Raise an error where a few words, "?" perhaps, made text of a column of numbers."""
    text, place = columns.texts[name], columns.place
    numeric = np.array([is_number(level) for level in text.levels])
    count = np.bincount(text.codes[text.codes >= 0], minlength=len(numeric))
    n_numbers, n_words = int(count[numeric].sum()), int(count[~numeric].sum())
    # Codes such as 1, 2, 3 and 4+ are few; measurements are many.
    if n_words and n_numbers > n_words and numeric.sum() > _MOST_CODES:
        raise DataError(
            f"{place.column(name)} holds numbers in {n_numbers} rows, but text in {n_words}: "
            f"{first_text(columns, name)}{place.counted}. Write numbers throughout, leave missing "
            "values empty, or drop the column."
        )


def _levels(name: str, a: Columns, b: Columns, impute: bool) -> tuple[str | None, ...]:
    texts = [columns.texts[name] for columns in (a, b) if name in columns.texts]
    levels: list[str | None] = [*sorted({level for text in texts for level in text.levels})]
    if impute and any((text.codes < 0).any() for text in texts):
        levels.append(None)
    return tuple(levels)


def _medians(a: Columns, b: Columns, numbers: tuple[str, ...]) -> Float:
    medians: Float = np.nanmedian(np.vstack([a.numbers(numbers), b.numbers(numbers)]), axis=0)
    return medians


def _shared_units(plan: Encoding, spread: Float) -> list[Float]:
    """Give the indicators of each categorical column the root of their total variance."""
    units, start = [], len(plan.numbers)
    for levels in plan.levels.values():
        stop = start + len(levels)
        units.append(np.full(stop - start, np.sqrt((spread[start:stop] ** 2).sum())))
        start = stop
    return units


def _reasons(dropped: Mapping[str, str], named: bool) -> str:
    """Name dropped columns by reason: ``'a' and 'b' (constant); 'c' (nearly constant)``."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in dropped.items():
        by_reason.setdefault(reason, []).append(repr(name) if named else f"column {name}")
    return "; ".join(
        f"{listing(names[:10], len(names))} ({reason})" for reason, names in by_reason.items()
    )


def _check_different(X: Any, n_a: int) -> None:
    """Raise an error if A and B hold the same rows, in whatever order."""
    if 2 * n_a != X.shape[0]:
        return
    a, b = X[:n_a], X[n_a:]
    # The first column tells most tables apart, and costs no memory.
    first = [part[:, [0]].toarray() if sp.issparse(X) else part[:, 0] for part in (a, b)]
    alike = np.array_equal(np.sort(first[0], axis=0), np.sort(first[1], axis=0))
    if alike and _sorted_rows(a) == _sorted_rows(b):
        raise DataError("A and B hold the same rows: there is no difference to learn from.")


def _sorted_rows(X: Any) -> list[bytes]:
    if sp.issparse(X):
        X.sort_indices()
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        return sorted(X.indices[i:j].tobytes() + X.data[i:j].tobytes() for i, j in ends)
    return sorted(row.tobytes() for row in X + 0.0)  # + 0.0: -0.0 is 0.0
