"""The paper's tables and figures, reproduced: the published figures beside this library's."""

from .lineup import Contestant, contestant, lineup
from .progress import Progress
from .protocol import Protocol, Trial, run_trial
from .reproduction import Reproduction, reproduce
from .tables import Cell, Row, Table

__all__ = [
    "Cell",
    "Contestant",
    "Progress",
    "Protocol",
    "Reproduction",
    "Row",
    "Table",
    "Trial",
    "contestant",
    "lineup",
    "reproduce",
    "run_trial",
]
