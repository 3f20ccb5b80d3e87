"""How many samples it takes to show a gap."""

from __future__ import annotations

from math import ceil, sqrt

from scipy.special import ndtri

from ..errors import ParameterError

__all__ = ["required_n"]

# A gap from cross-validation varies more than one from independent samples: by simulation, tests
# of it need 1.4 to 1.8 times the samples.
_CROSS_VALIDATED = 1.6


def required_n(gap: float, power: float = 0.8, level: float = 0.05) -> int:
    r"""Tell how many samples in each of A and B are likely to show a gap.

    .. math:: n = 1.6 \left(\frac{z_{1-\text{level}} \sqrt{1/2}
              + z_\text{power} \sqrt{2 p (1-p)}}{\text{gap}}\right)^2,
              \qquad p = \frac{1 + \text{gap}}{2},

    as for the difference of two shares around one half, times what cross-validation costs.

    Parameters
    ----------
    gap : float
        Gap of the rule that is fitted to that many samples: Delta (1 - 2 BER).
    power : float
        How often it shall be shown.
    level : float
        Largest p-value that counts.

    Returns
    -------
    int
        Number of samples in each dataset.

    Examples
    --------
    >>> from unclustered.evidence import required_n
    >>> [required_n(gap) for gap in (0.1, 0.2, 0.4)]
    [493, 122, 30]
    """
    for name, value, least in (("gap", gap, 0.0), ("power", power, 0.5), ("level", level, 0.0)):
        if not least < value < 1:
            raise ParameterError(f"{name} must be between {least:g} and 1, got {value!r}.")
    share = (1 + gap) / 2
    spread = ndtri(1 - level) * sqrt(0.5) + ndtri(power) * sqrt(2 * share * (1 - share))
    return ceil(_CROSS_VALIDATED * (float(spread) / gap) ** 2)
