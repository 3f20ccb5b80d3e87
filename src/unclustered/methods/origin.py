"""Origin: every sample labelled by the dataset it came from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._clusters import NearestLabeler

__all__ = ["OriginLabeler"]


class OriginLabeler(NearestLabeler):
    """Label a sample by its dataset: the baseline that every table must show.

    It learns nothing. Yet with theta_A = 1 - theta_B its labelling error rate on the
    fitted samples is exactly theta_B: a method that does worse than this is worth less
    than the file names. On new samples, each labelled as its nearest fitted sample, it is the
    one-nearest-neighbour classifier of the membership, and its gap is what memory alone achieves.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two membership values; positive scores point to the second.
    labels_ : ndarray of shape (n_samples,)
        +1 for the samples of ``classes_[1]``, -1 for those of ``classes_[0]``.

    Notes
    -----
    The score of a sample is the distance to the nearest fitted sample of ``classes_[0]`` minus the
    distance to the nearest of ``classes_[1]``. A sample that is in both has score 0.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import OriginLabeler
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> model = OriginLabeler().fit(X, ["B", "A", "A", "B"])
    >>> model.labels_, model.predict([[1.2], [7.0]])
    (array([ 1, -1, -1,  1]), array(['A', 'B'], dtype='<U1'))
    """

    def fit(self, X: Any, y: ArrayLike) -> OriginLabeler:
        """Remember the samples and their membership.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples of both datasets.
        y : array-like of shape (n_samples,)
            Membership: two values, one for each dataset.

        Returns
        -------
        OriginLabeler
            Itself, fitted.
        """
        X, side, _ = self._check_fit(X, y)
        self._remember(X, side.astype(np.int64))
        return self
