"""TorchLabeler: a neural network fitted to two datasets, as a scikit-learn classifier."""

from __future__ import annotations

import copy
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from ..accelerators import choose_device, explained_memory, load_torch
from ..errors import DataError, ParameterError
from ..methods._base import MembershipClassifier, _explain, as_label
from ..seeds import as_generator
from .checkpoint import Checkpoint, fingerprint
from .default import build
from .risks import CORRECTIONS, LOSSES, SYMMETRIC, Risk
from .samples import Samples, units_of
from .training import PRECISIONS, Parts, Plan, forward, seeded, train

__all__ = ["TorchLabeler"]

Float = NDArray[np.float64]
_MAY_DIFFER = {"max_epochs", "patience", "checkpoint", "device", "module"}


class TorchLabeler(MembershipClassifier):
    r"""A neural network that labels two datasets: for images, embeddings and large tables.

    Descends by mini-batches, both datasets in each, on a risk that needs no label. Without
    ``priors`` that is the balanced risk of telling A from B under a *symmetric* loss,
    :math:`\ell(z) + \ell(-z) = 1`, whose minimum is also that of telling the classes apart
    (Charoenphakdee et al., 2019); with the loss "ramp" it is the objective of DSDD. With ``priors``
    it is the risk of telling the classes apart itself (Lu et al., 2019), corrected so that a
    network cannot push it below zero (Lu et al., 2020).

    Part of both datasets is held out; the weights of the epoch with the largest gap there are kept.

    Parameters
    ----------
    module : torch.nn.Module or callable, optional
        The network, which gives one score a sample. A module is copied, never changed, and
        starts from the weights it has; a function is called with the number of columns (of images:
        channels) and makes the module, its weights drawn from ``random_state``. By default a
        perceptron with two hidden layers, for tables.
    loss : {"sigmoid", "ramp", "unhinged", "barrier", "logistic"}
        Loss of a margin. "logistic" is not symmetric and needs ``priors``.
    priors : pair of float, optional
        Share of class +1 in the dataset ``classes_[1]`` and in ``classes_[0]``, where they
        are known: (theta_A, theta_B) for :func:`unclustered.label`.
    target : float, optional
        Share of class +1 among the samples whose errors shall be few; with ``priors`` only. By
        default the share in all samples that are fitted.
    correction : {"abs", "relu", "leaky", "none"}
        What keeps the two parts of the risk from going below zero; with ``priors`` only. "none" is
        the unbiased risk.
    learning_rate, weight_decay : float
        Of AdamW.
    batch_size : int
        Samples of a mini-batch, half from each dataset.
    max_epochs : int
        Passes over the larger dataset at most.
    patience : int
        Epochs without a larger held-out gap after which to stop.
    validation_fraction : float
        Share of each dataset that is held out. With 0 nothing is, and ``max_epochs`` are made.
    standardize : bool, optional
        Whether to centre and scale each column (of images: each channel). By default where
        ``module`` is None: a network of your own expects its own units.
    precision : {"float32", "bfloat16", "float16"}
        Of the forward pass; weights and risks are always in float32.
    device : str
        "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
    checkpoint : path, optional
        File to keep the state in after each epoch. Where it exists, the training goes on from it,
        to the same weights as one that was never cut short.
    random_state : None, int, Generator or RandomState
        Draws the weights, what is held out and the batches. None is the seed 0. Equal seeds give
        equal labels on the same device.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two membership values; positive scores point to the second.
    labels_ : ndarray of shape (n_samples,)
        Labels +1 and -1 of the fitted samples.
    module_ : torch.nn.Module
        The fitted network, on its device.
    history_ : dict of list
        After each epoch: ``risk``, and where samples are held out their ``held_out_gap`` and
        ``held_out_risk``.
    best_epoch_ : int
        Epoch, counted from 1, whose weights were kept.
    n_iter_ : int
        Epochs made.
    stopped_early_ : bool
        Whether ``patience`` ended the training.

    References
    ----------
    N. Charoenphakdee, J. Lee and M. Sugiyama, "On symmetric losses for learning from corrupted
    labels", ICML 2019. N. Lu, G. Niu, A. K. Menon and M. Sugiyama, "On the minimal supervision for
    training any binary classifier from only unlabeled data", ICLR 2019. N. Lu, T. Zhang, G. Niu and
    M. Sugiyama, "Mitigating overfitting in supervised classification from two unlabeled datasets: a
    consistent risk correction approach", AISTATS 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from unclustered import TorchLabeler
    >>> rng = np.random.default_rng(0)
    >>> true = np.where(rng.random(400) < 0.5, 1, -1)
    >>> X = rng.normal(size=(400, 2)) + 2 * true[:, None]
    >>> membership = np.where(rng.random(400) < 0.5 + 0.3 * true, "A", "B")
    >>> model = TorchLabeler(device="cpu").fit(X, membership)
    >>> wrong = (model.labels_ != true).mean()
    >>> bool(min(wrong, 1 - wrong) < 0.05)
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "module": [callable, None],
        "loss": [StrOptions(set(LOSSES))],
        "target": [Interval(Real, 0, 1, closed="neither"), None],
        "correction": [StrOptions(set(CORRECTIONS))],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 2, None, closed="left")],
        "max_epochs": [Interval(Integral, 1, None, closed="left")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "standardize": ["boolean", None],
        "precision": [StrOptions(set(PRECISIONS))],
        "device": [str],
    }

    def __init__(
        self,
        module: Any = None,
        loss: str = "sigmoid",
        priors: Any = None,
        target: float | None = None,
        correction: str = "abs",
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-2,
        batch_size: int = 128,
        max_epochs: int = 200,
        patience: int = 20,
        validation_fraction: float = 0.2,
        standardize: bool | None = None,
        precision: str = "float32",
        device: str = "auto",
        checkpoint: Any = None,
        random_state: Any = None,
    ) -> None:
        self.module = module
        self.loss = loss
        self.priors = priors
        self.target = target
        self.correction = correction
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.standardize = standardize
        self.precision = precision
        self.device = device
        self.checkpoint = checkpoint
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> TorchLabeler:
        """Fit the network to samples and their membership.

        Parameters
        ----------
        X : array-like or tensor of shape (n_samples, n_features) or (n_samples, channels, ...)
            The samples of both datasets. Memory-mapped arrays are read batch by batch.
        y : array-like of shape (n_samples,)
            Membership: two values, one for each dataset. Never the label.

        Returns
        -------
        TorchLabeler
            Itself, fitted.
        """
        torch = load_torch("TorchLabeler")
        X, side, _ = self._check_fit(X, y)
        device = choose_device(self.device)
        if self.precision == "float16" and device.type == "cpu":
            raise ParameterError('precision="float16" needs a GPU; take "bfloat16" or "float32".')
        rng = as_generator(self.random_state)
        seed = int(rng.integers(2**31))
        # The network points to the dataset of the first sample, whatever its name: swapping A and B
        # then changes the sign of the score and nothing else.
        self.orientation_ = float(side[0])
        first = side == side[0]
        parts = self._held_out(first, rng)
        risk = self._risk(float((side > 0).mean()))
        scaled = self.module is None if self.standardize is None else self.standardize
        self._units = units_of(X) if scaled else None
        with (
            explained_memory(
                f"TorchLabeler on {device}", f"Take a smaller batch_size than {self.batch_size}."
            ),
            seeded(torch, device, seed),
        ):
            network = build(torch, self.module, X.shape[1]).to(device)
            plan = Plan(
                risk=risk,
                learning_rate=self.learning_rate,
                weight_decay=self.weight_decay,
                batch_size=self.batch_size,
                max_epochs=self.max_epochs,
                patience=self.patience,
                precision=self.precision,
                seed=seed,
            )
            trained = train(
                torch,
                network,
                Samples(torch, X, self._units, device),
                parts,
                plan,
                self._scores,
                self._checkpoint(torch, network, X, side, seed),
                device,
            )
        self.module_ = network.eval()
        self.history_ = trained.history
        self.best_epoch_ = trained.best_epoch
        self.n_iter_ = len(trained.history["risk"])
        self.stopped_early_ = trained.early
        self.labels_ = as_label(self._score(X))
        return self

    def _check_samples(self, X: Any, y: Any = "no_validation", *, reset: bool) -> Any:
        if hasattr(X, "detach"):  # a tensor, from any device
            X = X.detach().cpu().numpy()
        # Bytes of images and float32 stay what they are: a float64 copy would be 8 times as large.
        kind = getattr(getattr(X, "dtype", None), "kind", "O")
        try:
            return validate_data(
                self,
                X,
                y,
                reset=reset,
                dtype=None if kind in "biuf" else np.float64,
                order="C",
                allow_nd=True,
            )
        except (ValueError, TypeError) as error:
            _explain(X, error)

    def _held_out(self, first: NDArray[np.bool_], rng: np.random.Generator) -> Parts:
        kept, held = [], []
        for mine in (first, ~first):
            rows = rng.permutation(np.flatnonzero(mine))
            n_held = 0
            if self.validation_fraction > 0:
                if len(rows) < 2:
                    raise DataError(
                        f"One of the two datasets has n_samples={len(rows)}: holding some out "
                        "needs at least 2 in each. Give validation_fraction=0 to hold out none."
                    )
                n_held = min(max(1, round(self.validation_fraction * len(rows))), len(rows) - 1)
            held.append(np.sort(rows[:n_held]))
            kept.append(np.sort(rows[n_held:]))
        return Parts(kept[0], kept[1], held[0], held[1])

    def _risk(self, share: float) -> Callable[[Any, Any], Any]:
        """Risk of the scores of the first sample's dataset and of the other."""
        if self.priors is None:
            if self.loss not in SYMMETRIC:
                raise ParameterError(
                    f"loss={self.loss!r} is not symmetric: without priors its minimum is not the "
                    f"classes'. Give priors=(theta_A, theta_B), or take {sorted(SYMMETRIC)}."
                )
            return Risk(self.loss)
        try:
            theta_a, theta_b = (float(theta) for theta in self.priors)
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"priors must be two numbers, (theta_A, theta_B), got {self.priors!r}."
            ) from error
        if not 0 <= theta_b < theta_a <= 1:
            raise ParameterError(
                "priors must be (theta_A, theta_B) with 0 <= theta_B < theta_A <= 1: +1 is the "
                f"class over-represented in A, which is {self.classes_[1]!r}; got "
                f"({theta_a:g}, {theta_b:g})."
            )
        target = self.target
        if target is None:
            target = share * theta_a + (1 - share) * theta_b
        if self.orientation_ < 0:  # the other dataset comes first, and its class is -1
            theta_a, theta_b, target = 1 - theta_b, 1 - theta_a, 1 - target
        return Risk(self.loss, (theta_a, theta_b), target, self.correction)

    def _checkpoint(
        self, torch: Any, network: Any, X: NDArray[Any], side: Float, seed: int
    ) -> Checkpoint:
        if self.checkpoint is None:
            return Checkpoint(torch, None, "")
        settings = {k: v for k, v in self.get_params().items() if k not in _MAY_DIFFER}
        settings["random_state"] = seed
        weights = [v.cpu().numpy() for v in network.state_dict().values()]
        return Checkpoint(
            torch,
            self.checkpoint,
            fingerprint(X, side, settings, str(network), *(w.tobytes() for w in weights)),
        )

    def _scores(self, network: Any, samples: Samples, rows: NDArray[np.intp]) -> Float:
        torch = load_torch("TorchLabeler")
        network.eval()
        scores = np.empty(len(rows))
        step = 4 * self.batch_size
        with torch.inference_mode():
            for start in range(0, len(rows), step):
                part = rows[start : start + step]
                scores[start : start + step] = forward(network, samples.rows(part)).cpu()
        return scores

    def _score(self, X: Any) -> Float:
        torch = load_torch("TorchLabeler")
        weight = next(self.module_.parameters(), None)
        device = torch.device("cpu") if weight is None else weight.device
        with explained_memory(
            f"TorchLabeler on {device}", f"Take a smaller batch_size than {self.batch_size}."
        ):
            samples = Samples(torch, X, self._units, device)
            return self.orientation_ * self._scores(self.module_, samples, np.arange(len(X)))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__().copy()
        if "module_" in state:  # so that a machine without the device can open it
            state["module_"] = copy.deepcopy(state["module_"]).cpu()
        return state
