"""Two tables in, aligned numbers out: every check of the data lives here.

``pool`` reads A and B (any kind of table or array), matches their columns, encodes categories,
standardises, and returns the samples (:class:`Bags`) with what was done to them
(:class:`Encoding`), which does the same to new samples.
"""

from .encoding import Encoding
from .pool import Bags, pool

__all__ = ["Bags", "Encoding", "pool"]
