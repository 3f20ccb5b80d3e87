"""``as_generator`` lives in :mod:`unclustered.seeds`, below everything that draws at random."""

from ..seeds import as_generator

__all__ = ["as_generator"]
