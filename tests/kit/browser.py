"""
Browser tests: a host on the test's own reactor, a Chromium, and pages that are used as people use them.

Waiting happens in the page. All tests of a process use one Chromium, because a start costs more than most tests. Every test
has profiles of its own in it, which are gone at its end.
"""

import atexit
import os
import shutil
import subprocess
import tempfile
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import SkipTest

from msgspec import json
from twisted.internet import reactor as this_reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IReadDescriptor
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure
from twisted.trial.unittest import TestCase
from zope.interface import implementer

import gamehost
from gamehost.config import Options
from gamehost.service import GameHostService
from gamehost.tap import house_service, make_host

# Chromium as a process beside the test's reactor: commands go through a pipe, and no driver and no port is needed.
#
# The protocol is the one of the developer tools: JSON, and a NUL byte behind each message, on the file descriptors 3 and 4.


NAMES = ("chromium", "chromium-browser", "google-chrome")

#: `required`: a test without a browser is a failure, and is not skipped.
VARIABLE = "GAMEHOST_BROWSER"

OPTIONS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--disable-background-timer-throttling", "--disable-renderer-backgrounding"),
    *("--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb"),
    # The list below the address bar is more pages in each window, which cost more than the page of a test. Without its other
    # two parts (Aim and Full) Chromium asks for an icon, and does not answer some presses.
    "--disable-features=Translate,MediaRouter,OptimizationHints,WebUIOmniboxPopup",
    "--font-render-hinting=none",
    # The pages are in English for a browser that wants English, whatever the language of this machine is.
    *("--lang=en-US", "--accept-lang=en-US"),
)


def find_chromium() -> str:
    """The browser of this machine. Without one the test is skipped, or fails where there must be one."""
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    why = f"there is no browser here: none of {', '.join(NAMES)}; `make test-browser` installs one"
    if os.environ.get(VARIABLE) == "required":
        raise AssertionError(why)
    raise SkipTest(why)


class CommandFailed(Exception):
    """The browser refuses a command, or a script in a page has failed."""


@implementer(IReadDescriptor)
class Chromium:
    """
    A browser. It is heard while it is on a reactor, and trial wants nothing left there between two tests.

    :raises SkipTest: as `find_chromium`
    """

    def __init__(self) -> None:
        path = find_chromium()
        self._folder = tempfile.TemporaryDirectory(prefix="gamehost-browser-", ignore_cleanup_errors=True)
        self._log = Path(self._folder.name, "log")
        options = [path, *OPTIONS, f"--user-data-dir={self._folder.name}"]
        if os.getuid() == 0:
            options.append("--no-sandbox")
        # It reads commands from 3, and writes answers to 4. It ends when nobody is there to write to 3.
        script = 'exec 3<&0 4>&1 </dev/null >/dev/null; exec "$@"'
        with self._log.open("wb") as log:
            command, pipe = ["sh", "-c", script, "sh", *options, "about:blank"], subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log, bufsize=0)
        self._heard: Callable[[str, str, Mapping[str, Any]], None] = lambda *_: None
        self._unread = b""
        self._asked: dict[int, Deferred[Any]] = {}
        self._number = 0
        atexit.register(self.stop)

    def ask(self, method: str, session: str = "", **parameters: Any) -> Deferred[Any]:
        """Give a command, to a page if it has a session. Fires with the answer, or fails with `CommandFailed`."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        answer = self._asked[self._number] = Deferred()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.encode(command) + b"\x00")
        except BrokenPipeError:
            self.connectionLost(Failure())
        return answer

    def begin(self, reactor: Any, heard: Callable[[str, str, Mapping[str, Any]], None]) -> None:
        """Call `heard` with the session and the name and the parameters of each event."""
        self._heard = heard
        reactor.addReader(self)

    def end(self, reactor: Any) -> None:
        reactor.removeReader(self)

    def fileno(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def logPrefix(self) -> str:
        return "Chromium"

    def doRead(self) -> Failure | None:
        data = os.read(self.fileno(), 1 << 16)
        if not data:
            return Failure(ConnectionDone())
        *messages, self._unread = (self._unread + data).split(b"\x00")
        for text in messages:
            message = json.decode(text)
            if "id" not in message:
                self._heard(message.get("sessionId", ""), message["method"], message["params"])
                continue
            answer = self._asked.pop(message["id"])
            if "error" in message:
                answer.errback(CommandFailed(message["error"]["message"]))
            else:
                answer.callback(message["result"])
        return None

    def connectionLost(self, reason: Failure) -> None:
        self._process.kill()
        asked, self._asked = self._asked, {}
        words = self._log.read_text("utf-8", "replace")[-4_000:].strip()
        for answer in asked.values():
            answer.errback(CommandFailed(f"the browser has ended: {words}"))

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()


_chromiums: list[Chromium] = []


def the_chromium() -> Chromium:
    """The browser of this process; another one, if that has ended."""
    while _chromiums and _chromiums[-1]._process.poll() is not None:
        _chromiums.pop().stop()
    if not _chromiums:
        _chromiums.append(Chromium())
    return _chromiums[-1]


#: Seconds for which something may be waited for.
PATIENCE = 120.0

#: Window sizes.
DESKTOP, PHONE, NARROW, SMALL = (1280, 860), (390, 844), (360, 740), (360, 640)
ALL_SIZES = (DESKTOP, PHONE, NARROW, SMALL, (768, 1024), (1920, 1080))

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

#: On a touch screen, what is too low for a finger. The squares of a board are as large as the window allows.
TOO_SMALL = """[...document.querySelectorAll("button:not(.cell), .button, input, select, summary, nav a")].filter((one) =>
    matchMedia("(pointer: coarse)").matches && one.checkVisibility() && one.getBoundingClientRect().height < 44
).map((one) => one.outerHTML.slice(0, 90))"""

_CENTRE = """(() => {
    const found = document.querySelector(%s);
    if (!found) return null;
    found.scrollIntoView({block: "nearest", inline: "nearest"});
    const box = found.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
})()"""


class Page:
    def __init__(self, browser: "Browser", session: str, target: str, context: str) -> None:
        self._browser = browser
        #: Whose storage it has.
        self.context = context
        self._session = session
        self._target = target
        #: What the console says of faults, and exceptions that nobody has caught.
        self.errors: list[str] = []

    async def ask(self, method: str, **parameters: Any) -> Any:
        return await self._browser.chromium.ask(method, self._session, **parameters)

    async def open(self, address: str) -> None:
        """Go to an address: a path of the host, or a whole one. Returns at once; `until` waits for what is on the page."""
        whole = self._browser.address + address if address.startswith("/") else address
        answer = await self.ask("Page.navigate", url=whole)
        if "errorText" in answer:
            raise CommandFailed(f"{whole}: {answer['errorText']}")

    async def run(self, script: str) -> Any:
        """The value of an expression in the page, or its error as `CommandFailed`. A promise is waited for."""
        answer = await self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise CommandFailed(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    async def until(self, expression: str, seconds: float = PATIENCE) -> Any:
        """Wait in the page until an expression is true, and return its value; `CommandFailed` has the text of the page."""
        while True:
            try:
                return await self.run(_UNTIL % (seconds * 1000, expression))
            except CommandFailed as error:
                # Another document has come meanwhile.
                if "Inspected target navigated" not in str(error) and "context was destroyed" not in str(error):
                    raise

    async def centre(self, selector: str) -> tuple[float, float]:
        """Where an element is, once it is there."""
        x, y = await self.until(_CENTRE % json.encode(selector).decode())
        return x, y

    async def click(self, selector: str) -> None:
        x, y = await self.centre(selector)
        for kind, pressed in (("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)):
            await self.ask(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=pressed, clickCount=1
            )

    async def tap(self, selector: str) -> None:
        x, y = await self.centre(selector)
        await self.ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        await self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def drag(self, source: str, target: str) -> None:
        """Drag from one element to another, with the mouse."""
        (x, y), (to_x, to_y) = await self.centre(source), await self.centre(target)
        steps = [(x + (to_x - x) * part / 4, y + (to_y - y) * part / 4) for part in range(5)]
        for number, (at_x, at_y) in enumerate([*steps, steps[-1]]):
            end = number == len(steps)
            kind = "mousePressed" if number == 0 else "mouseReleased" if end else "mouseMoved"
            pressed = {"button": "left", "buttons": 0 if end else 1, "clickCount": 1}
            await self.ask("Input.dispatchMouseEvent", type=kind, x=at_x, y=at_y, **pressed)

    async def press(self, *keys: str) -> None:
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
        await self.ask("Input.insertText", text=text)

    async def look(self, size: tuple[int, int] = DESKTOP, *, dark: bool = False) -> None:
        """How the page is seen, with reduced motion. A narrow window is a phone's, with a touch screen."""
        width, height = size
        phone = width < 600
        await self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )
        await self.ask("Emulation.setTouchEmulationEnabled", enabled=phone)
        features = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce",
        }
        wanted = [{"name": name, "value": value} for name, value in features.items()]
        await self.ask("Emulation.setEmulatedMedia", features=wanted)

    async def speak(self, language: str) -> None:
        """Which language the browser asks for."""
        agent = await self.run("navigator.userAgent")
        await self.ask("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=language)

    async def picture(self) -> bytes:
        """What the window shows, as PNG."""
        return b64decode((await self.ask("Page.captureScreenshot", format="png"))["data"])

    async def close(self) -> None:
        await self._browser.chromium.ask("Target.closeTarget", targetId=self._target)

    def heard(self, method: str, parameters: Mapping[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            words = (one.get("value", one.get("description", "")) for one in parameters["args"])
            self.errors.append(f"{parameters['type']}: {' '.join(map(str, words))}")
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")


class Browser:
    """The browser of one person or of several, as one test uses it, for a host at this address."""

    def __init__(self, address: str, reactor: Any) -> None:
        self.address = address
        self.chromium = the_chromium()
        self._reactor = reactor
        self._pages: dict[str, Page] = {}
        self._contexts: list[str] = []
        self.chromium.begin(reactor, self._heard)

    async def close(self) -> None:
        contexts, self._contexts = self._contexts, []
        try:
            for context in contexts:
                await self.chromium.ask("Target.disposeBrowserContext", browserContextId=context)
        finally:
            self.chromium.end(self._reactor)

    def _heard(self, session: str, method: str, parameters: Mapping[str, Any]) -> None:
        if session in self._pages:
            self._pages[session].heard(method, parameters)

    async def page(self, size: tuple[int, int] = DESKTOP, *, dark: bool = False, beside: Page | None = None) -> Page:
        """A new tab: without the cookies and the storage of others, but beside one of the same person."""
        ask = self.chromium.ask
        if beside is None:
            context = (await ask("Target.createBrowserContext"))["browserContextId"]
            self._contexts.append(context)
        else:
            context = beside.context
        target = (await ask("Target.createTarget", url="about:blank", browserContextId=context, newWindow=True))[
            "targetId"
        ]
        session = (await ask("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = self._pages[session] = Page(self, session, target, context)
        for domain in ("Page", "Runtime", "Log"):
            await page.ask(f"{domain}.enable")
        await page.look(size, dark=dark)
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

    timeout = 600
    #: Of the host, for instance `--set=onitama.deal=boar,ox/crab,eel/tiger`.
    options: tuple[str, ...] = ()
    #: Whether there are house players, in a process of their own.
    house = False
    #: The wires that listen beside the pages.
    wires: tuple[str, ...] = ()
    #: Errors of the console that a test expects.
    expected_errors: tuple[str, ...] = ()

    host: GameHostService
    browser: Browser

    def setUp(self) -> None:
        self.host = self.start_host()
        self.browser = self.new_browser()

    def new_browser(self) -> Browser:
        browser = Browser(f"http://127.0.0.1:{self.port('web')}", this_reactor)
        self.addCleanup(lambda: Deferred.fromCoroutine(browser.close()))
        return browser

    def start_host(self) -> GameHostService:
        """A host with free ports on this machine, which the test's end stops."""
        options = Options()
        wires = [wire.name for wire in options.registry.own]
        endpoints = [f"--{name}={'tcp:0:interface=127.0.0.1' if name in self.wires else ''}" for name in wires]
        lifted = (
            "--set=limits.unlimited=yes",
            f"--set=limits.login_seconds={PATIENCE:.0f}",
            "--set=limits.keyless_resume_seconds=0",
        )
        options.parseOptions(["--store=memory", "--web=tcp:0:interface=127.0.0.1", *endpoints, *lifted, *self.options])
        host = make_host(options, this_reactor)
        host.house = house_service(options, this_reactor) if self.house else None
        host.startService()
        self.addCleanup(host.stopService)
        return host

    def port(self, name: str) -> int:
        """The port of a wire, or of the pages, which are the last listener."""
        listeners = [*(listener.wire.name for listener in self.host.listeners), *("web" for _ in self.host.web)]
        address: Any = self.host.ports[listeners.index(name)].getHost()
        return int(address.port)

    async def nothing_found(self, page: Page, sizes: Iterable[tuple[int, int]] = (DESKTOP, NARROW)) -> None:
        """axe finds nothing, light and dark, and fingers find all controls. Nothing is wider than the window."""
        for dark in (False, True):
            for size in sizes:
                await page.look(size, dark=dark)
                self.assertEqual(await findings(page), [])
                self.assertEqual(await page.run(TOO_SMALL), [])
                self.assertLessEqual(await page.run("document.documentElement.scrollWidth - innerWidth"), 0)
        await page.look()

    def tearDown(self) -> None:
        errors = [error for error in self.browser.errors if not any(one in error for one in self.expected_errors)]
        self.assertEqual(errors, [])


# What axe-core finds in a page: faults against WCAG 2.2, levels A and AA.
#
# The script comes with the package `axe-playwright-python`, which needs Playwright; only its file is used.


TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa")

_RUN = """axe.run(document, {runOnly: %s}).then(({violations}) => violations.flatMap(
    (one) => one.nodes.map((node) => `${one.id}: ${node.target.join(" ")}: ${node.failureSummary}`)))"""


def axe_script() -> str:
    """The script. Without it the test is skipped, or fails where it must be installed."""
    spec = find_spec("axe_playwright_python")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for path in Path(folder).glob("**/axe.min.js"):
            return path.read_text("utf-8")
    why = "axe-core is not here; `make test-browser` installs it"
    if os.environ.get(VARIABLE) == "required":
        raise AssertionError(why)
    raise SkipTest(why)


async def findings(page: Page) -> list[str]:
    """What is wrong with a page as it is now, one sentence each. Without `axe_script` the test is skipped."""
    await page.run(f"void (() => {{ {axe_script()} }}).call(window)")
    found = await page.run(_RUN % list(TAGS))
    return [str(one) for one in found]


# People at the pages: they log in, sit down at a table, and play on by themselves.


#: Whether the match on the page is over.
OVER = r"/\b(won|lost|Draw|stopped)\b/.test(document.querySelector('.panel h1')?.textContent ?? '')"

#: Whether the page waits for its player.
ASKED = "document.querySelector('.board[data-can=yes]')"

#: Presses cells of the board that can be pressed, at random, while the page may act; `better` prefers some of them.
_PLAY = """(async ({seed, most, better, once}) => {
    const random = () => (seed = (seed * 48271) %% 2147483647) / 2147483647;
    const pause = () => new Promise((done) => setTimeout(done, 4));
    let pressed = 0, idle = 0;
    // Between two answers of one player the page waits for the host, for a moment.
    while (pressed < most && !(%s) && !(once && idle > 250)) {
        const cells = [...document.querySelectorAll('.board[data-can=yes] .cell[data-can]')];
        idle = cells.length ? 0 : idle + 4;
        const good = cells.filter((cell) => better.some((words) => cell.ariaLabel.includes(words)));
        const from = good.length && random() < 0.9 ? good : cells;
        if (from.length) {
            from[Math.floor(random() * from.length)].click();
            pressed += 1;
        }
        await pause();
    }
    return pressed;
})(%s)"""


async def enter(page: Page, name: str) -> None:
    await page.until("document.querySelector('dialog[open] input[name=name]')")
    await page.run(f"document.querySelector('dialog input[name=name]').value = {json.encode(name).decode()}")
    await page.click("dialog .go")


async def sit_down(page: Page, name: str, game: str, **wishes: str) -> None:
    """From the page of tables into the queue, under a name; with wishes, through the dialog in which they are chosen."""
    await page.open("/")
    if not wishes:
        await page.click(f"[data-play={game}]")
        await enter(page, name)
        return
    await page.click(f"[data-play={game}] + button")
    await enter(page, name)
    await page.until("document.querySelector('#play-title')")
    for field, value in wishes.items():
        await page.run(f"document.querySelector('dialog [name={field}]').value = {json.encode(value).decode()}")
    await page.click("dialog .go")


async def play_on(
    page: Page, seed: int, most: int = 1_000_000, better: tuple[str, ...] = (), *, once: bool = False
) -> Any:
    """
    Press at random until the match is over, or so many times.

    :param once: until nothing can be pressed for a quarter of a second

    :param better: words of the labels of cells that are preferred
    """
    wishes = json.encode({"seed": seed, "most": most, "better": better, "once": once}).decode()
    return await page.run(_PLAY % (OVER, wishes))


# A person with netcat, on the test's own reactor: types texts, and waits for what comes.


class Netcat(Protocol):
    """One connection."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        #: Everything that has come.
        self.all = ""
        self._unread = ""
        self._waiting: tuple[str, Deferred[str]] | None = None

    def say(self, text: str) -> None:
        transport: Any = self.transport
        transport.write(text.encode() + b"\n")

    async def heard(self, part: str) -> str:
        """Wait for a text; what has come since the last call, as far as the text reaches."""
        came: Deferred[str] = Deferred()
        self._waiting = part, came
        timer = self._reactor.callLater(PATIENCE, self._give_up)
        self._look()
        try:
            return await came
        finally:
            if timer.active():
                timer.cancel()

    def _look(self) -> None:
        if self._waiting is None or self._waiting[0] not in self._unread:
            return
        (part, came), self._waiting = self._waiting, None
        before, _, self._unread = self._unread.partition(part)
        came.callback(before + part)

    def _give_up(self) -> None:
        if self._waiting is not None:
            (part, came), self._waiting = self._waiting, None
            came.errback(AssertionError(f"{part!r} never came; since then there was {self._unread!r}"))

    def dataReceived(self, data: bytes) -> None:
        self.all += data.decode()
        self._unread += data.decode()
        self._look()

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._give_up()

    def close(self) -> None:
        transport: Any = self.transport
        transport.abortConnection()


async def netcat(reactor: Any, port: int) -> Netcat:
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", port)
    person = Netcat(reactor)
    await connectProtocol(endpoint, person)
    return person


# The browser's modules run by node, without a browser: for the rules that a page knows.


_PACKAGE = Path(gamehost.__file__).parent
STATIC = _PACKAGE / "web" / "static"
#: The first version that takes a `.js` file for a module without being told so.
_LEAST = (20, 19)
_SECONDS = 60


@cache
def node() -> str:
    """The path of node. Without one that is new enough the test is skipped."""
    path = shutil.which("node")
    if path is None:
        raise SkipTest("there is no node to run the browser's modules with")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True, timeout=_SECONDS).stdout
    if tuple(map(int, version.strip().removeprefix("v").split(".")[:2])) < _LEAST:
        raise SkipTest(f"node {version.strip()} is too old for the browser's modules; expected {_LEAST}")
    return path


def evaluate(module: str, expression: str, data: Any = None) -> Any:
    """
    What an expression gives.

    :param module: a module of the pages, or the name of a game that has a board, maybe with another module behind a slash; the
        expression sees it as `module`
    :param expression: JavaScript; it sees `data`, and its value must be plain data
    :raises SkipTest: there is no node
    """
    path = STATIC / module
    if not path.exists():
        game, _, name = module.partition("/")
        path = _PACKAGE / "games" / game.replace("-", "_") / (name or "board.js")
    script = (
        f"import * as module from {json.encode(path.as_uri()).decode()};"
        "let text = ''; for await (const part of process.stdin) text += part;"
        f"const data = JSON.parse(text); process.stdout.write(JSON.stringify({expression}));"
    )
    command = [node(), "--no-warnings", "--input-type=module", "--eval", script]
    done = subprocess.run(
        command, input=json.encode(data).decode(), capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.decode(done.stdout)
