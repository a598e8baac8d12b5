"""
The page of a contest while it is played. gamehost's own HTTP server serves it, in the process that runs the games.

The games need the processor, so the page does little work. A file is read again only when it has changed. A picture is made
again only when its game has a new move, and pictures may take only a small share of the time.
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

#: The limits of the page's connections. A whole class of students may look at it, but the games need open files, too.
LIMITS = Limits(http_connections=256, http_connections_per_address=32)

#: The share of the time that pictures may take on average, and how many seconds they may take at once.
PICTURE_SHARE, PICTURE_BURST = 0.1, 0.5
#: How many files, and how many pictures, are stored in memory.
MOST_KEPT = 64

#: The answer for a game that has no picture, or has not begun.
NOT_BEGUN = Answer(200, b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"/>', KINDS["svg"])

_STYLE_HASH = b64encode(sha256(STYLE.encode()).digest()).decode()
#: The headers for `results.html`. Its style is in the file, so the policy allows this style by its hash.
PAGE_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": HEADERS["Content-Security-Policy"].replace(
        "style-src 'self'", f"style-src 'sha256-{_STYLE_HASH}'"
    )
}

#: The headers of a picture. Its style is in the picture, and it loads nothing else.
_PICTURE_HEADERS: Mapping[str, str] = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}

_PLAYER_FILE = re.compile(r"[0-9]{1,6}\.html", re.ASCII)
_OUTPUT_FILE = re.compile(r"[0-9]+\.[0-9]+[ab]?\.[0-9]{1,6}\.txt", re.ASCII)
_GAME_FILE = re.compile(r"([\w.-]+)\.(txt|svg)", re.ASCII)


@frozen
class _Kept:
    """An answer in memory, with a value that shows whether it is still valid."""

    made_of: Any
    answer: Answer


def page_access(port: int) -> Access:
    """
    Returns the names under which browsers may ask for the page: besides any address and `localhost`, this machine's
    name in its network.
    """
    name = gethostname().lower()
    return Access(
        tuple(f"http://{known}:{port}" for known in (name, f"{name.partition('.')[0]}.local")),
        advice="ask for the page by an address, or by the name of this machine",
    )


class ContestSite(HttpSite):
    """
    The site that shows a contest: the results so far, the decided games, and pictures of the games that are being played.

    :param contest: returns the contest in its present state
    :param running: returns the games that are being played, by their ids
    :param folder: the folder with the files of the results
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
        """
        Makes the site of a contest.

        :param contest: returns the state of the contest
        :param running: returns the games that are being played, by id
        :param folder: the folder of the contest
        :param access: under which names browsers may ask for the page; `None`: under any address and `localhost`
        """
        super().__init__(clock, FairScheduler(clock), HttpLimiter(LIMITS), access or Access())
        self._contest = contest
        self._running = running
        self._folder = folder
        self._game = game
        #: The stored files by path, the oldest first.
        self._files: dict[Path, _Kept] = {}
        #: The stored pictures by the id of their game, the oldest first.
        self._pictures: dict[str, _Kept] = {}
        #: The seconds that pictures have taken lately, and the time at which this figure was computed.
        self._spent = self._reckoned = 0.0

    def respond(self, asked: Asked) -> Answering:
        """Answers a request. Only paths that the contest itself writes are looked up in its folder."""
        match asked.path:
            case () | ("contest",) | ("results.html",):
                answer = self._file("results.html", PAGE_HEADERS)
            case ("results.json",) | ("results.csv",):
                answer = self._file(asked.path[0])
            case ("players", name) if _PLAYER_FILE.fullmatch(name):
                answer = self._file(f"players/{name}", PAGE_HEADERS)
            case ("output", name) if _OUTPUT_FILE.fullmatch(name):
                answer = self._file(f"output/{name}")
            # Only files of decided games: the folder may still have files of games that are played again.
            case ("games", name) if (words := _GAME_FILE.fullmatch(name)) and words[1] in self._contest().played:
                answer = self._file(f"games/{name}", _PICTURE_HEADERS if words[2] == "svg" else {})
            case ("live", name):
                answer = self._live(name.removesuffix(".svg"))
            case _:
                answer = None
        return answer or refused(404, "there is nothing at this address")

    def _file(self, name: str, headers: Mapping[str, str] = {}) -> Answer | None:
        """
        Returns the answer with a file of the results; `None`: there is no such file. The file is read again only if it has
        changed.

        :param name: the path in the folder of the results
        """
        path = self._folder / name
        try:
            state = path.lstat()
            if S_ISLNK(state.st_mode) or (path.parent != self._folder and path.parent.is_symlink()):
                return None  # the contest makes no links, so somebody else has put it there
            made_of = state.st_ino, state.st_mtime_ns, state.st_size
            # Inode, time and size are equal: the file has not changed.
            kept = self._files.get(path)
            if kept is None or kept.made_of != made_of:
                kept = _Kept(made_of, found(path.read_bytes(), KINDS[name.rpartition(".")[2]], headers=headers))
                _keep(self._files, path, kept)
        except OSError:
            return None
        return kept.answer

    def _live(self, name: str) -> Answer | None:
        """
        Returns the picture of a game that is being played. A page that is some seconds old may also ask for a game that has
        ended meanwhile.

        :param name: the id of the game
        :returns: `None`: there is no such game
        """
        played = self._contest().played.get(name)
        if played is not None:
            # The file may not be written yet.
            return self._file(f"games/{name}.svg", _PICTURE_HEADERS) or self._made(
                name, -1, lambda: results.picture_of(self._game, played)
            )
        if name not in self._running():
            return None
        # Without a record the match has not begun.
        record = self._running()[name].record
        if record is None:
            return NOT_BEGUN
        return self._made(name, len(record.entries), lambda: picture(self._game, record))

    def _made(self, name: str, moves: int, make: Callable[[], str]) -> Answer:
        """
        Returns the picture of a game after a number of moves. It is made once, for all readers. If pictures have taken too much
        time lately, the last picture of this game is returned.

        :param name: the id of the game
        :param moves: how many entries the game has, to see whether a stored picture is still valid; -1: the game is over
        :param make: draws the picture
        """
        kept = self._pictures.get(name)
        # The time that was spent is forgotten at the rate that pictures may use.
        began = self.clock.seconds()
        self._spent = max(0.0, self._spent - PICTURE_SHARE * (began - self._reckoned))
        self._reckoned = began
        if kept is not None and kept.made_of == moves:
            return kept.answer
        # Drawing another picture would take time from the games.
        if self._spent >= PICTURE_BURST:
            return NOT_BEGUN if kept is None else kept.answer
        try:
            drawing = make().encode()
        except NoPicture:
            # The game has no picture.
            drawing = b""
        self._spent += self.clock.seconds() - began
        answer = Answer(200, drawing, KINDS["svg"], headers=_PICTURE_HEADERS) if drawing else NOT_BEGUN
        _keep(self._pictures, name, _Kept(moves, answer))
        return answer


def _keep(among: dict[Any, _Kept], key: Any, new: _Kept) -> None:
    """Stores a value under a key, and removes the oldest value if there are more than `MOST_KEPT`."""
    # A dict remembers the order of insertion, so the key becomes the newest one.
    among.pop(key, None)
    among[key] = new
    if len(among) > MOST_KEPT:
        del among[next(iter(among))]
