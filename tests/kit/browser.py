"""
Browser tests: a host and a Chromium on the test's own reactor, and pages that are used as people use them.

Waiting happens in the page. Every test has a browser of its own.
"""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from msgspec import json
from twisted.internet import reactor as this_reactor
from twisted.trial.unittest import TestCase

from gamehost.config import Options
from gamehost.service import GameHostService
from gamehost.tap import make_host
from tests.kit.chromium import Chromium, CommandFailed

#: Seconds for which something may be waited for.
PATIENCE = 10.0

#: Window sizes.
DESKTOP, PHONE = (1280, 860), (390, 844)

#: The keys that have no letter: name -> code of Windows, as the browser wants it.
KEYS: Mapping[str, int] = {
    **{"Enter": 13, "Tab": 9, "Escape": 27, "Backspace": 8, " ": 32, "Home": 36, "End": 35},
    **{"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40},
}

_UNTIL = """new Promise((done, fail) => {
    const end = performance.now() + %d;
    (function look() {
        let value, error = "";
        try { value = (%s); } catch (one) { error = ": " + one; }
        if (value) done(value);
        else if (performance.now() > end) fail(new Error("it never came" + error + "; the page says: "
            + (document.body?.innerText ?? '').slice(0, 600)));
        else setTimeout(look, 15);
    })();
})"""

_CENTRE = """(() => {
    const found = document.querySelector(%s);
    if (!found) return null;
    found.scrollIntoView({block: "nearest", inline: "nearest"});
    const box = found.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
})()"""


class Page:
    """One tab of a browser."""

    def __init__(self, browser: "Browser", session: str, target: str) -> None:
        self._browser = browser
        self._session = session
        self._target = target
        #: What the console says of faults, and exceptions that nobody has caught.
        self.errors: list[str] = []

    async def ask(self, method: str, **parameters: Any) -> Any:
        """
        Give a command of the developer tools.

        :raises CommandFailed: the browser refuses it
        """
        return await self._browser.chromium.ask(method, self._session, **parameters)

    async def open(self, address: str) -> None:
        """Go to an address: a path of the host, or a whole one. Returns at once; `until` waits for what is on the page."""
        whole = self._browser.address + address if address.startswith("/") else address
        answer = await self.ask("Page.navigate", url=whole)
        if "errorText" in answer:
            raise CommandFailed(f"{whole}: {answer['errorText']}")

    async def run(self, script: str) -> Any:
        """
        The value of an expression in the page. A promise is waited for.

        :raises CommandFailed: the script has failed
        """
        answer = await self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise CommandFailed(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    async def until(self, expression: str, seconds: float = PATIENCE) -> Any:
        """
        Wait in the page until an expression is true, and return its value.

        :raises CommandFailed: it was not true in this time; the message has the text of the page
        """
        while True:
            try:
                return await self.run(_UNTIL % (seconds * 1000, expression))
            except CommandFailed as error:
                # Another document has come meanwhile.
                if "Inspected target navigated" not in str(error) and "context was destroyed" not in str(error):
                    raise

    async def centre(self, selector: str) -> tuple[float, float]:
        """
        Where an element is, once it is there.

        :raises CommandFailed: it did not come
        """
        x, y = await self.until(_CENTRE % json.encode(selector).decode())
        return x, y

    async def click(self, selector: str) -> None:
        """Click with the mouse."""
        x, y = await self.centre(selector)
        for kind, pressed in (("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)):
            await self.ask(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=pressed, clickCount=1
            )

    async def tap(self, selector: str) -> None:
        """Touch. The page must be a phone's."""
        x, y = await self.centre(selector)
        await self.ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        await self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def drag(self, source: str, target: str, touch: bool = False) -> None:
        """Drag from one element to another, with the mouse or with a finger."""
        (x, y), (to_x, to_y) = await self.centre(source), await self.centre(target)
        steps = [(x + (to_x - x) * part / 4, y + (to_y - y) * part / 4) for part in range(5)]
        for number, (at_x, at_y) in enumerate([*steps, steps[-1]]):
            end = number == len(steps)
            if touch:
                kind = "touchStart" if number == 0 else "touchEnd" if end else "touchMove"
                points = [] if end else [{"x": at_x, "y": at_y}]
                await self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)
            else:
                kind = "mousePressed" if number == 0 else "mouseReleased" if end else "mouseMoved"
                buttons = 0 if end else 1
                await self.ask(
                    "Input.dispatchMouseEvent", type=kind, x=at_x, y=at_y, button="left", buttons=buttons, clickCount=1
                )

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other: `Enter`, `ArrowUp`, `Shift+Tab`, or a letter."""
        for one in keys:
            *modifiers, key = one.split("+") if len(one) > 1 else [one]
            bits = sum({"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}[name] for name in modifiers)
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 and not bits & 7 else "")
            code = KEYS.get(key, ord(key.upper()[0]))
            about = {
                "key": key,
                "code": "Space" if key == " " else key,
                "windowsVirtualKeyCode": code,
                "modifiers": bits,
            }
            down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
            await self.ask("Input.dispatchKeyEvent", **about, **down)
            await self.ask("Input.dispatchKeyEvent", type="keyUp", **about)

    async def type(self, text: str) -> None:
        """Write into the element that has the focus."""
        await self.ask("Input.insertText", text=text)

    async def look(self, size: tuple[int, int] = DESKTOP, *, dark: bool = False, still: bool = True) -> None:
        """
        How the page is seen.

        :param size: of the window; a narrow one is a phone's, with a touch screen
        :param still: the system asks for reduced motion
        """
        width, height = size
        phone = width < 600
        await self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )
        await self.ask("Emulation.setTouchEmulationEnabled", enabled=phone)
        features = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "no-preference",
        }
        wanted = [{"name": name, "value": value} for name, value in features.items()]
        await self.ask("Emulation.setEmulatedMedia", features=wanted)

    async def picture(self) -> bytes:
        """What the window shows, as PNG."""
        return b64decode((await self.ask("Page.captureScreenshot", format="png"))["data"])

    async def close(self) -> None:
        """Close the tab."""
        await self._browser.chromium.ask("Target.closeTarget", targetId=self._target)

    def heard(self, method: str, parameters: Mapping[str, Any]) -> None:
        """Something has happened in the page."""
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            words = (one.get("value", one.get("description", "")) for one in parameters["args"])
            self.errors.append(f"{parameters['type']}: {' '.join(map(str, words))}")
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")


class Browser:
    """
    A browser of one test.

    :param address: of the host, such as `http://127.0.0.1:8080`
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.chromium = Chromium(self._heard)
        self._pages: dict[str, Page] = {}

    def _heard(self, session: str, method: str, parameters: Mapping[str, Any]) -> None:
        if session in self._pages:
            self._pages[session].heard(method, parameters)

    async def page(self, size: tuple[int, int] = DESKTOP, *, dark: bool = False, still: bool = True) -> Page:
        """A new tab, which shares nothing with the others: no cookies, no storage."""
        ask = self.chromium.ask
        context = (await ask("Target.createBrowserContext"))["browserContextId"]
        target = (await ask("Target.createTarget", url="about:blank", browserContextId=context, newWindow=True))[
            "targetId"
        ]
        session = (await ask("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = self._pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log"):
            await page.ask(f"{domain}.enable")
        await page.look(size, dark=dark, still=still)
        return page

    @property
    def errors(self) -> list[str]:
        """What the consoles of all pages say of faults."""
        return [error for page in self._pages.values() for error in page.errors]


class BrowserCase(TestCase):
    """
    A test with a host in memory and a browser. After it no console has an error.

    Subclasses may set `options`, further options of the host.
    """

    timeout = 60
    #: Of the host, for instance `--set=onitama.deal=boar,ox/crab,eel/tiger`.
    options: tuple[str, ...] = ()
    #: The wires that listen beside the pages.
    wires: tuple[str, ...] = ()
    #: Errors of the console that a test expects.
    expected_errors: tuple[str, ...] = ()

    host: GameHostService
    browser: Browser

    def setUp(self) -> None:
        """Start both."""
        self.host = self.start_host()
        self.browser = Browser(f"http://127.0.0.1:{self.port('web')}")
        self.addCleanup(self.browser.chromium.stop)
        self.browser.chromium.start(this_reactor)

    def start_host(self) -> GameHostService:
        """A host with free ports on this machine, which the test's end stops."""
        options = Options()
        wires = [wire.name for wire in options.registry.own]
        endpoints = [f"--{name}={'tcp:0:interface=127.0.0.1' if name in self.wires else ''}" for name in wires]
        lifted = ("--set=limits.unlimited=yes", "--set=limits.keyless_resume_seconds=0")
        options.parseOptions(["--store=memory", "--web=tcp:0:interface=127.0.0.1", *endpoints, *lifted, *self.options])
        host = make_host(options, this_reactor)
        host.startService()
        self.addCleanup(host.stopService)
        return host

    def port(self, name: str) -> int:
        """The port of a wire, or of the pages, which are the last listener."""
        listeners = [*(listener.wire.name for listener in self.host.listeners), *("web" for _ in self.host.web)]
        address: Any = self.host.ports[listeners.index(name)].getHost()
        return int(address.port)

    def tearDown(self) -> None:
        """The consoles are empty."""
        errors = [error for error in self.browser.errors if not any(one in error for one in self.expected_errors)]
        self.assertEqual(errors, [])
