"""The program ``unclustered``; also ``python -m unclustered``."""

from __future__ import annotations

import sys

__all__ = ["main"]

_NEEDED = ("typer", "rich", "click")


def main() -> None:
    """Run the command line, or say what is missing to run it."""
    try:
        from .cli import app

        app(prog_name="unclustered")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _NEEDED:
            raise
        sys.exit('error: the command line is an extra: pip install "unclustered[cli]"')
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
