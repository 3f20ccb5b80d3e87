import matplotlib as mpl
import pytest


@pytest.fixture(autouse=True)
def _no_window():
    """Draw without a screen, and keep no figure."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield
    plt.close("all")
