"""``python -m benchmarks.networks``: digits, even against odd, without a label.

scikit-learn's 1,797 digits; a quarter is held out, the rest is dealt to A and B of equal size with
theta_A = 1 - theta and theta_B = theta. The network is the one of the published UU method: four
hidden layers of 300 with batch normalisation. Printed is the accuracy on the digits held out, mean
and standard deviation over the draws; every row sees the same draws.

The rival is the published recipe on the same network: Lu et al. (2019) descend on the unbiased risk
with the sigmoid loss by SGD at a rate of 1e-3, 200 epochs of batches of 128, a penalty of 1e-4, and
keep the last weights; Lu et al. (2020) correct the risk. 200 epochs of a thousand digits are few
steps, so it may also take ten times as large a rate and keep, in each draw, whichever did better
on the digits held out, true labels and all: an advantage that ours is not given.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from unclustered import TorchLabeler

HELD_OUT = 450
OURS = {"batch_size": 64, "device": "cpu"}
RATES = (1e-3, 1e-2)


class Draw(NamedTuple):
    X: Any
    membership: Any
    labels: Any
    X_test: Any
    labels_test: Any


def draw(theta: float, seed: int) -> Draw:
    X, digit = load_digits(return_X_y=True)
    X, label = X / 16.0, np.where(digit % 2 == 0, 1, -1)
    order = np.random.default_rng(seed).permutation(len(X))
    test, train = order[:HELD_OUT], order[HELD_OUT:]
    positive, negative = train[label[train] > 0], train[label[train] < 0]
    n = min(len(positive), len(negative))
    k = round(n * (1 - theta))
    a = np.r_[positive[:k], negative[k:n]]
    b = np.r_[positive[k:n], negative[:k]]
    rows = np.r_[a, b]
    return Draw(X[rows], np.repeat([1, -1], n), label[rows], X[test], label[test])


def network(n_features: int) -> Any:
    """The perceptron of the published method."""
    from torch import nn

    layers = []
    for width in (n_features, 300, 300, 300):
        layers += [nn.Linear(width, 300, bias=False), nn.BatchNorm1d(300), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(300, 1))


def ours(**params: Any) -> Callable[[Draw, float, int], float]:
    def run(drawn: Draw, theta: float, seed: int) -> float:
        settings = {"module": network, **OURS, **params}
        if settings.pop("known", False):
            settings |= {"priors": (1 - theta, theta), "target": 0.5}
        target = drawn.labels if settings.pop("supervised", False) else drawn.membership
        model = TorchLabeler(**settings, random_state=seed).fit(drawn.X, target)
        return float(np.mean(model.predict(drawn.X_test) == drawn.labels_test))

    return run


def published(correction: str) -> Callable[[Draw, float, int], float]:
    def run(drawn: Draw, theta: float, seed: int) -> float:
        return max(recipe(drawn, theta, seed, correction, rate) for rate in RATES)

    return run


def recipe(drawn: Draw, theta: float, seed: int, correction: str, rate: float) -> float:
    """Written here from the papers, with nothing of the library's own training."""
    import torch

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = network(drawn.X.shape[1])
    descent = torch.optim.SGD(model.parameters(), lr=rate, weight_decay=2e-4)  # half of it squared
    X = torch.tensor(drawn.X, dtype=torch.float32)
    a, b = (np.flatnonzero(drawn.membership == side) for side in (1, -1))
    theta_a, theta_b, prior = 1 - theta, theta, 0.5
    wrap = {"none": lambda x: x, "relu": torch.relu, "abs": torch.abs}[correction]
    for _ in range(200):
        model.train()
        mixed_a, mixed_b = rng.permutation(a), rng.permutation(b)
        for start in range(0, len(a) - 63, 64):
            rows = np.r_[mixed_a[start : start + 64], mixed_b[start : start + 64]]
            g = model(X[rows])[:, 0]
            as_plus, as_minus = torch.sigmoid(-g), torch.sigmoid(g)
            plus = (1 - theta_b) * as_plus[:64].mean() - (1 - theta_a) * as_plus[64:].mean()
            minus = theta_a * as_minus[64:].mean() - theta_b * as_minus[:64].mean()
            risk = (wrap(prior * plus) + wrap((1 - prior) * minus)) / (theta_a - theta_b)
            descent.zero_grad()
            risk.backward()
            descent.step()
    model.eval()
    with torch.no_grad():
        g = model(torch.tensor(drawn.X_test, dtype=torch.float32))[:, 0].numpy()
    return float(np.mean(np.where(g > 0, 1, -1) == drawn.labels_test))


CASES: dict[str, Callable[[Draw, float, int], float]] = {
    "all labels, same network": ours(supervised=True),
    "no labels: sigmoid": ours(),
    "no labels: ramp (DSDD)": ours(loss="ramp"),
    "no labels: barrier": ours(loss="barrier"),
    "priors known: sigmoid, abs": ours(known=True),
    "priors known: sigmoid, relu": ours(known=True, correction="relu"),
    "priors known: logistic, abs": ours(known=True, loss="logistic"),
    "published 2019: unbiased": published("none"),
    "published 2020: relu": published("relu"),
    "published 2020: abs": published("abs"),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.networks", description=__doc__)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--only", help="rows whose name begins so")
    parser.add_argument("--theta", type=float, nargs="+", default=[0.2, 0.35])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| network trained with |" + "".join(f" theta {t:g} |" for t in options.theta))
    print("|---|" + "---|" * len(options.theta), flush=True)
    for name, run in CASES.items():
        if not name.startswith(options.only or ""):
            continue
        cells = []
        for theta in options.theta:
            found = [run(draw(theta, seed), theta, seed) for seed in range(options.draws)]
            cells.append(f" {np.mean(found):.3f} ± {np.std(found):.3f} |")
        print(f"| {name} |" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
