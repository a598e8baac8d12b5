"""
The command `gamehost contest`: plays a contest between programs, and writes its results.
"""

import argparse
import json
import secrets
import shlex
import shutil
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from attrs import define, evolve, field, frozen
from twisted.internet.endpoints import serverFromString

from gamehost._twisted import use_steady_clock
from gamehost.commands.command_line import exit_with_usage_error, number, print_text
from gamehost.extras.contest import results
from gamehost.extras.contest.audit import audited, faults, faults_of_files
from gamehost.extras.contest.contest import JOURNAL, Contest, ContestBusy, ContestError, ContestJournal, Pairing
from gamehost.extras.contest.control import ContestControl, ask
from gamehost.extras.contest.entries import Intervention, Played, Refused, Void
from gamehost.extras.contest.entry import EntryCheck, at_once, check_names
from gamehost.extras.contest.files import CHECKS, replace_file
from gamehost.extras.contest.game import ContestGame, PrivateGame
from gamehost.extras.contest.host import ContestHost
from gamehost.extras.contest.hosted import HostedGame, secret_of
from gamehost.extras.contest.isolation import KINDS, why_not
from gamehost.extras.contest.middle import ACTIONS, by_whom, intervene, words_of
from gamehost.extras.contest.owners import Owners, owners_here
from gamehost.extras.contest.plan import FOLDER, FORMATS, IN_TURN, OUT_RULES, PERSON, Entrant, Plan
from gamehost.extras.contest.run import MOST_WAITING, ContestRun
from gamehost.extras.contest.standings import Standing, standings
from gamehost.extras.contest.traffic import trace_worst_games
from gamehost.extras.contest.uploads import CODES, Uploads, first_folder
from gamehost.games.base import Game
from gamehost.ops import SocketUnusable
from gamehost.ops.workers import adopt_orphans
from gamehost.players.base import Level
from gamehost.programs.clients import client_of
from gamehost.settings import BadOption, settings_of
from gamehost.wires.base import SeatKey, Wire

#: The exit statuses: the contest is over; it was interrupted, and the same command continues it; it cannot be played.
OVER, INTERRUPTED, NOT_PLAYED = 0, 1, 2
#: The width of the progress bar on a terminal, in characters.
BAR = 30
#: The least seconds between two versions of the results while the contest is played.
PAUSE = 0.5

#: The folder for the results if `--out` is not given.
DEFAULT_OUT = Path("contest")
#: The admin socket of a running host if `--admin` is not given.
DEFAULT_ADMIN = Path("gamehost.sqlite.admin")

EPILOG = """\
A PLAYER is NAME=COMMAND, NAME=house:easy, house:medium or house:hard, or with --host NAME=person. {host}, {port}, {name},
{password}, {key} and {seed} in a COMMAND are filled in; the environment has them too, as GAMEHOST_HOST and so on. Each game
starts the programs anew. A file has the same options by their names, and the players in a table:

  wire = "onitama"
  rounds = 2
  [players]
  ann = "python ann.py {name} --port {port}"
  medium = "house:medium"
"""

#: The options of the command line that a file cannot contain.
_NOT_IN_FILES = {"file", "action", "anew", "audit"}
#: The options without a value.
_FLAGS = {"no_check", "pairs", "strict_entry", "uploads"}


def parser(wires: Sequence[Wire[Any]]) -> argparse.ArgumentParser:
    """
    Makes the parser of the command line.

    :param wires: the installed wires, which the help text lists
    """
    made = argparse.ArgumentParser(
        prog="gamehost contest",
        usage="gamehost contest (FILE.toml | --wire WIRE --player NAME=COMMAND ...) [options]\n"
        "       gamehost contest [FILE.toml] (drop NAME | replace NAME COMMAND [--anew] | replay NAME NAME) [--out DIR]",
        description="Plays a contest between programs, and writes the results. The same command goes on where it was.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the contest in a file; options count more")
    made.add_argument("action", nargs="*", metavar="ACTION", help="; ".join(ACTIONS.values()))
    made.add_argument("--anew", action="store_true", default=None, help="with replace: play all its games again")
    _add_games(made, wires)
    _add_bounds(made)
    return made


def _add_games(made: argparse.ArgumentParser, wires: Sequence[Wire[Any]]) -> None:
    """Adds the options for the game, the players and the order of the games."""
    made.add_argument("--wire", metavar="WIRE", help=", ".join(wire.name for wire in wires if not wire.for_people))
    made.add_argument("--game", metavar="GAME", help="on a wire with several; default the first one")
    made.add_argument("--player", action="append", metavar="PLAYER", help="who takes part; repeatable")
    formats = "; ".join(f"{name}: {meaning}" for name, meaning in FORMATS.items())
    made.add_argument("--format", choices=FORMATS, help=f"default round-robin. {formats}")
    made.add_argument("--rounds", type=number, metavar="N", help="default 1, in a Swiss contest 5")
    rules = "; ".join(f"{name}: {meaning}" for name, meaning in OUT_RULES.items())
    made.add_argument("--out-rule", choices=OUT_RULES, help=f"for players who are out. {rules}. Default annul; forfeit in a "
                      "Swiss contest and a knock-out")  # fmt: skip
    made.add_argument(
        "--pairs", action="store_true", default=None, help="play each pairing twice: the same deal, other seats"
    )
    made.add_argument("--seats", type=number, metavar="N", help="players at a table; default 2")
    made.add_argument("--seed", type=int, metavar="N", help="of pairings and deals; default: at random, written down")
    made.add_argument(
        "--set", action="append", metavar="NAME=VALUE", help="a setting of the game or the wire; repeatable"
    )


def _add_bounds(made: argparse.ArgumentParser) -> None:
    """Adds the options for the limits of games and programs, and for the places of the games and the results."""
    made.add_argument("--move-time", type=_seconds, metavar="S", help="seconds for a move; default 10, 0: any time")
    made.add_argument("--game-time", type=_seconds, metavar="S", help="for all moves of a player; default: any time")
    made.add_argument("--increment", type=_seconds, metavar="S", help="seconds that a player gets for each move")
    made.add_argument("--deadline", type=_seconds, metavar="S", help="seconds for a whole game; default 600")
    made.add_argument("--most-moves", type=number, metavar="N", help="after so many a game is drawn; default: never")
    made.add_argument("--memory", type=number, metavar="MIB", help="that a program may take; on Linux; default 1024")
    made.add_argument("--isolate", choices=KINDS, help="what programs are kept from: none, the rights of their owner; user, "
                      "those of a user of their own; bubblewrap, network and files, too")  # fmt: skip
    made.add_argument(
        "--isolate-read", action="append", metavar="PATH", help="what they may read in a sandbox; repeatable"
    )
    made.add_argument("--processes", type=number, metavar="N", help="that it may have, all in all; default 256")
    made.add_argument("--processor-time", type=_seconds, metavar="S", help="of all its processes; default any time")
    made.add_argument("--sprt", nargs=2, type=float, metavar="ELO", help="two players: stop when it is decided whether the "
                      "first is so much, or so much better")  # fmt: skip
    made.add_argument("--anchor", metavar="NAME=RATING", help="a player whose rating is known; else the average is 0")
    made.add_argument("--concurrency", type=number, metavar="N", help="games at the same time, and at most "
                      f"{MOST_WAITING} for each in which a program does nothing; default one a core")  # fmt: skip
    made.add_argument("--title", metavar="TEXT", help="what the pages call the contest")
    made.add_argument("--out", type=Path, metavar="DIR", help="where the results are written; default contest")
    made.add_argument("--web", metavar="[HOST:]PORT", help="show the contest there as a page while it runs")
    made.add_argument("--uploads", action="store_true", default=None, help="authors hand programs in on the page of --web, as "
                      "zips; {folder} in a COMMAND is where they are. Needs --isolate")  # fmt: skip
    made.add_argument("--host", metavar="[HOST:]PORT", help="play on a running host of this machine: the wire's port")
    made.add_argument("--admin", type=Path, metavar="PATH", help=f"the socket of its owner; default {DEFAULT_ADMIN}")
    made.add_argument(
        "--strict-entry", action="store_true", default=None, help="begin only if all programs pass the check"
    )
    made.add_argument("--audit", action="store_true", help="see if the contest in --out followed its plan and its seed")
    made.add_argument("--no-check", action="store_true", default=None, help="do not check the programs first")


def _seconds(text: str) -> str:
    """
    Checks that an option's text is a number of seconds, and returns the text unchanged.

    :raises ArgumentTypeError: it is not, or the number is too large
    """
    try:
        if float(text) < 0 or float(text) > 1e6:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError("expected a number of seconds") from None
    return text


def main(arguments: Sequence[str], wires: Sequence[Wire[Any]], reactor: Any, out: TextIO = sys.stdout) -> int:
    """
    Runs `gamehost contest` with some arguments.

    :param wires: the installed wires
    :returns: the exit status
    :raises SystemExit: the arguments are wrong, or ask for help
    """
    made = parser(wires)
    options = made.parse_args(arguments)
    # The file may be left out: `gamehost contest drop NAME`.
    # The first word is then not a file, but an action of the organizer.
    if options.file is not None and str(options.file) in ACTIONS:
        options.file, options.action = None, [str(options.file), *options.action]
    if options.audit:
        return _audit(options.out or DEFAULT_OUT, wires)
    # Read the plan, check the programs, and open the journal. Nothing is written before the journal is opened.
    try:
        content = _content(options)
        if options.action:
            return _intervene(options.action, content, wires)
        plan = plan_of(content, wires)
        folder = Path(content.get("out", DEFAULT_OUT))
        place = _where_games_are(content, plan)
        found = _checked(plan, folder, content, out)
        journal = ContestJournal(folder)
        contest = journal.open(plan)
    except (ContestError, BadOption) as error:
        exit_with_usage_error(error, "gamehost contest --help lists the options")
    except KeyboardInterrupt:
        print_text("interrupted in the check of the programs: no game was played\n")
        return INTERRUPTED
    if found is not None:
        replace_file(folder / CHECKS, json.dumps(found, indent=1) + "\n")
    # Connect the parts: the display, the function that makes games, the run of the contest, and the socket for the
    # organizer.
    known = next(wire for wire in wires if wire.name == plan.wire)
    game = next(game for game in known.games if game.name == plan.game)
    shown = Shown(folder, game, out)
    make = games_at(place, reactor, known, game, plan, _owners(place))
    games_at_once = content.get("concurrency") or at_once()
    shown.run = ContestRun(reactor, contest, journal, make, at_once=games_at_once, told=shown.told, done=shown.done)
    control = ContestControl(reactor, folder, shown.run, partial(_command, known, game, plan.seats))
    return _play(reactor, journal, shown, control, content, made)


def _play(
    reactor: Any,
    journal: ContestJournal,
    shown: "Shown",
    control: ContestControl,
    content: Mapping[str, Any],
    made: argparse.ArgumentParser,
) -> int:
    """
    Plays a contest to its end, or until it is interrupted. Then writes its results.

    :param control: the socket for the organizer's changes
    :param content: the options by name
    :param made: the parser, which reports wrong options
    :returns: the exit status
    """
    # Later, because the reactor may not run yet.
    shown.over = lambda: reactor.callLater(0, reactor.stop)
    _prepare(reactor)
    reactor.addSystemEventTrigger("before", "shutdown", shown.run.stop)
    if content.get("web"):
        _listen(reactor, content["web"], shown, made, bool(content.get("uploads")))
    print_text(f"isolation: {KINDS[shown.contest.plan.isolate]}\n")
    _call_people(shown.contest.plan)
    try:
        control.listen()
    except (OSError, SocketUnusable) as error:
        print_text(f"drop, replace and replay need a stop of this contest: {error}\n")
    reactor.callWhenRunning(shown.run.start)
    reactor.run()
    # `None`: the contest was interrupted. Empty: all games are decided.
    if shown.failure:
        journal.close()
        exit_with_usage_error(shown.failure, "the same command goes on when that is mended")
    _write_results(shown)
    journal.close()  # not earlier: no other process may change the contest while the results are written
    if shown.failure is None:
        print_text("interrupted: the same command goes on\n")
        return INTERRUPTED
    return OVER


def _prepare(reactor: Any) -> None:
    """
    Makes the reactor use a monotonic clock, and makes this process the parent of processes that programs leave behind.
    """
    use_steady_clock(reactor)
    adopt_orphans()


def _checked(plan: Plan, folder: Path, content: Mapping[str, Any], out: TextIO) -> Mapping[str, Sequence[str]] | None:
    """
    Checks the programs of a new contest.

    :returns: the faults of each program, by the player's name; `None`: no program is checked, because the contest has begun
        before or `--no-check` is given
    :raises ContestError: a program has failed, and with `--strict-entry` all must pass
    """
    # A contest with a journal has begun, and its programs were checked then.
    if (folder / JOURNAL).exists() or content.get("no_check"):
        return None
    check = EntryCheck(plan, out)
    check.run(at_once(), bool(content.get("strict_entry")))
    return check.found


def _write_results(shown: "Shown") -> None:
    """
    Writes the results, and prints the table.

    :raises SystemExit: the results cannot be written
    """
    contest, folder, table = shown.contest, shown.folder, standings(shown.contest)
    shown.clear()
    try:
        # Traces take a while. If the organizer interrupts them, the results are written without them.
        with suppress(KeyboardInterrupt):
            trace_worst_games(folder, contest)
        results.write(contest, table, folder, shown.game)
    except OSError as error:
        exit_with_usage_error(f"the results cannot be written: {error}", "the same command goes on when that is mended")
    print_text(f"\n{results.as_text(contest, table)}results: {folder / 'results.html'}\n")


def _audit(folder: Path, wires: Sequence[Wire[Any]]) -> int:
    """
    Checks whether the contest in a folder was played as its plan says, and prints the faults.

    :returns: the exit status; 0: no faults; 1: faults
    :raises SystemExit: the folder has no contest that can be read
    """
    try:
        contest = audited(folder)
        game = _game({"game": contest.plan.game}, _wire({"wire": contest.plan.wire}, wires))
    except ContestError as error:
        exit_with_usage_error(error, "expected the folder of a contest with --out")
    data = results.as_data(contest, standings(contest))
    found = [*faults(contest, game), *faults_of_files(folder, contest, data)]
    for entry in contest.interventions:
        print_text(f"{by_whom(entry)}: {words_of(contest, entry)}\n")
    good = f"{len(contest.played)} games: players, deals, moves and points follow from the plan and the seed"
    if contest.plan.hosted:
        # A running host deals by its own random numbers, so the deals cannot be checked.
        good = f"{len(contest.played)} games: players, moves and points follow from the plan; the host dealt"
    print_text("\n".join(found or [good]) + "\n")
    return 1 if found else 0


def _intervene(words: Sequence[str], content: Mapping[str, Any], wires: Sequence[Wire[Any]]) -> int:
    """
    Carries out a change of the organizer in the middle of a contest. If a process plays the contest at this time, it is
    asked to do it. Otherwise the change is written to the journal here.

    :param words: the change: one of `ACTIONS` with its arguments
    :param content: the options by name
    :returns: the exit status
    :raises ContestError: the change cannot be made
    """
    folder = Path(content.get("out", DEFAULT_OUT))
    journal = ContestJournal(folder)
    plan = journal.plan()
    wire = _wire({"wire": plan.wire}, wires)
    game = _game({"game": plan.game}, wire)

    anew = bool(content.get("anew"))
    try:
        contest = journal.open(plan)
    # Another process has locked the journal, because it plays the contest.
    except ContestBusy:
        print_text(f"{ask(folder, words, anew)}\n")
        return OVER
    try:
        entry = intervene(contest, words, partial(_command, wire, game, plan.seats), anew)
        journal.append(entry)
        contest.note(entry)
        print_text(f"{words_of(contest, entry)}\n")
    except OSError as error:
        raise ContestError(f"{folder}: {error}") from error
    finally:
        journal.close()
    contest = audited(folder)  # read again: rounds that have begun without a result may have other pairings now
    results.write(contest, standings(contest), folder, game)
    print_text("the command of the contest goes on with it\n")
    return OVER


def _command(wire: Wire[Any], game: Game[Any, Any], seats: int, name: str, text: str) -> tuple[str, ...]:
    """Reads the command of a player, as `--player NAME=COMMAND` would be read."""
    return _entrant(f"{name}={text}", wire, game, seats, None).command


def _content(options: argparse.Namespace) -> dict[str, Any]:
    """
    Returns the values of the file and of the command line, by the names of the options. The command line comes first.

    :raises ContestError: the file cannot be used
    """
    # Options that were not given are `None`. `--anew` belongs to an action of the command line, so it remains.
    given = {
        name: value
        for name, value in vars(options).items()
        if value is not None and name not in _NOT_IN_FILES - {"anew"}
    }
    if options.file is None:
        return given
    # Names in a file have hyphens, as options have.
    try:
        content = {
            name.replace("-", "_"): value for name, value in tomllib.loads(options.file.read_text("utf-8")).items()
        }
    except (OSError, ValueError) as error:
        raise ContestError(f"{options.file}: {error}") from error
    known = {*vars(options), "players", "settings"} - {"player", "set"} - _NOT_IN_FILES
    if unknown := sorted(content.keys() - known):
        raise ContestError(f"{options.file}: there is no {unknown[0]!r}; expected one of {', '.join(sorted(known))}")
    # The tables of players and settings become repeated options.
    players, settings = content.pop("players", {}), content.pop("settings", {})
    if not isinstance(players, dict) or not isinstance(settings, dict):
        raise ContestError(f"{options.file}: expected [players] and [settings] as tables")
    content = _read_values(options.file, content)
    content["player"] = [f"{name}={command}" for name, command in players.items()]
    content["set"] = [f"{name}={value}" for name, value in settings.items()]
    # The players and settings of the command line replace those of the file.
    return {**content, **given}


def _read_values(file: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """
    Checks and converts the values of a file as if they were options of the command line, and returns them by name.

    :raises ContestError: a value cannot be used
    """
    # Make the words of a command line, and parse them.
    words = []
    for name, value in content.items():
        option = f"--{name.replace('_', '-')}"
        if name in _FLAGS:
            if not isinstance(value, bool):
                raise ContestError(f"{file}: expected true or false for {option[2:]!r}, not {value!r}")
            # `False`: the option is left out.
            words += [option] * value
        elif name == "sprt" and isinstance(value, list):
            words += [option, *map(str, value)]
        else:
            words.append(f"{option}={value}")
    made = parser(())
    # So that the parser raises an error, which is reported with the name of the file.
    made.exit_on_error = False
    try:
        read = vars(made.parse_args(words))
    except argparse.ArgumentError as error:
        raise ContestError(f"{file}: {error.message} for {(error.argument_name or '').lstrip('-')!r}") from error
    return {name: value for name, value in read.items() if value is not None}


def plan_of(content: Mapping[str, Any], wires: Sequence[Wire[Any]]) -> Plan:
    """
    Makes the plan of a contest from options.

    :param content: the options by their names
    :raises ContestError: an option is wrong, or does not fit the others
    :raises BadOption: a setting is unknown or cannot be used
    """
    wire = _wire(content, wires)
    game = _game(content, wire)
    # The player with a known rating, and the rating; `None`: there is none.
    anchored = _anchor(content.get("anchor", ""))
    seats = int(content.get("seats", 2))
    entrants = tuple(_entrant(text, wire, game, seats, anchored) for text in content.get("player", ()))
    taken = [one.name for one in entrants]
    if len(entrants) < seats:
        raise ContestError(f"{len(entrants)} players; expected at least {seats}, each as --player NAME=COMMAND")
    check_names(taken, wire)
    entrants = _with_folders(entrants, content) if content.get("uploads") else entrants
    if anchored and anchored[0] not in taken:
        raise ContestError(f"the anchor {anchored[0]!r} does not play")
    if not game.least_seats <= seats <= game.most_seats:
        raise ContestError(f"{game.name} is not played by {seats}")
    sprt = content.get("sprt")
    if sprt is not None and (len(entrants) != 2 or not sprt[0] < sprt[1]):
        raise ContestError("expected two players and the smaller difference first with --sprt")
    chosen = content.get("format", "round-robin")
    if chosen not in FORMATS:
        raise ContestError(f"no format {chosen!r}; expected one of {', '.join(FORMATS)}")
    # Whether each round depends on the results of the rounds before it.
    in_turn = chosen in IN_TURN and seats == 2 and sprt is None
    rule = content.get("out_rule", "forfeit" if in_turn else "annul")
    # By the rule `annul`, results would be taken back on which later pairings depend.
    if in_turn and rule == "annul":
        raise ContestError(f"the next round depends on the results of a {chosen}: expected --out-rule=forfeit")
    return Plan(
        wire=wire.name,
        game=game.name,
        entrants=entrants,
        format=chosen,
        seats=seats,
        out_rule=rule,
        rounds=int(content.get("rounds", 5 if chosen == "swiss" else 1)),
        pairs=bool(content.get("pairs")),
        seed=content["seed"] if "seed" in content else _seed(Path(content.get("out", DEFAULT_OUT))),
        settings=_settings(content, wire, game),
        deadline=float(content.get("deadline", 600)),
        most_moves=int(content.get("most_moves", 0)),
        memory=int(content.get("memory", 1024)),
        processes=int(content.get("processes", 256)),
        isolate=_isolation(content),
        readable=tuple(str(Path(path).absolute()) for path in content.get("isolate_read", ())),
        processor=float(content.get("processor_time", 0)),
        hosted="host" in content,
        title=str(content.get("title", "")),
        sprt=None if sprt is None else (float(sprt[0]), float(sprt[1])),
    )


def _with_folders(entrants: Sequence[Entrant], content: Mapping[str, Any]) -> tuple[Entrant, ...]:
    """
    Returns the entrants with their first folders for uploaded programs. Only entrants with `{folder}` in the command
    have one. Programs of strangers are run, so an isolation is needed.

    :raises ContestError: the options do not fit `--uploads`
    """
    if content.get("isolate", "none") == "none" or not content.get("web"):
        raise ContestError(
            "expected --isolate=user or --isolate=bubblewrap, and --web, with --uploads: what authors hand in is run here"
        )
    if not any(FOLDER in word for one in entrants for word in one.command):
        raise ContestError(f"expected {FOLDER} in the COMMAND of a player with --uploads: it is where its program is")
    folder = Path(content.get("out", DEFAULT_OUT))
    return tuple(
        evolve(one, folder=str(first_folder(folder, one.name))) if any(FOLDER in word for word in one.command) else one
        for one in entrants
    )


def _wire(content: Mapping[str, Any], wires: Sequence[Wire[Any]]) -> Wire[Any]:
    """
    Returns the wire that the options name.

    :raises ContestError: no wire for programs has this name
    """
    known = {wire.name: wire for wire in wires if not wire.for_people}
    if content.get("wire") not in known:
        raise ContestError(f"no wire {content.get('wire', '')!r}; expected one of {', '.join(known)}")
    return known[content["wire"]]


def _game(content: Mapping[str, Any], wire: Wire[Any]) -> Game[Any, Any]:
    """
    Returns the game that the options name, or the first game of the wire.

    :raises ContestError: the wire does not have the game
    """
    known = {game.name: game for game in wire.games}
    if content.get("game", wire.games[0].name) not in known:
        raise ContestError(f"{wire.name} has no game {content['game']!r}; expected one of {', '.join(known)}")
    return known[content.get("game", wire.games[0].name)]


@frozen
class RunningHost:
    """A host that runs on this machine: the address of its wire, and the socket of its owner."""

    where: tuple[str, int]
    admin: Path


def games_at(
    place: RunningHost | None,
    reactor: Any,
    wire: Wire[Any],
    game: Game[Any, Any],
    plan: Plan,
    owners: Owners | None,
) -> Callable[..., ContestGame]:
    """
    Returns a function that makes a game of the contest. Its arguments are those that differ from game to game.

    :param place: the running host; `None`: a private host is made for the whole contest
    :param owners: finds the processes of connections; `None`: this machine does not show them
    """
    if place is not None:
        return partial(HostedGame, place.where, place.admin, reactor, game, plan)
    return partial(PrivateGame, reactor, game, plan, host=ContestHost(reactor, wire, game, plan, owners))


def _owners(place: RunningHost | None) -> Owners | None:
    """
    Returns an object that finds the processes with connections to a private host; `None`: this machine does not show them, or
    the games are on a running host. Prints a warning if they cannot be seen.
    """
    owners = owners_here() if place is None else None
    if place is None and owners is None:
        words = (
            "this system does not show which process has a connection: whoever knows a player's name can take the seat"
        )
        print_text(f"{words}\n")
    return owners


def _where_games_are(content: Mapping[str, Any], plan: Plan) -> RunningHost | None:
    """
    Returns the running host on which the games are played; `None`: a private host is used.

    :raises ContestError: an option does not fit `--host`, or a person needs a running host
    """
    people = [entrant.name for entrant in plan.entrants if entrant.command == PERSON]
    if "host" not in content:
        if people:
            raise ContestError(f"{people[0]} is a person, who plays on a running host: expected --host, too")
        return None
    host, _, port = str(content["host"]).rpartition(":")
    # The host reserves seats for games of two. It does not end games after a number of moves.
    if not port.isdigit() or plan.seats != 2 or plan.most_moves:
        raise ContestError("expected [HOST:]PORT for --host, two players at a table, and no --most-moves")
    admin = Path(content.get("admin", DEFAULT_ADMIN))
    try:
        # The result is not used here: this only tries whether the file can be made or read, before the contest begins.
        secret_of(admin)
    except OSError as error:
        raise ContestError(f"expected the socket of the host's owner with --admin: {error}") from error
    return RunningHost((host or "127.0.0.1", int(port)), admin)


def _call_people(plan: Plan) -> None:
    """Prints what each person that takes part has to do."""
    for entrant in plan.entrants:
        if entrant.command == PERSON:
            print_text(f"{entrant.name}: log in at the host under this name, and ask for {plan.game} for each game\n")


def _isolation(content: Mapping[str, Any]) -> str:
    """
    Returns the kind of isolation that the options ask for, one of `KINDS`.

    :raises ContestError: this machine cannot isolate programs in this way, or it does not fit `--host`
    """
    kind = str(content.get("isolate", "none"))
    if (why := why_not(kind)) is not None:
        raise ContestError(why)
    if kind == "bubblewrap" and "host" in content:
        raise ContestError(
            "expected no --host with --isolate=bubblewrap: a sandbox reaches the contest's own host alone"
        )
    return kind


def _seed(folder: Path) -> int:
    """Returns the seed of the contest that was begun in a folder; a random seed if none was begun."""
    try:
        with (folder / JOURNAL).open(encoding="utf-8") as file:
            return int(json.loads(file.readline())["plan"]["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        return secrets.randbelow(2**32)


def _entrant(
    text: str, wire: Wire[Any], game: Game[Any, Any], seats: int, anchored: tuple[str, float] | None
) -> Entrant:
    """
    Reads `NAME=COMMAND`. For `NAME=house:LEVEL`, the command is that of gamehost's own player for the wire.

    :param anchored: the player with a known rating, and the rating
    :raises ContestError: the text cannot be read, or there is no such player of gamehost
    """
    name, _, command = text.partition("=")
    if not name or not command:
        raise ContestError(f"expected NAME=COMMAND for a player, not {text!r}")
    # `None`: the rating of this player is not known.
    anchor = anchored[1] if anchored is not None and anchored[0] == name else None
    if not command.startswith("house:"):
        try:
            return Entrant(name, tuple(shlex.split(command)), anchor)
        except ValueError as error:
            raise ContestError(f"{text!r}: {error}") from error
    level = command.removeprefix("house:")
    client = client_of(wire.name)
    if client is None or client.player is None or level not in [one.value for one in Level]:
        levels = ", ".join(f"house:{one.value}" for one in Level)
        raise ContestError(f"{text!r}: expected {levels}, on a wire for which gamehost player has a program")
    # The player needs some more options on some wires.
    words = ["-m", "gamehost", "player", wire.name, "--to", "{host}:{port}", "--name", "{name}", "--level", level]
    words += ["--seats", str(seats)] if seats > 2 else []
    words += ["--match", "{match}"] if wire.seat_key is SeatKey.TOKEN else []
    words += ["--game", game.name] if len(wire.games) > 1 and wire.name == "open" else []
    return Entrant(name, (sys.executable, *words, "--password", "{password}"), anchor)


def _anchor(text: str) -> tuple[str, float] | None:
    """
    Reads `NAME=RATING`; an empty text is `None`.

    :raises ContestError: the text cannot be read
    """
    name, _, rating = text.partition("=")
    try:
        return (name, float(rating)) if text else None
    except ValueError:
        raise ContestError(f"expected NAME=RATING for the anchor, not {text!r}") from None


def _settings(content: Mapping[str, Any], wire: Wire[Any], game: Game[Any, Any]) -> Mapping[str, str]:
    """
    Returns the settings of the contest's games and wire, by their full names (`GAME.NAME` or `WIRE.NAME`).

    :raises BadOption: a setting cannot be used
    :raises ContestError: a setting is unknown, or has no value
    """
    if bad := next((text for text in content.get("set", ()) if "=" not in text), None):
        raise ContestError(f"expected NAME=VALUE with --set, not {bad!r}")
    found = dict(text.split("=", 1) for text in content.get("set", ()))
    # Some settings have options of their own, which `--set` overrides.
    # Ten seconds a move, if nothing is given.
    times = {"move_time": content.get("move_time", "10")}
    times |= {name: content[name] for name in ("game_time", "increment") if name in content}
    found = {**{f"{game.name}.{name}": str(value) for name, value in times.items()}, **found}
    # Check names first, then values.
    of_game = settings_of(game.name, found, {*game.options, "game_time", "increment"})
    of_wire = settings_of(wire.name, found, wire.options)
    known = {f"{game.name}.{name}" for name in of_game} | {f"{wire.name}.{name}" for name in of_wire}
    if unknown := sorted(found.keys() - known):
        raise ContestError(f"there is no setting {unknown[0]!r} of {wire.name}")
    # Results are not used: both calls raise `BadOption` if a value is wrong.
    game.check({name: value for name, value in of_game.items() if name in game.options})
    wire.configure(of_wire)
    return found


@define(eq=False)
class Shown:
    """Shows a contest while it is played: prints lines on the terminal, and writes the files of the results."""

    folder: Path
    game: Game[Any, Any]
    _out: TextIO
    run: ContestRun = field(init=False)
    #: Called when the contest has ended by itself.
    over: Callable[[], object] = field(init=False)
    #: `None`: the contest has not ended by itself. Empty: all games are decided. Otherwise why the contest cannot continue.
    failure: str | None = None
    #: The results are not written again before this time of `time.monotonic`.
    _not_before: float = 0.0
    _table: Sequence[Standing] = ()
    #: The number of lines of progress that the terminal shows now.
    _lines: int = 0

    @property
    def contest(self) -> Contest:
        return self.run.contest

    def done(self, why_not: str) -> None:
        """
        Called when the contest has ended.

        :param why_not: why the contest cannot continue; empty: all games are decided
        """
        self.failure = why_not
        self.over()

    def told(self, what: Played | Pairing | Void | Refused | Intervention) -> None:
        """
        Prints a line for an event: a game is decided or void, a connection was refused, or the contest was changed. A game that
        begins only changes the progress.
        """
        # Writing the results also updates the table that `_show_progress` prints at the end.
        self._write()
        self.clear()
        if isinstance(what, Played):
            names = " against ".join(self.contest.plan.names[player] for player in what.players)
            done, count, _ = self.contest.progress
            # A sequential test ends when it is sure, so the number of its games is not known before.
            total = "" if self.contest.plan.sprt is not None else f" of {count}"
            print(f"{done}{total}  {what.id}  {names}: {what.words}", file=self._out, flush=True)
        elif isinstance(what, Void):
            print(f"{what.id}  does not count: {what.why}", file=self._out, flush=True)
        elif isinstance(what, Refused):
            process = f" ({what.process})" if what.process else ""
            print(f"{what.id}  refused the seat of {what.name}: {what.why}{process}", file=self._out, flush=True)
        elif not isinstance(what, Pairing):
            print(f"{by_whom(what)}: {words_of(self.contest, what)}", file=self._out, flush=True)
        if self._out.isatty():
            self._show_progress()

    def _show_progress(self) -> None:
        """Prints a progress bar and the table so far below the lines of the games, as far as the terminal has room."""
        done, count, words = self.contest.progress
        width, height = shutil.get_terminal_size()
        filled = BAR * done // max(1, count)
        lines = [f"[{'#' * filled}{'-' * (BAR - filled)}] {words}"]
        lines += results.as_text(self.contest, self._table).splitlines()
        # Longer lines would wrap, and `clear` counts lines. One line remains for the cursor.
        shown = [line[: width - 1] for line in lines[: height - 2]]
        self._lines = len(shown)
        print("\n".join(shown), file=self._out, flush=True)

    def clear(self) -> None:
        """Removes the progress from the terminal, so that the next line is printed in its place."""
        if self._lines:
            # Moves the cursor up by this number of lines, and erases everything below it.
            print(f"\x1b[{self._lines}F\x1b[J", end="", file=self._out, flush=True)
        self._lines = 0

    def _write(self) -> None:
        """
        Writes the results so far. Writing may take only a small share of the time, because the games need the machine, so
        this method often does nothing.
        """
        began = time.monotonic()
        if began < self._not_before:
            return
        self._table = standings(self.contest)
        try:
            results.write(self.contest, self._table, self.folder, self.game, [*self.run.running])
        except OSError as error:  # nothing is lost: the results are made again from the journal
            print(f"the results so far cannot be written: {error}", file=self._out, flush=True)
        now = time.monotonic()
        # At most about a twentieth of the time, and at most once in `PAUSE` seconds.
        self._not_before = now + max(PAUSE, 20 * (now - began))


def _listen(reactor: Any, where: str, shown: Shown, made: argparse.ArgumentParser, with_uploads: bool) -> None:
    """
    Opens the port of the contest's page, and prints the addresses of the page.

    :param where: `[HOST:]PORT`, from the option `--web`
    :param with_uploads: whether authors can upload programs there
    """
    from gamehost.extras.contest.page import ContestSite, page_access  # a contest without a page needs no web server
    from gamehost.extras.contest.upload_page import UploadSite

    host, _, port = where.rpartition(":")
    if not port.isdigit():
        made.error("expected [HOST:]PORT for --web")
    interface = host or "127.0.0.1"
    run = shown.run
    site = ContestSite(reactor, lambda: run.contest, lambda: run.running, shown.folder, shown.game)
    if with_uploads:
        uploads = Uploads(reactor, run, shown.folder)
        reactor.addSystemEventTrigger("before", "shutdown", uploads.stop)
        site = UploadSite(reactor, lambda: run.contest, lambda: run.running, shown.folder, shown.game, uploads=uploads)
    listening = serverFromString(reactor, f"tcp:{port}:interface={interface}").listen(site)

    def listens(found: Any) -> None:
        """Called when the port is open."""
        # The port is known only now: the option may have port 0.
        site.access = page_access(found.getHost().port)
        print_text(f"page: http://{interface}:{found.getHost().port}/contest\n")
        if with_uploads:
            codes = shown.folder / CODES
            print_text(f"uploads: http://{interface}:{found.getHost().port}/upload, with the codes in {codes}\n")

    listening.addCallback(listens)
    listening.addErrback(lambda failure: print_text(f"no page: {failure.getErrorMessage()}\n"))
