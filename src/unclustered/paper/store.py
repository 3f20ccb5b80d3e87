"""Results on disk: one immutable file a block, so that a killed run goes on where it was."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from .._version import __version__
from ..errors import UnclusteredError
from ..tables._files import writing
from .blocks import Block, decode, encode
from .protocol import PROTOCOL_VERSION, Trial

__all__ = ["Store"]

# A write takes milliseconds; a temporary file this old is what a killed run left behind.
_SECONDS_TO_LITTER = 60.0


@dataclass(frozen=True)
class Store:
    """A folder of blocks.

    A file appears whole or not at all: it is written to a temporary name, brought to the disk and
    renamed. A file that is damaged, or holds another block than its name says, counts as absent.
    """

    folder: Path

    def path(self, block: Block) -> Path:
        """Name of the block's file. It holds everything the trials depend on."""
        theta_a, theta_b = block.balance
        return (
            self.folder
            / f"protocol{PROTOCOL_VERSION}-unclustered{__version__}-seed{block.seed}"
            / quote(block.protocol.name, safe="=,")
            / f"{block.dataset}-{theta_a:g}-{theta_b:g}"
            / quote(block.contestant.name, safe="=,")
            / f"{block.first:05d}-{block.last:05d}.json"
        )

    def read(self, block: Block) -> tuple[Trial, ...] | None:
        """Trials of the block, or None where they still have to be run."""
        try:
            content = self.path(block).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnclusteredError(f"{self.path(block)} cannot be read: {error}.") from error
        return decode(block, content)

    def write(self, block: Block, trials: tuple[Trial, ...]) -> None:
        """Keep the trials of a block."""
        path = self.path(block)
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing(path) as stream:
            stream.write(encode(block, trials))

    def forget(self, block: Block) -> None:
        """Remove the block's file, if there is one."""
        self.path(block).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove the temporary files that killed runs left behind."""
        for path in self.folder.rglob(".unclustered-*.tmp"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _SECONDS_TO_LITTER:
                    path.unlink()
