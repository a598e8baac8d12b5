"""
`gamehost journal`: shows, copies and checks a journal. If a host has the file open, the command asks this host.

The command shows everything, also hidden pieces and random numbers. Text from players is escaped.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TextIO

from attrs import define

from gamehost.commands.command_line import NoHost, answers, while_read
from gamehost.commands.verify import GameOf, verify
from gamehost.games.base import Game, Seat
from gamehost.games.play import has_picture
from gamehost.journal.notation import NoPicture, NotNotation, picture, read_notation, write_notation
from gamehost.journal.records import Entry, EntryKind, SeatRecord, StoreUnusable, TableId, TableRecord
from gamehost.journal.replay import replayed
from gamehost.ops import escaped
from gamehost.storage import sidecar
from gamehost.storage.copying import copy_store, inspecting, prune
from gamehost.storage.database import StoreInUse
from gamehost.storage.databases import beside, kind_of, shown
from gamehost.storage.inspect import Inspector, StoreInspector, Summary, reading, summaries_of, table_of
from gamehost.storage.row_codec import Row, Undecodable, row_from_json
from gamehost.storage.sidecar import Mark, sidecar_path

#: The lines of a host's answer.
Answers = Iterator[Mapping[str, Any]]


@define(eq=False)
class LiveJournal:
    """
    Reads the journal of a running host, by requests to the host. It has the same methods as `Inspector`, which reads a
    journal that no host has open.
    """

    #: The path of the host's socket.
    _socket: Path

    def tables(self) -> Iterator[Summary | Undecodable]:
        """See `Inspector.tables`. The running host reads the tables."""
        return summaries_of(self._rows("journal ends"))

    def newest(self, most: int) -> tuple[Sequence[Summary | Undecodable], int]:
        """See `Inspector.newest`. The running host reads the tables."""
        ends: list[Row] = []
        older = 0
        for answer in self._ask("journal newest", most=most):
            if "item" in answer:
                ends.append(row_from_json(answer["item"]["row"]))
            else:
                older = answer["end"]["older"]
        return list(summaries_of(ends)), older

    def table(self, table: TableId) -> tuple[int, TableRecord]:
        """See `Inspector.table`. The running host reads the table."""
        return table_of(table, list(self._rows("journal rows", table=table)))

    def back_up(self, target: Path, accept_faults: bool = False) -> Mark:
        """
        Let the host copy its journal to a new file.

        :param accept_faults: use the copy even if the host's check finds faults
        :raises StoreUnusable: the copy cannot be written
        """
        end: Mapping[str, Any] = {}
        for answer in self._ask("backup", file=str(target.absolute()), accept_faults=accept_faults):
            end = answer["end"]
        # The host does not send the number and the hash of the last row, and no caller needs them.
        return Mark(0, end["rows"], "", end["accounts"])

    def _rows(self, command: str, **arguments: Any) -> Iterator[Row]:
        """The rows in the host's answer to a request."""
        for answer in self._ask(command, **arguments):
            if "item" in answer:
                yield row_from_json(answer["item"]["row"])

    def _ask(self, command: str, **arguments: Any) -> Answers:
        """
        Send a request to the host, and return the lines of its answer.

        :raises StoreUnusable: the host refuses the request, or does not answer
        """
        try:
            for answer in answers(self._socket, {"command": command, "arguments": arguments}):
                if "error" in answer:
                    raise StoreUnusable(answer["error"])
                yield answer
        except NoHost as error:
            raise StoreUnusable(str(error)) from None


@contextmanager
def opened(store: str) -> Iterator[Inspector | LiveJournal]:
    """
    A context that opens a journal: its file, its database, or the running host that has the file open.

    :raises StoreUnusable: there is no journal, or a host has it open and does not answer
    """
    if kind_of(store) is not None:
        with inspecting(store) as inspector:
            yield inspector
        return
    path = Path(store)
    with ExitStack() as stack:
        journal: Inspector | LiveJournal
        try:
            journal = stack.enter_context(reading(path))
        except StoreInUse as error:
            # A host has the file open: ask this host.
            socket = sidecar_path(path, ".admin")
            if not socket.exists():
                raise StoreUnusable(f"{error}, or start it with a socket for gamehost admin") from None
            journal = LiveJournal(socket)
        try:
            yield journal
        except StoreUnusable as error:
            # This error names the file already; an error of the host does not.
            if isinstance(journal, StoreInspector):
                raise
            raise StoreUnusable(f"{path.resolve()}: {error}") from error


@contextmanager
def whole(journal: Inspector | LiveJournal, store: str) -> Iterator[Inspector]:
    """
    A context that gives all rows of a journal. For a running host, these are in a copy, which is deleted afterwards.

    :raises StoreUnusable: the host cannot copy its store
    """
    if isinstance(journal, Inspector):
        yield journal
        return
    path = Path(store).resolve()
    copy = path.with_name(f"{path.name}.verify-{os.getpid()}")
    try:
        journal.back_up(copy, accept_faults=True)
    except KeyboardInterrupt:
        # The file must not be deleted while the host writes it.
        raise StoreUnusable(f"stopped; the host still makes the copy {copy}: delete it when it is complete") from None
    try:
        with reading(copy) as inspector:
            yield inspector
    finally:
        for suffix in ("", sidecar.MARK_SUFFIX):
            sidecar_path(copy, suffix).unlink(missing_ok=True)


#: How many tables are listed without `--all`.
LISTED = 100

#: The texts for the kinds of entries. Actions are shown in the notation of the game instead.
WORDS = {
    EntryKind.BEGAN: "the match began",
    EntryKind.FORFEITED: "gave up the seat",
    EntryKind.EXPIRED: "the time ran out",
    EntryKind.ARCHIVED: "archived unfinished",
    EntryKind.DRAWN: "offered a draw, which was accepted",
    EntryKind.TAKEN_BACK: "took back the last move",
    EntryKind.CLAIMED: "claimed a draw, because the other player was away",
    EntryKind.DRAW_OFFERED: "offered a draw",
    EntryKind.ASKED_BACK: "asked to take back the last move",
    EntryKind.DECLINED: "offered something, which was declined",
}


def main(argv: Sequence[str], game_of: GameOf, out: TextIO = sys.stdout, err: TextIO = sys.stderr) -> int:
    """
    Carry out one verb.

    :param argv: the words after `gamehost journal`
    :param game_of: finds a game. Actions of unknown games are shown as they are stored; `draw` needs a game with
        pictures
    :returns: the exit status; 1 if the journal has faults or there is nothing to show
    :raises SystemExit: the arguments are wrong, or ask for help
    """
    words = parser().parse_args(argv)
    try:
        return _carry_out(words, game_of, out, err)
    except (StoreUnusable, Undecodable, NotNotation) as error:
        print(f"gamehost journal: {error}", file=err)
        return 1


def _carry_out(words: argparse.Namespace, game_of: GameOf, out: TextIO, err: TextIO) -> int:
    """
    Carry out a verb, and return the exit status.

    :raises StoreUnusable: a file or a database cannot be used
    :raises Undecodable: another release wrote the table
    :raises NotNotation: a match cannot be written as text
    """
    # Verbs that open their files themselves.
    match words.verb:
        case "prune":
            return _prune(words, out)
        case "read":
            return _read(words.file, game_of, out)
        case "copy":
            return _copy(words, out)
    # Verbs that read one journal.
    drawn: str | None = None
    with opened(words.store) as journal:
        match words.verb:
            case "list":
                _list(journal, words.all, out, err)
            case "show":
                _print(out, _shown(journal, words, game_of))
            case "draw":
                drawn = _drawn(journal, words, game_of)
            case "backup":
                mark = journal.back_up(words.file)
                print(f"{words.file}: {mark.count} rows and {mark.accounts} accounts copied", file=out)
            case _:
                # The verb `verify`.
                with whole(journal, words.store) as file:
                    return verify(file, _beside(words.store), game_of, out, err)
    # The picture is written after the journal is closed.
    if drawn is not None:
        _keep(drawn, words.output, out)
    return 0


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="gamehost journal",
        description="Show, copy or check a journal. If a host has it open, the host is asked.",
    )
    verbs = top.add_subparsers(dest="verb", required=True)
    listing = verbs.add_parser("list", help=f"one line for every table, for the newest {LISTED} without --all")
    listing.add_argument("--all", action="store_true", help="all tables")
    showing = verbs.add_parser("show", help="one table, one line for every entry; hidden pieces are shown")
    showing.add_argument("table", type=_table_number, metavar="TABLE", help="its number")
    showing.add_argument(
        "--notation", action="store_true", help="as text that can be read back; hidden pieces are shown"
    )
    drawing = _drawing_parser(verbs)
    reading_back = verbs.add_parser(
        "read", help="check a match that 'show --notation' wrote: it is replayed; no journal is needed"
    )
    reading_back.add_argument("file", type=Path, metavar="FILE", help="the text")
    backing_up = verbs.add_parser("backup", help="copy the journal to a new file, on which a host can be started")
    backing_up.add_argument("file", type=Path, metavar="FILE", help="a new file")
    pruning = verbs.add_parser("prune", help="move finished tables to an archive, a journal of its own")
    pruning.add_argument(
        "--before",
        type=date.fromisoformat,
        required=True,
        metavar="DATE",
        help="tables opened before it (2026-01-31, UTC)",
    )
    pruning.add_argument("--archive", type=Path, metavar="FILE", help="a new file (default: PATH.before-DATE)")
    copying = verbs.add_parser("copy", help="copy a journal to a new file, or to an empty database; no host may use it")
    copying.add_argument("source", metavar="FROM", help="a file, or postgresql://...")
    copying.add_argument("target", metavar="TO", help="a new file, or postgresql://... of an empty database")
    verifying = verbs.add_parser(
        "verify",
        help="check every row and replay every table; the exit status is 1 if there is a fault. "
        "After Ctrl-C, the next run continues",
    )
    for verb in (listing, showing, drawing, backing_up, pruning, verifying):
        verb.add_argument(
            "--store",
            default="gamehost.sqlite",
            metavar="PATH",
            help="the journal: a file, or postgresql://... (default: gamehost.sqlite)",
        )
    return top


def _table_number(text: str) -> TableId:
    """Convert an argument that is the number of a table."""
    # SQLite cannot look up a number of more than 63 bits.
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"expected the number of a table, got {text!r}")
    return TableId(int(text))


def _drawing_parser(verbs: Any) -> argparse.ArgumentParser:
    """Add the verb `draw` to the parser."""
    drawing: argparse.ArgumentParser = verbs.add_parser(
        "draw", help="one table as a picture (SVG); everything is shown when the match is over"
    )
    drawing.add_argument("table", type=_table_number, metavar="TABLE", help="its number")
    drawing.add_argument("--output", type=Path, metavar="FILE", help="a new file (without it: standard output)")
    drawing.add_argument(
        "--seat",
        type=int,
        metavar="SEAT",
        help="what this seat may know, from its side (default: what a watcher may know)",
    )
    drawing.add_argument(
        "--entry",
        type=int,
        metavar="NUMBER",
        help="the match after this entry, as 'show' counts them (default: the last)",
    )
    drawing.add_argument("--no-moves", action="store_true", help="leave out the list of moves")
    return drawing


def _list(journal: Inspector | LiveJournal, everything: bool, out: TextIO, err: TextIO) -> None:
    """Print the list of tables."""
    tables, older = (journal.tables(), 0) if everything else journal.newest(LISTED)
    _print(out, (f"unreadable: {one}" if isinstance(one, Undecodable) else _line(one) for one in tables))
    if older:
        # On standard error, because each line of standard output is a table.
        print(f"the newest {LISTED}; up to {older} older tables are shown with --all", file=err)


def _print(out: TextIO, lines: Iterator[str]) -> None:
    with while_read(out):
        for line in lines:
            print(line, file=out)


def _line(summary: Summary) -> str:
    """The line of a table in the list of tables."""
    opening = summary.opening
    players = ", ".join(f"{escaped(seat.name)} ({escaped(seat.wire)})" for seat in opening.seats)
    end = f": {escaped(summary.last.outcome)}" if summary.last and summary.last.outcome else ""
    return (
        f"{summary.table}  {moment(summary.opened_ms)}  {escaped(opening.game)}  {players}  "
        f"{summary.entries} {'entry' if summary.entries == 1 else 'entries'}  {summary.state}{end}"
    )


def _shown(journal: Inspector | LiveJournal, words: argparse.Namespace, game_of: GameOf) -> Iterator[str]:
    """The lines that show a table: as text notation, or for people."""
    opened_ms, record = journal.table(TableId(words.table))
    if words.notation:
        yield from write_notation(record, moment(opened_ms).partition("T")[0]).splitlines()
        return
    yield from _head(opened_ms, record)
    game = game_of(record.opening.game)
    for number, entry in enumerate(record.entries, 1):
        yield f"{number:>4}  {_entry(entry, game)}"


def _head(opened_ms: int, record: TableRecord) -> Iterator[str]:
    """The lines about the opening of a table."""
    opening = record.opening
    yield f"table {record.table}: {escaped(opening.game)}, rules {opening.version}, opened {moment(opened_ms)}"
    for number, seat in enumerate(opening.seats):
        yield f"seat {number}: {_player(seat)}"
    for name, text in sorted(opening.settings.items()):
        yield f"set {escaped(name)}={escaped(text)}"


def _player(seat: SeatRecord) -> str:
    """The text about the player of a seat."""
    known = "account" if seat.account else "guest"
    origin = f", from {escaped(seat.address)}" if seat.address else ""
    return f"{escaped(seat.name)}, {known}, by {escaped(seat.wire)}{origin}"


def _entry(entry: Entry, game: Game[Any, Any] | None) -> str:
    """The line of an entry, without its number."""
    parts = [clock(entry.at)]
    if entry.seat is not None:
        parts.append(f"seat {entry.seat}")
    parts.append(_action(entry.notation, game) if entry.kind is EntryKind.ACTED else WORDS[entry.kind])
    if entry.drawn:
        parts.append(f"(drawn: {' '.join(map(str, entry.drawn))})")
    if entry.outcome:
        parts.append(f"=> {escaped(entry.outcome)}")
    return "  ".join(parts)


def _action(notation: bytes, game: Game[Any, Any] | None) -> str:
    """An action in the game's notation, escaped. Says if the game cannot read the notation."""
    text = escaped(notation.decode("utf-8", "backslashreplace"))
    if game is None:
        return text
    try:
        game.read(notation)
    except ValueError:
        return f"{text} (not this game's notation)"
    return text


def _drawn(journal: Inspector | LiveJournal, words: argparse.Namespace, game_of: GameOf) -> str:
    """
    The picture of a table.

    :raises StoreUnusable: the table cannot be drawn
    """
    opened_ms, record = journal.table(TableId(words.table))
    opening = record.opening
    what = f"table {words.table} is of {escaped(opening.game)}"
    game = game_of(opening.game)
    if game is None or not has_picture(game):
        raise StoreUnusable(f"{what}, a game that has no picture; 'show' lists its moves")
    # Under other rules the same actions could give another position.
    if opening.version != game.version:
        raise StoreUnusable(f"{what}, rules {opening.version}; only matches under rules {game.version} can be drawn")
    if words.entry is not None and not 1 <= words.entry <= len(record.entries):
        raise StoreUnusable(f"{what}, and has no entry {words.entry}; expected 1 to {len(record.entries)}")
    try:
        return picture(
            game,
            record,
            names=[escaped(seat.name) for seat in opening.seats],
            date=moment(opened_ms).partition("T")[0],
            seat=None if words.seat is None else Seat(words.seat),
            until=words.entry,
            moves=not words.no_moves,
        )
    except NoPicture as error:
        raise StoreUnusable(f"{what}, but {escaped(str(error))}") from error


def _keep(drawn: str, path: Path | None, out: TextIO) -> None:
    """
    Write a picture to a new file or to standard output. A file that exists is not overwritten, because it might be a
    journal.

    :raises StoreUnusable: the file exists, or cannot be written
    """
    if path is None:
        out.write(drawn)
        return
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(drawn)
    except FileExistsError:
        raise StoreUnusable(f"{path}: this file exists; name a new file") from None
    except OSError as error:
        raise StoreUnusable(f"{path}: {error.strerror or 'cannot be written'}") from error


def _beside(store: str) -> Path:
    """The path with which the names of a store's small files begin. Symbolic links are followed, as a host does."""
    return Path(store).resolve() if kind_of(store) is None else beside(store)


def _prune(words: argparse.Namespace, out: TextIO) -> int:
    """Carry out `prune`, and return the exit status."""
    store: str = words.store
    archive = words.archive or Path(f"{beside(store)}.before-{words.before}")
    midnight = datetime(words.before.year, words.before.month, words.before.day, tzinfo=UTC)
    moved = prune(store, int(midnight.timestamp() * 1000), archive)
    if not moved.tables:
        # There is no archive.
        print(f"no finished table was opened before {words.before}", file=out)
        return 1
    print(f"{archive}: {moved.tables} tables with {moved.rows} rows moved", file=out)
    return 0


def _copy(words: argparse.Namespace, out: TextIO) -> int:
    """Carry out `copy`, and return the exit status."""
    copied = copy_store(words.source, words.target)
    what = f"{copied.tables} tables with {copied.rows} rows, and {copied.accounts} accounts"
    print(f"{shown(words.target)}: {what} copied and checked", file=out)
    return 0


def _read(path: Path, game_of: GameOf, out: TextIO) -> int:
    """
    Replay a match in text notation, and print its end.

    :raises StoreUnusable: the file has no match that this release can play
    """
    try:
        record = read_notation(path.read_text("utf-8")).record
        opening, game = record.opening, game_of(record.opening.game)
        if game is None or game.version != opening.version:
            raise NotNotation(f"{opening.game}, rules {opening.version}, is not played here")
        master = replayed(game, opening, record.entries)
    except (OSError, ValueError) as error:
        # The text, its encoding, its settings or a move is wrong: the error's own message says which.
        raise StoreUnusable(f"{path}: {escaped(str(error))}") from error
    names = [escaped(seat.name) for seat in opening.seats]
    end = "not finished" if master.result is None else master.result.words(names)
    print(f"{escaped(opening.game)}, {', '.join(names)}: {len(record.entries)} entries replayed; {end}", file=out)
    return 0


def moment(ms: int) -> str:
    """
    A date and time in UTC, such as `2026-01-31T12:00:00Z`.

    :param ms: milliseconds since 1970
    """
    try:
        return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return "(no date)"


def clock(ms: int) -> str:
    """A time on the table's clock, such as `0:01:02.345`."""
    seconds, rest = divmod(ms, 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:03}"
