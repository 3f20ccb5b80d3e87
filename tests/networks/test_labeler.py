"""TorchLabeler as a user meets it: what it finds, what it says, and how it goes on."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from unclustered import DataError, MissingExtraError, ParameterError, TooLargeError, TorchLabeler
from unclustered.datasets import toy_problem_1

torch = pytest.importorskip("torch")


@pytest.fixture
def drawn():
    return toy_problem_1(n=150, priors=(0.8, 0.3), random_state=0)


def labeler(**params):
    return TorchLabeler(**{"device": "cpu", "max_epochs": 30, **params})


def accuracy(model, drawn):
    return np.mean(model.labels_ == drawn.labels)


@pytest.mark.parametrize("loss", ["sigmoid", "ramp", "unhinged", "barrier"])
def test_symmetric_losses_find_the_classes(drawn, loss):
    model = labeler(loss=loss).fit(drawn.X, drawn.membership)
    assert accuracy(model, drawn) > 0.9


@pytest.mark.parametrize("correction", ["abs", "relu", "leaky", "none"])
@pytest.mark.parametrize("loss", ["logistic", "sigmoid"])
def test_risks_with_known_priors_find_the_classes(drawn, correction, loss):
    theta = [(drawn.labels[drawn.membership == side] > 0).mean() for side in (1, -1)]
    model = labeler(loss=loss, priors=theta, correction=correction)
    assert accuracy(model.fit(drawn.X, drawn.membership), drawn) > 0.85


def test_swapping_a_and_b_flips_every_score(drawn):
    for params in ({}, {"priors": (0.8, 0.3)}):
        one = labeler(**params).fit(drawn.X, drawn.membership)
        if params:
            params = {"priors": (1 - 0.3, 1 - 0.8)}
        other = labeler(**params).fit(drawn.X, -drawn.membership)
        np.testing.assert_allclose(
            other.decision_function(drawn.X), -one.decision_function(drawn.X), rtol=1e-5
        )


def test_the_target_moves_the_boundary(drawn):
    few, many = (
        labeler(priors=(0.8, 0.3), target=target, validation_fraction=0.0)
        .fit(drawn.X, drawn.membership)
        .labels_.mean()
        for target in (0.05, 0.95)
    )
    assert few < many - 0.05


def test_history_and_the_epoch_that_was_kept(drawn):
    model = labeler(patience=4).fit(drawn.X, drawn.membership)
    gaps = model.history_["held_out_gap"]
    assert len(gaps) == len(model.history_["risk"]) == model.n_iter_
    assert model.stopped_early_ == (model.n_iter_ - model.best_epoch_ >= 4)
    assert gaps[model.best_epoch_ - 1] == max(gaps)
    whole = labeler(validation_fraction=0.0, max_epochs=5).fit(drawn.X, drawn.membership)
    assert (whole.n_iter_, whole.best_epoch_, [*whole.history_]) == (5, 5, ["risk"])


def test_the_kept_weights_are_those_of_the_best_epoch(drawn):
    model = labeler(patience=4).fit(drawn.X, drawn.membership)
    again = labeler(patience=4, max_epochs=model.best_epoch_).fit(drawn.X, drawn.membership)
    np.testing.assert_array_equal(
        again.decision_function(drawn.X), model.decision_function(drawn.X)
    )


def test_the_seed_decides_and_the_users_generator_is_left_alone(drawn):
    def scores(**params):
        model = labeler(max_epochs=3, module=dropping, **params).fit(drawn.X, drawn.membership)
        return model.decision_function(drawn.X)

    torch.manual_seed(5)
    before = torch.get_rng_state()
    np.testing.assert_array_equal(scores(), scores(random_state=0))
    assert not np.array_equal(scores(random_state=1), scores(random_state=2))
    torch.testing.assert_close(torch.get_rng_state(), before)


def dropping(n_features):
    nn = torch.nn
    return nn.Sequential(nn.Linear(n_features, 20), nn.ReLU(), nn.Dropout(0.3), nn.Linear(20, 1))


class Interrupted(dict):
    """A training that is stopped after so many mini-batches."""

    def __init__(self, network, after):
        self.left = after
        network.register_forward_hook(self)

    def __call__(self, network, *_):
        self.left -= network.training
        if self.left < 0:
            raise KeyboardInterrupt


def test_a_training_that_was_cut_short_goes_on_to_the_same_weights(drawn, tmp_path):
    def fit(after=10**9, checkpoint=tmp_path / "state.pt", **params):
        def module(n_features):
            network = dropping(n_features)
            Interrupted(network, after)
            return network

        model = labeler(module=module, batch_size=64, patience=8, checkpoint=checkpoint, **params)
        return model.fit(drawn.X, drawn.membership)

    whole = fit(checkpoint=None)
    with pytest.raises(KeyboardInterrupt):
        fit(after=22)  # in the middle of an epoch of 4 batches
    assert [path.name for path in tmp_path.iterdir()] == ["state.pt"]
    resumed = fit()
    assert resumed.history_ == whole.history_
    assert resumed.best_epoch_ == whole.best_epoch_
    scores = whole.decision_function(drawn.X)
    np.testing.assert_array_equal(resumed.decision_function(drawn.X), scores)
    # Finished: nothing is trained again. More epochs: only those.
    np.testing.assert_array_equal(fit(after=0).decision_function(drawn.X), scores)


def test_a_checkpoint_of_something_else_is_refused(drawn, tmp_path):
    path = tmp_path / "state.pt"
    labeler(max_epochs=2, checkpoint=path).fit(drawn.X, drawn.membership)
    longer = labeler(max_epochs=3, checkpoint=path).fit(drawn.X, drawn.membership)
    assert longer.n_iter_ == 3
    for params in ({"learning_rate": 0.1}, {"random_state": 1}, {"module": dropping}):
        with pytest.raises(DataError, match=r"other samples.*Delete"):
            labeler(checkpoint=path, **params).fit(drawn.X, drawn.membership)
    with pytest.raises(DataError, match="other samples"):
        labeler(checkpoint=path).fit(drawn.X + 1e-9, drawn.membership)
    path.write_bytes(b"something else")
    with pytest.raises(DataError, match="no checkpoint"):
        labeler(checkpoint=path).fit(drawn.X, drawn.membership)


def test_a_checkpoint_can_run_nothing(drawn, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("the file was run",))

    torch.save({"of": Bomb()}, tmp_path / "bomb.pt")
    with pytest.raises(DataError, match="no checkpoint"):
        labeler(checkpoint=tmp_path / "bomb.pt").fit(drawn.X, drawn.membership)


@pytest.mark.parametrize("shape", ["flat", "column"])
def test_a_module_is_copied_and_starts_from_its_weights(drawn, shape):
    network = torch.nn.Linear(2, 1)
    if shape == "flat":
        network = torch.nn.Sequential(network, torch.nn.Flatten(0))
    torch.nn.init.constant_(network.state_dict()[next(iter(network.state_dict()))], 100.0)
    before = pickle.dumps(network.state_dict())
    model = labeler(module=network, max_epochs=1, learning_rate=1e-9)
    model.fit(drawn.X, drawn.membership)
    assert pickle.dumps(network.state_dict()) == before
    kept = next(model.module_.parameters()).detach().numpy()
    np.testing.assert_allclose(kept, 100.0)
    assert clone(model).get_params().keys() == model.get_params().keys()


def test_images_tensors_and_bytes():
    rng = np.random.default_rng(0)
    true = rng.choice([-1, 1], 200)
    images = rng.normal(100, 20, (200, 2, 6, 6))
    images[:, 1] += 25 * true[:, None, None] * np.eye(6)
    images = np.clip(images, 0, 255).astype(np.uint8)
    y = np.where(rng.random(200) < 0.5 + 0.35 * true, "A", "B")

    def module(n_channels):
        nn = torch.nn
        return nn.Sequential(
            nn.Conv2d(n_channels, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 16, 1)
        )

    model = labeler(module=module, standardize=True).fit(images, y)
    assert np.mean(model.labels_ == -true) > 0.8  # classes_[1] is "B"
    again = labeler(module=module, standardize=True).fit(torch.from_numpy(images), y)
    np.testing.assert_array_equal(
        again.decision_function(torch.from_numpy(images)), model.decision_function(images)
    )
    with pytest.raises(ValueError, match="features"):
        model.predict(images[:, :1])


def test_lower_precision_gives_nearly_the_same(drawn):
    full = labeler().fit(drawn.X, drawn.membership)
    half = labeler(precision="bfloat16").fit(drawn.X, drawn.membership)
    assert np.mean(full.labels_ == half.labels_) > 0.97
    assert not np.array_equal(full.history_["risk"], half.history_["risk"])
    assert next(half.module_.parameters()).dtype == torch.float32


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"loss": "logistic"}, "symmetric"),
        ({"loss": "hinge"}, "loss"),
        ({"priors": (0.2, 0.8)}, "theta_B < theta_A"),
        ({"priors": 0.3}, "two numbers"),
        ({"priors": (0.8, 0.2), "target": 1.0}, "target"),
        ({"correction": "square"}, "correction"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"batch_size": 1}, "batch_size"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"precision": "float16"}, "needs a GPU"),
        ({"device": "abacus"}, "device must be"),
        ({"device": "cuda:99"}, "CUDA device"),
        ({"random_state": "seed"}, "random_state"),
        ({"module": lambda n: n}, "made a int"),
        ({"module": lambda n: torch.nn.Linear(n, 3)}, "one score a sample"),
        ({"learning_rate": 1e30, "weight_decay": 0.0}, "smaller learning_rate"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_named(drawn, params, said):
    with pytest.raises(ParameterError, match=said):
        labeler(**params).fit(drawn.X, drawn.membership)


def test_one_sample_on_a_side_cannot_be_held_out():
    X, y = np.random.default_rng(0).normal(size=(6, 2)), [1, 0, 0, 0, 0, 0]
    with pytest.raises(DataError, match="validation_fraction=0"):
        labeler().fit(X, y)
    assert labeler(validation_fraction=0).fit(X, y).labels_.shape == (6,)


def test_out_of_memory_names_the_cure(drawn):
    class Huge(torch.nn.Linear):
        def forward(self, X):
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 TiB.")

    with pytest.raises(TooLargeError, match=r"smaller batch_size than 128.*9 TiB"):
        labeler(module=Huge(2, 1)).fit(drawn.X, drawn.membership)


def test_without_torch_the_extra_is_named(drawn, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"unclustered\[torch\]"):
        TorchLabeler().fit(drawn.X, drawn.membership)


def test_cuda_is_used_where_there_is_one(drawn):
    if not torch.cuda.is_available():
        with pytest.raises(ParameterError, match=r"no CUDA device.*device=\"cpu\""):
            labeler(device="cuda").fit(drawn.X, drawn.membership)
        return
    for precision in ("float32", "float16", "bfloat16"):
        one, two = (
            labeler(device="cuda", precision=precision).fit(drawn.X, drawn.membership)
            for _ in range(2)
        )
        assert accuracy(one, drawn) > 0.9
        np.testing.assert_array_equal(
            one.decision_function(drawn.X), two.decision_function(drawn.X)
        )
        assert next(pickle.loads(pickle.dumps(one)).module_.parameters()).device.type == "cpu"


def test_at_the_front_door(drawn):
    from unclustered import label

    result = label(drawn.A, drawn.B, method=labeler(), evidence=False)
    assert np.mean(np.r_[result.labels_a, result.labels_b] == drawn.labels) > 0.9
