#!/usr/bin/env python3
"""Draw the pictures of the report page again; it needs Chromium.

Run from anywhere: python docs/make_report_picture.py [FOLDER]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
sys.path.insert(0, str(CHECKOUT))

from tests.browser import CHROMIUM, Browser  # noqa: E402

WIDTH, HEIGHT = 1000, 1330


def main(folder: Path) -> None:
    if CHROMIUM is None:
        sys.exit("there is no chromium on the path")
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "unclustered", "demo"]
        subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        with Browser(Path(scratch) / "browser") as browser:
            browser.size(WIDTH, HEIGHT)
            for scheme in ("light", "dark"):
                browser.media(scheme=scheme)
                browser.open(Path(scratch) / "unclustered-demo" / "report.html")
                picture = browser.picture(format="webp", quality=80)
                (folder / f"report-{scheme}.webp").write_bytes(picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CHECKOUT / "docs" / "_static")
