"""A headless Chromium, driven through its DevTools protocol over a pipe."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

__all__ = ["Browser", "program"]

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 120  # seconds for one answer
KEY_CODES = {"Enter": 13, "Escape": 27, "PageDown": 34, "End": 35, "Home": 36}
KEY_CODES |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def program() -> str:
    """The browser; without one the test is skipped loudly."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("chromium is not installed: pages are not looked at")
    return found


class Browser:
    """One page of a browser; events of the page are kept as they come.

    Attributes
    ----------
    events : list of dict
    """

    def __init__(self, folder: Path):
        to_browser, self._writing = os.pipe()
        self._reading, from_browser = os.pipe()
        # The protocol wants the numbers 3 and 4; a shell puts them there, without code between fork and exec.
        script = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        command = ["bash", "-c", script, program(), *OPTIONS, f"--user-data-dir={folder}", "about:blank"]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), **silent)
        os.close(to_browser)
        os.close(from_browser)
        self.events: list[dict] = []
        self._left, self._number, self._session = b"", 0, None
        target = next(info for info in self.call("Target.getTargets")["targetInfos"] if info["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        os.close(self._writing)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._reading)

    def call(self, method: str, **parameters) -> dict:
        """Return the browser's answer; raise an error if the browser reports one."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _next(self) -> dict:
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._left:
            assert time.monotonic() < until, "the browser does not answer"
            piece = os.read(self._reading, 1 << 20)
            assert piece, "the browser has ended"
            self._left += piece
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)

    def open(self, page: Path, width: int = 1200, height: int = 900, scheme: str = "light") -> None:
        """Show a file; returns once it has been loaded."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def ask(self, expression: str):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        for key in keys:
            code = KEY_CODES.get(key, ord(key[0].upper()))
            text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
            for kind in ("keyDown", "keyUp"):
                extra = text if kind == "keyDown" else {}
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **extra)

    def click(self, selector: str) -> None:
        position = self.ask(
            f"(e => {{ e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();"
            f" return [r.x + r.width / 2, r.y + r.height / 2] }})(document.querySelector({json.dumps(selector)}))"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=position[0], y=position[1], button="left", clickCount=1)

    def screenshot(self, target: Path) -> None:
        target.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def controls(self) -> list[tuple[str, str]]:
        """(role, name) of everything that can be used, as assistive programs are told."""
        self.call("Accessibility.enable")
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "combobox", "searchbox", "textbox", "application", "image", "table"}
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node.get("ignored") and node["role"]["value"] in roles
        ]

    def problems(self) -> list[dict]:
        """Exceptions, messages of the console and of the browser, and requests that leave the page."""

        def is_problem(event: dict) -> bool:
            method, message = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                return not message["request"]["url"].startswith("file:") or message["type"] != "Document"
            return method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")

        return [event for event in self.events if is_problem(event)]
