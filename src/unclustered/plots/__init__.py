"""Pictures, each a class as scikit-learn's displays are: computed once, drawn by ``plot``."""

from .decision_map import DecisionMapDisplay
from .gap_null import GapNullDisplay
from .leaderboard import LeaderboardDisplay
from .priors import PriorsDisplay
from .score_distribution import ScoreDistributionDisplay

__all__ = [
    "DecisionMapDisplay",
    "GapNullDisplay",
    "LeaderboardDisplay",
    "PriorsDisplay",
    "ScoreDistributionDisplay",
]
