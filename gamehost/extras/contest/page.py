"""
The page of a contest while it is played: a site of the house's HTTP server, in the process of the games.

So nothing is made twice for it. A file is read again when it has changed. A picture is made when its game has gone on, and
pictures take a small share of the time only.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from socket import gethostname
from stat import S_ISLNK
from typing import Any

from attrs import frozen
from twisted.internet.interfaces import IReactorTime

from gamehost.extras.contest import results
from gamehost.extras.contest.contest import Contest
from gamehost.extras.contest.game import ContestGame
from gamehost.extras.contest.report import STYLE
from gamehost.fairness import FairScheduler
from gamehost.games.base import Game
from gamehost.journal.notation import NoPicture, picture
from gamehost.limits import Limits
from gamehost.net.limiter import HttpLimiter
from gamehost.web.http import KINDS, Access, Answer, Asked, found, refused
from gamehost.web.server import HEADERS, Answering, HttpSite

#: Connections of the page: a class looks at it. The games need files, too.
LIMITS = Limits(http_connections=256, http_connections_per_address=32)

#: The share of the time in which pictures are made, and the seconds of it that can be used at once.
PICTURE_SHARE, PICTURE_BURST = 0.1, 0.5
#: Files and pictures that are kept.
MOST_KEPT = 64

#: The picture of a game without one.
NOT_BEGUN = Answer(200, b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"/>', KINDS["svg"])

_STYLE_HASH = b64encode(sha256(STYLE.encode()).digest()).decode()
#: `results.html` has its style in itself. Everything else on the page is its own.
PAGE_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": HEADERS["Content-Security-Policy"].replace(
        "style-src 'self'", f"style-src 'sha256-{_STYLE_HASH}'"
    )
}

#: A picture has its style in itself, and needs nothing else.
_PICTURE_HEADERS: Mapping[str, str] = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}

_PLAYER_FILE = re.compile(r"[0-9]{1,6}\.html", re.ASCII)
_OUTPUT_FILE = re.compile(r"[0-9]+\.[0-9]+[ab]?\.[0-9]{1,6}\.txt", re.ASCII)
_GAME_FILE = re.compile(r"([\w.-]+)\.(txt|svg)", re.ASCII)


@frozen
class _Kept:
    """An answer, and what it was made of."""

    made_of: Any
    answer: Answer


def page_access(port: int) -> Access:
    """The names of the page: addresses, `localhost`, and the name of this machine in its network."""
    name = gethostname().lower()
    return Access(
        tuple(f"http://{known}:{port}" for known in (name, f"{name.partition('.')[0]}.local")),
        advice="ask for the page by an address, or by the name of this machine",
    )


class ContestSite(HttpSite):
    """
    The results as they are now, the games, and what is being played.

    :param contest: as it is now
    :param running: the games that are being played, by their ids
    :param folder: where the results are written
    """

    def __init__(
        self,
        clock: IReactorTime,
        contest: Callable[[], Contest],
        running: Callable[[], Mapping[str, ContestGame]],
        folder: Path,
        game: Game[Any, Any],
        access: Access | None = None,
    ) -> None:
        super().__init__(clock, FairScheduler(clock), HttpLimiter(LIMITS), access or Access())
        self._contest = contest
        self._running = running
        self._folder = folder
        self._game = game
        #: By their paths, the oldest first.
        self._files: dict[Path, _Kept] = {}
        #: By the ids of their games, the oldest first.
        self._pictures: dict[str, _Kept] = {}
        #: Seconds that pictures have taken lately, and when that was reckoned.
        self._spent = self._reckoned = 0.0

    def respond(self, asked: Asked) -> Answering:
        match asked.path:
            case () | ("contest",) | ("results.html",):
                answer = self._file("results.html", PAGE_HEADERS)
            case ("results.json",) | ("results.csv",):
                answer = self._file(asked.path[0])
            case ("players", name) if _PLAYER_FILE.fullmatch(name):
                answer = self._file(f"players/{name}", PAGE_HEADERS)
            case ("output", name) if _OUTPUT_FILE.fullmatch(name):
                answer = self._file(f"output/{name}")
            case ("games", name) if (words := _GAME_FILE.fullmatch(name)) and words[1] in self._contest().played:
                answer = self._file(f"games/{name}", _PICTURE_HEADERS if words[2] == "svg" else {})
            case ("live", name):
                answer = self._live(name.removesuffix(".svg"))
            case _:
                answer = None
        return answer or refused(404, "there is nothing at this address")

    def _file(self, name: str, headers: Mapping[str, str] = {}) -> Answer | None:
        """A file as it is now; `None`: there is none. It is read again only if it has changed."""
        path = self._folder / name
        try:
            state = path.lstat()
            if S_ISLNK(state.st_mode) or (path.parent != self._folder and path.parent.is_symlink()):
                return None  # the contest makes no links
            made_of = state.st_ino, state.st_mtime_ns, state.st_size
            kept = self._files.get(path)
            if kept is None or kept.made_of != made_of:
                kept = _Kept(made_of, found(path.read_bytes(), KINDS[name.rpartition(".")[2]], headers=headers))
                _keep(self._files, path, kept)
        except OSError:
            return None
        return kept.answer

    def _live(self, name: str) -> Answer | None:
        """
        The picture of a game that is being played, or that has ended since the page was made; `None`: there is no such game.
        """
        played = self._contest().played.get(name)
        if played is not None:
            # The file may not be written yet.
            return self._file(f"games/{name}.svg", _PICTURE_HEADERS) or self._made(
                name, -1, lambda: results.picture_of(self._game, played)
            )
        if name not in self._running():
            return None
        record = self._running()[name].record
        if record is None:
            return NOT_BEGUN
        return self._made(name, len(record.entries), lambda: picture(self._game, record))

    def _made(self, name: str, moves: int, make: Callable[[], str]) -> Answer:
        """
        The picture after so many moves, made once for all who ask. If pictures have taken too long lately, the last one of
        this game.
        """
        kept = self._pictures.get(name)
        began = self.clock.seconds()
        self._spent = max(0.0, self._spent - PICTURE_SHARE * (began - self._reckoned))
        self._reckoned = began
        if kept is not None and kept.made_of == moves:
            return kept.answer
        if self._spent >= PICTURE_BURST:
            return NOT_BEGUN if kept is None else kept.answer
        try:
            drawing = make().encode()
        except NoPicture:
            drawing = b""
        self._spent += self.clock.seconds() - began
        answer = Answer(200, drawing, KINDS["svg"], headers=_PICTURE_HEADERS) if drawing else NOT_BEGUN
        _keep(self._pictures, name, _Kept(moves, answer))
        return answer


def _keep(among: dict[Any, _Kept], key: Any, new: _Kept) -> None:
    """Keep the newest."""
    among.pop(key, None)
    among[key] = new
    if len(among) > MOST_KEPT:
        del among[next(iter(among))]
