"""The closed form of LSDD against the formulas of the paper, written out one by one."""

import numpy as np
import pytest

from unclustered.core.kernels import gaussian, squared_distances
from unclustered.core.lsdd import held_out_scores, in_common_units, log_volume, solve
from unclustered.selection.cv_results import best_candidate


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    A, B = rng.normal(0.5, 1, (30, 3)), rng.normal(-0.5, 1, (25, 3))
    return A, B, np.vstack([A, B])


def paper(A, B, centres, sigma, ridge):
    """H, h and theta as printed, volume and all."""
    d = centres.shape[1]
    D = squared_distances(centres)
    H = (np.pi * sigma**2) ** (d / 2) * np.exp(-D / (4 * sigma**2))
    h = np.exp(-squared_distances(A, centres) / (2 * sigma**2)).mean(axis=0)
    h = h - np.exp(-squared_distances(B, centres) / (2 * sigma**2)).mean(axis=0)
    ridge = ridge * (np.pi * sigma**2) ** (d / 2)
    return H, h, np.linalg.solve(H + ridge * np.eye(len(H)), h)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 3.0])
def test_solution_is_the_papers_in_units_of_the_volume(problem, sigma, ridge):
    A, B, centres = problem
    H, h, theta = paper(A, B, centres, sigma, ridge)
    G = gaussian(squared_distances(centres), np.sqrt(2) * sigma)
    ours = solve(G, h, ridge, sigma, 3)
    volume = np.exp(ours.log_volume)
    assert volume == pytest.approx((np.pi * sigma**2) ** 1.5, rel=1e-12)
    np.testing.assert_allclose(ours.coef / volume, theta, atol=1e-10 * np.abs(theta).max())
    assert ours.residual < 1e-11
    distance = 2 * theta @ h - theta @ H @ theta
    assert np.exp(ours.log_l2_distance) == pytest.approx(distance, rel=1e-8)


def test_held_out_scores_are_the_papers_criterion_solved_one_by_one(problem):
    A, B, centres = problem
    sigma, ridges = 0.8, np.array([1e-3, 0.05, 2.0])
    K_A = np.exp(-squared_distances(A, centres) / (2 * sigma**2))
    K_B = np.exp(-squared_distances(B, centres) / (2 * sigma**2))
    folds_a, folds_b = np.arange(30) % 4, np.arange(25) % 4
    h = {
        part: np.stack(
            [
                K_A[(folds_a == k) == held_out].mean(axis=0)
                - K_B[(folds_b == k) == held_out].mean(axis=0)
                for k in range(4)
            ],
            axis=1,
        )
        for part, held_out in (("train", False), ("test", True))
    }
    G = gaussian(squared_distances(centres), np.sqrt(2) * sigma)
    volume = (np.pi * sigma**2) ** 1.5
    expected = np.empty((3, 4))
    for r, ridge in enumerate(ridges):
        for k in range(4):
            theta = np.linalg.solve(volume * (G + ridge * np.eye(55)), h["train"][:, k])
            expected[r, k] = 2 * theta @ h["test"][:, k] - theta @ (volume * G) @ theta
    ours = held_out_scores(G, h["train"], h["test"], ridges) / volume
    np.testing.assert_allclose(ours, expected, atol=1e-10 * np.abs(expected).max())


def test_a_ridge_below_rounding_still_has_a_solution(problem):
    A, B, centres = problem
    _, h, _ = paper(A, B, centres, 90.0, 1.0)
    G = gaussian(squared_distances(centres), np.sqrt(2) * 90.0)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(G + 1e-18 * np.eye(len(G)))
    solution = solve(G, h, 1e-18, 90.0, 3)
    assert solution.residual < 1e-3
    assert np.isfinite(solution.log_l2_distance)


def test_scores_of_different_bandwidths_are_compared_with_their_volumes():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(4, 3, 5))
    volumes = rng.normal(size=4)
    common = in_common_units(scores, volumes)
    absolute = scores * np.exp(-volumes)[:, None, None]
    best = best_candidate(absolute)
    assert best_candidate(common) == best
    np.testing.assert_allclose(common, absolute * np.exp(volumes[best[0]]))


@pytest.mark.parametrize(
    ("means", "winner"),
    [
        ([-1.0, 1e-3, 0.9], 1),  # a smaller volume outweighs a larger score ...
        ([-1.0, -1e-9, 0.9], 2),  # ... but not one of the wrong sign
        ([-1.0, -2.0, -3.0], 2),  # errors count less where the volume is large
        ([0.0, -2.0, -3.0], 0),
    ],
)
def test_volumes_beyond_the_range_of_a_double_are_compared_in_logarithms(means, winner):
    scores = np.repeat(np.array(means)[:, None, None], 2, axis=2)
    common = in_common_units(scores, np.array([-3000.0, 0.0, 5000.0]))
    assert np.isfinite(common).all()
    assert best_candidate(common) == (winner, 0)
    np.testing.assert_array_equal(np.sign(common), np.sign(scores))


def test_density_difference_and_distance_of_two_normals():
    rng = np.random.default_rng(2)
    A, B = rng.normal(0, 1, (30_000, 1)), rng.normal(1, 1, (30_000, 1))
    centres = np.linspace(-4, 5, 60)[:, None]
    _, h, _ = paper(A, B, centres, 0.7, 1.0)
    G = gaussian(squared_distances(centres), np.sqrt(2) * 0.7)
    solution = solve(G, h, 1e-2, 0.7, 1)
    true = (1 - np.exp(-1 / 4)) / np.sqrt(np.pi)
    assert np.exp(solution.log_l2_distance) == pytest.approx(true, rel=0.05)
    x = np.linspace(-3, 4, 50)[:, None]
    g = gaussian(squared_distances(x, centres), 0.7) @ solution.coef * np.exp(-solution.log_volume)
    pdf = np.exp(-(x[:, 0] ** 2) / 2) - np.exp(-((x[:, 0] - 1) ** 2) / 2)
    np.testing.assert_allclose(g, pdf / np.sqrt(2 * np.pi), atol=0.02)


def test_volume_in_a_thousand_dimensions():
    assert log_volume(0.1, 1000) == pytest.approx(500 * np.log(np.pi * 0.01))
