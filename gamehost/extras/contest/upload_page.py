"""
The page on which authors upload their programs, and the route that receives an upload.
"""

from typing import Any

from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from gamehost.extras.contest.page import PAGE_HEADERS, ContestSite
from gamehost.extras.contest.report import STYLE
from gamehost.extras.contest.uploads import MOST_BYTES, HandedIn, Uploads
from gamehost.rates import KeyedBuckets, rate_limit_key
from gamehost.web.http import KINDS, Answer, Asked, refused
from gamehost.web.server import Answering, HttpRequest

#: The most seconds until the whole body of a request has come.
BODY_SECONDS = 60.0
#: How many codes one address may try: a second on average, and at once. A whole class may share one address.
CODES_RATE, CODES_AT_ONCE = 0.2, 20
#: The header with the code.
CODE_HEADER = "x-contest-code"

_PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Hand in a program</title><style>{STYLE}
input,button{{display:block;font:inherit;min-height:44px;padding:.4em .8em;margin-top:.3em}}</style>
</head><body><main><h1>Hand in a program</h1>
<p>It is a zip or a git bundle of {MOST_BYTES >> 20} MiB at most. It is checked, and plays from your next game on.</p>
<form><p><label>Your code <input name="code" type="password" autocomplete="off" required></label></p>
<p><label>The file <input name="zip" type="file" accept=".zip,.bundle" required></label></p>
<p><button>Hand in</button></p></form><pre role="status"></pre>
<p><a href="/contest">The contest</a></p></main><script type="module" src="/upload.js"></script></body></html>
"""
_SCRIPT = """const form = document.querySelector("form"), status = document.querySelector("[role=status]");
const say = (words) => { status.textContent = words; };
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { code, zip } = form.elements, button = form.querySelector("button");
  button.disabled = true;
  say("It is sent and checked. That can take three minutes.");
  try {
    const headers = { "X-Contest-Code": code.value.trim() };
    const answer = await fetch("/upload", { method: "POST", body: zip.files[0], headers });
    say(await answer.text());
  } catch {
    say("There was no answer. See if the code is right, and the file not too large.");
  }
  button.disabled = false;
});
"""


class UploadSite(ContestSite):
    """The site of a contest with uploads: the contest's page, and a page on which authors upload programs."""

    def __init__(self, *arguments: Any, uploads: Uploads, **named: Any) -> None:
        """
        Makes the page of a contest with uploads.

        :param arguments: see `ContestSite`
        :param uploads: takes the uploaded programs
        """
        super().__init__(*arguments, **named)
        self.uploads = uploads
        #: Limits how many codes each address may try.
        self._tried: KeyedBuckets[str] = KeyedBuckets(CODES_RATE, CODES_AT_ONCE)

    def respond(self, asked: Asked) -> Answering:
        """Answers a request for the page of the uploads. All other paths are those of the contest's page."""
        match asked.path:
            case ("upload",):
                return Answer(200, _PAGE.encode(), KINDS["html"], headers=PAGE_HEADERS)
            case ("upload.js",):
                return Answer(200, _SCRIPT.encode(), KINDS["js"])
            case _:
                return super().respond(asked)

    def longest_body(self, method: bytes, path: bytes) -> int:
        return MOST_BYTES if (method, path) == (b"POST", b"/upload") else 0

    def take_body(self, request: HttpRequest, asked: Asked, length: int) -> Answer | None:
        """
        Begins to read an upload, if the request has the code of a player. An address that tries too many codes is refused
        before its code is compared.

        :returns: the refusal; `None`: the upload is being read
        """
        now = self.clock.seconds()
        if not self._tried.of(rate_limit_key(asked.visitor.address), now).take(now):
            return refused(429, "too many codes from your address: try again in a minute", {"Retry-After": "60"})
        name = self.uploads.player_with(asked.headers.get(CODE_HEADER, ""))
        if name is None:
            return refused(403, "nobody has this code")
        if (why := self.uploads.enter(name)) is not None:
            return refused(429, why, {"Retry-After": "60"})
        # From now on, the connection's bytes go to this object.
        request.channel.take_over(_UploadBody(self, name, length))
        return None


class _UploadBody(Protocol):
    """
    Reads the body of a request into memory, passes it to the check, and sends the outcome.

    :param name: the player that gets the uploaded program
    :param length: the length of the body in bytes
    """

    transport: Any

    def __init__(self, site: UploadSite, name: str, length: int) -> None:
        """
        Makes the reader of an upload's body.

        :param name: the player
        :param length: the number of bytes that the request promises
        """
        self._site = site
        self._name = name
        self._length = length
        self._read = bytearray()
        #: Runs while the body is incomplete.
        self._timer: IDelayedCall | None = None
        #: Whether the connection is lost.
        self._lost = False

    def connectionMade(self) -> None:
        self._timer = self._site.clock.callLater(BODY_SECONDS, self._too_slow)
        self.transport.resumeProducing()

    def dataReceived(self, data: bytes) -> None:
        """Called with received bytes of the body. When the body is complete, it is taken as an upload."""
        if self._timer is None:
            return  # the body is complete, and more bytes are ignored
        self._read += data[: self._length - len(self._read)]
        if len(self._read) == self._length:
            self._timer.cancel()
            self._timer = None
            read, self._read = bytes(self._read), bytearray()
            # The check takes a while. Nothing more is read meanwhile.
            self.transport.pauseProducing()
            self._site.uploads.take(self._name, read).addCallback(self._answer)

    def _answer(self, outcome: HandedIn) -> None:
        """Sends the outcome of the check, and closes the connection."""
        if self._lost:
            return
        answer = Answer(200 if outcome.taken else 422, f"{outcome.words}\n".encode())
        # `dataReceived` has paused the connection.
        self.transport.resumeProducing()
        self.transport.write(self._site.last(answer))
        self.transport.loseConnection()

    def _too_slow(self) -> None:
        """Drops the upload and the connection, because the body has not come in time."""
        self._timer = None
        self._site.uploads.leave(self._name)
        self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Drops the upload if its body is incomplete. A complete upload is checked although nobody receives the answer."""
        self._lost = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._site.uploads.leave(self._name)
