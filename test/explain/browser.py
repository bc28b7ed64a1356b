"""A headless Chromium (Debian's package `chromium`), driven through its DevTools protocol over two pipes.

    with Browser(width=1280, height=800) as page:
        page.open("report.html")
        page.run("document.title")                 # the value of a JavaScript expression; promises are awaited
        page.key("j")
        page.errors                                # what the console and exceptions said
        page.screenshot("report.png")
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WHY_NOT = "Chromium is not installed (Debian's package chromium)"


class Browser:
    def __init__(self, width=1280, height=800, dark=False):
        self.size, self.dark = (width, height), dark
        self.errors, self.number, self.rest = [], 0, b""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="tessera-browser-")
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()

        def pipes():  # Chromium reads commands from 3 and writes answers to 4
            os.dup2(to_read, 103)
            os.dup2(to_write, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)
        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars",
             "--disable-dev-shm-usage", f"--user-data-dir={self.profile}", "--force-color-profile=srgb", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")
        self.resize(*self.size)
        if self.dark:
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    session = None

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            answer = self.receive(deadline)
            if answer.get("id") == message["id"]:
                assert "error" not in answer, answer["error"]
                return answer["result"]
        raise TimeoutError(method)

    def receive(self, deadline):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))
            part = os.read(self.read_end, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("the browser does not answer")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        self.note(message)
        return message

    def note(self, message):
        kind, parameters = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif kind == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
        elif kind == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])
        elif kind == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith(("file:", "data:", "about:", "blob:")):
            self.errors.append("asks for " + parameters["request"]["url"])

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path, fragment=""):
        """Opens a report and waits until it is drawn; returns the seconds that took."""
        begin = time.monotonic()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + fragment)
        while time.monotonic() < begin + 60:
            if self.run("document.body && document.body.dataset.ready") == "yes":
                return time.monotonic() - begin
            time.sleep(0.02)
        raise TimeoutError(f"{path} is not drawn; {self.errors}")

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"].get("exception", {}).get("description", result))
        return result["result"].get("value")

    def key(self, key, text=None):
        text = key if text is None and len(key) == 1 else text
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text):
        for character in text:
            self.key(character)

    def point(self, x, y, click=False):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        if click:
            for kind in "mousePressed", "mouseReleased":
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def point_at(self, selector, click=False):
        """Moves the mouse to the middle of an element."""
        box = self.run(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); return [r.x + Math.min(r.width / 2, 200), r.y + r.height / 2]; }})()")
        self.point(*box, click=click)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
