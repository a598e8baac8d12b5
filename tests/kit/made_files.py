"""
Files of the repository that are made by programs: golden journals, pictures, the tutorial's example.

`python -m tests.kit.made_files WHAT` makes them: `golden GAME`, `pictures` (`make pictures`), `tutorial`, or
`sessions`: the files of the repository that a page shows whole, or `options`: the tables of docs/options.rst.
"""

import json
import random
import re
import sys
import textwrap
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from gamehost.games.base import Game, GameMaster, JournalledChance, Seat
from gamehost.journal.notation import picture, read_notation
from gamehost.journal.records import Entry, EntryKind
from gamehost.journal.replay import fingerprint
from gamehost.journal.replay import replay as replay_entries
from gamehost.limits import LIMITS, PROFILES
from gamehost.plugins import GAME, HOST, REGISTRY, WEB, WIRES
from gamehost.plugins import PAGES as WEB_SETTINGS
from tests.client.test_core import PLAYERS
from tests.kit.pages import PAGES, SHOWN_FILE
from tests.kit.sources import ROOT

# Golden journals: matches as an earlier version wrote them down, and what it made of them.
#
# A file holds one match a line, as JSON: game, version, settings, seats, entries (kind, time, seat, notation, draws,
# outcome, and since there are checks the check in hexadecimal), and what every seat sees at the end. Every later version
# must replay them to the same end, as long as it plays that version of the game.


HOME = Path(__file__).parents[1] / "golden"

#: Matches in a file, and the most actions in one.
MATCHES = 6
MOST_ACTIONS = 120


#: Fields that views have got since the first golden files were written: a file that does not know one says nothing of it.
ADDED_FIELDS = ("order", "won", "turn", "statuses", "teams")
#: Fields that no golden file has.
UNSHOWN = {*(("Board", name) for name in ("banned", "unresolved", "phase_order", "turn")), ("Situation", "picked")}


def views(master: GameMaster[Any, Any], seats: int, without: Container[str] = ()) -> list[str]:
    return [shown(master.view(seat), without) for seat in (*map(Seat, range(seats)), None)]


def shown(value: Any, without: Container[str]) -> str:
    kind = type(value)
    if issubclass(kind, Struct):
        fields = [
            name for name in kind.__struct_fields__ if name not in without and (kind.__name__, name) not in UNSHOWN
        ]
        return f"{kind.__name__}({', '.join(f'{name}={shown(getattr(value, name), without)}' for name in fields)})"
    if kind is tuple:
        inner = ", ".join(shown(one, without) for one in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)


def replay(game: Game[Any, Any], record: Mapping[str, Any]) -> list[str]:
    chance = JournalledChance()
    master = replay_entries(game, game.new_master(record["seats"], record["settings"], chance), chance, entries(record))
    known = "".join(record["views"])
    return views(master, record["seats"], [name for name in ADDED_FIELDS if f"{name}=" not in known])


def entries(record: Mapping[str, Any]) -> list[Entry]:
    return [
        Entry(
            EntryKind(kind),
            at,
            None if seat is None else Seat(seat),
            notation.encode(),
            tuple(drawn),
            outcome,
            bytes.fromhex("".join(check)),
        )
        for kind, at, seat, notation, drawn, outcome, *check in record["entries"]
    ]


def record(contract: Any, seats: int, rng: random.Random) -> dict[str, Any]:
    """A random match, played by a game's contract, that ends by itself, by leaving, or not at all."""
    game = contract.game
    chance = JournalledChance(rng.randrange)
    settings = dict(contract.settings)
    master = game.new_master(seats, settings, chance)
    master.begin(0)
    entries = [[EntryKind.BEGAN.value, 0, None, "", chance.take(), "", fingerprint(master).hex()]]
    for at in range(1, MOST_ACTIONS):
        choice = contract.legal(master, rng) if master.result is None else None
        if choice is None:
            break
        seat, action = choice
        master.act(seat, action, at * 1000)
        outcome = master.result.why if master.result else ""
        notation = game.write(action).decode()
        entries.append(
            [EntryKind.ACTED.value, at * 1000, seat, notation, chance.take(), outcome, fingerprint(master).hex()]
        )
    if master.result is None and rng.random() < 0.5:
        at = len(entries) * 1000
        master.forfeit(Seat(0), at)
        why = master.result.why if master.result else ""
        entries.append([EntryKind.FORFEITED.value, at, 0, "", chance.take(), why, fingerprint(master).hex()])
    return {
        "game": game.name,
        "version": game.version,
        "settings": settings,
        "seats": seats,
        "entries": entries,
        "views": views(master, seats),
    }


def records() -> Iterator[tuple[str, dict[str, Any]]]:
    """All golden matches, with the name of their file."""
    for path in sorted(HOME.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield path.name, json.loads(line)


def contracts() -> Mapping[str, list[Any]]:
    """Those who know how to play each game: the subclasses of `MasterContract` in its tests."""
    import importlib

    from gamehost.testing.master_contract import MasterContract

    known: dict[str, list[Any]] = {}
    for path in sorted((Path(__file__).parents[1] / "games").glob("test_*_master*.py")):
        for member in vars(importlib.import_module(f"tests.games.{path.stem}")).values():
            if isinstance(member, type) and issubclass(member, MasterContract) and member is not MasterContract:
                known.setdefault(member.game.name, []).append(member())
    return known


def write(name: str) -> None:
    """Add a file of a game as it is now; those that are there are never changed."""
    players = contracts()[name]
    version = players[0].game.version
    files = len(list(HOME.glob(f"{name}-{version}*.jsonl")))
    path = HOME / f"{name}-{version}{f'.{files + 1}' if files else ''}.jsonl"
    with path.open("x", encoding="utf-8") as file:
        for number in range(MATCHES):
            player = players[number % len(players)]
            seats = player.seat_counts[number % len(player.seat_counts)]
            file.write(json.dumps(record(player, seats, random.Random(number))) + "\n")


# The pictures of the docs. Each is made from a match between house players, whose text is beside it.


PICTURE_FOLDER = ROOT / "docs" / "games" / "pictures"

#: The name of the game, the text and the picture -> what is drawn: see `picture`.
PICTURES: Mapping[str, Mapping[str, Any]] = {
    "onitama": {"until": 9},
    "paper-soccer": {},
    "stratego": {"until": 120, "seat": Seat(0)},
    "eriantys": {"until": 100},
}


def pictures() -> Iterator[tuple[Path, str]]:
    """Each picture, and its file."""
    for name, changes in PICTURES.items():
        match = read_notation((PICTURE_FOLDER / f"{name}.txt").read_text("ascii"))
        drawn = picture(PLAYERS[name].game, match.record, date=match.date, moves=False, **changes)
        yield PICTURE_FOLDER / f"{name}.svg", drawn


# The files of an example that a tutorial shows.
#
# A file stands behind a line ``File ``NAME``::`` as a literal block. Behind ``File ``NAME``, in part::`` stands a piece of one.


EXAMPLES = ROOT / "examples"
#: A tutorial -> the folder of its example.
TUTORIALS: Mapping[str, Path] = {"plugin-game": EXAMPLES / "kuhn", "plugin-wire": EXAMPLES / "gomoku"}

_BLOCK = re.compile(r"^File ``(?P<name>[^`]+)``(?P<part>, in part)?::\n\n(?P<text>(?:    .*\n|\n)*)", re.MULTILINE)


def tutorials() -> list[Path]:
    """The pages that say how a package is written, with the reference."""
    return sorted((ROOT / "docs").glob("plugin-*.rst"))


def files_of(page: str, part: bool = False) -> Sequence[tuple[str, str]]:
    """The name and the text of each file that a tutorial shows whole, or in part."""
    return [
        (match["name"], textwrap.dedent(match["text"]).rstrip("\n") + "\n")
        for match in _BLOCK.finditer(page)
        if bool(match["part"]) == part
    ]


def without_files(page: str) -> str:
    """What a tutorial says, without its files."""
    return _BLOCK.sub("", page)


def refreshed(page: str, folder: Path) -> str:
    """The tutorial with the texts of the files in this folder."""

    def block(match: re.Match[str]) -> str:
        if match["part"]:
            return match[0]
        text = (folder / match["name"]).read_text("utf-8")
        return f"File ``{match['name']}``::\n\n{textwrap.indent(text, '    ')}\n"

    return _BLOCK.sub(block, page)


# Files that pages show whole, so that a forge shows them too: sessions, and short programs. A link to the file stands before.

_SHOWN = re.compile(rf"(?P<before>{SHOWN_FILE.pattern}\n\n)(?P<text>(?:    .*\n|\n)*)", re.M)


def with_files(page: Path) -> str:
    """The text of a page, with the files that it shows as they are."""
    return _SHOWN.sub(
        lambda match: (
            match["before"] + textwrap.indent((page.parent / match["file"]).read_text("utf-8"), "    ") + "\n"
        ),
        page.read_text("utf-8"),
    )


# The tables of docs/options.rst: the host's own options and limits, in the words of its help text.


OPTIONS_PAGE = ROOT / "docs" / "options.rst"
_TABLE = re.compile(r"(?P<head>\.\. csv-table::\n   :name: (?P<name>\w+)\n(?:   :.*\n)*\n)(?P<rows>(?:   .*\n)*)")
#: An option in the words of the help text.
_BARE = re.compile(r"(?<![`\w-])--[\w=-]+(?::\.\.\.)?")
#: The page that says more of an option.
MORE_OF = {
    **{"console": "console.rst", "open": "wires/open.rst", "web": "browser.rst", "web-origin": "web.rst"},
    **{"store": "store.rst", "admin": "admin.rst", "metrics": "metrics.rst", "championship": "championship.rst"},
    **{"house": "house-players.rst", "trusted-proxy": "hosting.rst", "log-format": "hosting.rst"},
    **dict.fromkeys(("cluster", "health"), "extras/cluster/cluster.rst"),
    **dict.fromkeys(("push", "push-hosts", "mail"), "extras/notify/notices.rst"),
}


def option_rows() -> Mapping[str, list[tuple[str, ...]]]:
    """The name of a table -> its rows."""
    ports = [(wire.name, wire.endpoint.split(":")[1], wire.title, not wire.must_listen) for wire in WIRES]
    ports.append(("web", WEB.split(":")[1], "the pages for browsers", True))
    notifiers = {name: one for kind in REGISTRY.notifiers for name, one in kind.options.items()}
    same = {name: wire for wire in WIRES for name in (*wire.flags, *wire.values)}
    declared = {**HOST, **notifiers}
    options = {name: (one.words, one.shown_default or "") for name, one in declared.items() if name != "web"}
    options |= {name: (f"the same as ``--set {wire.name}.{name}``", "") for name, wire in same.items()}
    limits = [(f"limits.{name}", one, PROFILES["class"].get(name, "")) for name, one in LIMITS.items()]
    beside = {f"GAME.{name}": one.words for name, one in GAME.items()} | {"web.reveal": WEB_SETTINGS["reveal"].words}
    return {
        "ports": [
            (_option(name), port, "left out" if may_fail else "no start", words)
            for name, port, words, may_fail in ports
        ],
        "options": [(_option(name), default, words) for name, (words, default) in sorted(options.items())],
        "limits": [(f"``{name}``", f"{one.default:.10g}", wide, one.words) for name, one, wide in limits],
        "beside": [(f"``{name}``", words) for name, words in beside.items()],
    }


def _option(name: str) -> str:
    page = MORE_OF.get(name)
    return f"``--{name}``" if page is None else f"``--{name}`` (`more <{page}>`__)"


def with_options(page: str) -> str:
    """The page of the options with its tables as they are now."""
    rows = option_rows()

    def table(match: re.Match[str]) -> str:
        cells = ([_BARE.sub(r"``\g<0>``", cell) for cell in row] for row in rows[match["name"]])
        lines = (", ".join(f'"{cell}"' if "," in cell else cell for cell in row) for row in cells)
        return match["head"] + "".join(f"   {line}\n" for line in lines)

    return _TABLE.sub(table, page)


def main(what: str, *arguments: str) -> None:
    """Make some of the files."""
    match what:
        case "golden":
            HOME.mkdir(exist_ok=True)
            for game in arguments:
                write(game)
        case "pictures":
            for path, drawn in pictures():
                path.write_text(drawn, "ascii")
        case "tutorial":
            for name, folder in TUTORIALS.items():
                path = ROOT / "docs" / f"{name}.rst"
                path.write_text(refreshed(path.read_text("utf-8"), folder), "utf-8")
        case "options":
            OPTIONS_PAGE.write_text(with_options(OPTIONS_PAGE.read_text("utf-8")), "utf-8")
        case "sessions":
            for path in PAGES:
                path.write_text(with_files(path), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
