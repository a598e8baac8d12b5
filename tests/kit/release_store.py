"""
A store as a release made it, which every later release has to open and to play on.

`python -m tests.kit.release_store` lets this release make one, and writes it to `tests/releases/VERSION.sql`: the statements
that make the file, and before them the text of its mark. A release that changes the schema needs one first.
"""

import json
import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from gamehost import __version__
from tests.kit.process import HostProcess, Socket

HOME = Path(__file__).parents[1] / "releases"
NAME = "store.sqlite"
_MARK = "-- mark: "


def restored(release: Path, folder: Path) -> Path:
    """The store of a release as a file in a folder, with its mark."""
    text = release.read_text("utf-8")
    store = folder / NAME
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL").fetchall()
        connection.executescript(text)
    store.with_name(f"{NAME}.hwm").write_text(text.partition(_MARK)[2].partition("\n")[0] + "\n", "utf-8")
    return store


def text_of(store: Path) -> str:
    """The statements that make a store, and its mark."""
    with closing(sqlite3.connect(store)) as connection:
        pragmas = [
            f"PRAGMA {name}={connection.execute(f'PRAGMA {name}').fetchone()[0]};"
            for name in ("application_id", "user_version")
        ]
        statements = [*connection.iterdump()]
    mark = store.with_name(f"{store.name}.hwm").read_text("utf-8").rstrip("\n")
    return "\n".join((f"{_MARK}{mark}", *pragmas, *statements)) + "\n"


def say(player: Socket, **message: Any) -> None:
    player.say(json.dumps(message))


def hear(player: Socket, kind: str) -> dict[str, Any]:
    """The next message of a kind. Others are passed over."""
    while True:
        message: dict[str, Any] = json.loads(player.hear())
        if message["is"] == kind:
            return message
        assert message["is"] not in ("sorry", "refused", "bye"), message


def matches(player: Socket) -> list[dict[str, Any]]:
    """The rows of the list of the own matches."""
    say(player, do="mine", on=True)
    rows: list[dict[str, Any]] = hear(player, "mine")["matches"]
    return rows


def host(folder: Path) -> HostProcess:
    return HostProcess("--set=onitama.deal=boar,ox/crab,eel/tiger", wires=["open"], folder=folder, store=NAME)


PASSWORD = "a long password"


def play(running: HostProcess) -> None:
    """A finished match of guests, one of accounts that goes on, and a slow one with a holiday and a kept text."""
    cleo, dan = (come(running, name, {"do": "enter"}) for name in ("cleo", "dan"))
    begin(cleo, dan)
    say(dan, do="leave")
    hear(cleo, "over")
    ann, bob, olga, ben = (come(running, name) for name in ("ann", "bob", "olga", "ben"))
    begin(ann, bob)
    begin(olga, ben, move_days=3)
    say(ben, do="holiday", days=2)
    hear(ben, "holiday")
    say(olga, do="keep", game="onitama", text="a note")
    hear(olga, "kept")
    for player in (cleo, dan, ann, bob, olga, ben):
        player.close()


def come(running: HostProcess, name: str, how: Mapping[str, str] = {"do": "log-in", "password": PASSWORD}) -> Socket:
    player = running.connect("open")
    say(player, name=name, **how)
    hear(player, "entered")
    return player


def begin(one: Socket, two: Socket, **settings: int) -> None:
    """They play a move of Onitama."""
    for player in (one, two):
        say(player, do="seek", game="onitama", settings=settings)
        if player is one:
            hear(one, "seeking")
    say(one, do="act", table=hear(one, "seated")["table"], action="ox c1 c2")
    for player in (one, two):
        while hear(player, "event")["event"]["kind"] != "moved":
            pass


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        with host(Path(folder)) as running:
            play(running)
            running.stop()
        HOME.mkdir(exist_ok=True)
        (HOME / f"{__version__}.sql").write_text(text_of(Path(folder) / NAME), "utf-8")


if __name__ == "__main__":
    main()
