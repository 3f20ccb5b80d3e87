"""A headless Chromium, spoken to over a pipe: what a page logs, asks for and shows."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # which a container's root could not have; the pages are our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


class Browser:
    """One page of a browser; use it in a ``with`` statement.

    ``complaints`` are errors and warnings of its console, ``requests`` the addresses it asked
    for, less those that the page's own policy stopped.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self.complaints: list[str] = []
        self._asked: dict[str, str] = {}

    def __enter__(self) -> Browser:
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (*os.pipe(), *os.pipe())]
        theirs, self._out, self._in, answers = ends

        def connect() -> None:  # Chromium reads 3 and writes 4
            os.dup2(theirs, 3)
            os.dup2(answers, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *_FLAGS, f"--user-data-dir={self._folder}", "about:blank"],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(3, 4),
            preexec_fn=connect,
        )
        os.close(theirs)
        os.close(answers)
        self._buffer, self._number, self._session = b"", 0, None
        (target,) = [
            t for t in self._call("Target.getTargets")["targetInfos"] if t["type"] == "page"
        ][:1]
        attached = self._call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        return self

    @property
    def requests(self) -> list[str]:
        return [*self._asked.values()]

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)

    def size(self, width: int, height: int, scale: float = 1.0) -> None:
        """Make the window as large as this."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=False,
        )

    def media(self, kind: str = "screen", scheme: str = "light") -> None:
        """Pretend to be a printer, or to like dark pages."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._call("Emulation.setEmulatedMedia", media=kind, features=features)

    def open(self, path: Path) -> None:
        """Show a file, and wait until it is there."""
        self.complaints.clear()
        self._asked.clear()
        self._loaded = False
        self._call("Page.navigate", url=path.resolve().as_uri())
        while not self._loaded:
            self._hear()
        self.value("new Promise(done => setTimeout(done, 200))")  # what comes late

    def value(self, expression: str) -> Any:
        """Value of an expression in the page."""
        found = self._call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def point_at(self, x: float, y: float) -> None:
        """Move the mouse."""
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, **options: Any) -> bytes:
        """What is in the window, as PNG unless told otherwise."""
        return base64.b64decode(self._call("Page.captureScreenshot", **options)["data"])

    def _call(self, method: str, **params: Any) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._hear()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _hear(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._in, 2**16)
            assert part, "the browser is gone"
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(line)
        params = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Network.requestWillBeSent":
                self._asked[params["requestId"]] = params["request"]["url"]
            case "Network.loadingFailed" if params.get("blockedReason") == "csp":
                self._asked.pop(params["requestId"], None)
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.complaints.append(json.dumps(params["args"]))
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])
        return message
