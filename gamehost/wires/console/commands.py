"""
The commands of the console: their names, their pages of help, and the parsing of the words behind a command. No input
or output.

A command may be typed in upper or lower case. It may be shortened, as long as no other command begins in the same way.

The second half of this module turns lists of people, matches and waiting players into lines for a terminal, and has the
sentences that are the same in all games. Each list ends with a command that the person can type next.
"""

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from difflib import get_close_matches
from heapq import nsmallest

from msgspec import Struct

from gamehost.accounts.names import NameRefused, key_of
from gamehost.games.base import MOVE_DAYS, Cause, Result, Seat
from gamehost.games.screen import listed, wrapped
from gamehost.journal.records import FinishedMatch, TableId
from gamehost.lobby.directory import Counts, PlayedTable
from gamehost.lobby.finished import Tally
from gamehost.lobby.house import LEVELS
from gamehost.lobby.lists import Person, WaitingByGame
from gamehost.lobby.results import Kind, Who, outcome
from gamehost.lobby.studies import Study
from gamehost.settings import Settings
from gamehost.tables.interfaces import OpenTable
from gamehost.wires.console.languages import LANGUAGES, Command, commands, rules, told
from gamehost.wires.seeking import PlayedGame, Sought


class NotUnderstood(Exception):
    """A typed line is not valid. The message says why, and what to type instead. It repeats nothing of the line."""


class NotNow(Exception):
    """A typed line is valid, but is not possible now. The message says why, and what to type instead."""


#: Other names of commands.
ALIASES: Mapping[str, str] = {"?": "help", "exit": "quit", "bye": "quit", "observe": "watch"}

#: Words from the notation of games. They are never taken for misspelled commands.
_OF_GAMES = frozenset({"ready", "setup", "place"})

#: During a match these words are moves, never shortened commands.
DIRECTIONS = frozenset({"n", "ne", "e", "se", "s", "sw", "w", "nw"})


def beginning(word: str, words: Iterable[str]) -> list[str]:
    """
    Returns the words that begin with the typed text. If the text is a whole word, returns only this word.

    :param word: the typed text
    :param words: the possible words
    """
    found = sorted(one for one in words if one.startswith(word))
    return [word] if word in found else found


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Returns the word that is most similar to a misspelled one; `None`: no word is similar."""
    found = get_close_matches(word, list(words), 1)
    return found[0] if found and word not in _OF_GAMES else None


def find_command(word: str) -> str | None:
    """
    Returns the command that a typed word means; `None`: no command.

    :raises NotUnderstood: several commands begin with the word
    """
    word = word.casefold()
    if word in ALIASES:
        return ALIASES[word]
    found = beginning(word, commands()) if word else []
    for rare in ("password", "mine"):
        if len(found) > 1 and rare in found:
            found.remove(rare)  # `p` alone means play, and `m` means moves
    if len(found) > 1:
        raise NotUnderstood(f"Several commands begin like this: {', '.join(found)}. Type one more letter.")
    return found[0] if found else None


def game_named(words: list[str], games: Iterable[str]) -> str:
    """
    Removes the name of a game from the front of the words, and returns the game's full name. The words may have only
    the beginning of the name, `soccer`, or `paper soccer` in two words.

    :raises NotUnderstood: the words begin with no game, or with several possible games
    """
    names = list(games)
    if not words:
        raise NotUnderstood(f"Say which game: {', '.join(names)}. For example: play {names[0]}")
    word = words.pop(0).casefold().replace("_", "-")
    # A name of two words may also be typed with a space: `paper soccer`.
    if words and f"{word}-{words[0].casefold()}" in names:
        word = f"{word}-{words.pop(0).casefold()}"
    # Each part of a name behind a hyphen is accepted as a short name, such as `soccer`.
    called = {**{part: name for name in names for part in name.split("-")[1:]}, **{name: name for name in names}}
    # Several beginnings may mean the same game.
    found = {called[one] for one in beginning(word, called)}
    if len(found) == 1:
        return found.pop()
    if found:
        raise NotUnderstood(f"Several games begin like this: {', '.join(sorted(found))}. Type one more letter.")
    near = nearest(word, called)
    if near is not None:
        raise NotUnderstood(f"There is no such game. Did you mean {called[near]}? Type: play {called[near]}")
    raise NotUnderstood(f"There is no such game. The games are {', '.join(names)}. For example: play {names[0]}")


# Parsing of the words after a command


#: Names for the number of players, which is not a setting of a game.
_SEATS = frozenset({"players", "seats"})
_NUMBER = re.compile("[0-9]{1,15}", re.ASCII)


class Asked(Struct, frozen=True):
    """The match that a person wants to play."""

    sought: Sought
    #: The level of house players; empty: the person wants no house players.
    level: str = ""
    #: The opponent's name; empty: any opponent.
    against: str = ""


def asked(words: Iterable[str], games: Mapping[str, PlayedGame]) -> Asked:
    """
    Parses the words after the command `play`.

    :raises NotUnderstood: a word is not valid
    """
    rest = list(words)
    game = game_named(rest, games)
    level, against, private = "", "", False
    settings: dict[str, str] = {}
    # Read the words in any order.
    while rest:
        word = rest.pop(0)
        plain = word.casefold()
        if "=" in word:
            name, _, value = word.partition("=")
            settings[name.casefold()] = value
        elif plain in ("against", "with"):
            if not rest:
                raise NotUnderstood(f"Say against whom. For example: play {game} against ann")
            against = rest.pop(0)
        elif plain == "private":
            private = True
        elif plain == "days":
            # A missing number becomes an empty value, which the check of the settings refuses.
            settings[MOVE_DAYS] = rest.pop(0) if rest else ""
        elif _NUMBER.fullmatch(plain):
            settings["players"] = plain
        elif len(found := beginning(plain, LEVELS)) == 1:
            level = found[0]
        else:
            raise NotUnderstood(_no_option(plain, game))
    # `against easy` means the level.
    if against.casefold() in LEVELS:
        level, against = against.casefold(), ""
    if level and against:
        raise NotUnderstood(f"Choose one: play {game} {level}, or against somebody.")
    return Asked(Sought(game, _seats(settings), settings, private), level, against)


def _no_option(word: str, game: str) -> str:
    """Returns the sentence about a word after `play` that is not valid."""
    known = (*LEVELS, "against", "private", "days")
    near = nearest(word, known)
    if near in LEVELS or near == "private":
        return f"Did you mean {near}? Type: play {game} {near}"
    if near == "days":
        return f"Did you mean days? Type: play {game} days 3"
    levels = f"{', '.join(LEVELS[:-1])} or {LEVELS[-1]}"
    words = f"Behind the game stands a level ({levels}), against NAME, private, days NUMBER, or SETTING=VALUE."
    return f"{words} For example: play {game} easy"


def _seats(settings: dict[str, str]) -> int | None:
    """
    Removes the number of players, `players=3` or `seats=3`, from the settings, and returns it; `None`: it is not there.

    :raises NotUnderstood: it is not a number
    """
    seats: int | None = None
    for name in _SEATS & settings.keys():
        text = settings.pop(name)
        if not _NUMBER.fullmatch(text):
            raise NotUnderstood("The number of players is a number, such as players=3.")
        seats = int(text)
    return seats


def chosen_settings(played: PlayedGame) -> str:
    """
    Returns the settings of a game that a player can choose, for its page of help. `days` is not a setting here, because
    it has a word of its own.
    """
    return ", ".join(sorted(played.choices - {MOVE_DAYS}))


def table_and_code(words: Iterable[str], example: str) -> tuple[TableId, str]:
    """
    Parses the number of a table and its code: `12`, `12-K7QF3A2B` or `12 K7QF3A2B`.

    :param example: a correct command, for the error message
    :raises NotUnderstood: the words do not begin with a number
    """
    # The code may stand behind a hyphen or behind a space.
    number, _, code = "-".join(words).partition("-")
    if not _NUMBER.fullmatch(number):
        raise NotUnderstood(f"Say which one by its number. For example: {example}")
    return TableId(int(number)), code.upper()


def count_of(words: Iterable[str], usual: int, most: int, example: str = "next 5") -> int:
    """
    Parses a number that may follow a command.

    :param usual: the result without a number
    :param most: the largest result
    :param example: a correct command, for the error message
    :raises NotUnderstood: the words are not a single number
    """
    rest = list(words)
    if not rest:
        return usual
    if len(rest) > 1 or not _NUMBER.fullmatch(rest[0]):
        raise NotUnderstood(f"A number may stand behind this command, and nothing else. For example: {example}")
    return min(int(rest[0]), most)


# Pages of help


#: Commands without a line in the overview, because the line of another command mentions them.
_TOGETHER = frozenset(
    (
        *("password", "unwatch", "next", "back", "waiting", "cancel", "takeback", "accept", "decline", "claim", "mine"),
        *("sit", "rise", "rematch", "holiday", "language"),
    )
)


def overview(games: Mapping[str, PlayedGame], language: str = LANGUAGES[0]) -> list[str]:
    """
    Returns the list of all commands, on one screen, with the names of the games behind it. Games for two players come
    first.
    """
    names = sorted(games, key=lambda name: games[name].game.most_seats)
    lines = [
        f"  {command.word:9} {command.summary}"
        for command in commands(language).values()
        if command.word not in _TOGETHER
    ]
    return [*lines, told(language, "overview", games=", ".join(names))]


def page(words: list[str], games: Mapping[str, PlayedGame], language: str = LANGUAGES[0]) -> list[str]:
    """
    Returns the page of help about a command or a game; without words, the overview of all commands.

    :param language: one of `LANGUAGES`
    :raises NotUnderstood: no command and no game has this name
    """
    if not words:
        return overview(games, language)
    word = "-".join(words).casefold().replace("_", "-")
    # A whole name of a command comes first.
    if word in commands():
        return command_page(commands(language)[word], language)
    found = beginning(word, games)
    if len(found) == 1:
        return game_page(games[found[0]], language)
    # Games come before shortened commands: `help pa` means `paper-soccer`, not `password`.
    command = find_command(word)
    if command is not None:
        return command_page(commands(language)[command], language)
    near = nearest(word, (*commands(), *games))
    hint = f"Did you mean {near}? Type: help {near}" if near else "Type help to see them all."
    raise NotUnderstood(f"No command and no game has this name. {hint}")


def command_page(command: Command, language: str = LANGUAGES[0]) -> list[str]:
    """Returns the page of help about a command: its form, what it does, and an example."""
    lines = [command.usage, f"  {command.summary[:1].upper()}{command.summary[1:]}."]
    lines += [f"  {line}" for line in command.page]
    return [*lines, f"  {told(language, 'example', line=command.example)}"] if command.example else lines


def game_page(played: PlayedGame, language: str = LANGUAGES[0]) -> list[str]:
    """Returns the rules of a game, and the commands that begin a match."""
    return [
        *rules(played.game, language),
        told(language, "begin", line=f"play {played.game.name} easy"),
        *wrapped([told(language, "settings", settings=chosen_settings(played))], 79),
    ]


#: Titles of games that need more than a capital letter.
_TITLES: Mapping[str, str] = {"paper-soccer": "Paper Soccer"}

#: The beginning of a reason that is about a setting: its name.
_SETTING = re.compile("[a-z_]+: ", re.ASCII)

_CAUSES: Mapping[Cause, str] = {
    Cause.LEFT: "a player gave up",
    Cause.TIME: "time ran out",
    Cause.VIOLATION: "an illegal move",
}


def title(game: str) -> str:
    """Returns a game's name with capital letters, for people."""
    return _TITLES.get(game, game.capitalize())


def sentence(reason: str) -> str:
    """Returns a reason of the host as a sentence: with a capital letter and a full stop."""
    if _SETTING.match(reason):
        reason = f"the setting {reason}"
    return f"{reason[:1].upper()}{reason[1:]}{'' if reason.endswith(('.', '?', '!')) else '.'}"


def as_shown(names: Sequence[str], shown_as: Mapping[str, str]) -> Sequence[str]:
    """Returns the display names of players, or their names if they have none."""
    return [shown_as.get(name, name) for name in names] if shown_as else names


def opponents(names: Sequence[str], seat: Seat) -> str:
    """Returns the opponents of a seat in words: `bob`, or `bob and carl`."""
    return listed([name for other, name in enumerate(names) if other != seat])


def versus(names: Sequence[str]) -> str:
    """Returns the players of a match in words: `ann against bob`."""
    return " against ".join(names) if len(names) == 2 else ", ".join(names)


def ended(result: Result, names: Sequence[str], seat: Seat | None, resigned: bool = False) -> str:
    """
    Returns a sentence with the winners and the reason.

    :param seat: the seat of the reader; `None`: the reader is a watcher
    :param resigned: whether the player of this seat has resigned
    """
    why = result.why or _CAUSES.get(result.cause, "")
    if resigned and result.cause is Cause.LEFT:
        why = "you left the match"
    because = f": {why}." if why else "."
    # In a match of two, a player who left is named instead of the reason.
    if result.cause is Cause.LEFT and len(names) == 2 and len(result.winners) == 1:
        winner = result.winners[0]
        gone = "you left the match" if seat == 1 - winner else f"{names[1 - winner]} has left"
        return f"{'You win' if seat == winner else f'{names[winner]} wins'}: {gone}."
    if not result.winners:
        return f"The match is a draw{because}"
    if seat in result.winners:
        partners = [names[winner] for winner in result.winners if winner != seat]
        return f"You and {listed(partners)} win{because}" if partners else f"You win{because}"
    winners = listed([names[winner] for winner in result.winners])
    return f"{winners} {'wins' if len(result.winners) == 1 else 'win'}{because}"


def clock_line(names: Sequence[str], clocks: Sequence[int]) -> str:
    """Returns a sentence with the remaining time of each player."""
    return "Time left: " + ", ".join(f"{name} {minutes(left)}" for name, left in zip(names, clocks, strict=True)) + "."


def due_line(due: tuple[int, int], *, acts: bool) -> str:
    """
    Returns a sentence with the remaining time for the present decision.

    :param due: the remaining and the whole time in milliseconds, as in `SeatHandle.due`
    :param acts: whether the reader of the sentence has to act
    """
    left = minutes(due[0])
    return f"You have {left} left, or you lose." if acts else f"Whoever is to act has {left} left, or loses."


def minutes(milliseconds: int) -> str:
    """Returns a time as minutes and seconds, such as `1:05`."""
    whole, seconds = divmod(max(milliseconds, 0) // 1000, 60)
    return f"{whole}:{seconds:02d}"


def counted(number: int, one: str, many: str = "") -> str:
    """Returns a number and a noun in the right form: `1 table`, `2 tables`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def in_columns(texts: Sequence[str], width: int) -> Iterable[str]:
    """Yields lines with short texts side by side, in columns."""
    if not texts:
        return
    widest = max(map(len, texts)) + 2
    across = max(1, width // widest)
    for start in range(0, len(texts), across):
        yield "  " + "".join(text.ljust(widest) for text in texts[start : start + across]).rstrip()


# Lists


#: The most lines of a list that are shown.
LINES = 40
#: The most finished matches that are shown.
RECORDS = 10


def greeting(games: Sequence[str], counts: Counts, closed: str | None = None) -> list[str]:
    """
    Returns the first lines that a client receives.

    :param closed: why no new matches begin; `None`: they do begin
    """
    now = f"{counted(counts.tables, 'table')}, {counted(counts.people, 'person', 'people')}, {counts.waiting} waiting."
    lines = [f"gamehost: {listed([title(game) for game in games])}."]
    if counts.asleep:
        those = (
            "1 match waits for its players" if counts.asleep == 1 else f"{counts.asleep} matches wait for their players"
        )
        lines.append(f"{those}. To come back, type name and your name.")
    return [*lines, f"{now} Type help, or: play {games[0]}" if closed is None else f"{now} {sentence(closed)}"]


def people(found: Sequence[Person], waiting: WaitingByGame) -> list[str]:
    """Returns the list of players with their activities as lines."""
    if not found:
        return ["Nobody is here under a name. To play, type: play onitama"]
    # Name of a player -> the game for which it waits, at a table or in a queue.
    waits = {name: game for game, one in waiting.items() for table in one.tables for name in table.names}
    waits |= {name: game for game, one in waiting.items() for name in one.names}
    return _shortened(
        [f"  {one.shown or one.name:20}  {_activity_of_person(one, waits.get(one.name))}" for one in found]
    )


def _activity_of_person(person: Person, waits: str | None) -> str:
    """
    Returns what a player does at present, in words.

    :param waits: the game for which the player waits; `None`: none
    """
    on = "" if person.wire == "console" else f", on the wire {person.wire}"
    if not person.game:
        return f"{'is here' if waits is None else f'waits for {title(waits)}'}{on}"
    # The number of a private match is not public.
    where = "in a private match" if person.table is None else f"in match {person.table}"
    return f"plays {title(person.game)} {where}{on}"


def tables(found: Sequence[PlayedTable]) -> list[str]:
    """Returns the list of matches as lines."""
    if not found:
        return ["No match is played that can be watched. To begin one, type: play onitama"]
    lines = [f"  {'match':>5}  {'game':12}  players"]
    lines += [
        f"  {one.table:>5}  {title(one.game):12}  {', '.join(as_shown(one.names, one.shown_as))}"
        + (f" ({counted(one.watchers, 'watcher')})" if one.watchers else "")
        for one in found
    ]
    return [*_shortened(lines), f"To look on at one, type: watch {found[-1].table}"]


def waiting(found: WaitingByGame, games: Sequence[str]) -> list[str]:
    """Returns the players that wait for opponents as lines, each with the command to play with them."""
    lines: list[str] = []
    for game in games:
        one = found.get(game)
        if one is None:
            continue
        names = as_shown(one.names, one.shown_as)
        lines += [f"  {title(game):12}  {name}: type play {game}" for name in names]
        lines += [f"  {title(game):12}  {_table_words(table)}: type join {table.table}" for table in one.tables]
    return _shortened(lines) if lines else ["Nobody waits. To play, type: play onitama"]


def _table_words(table: OpenTable) -> str:
    """Returns the players and settings of a waiting table in words."""
    chosen = settings_words(table.settings)
    return f"{', '.join(as_shown(table.names, table.shown_as))} ({len(table.names)} of {table.seats} players{chosen})"


def settings_words(settings: Settings) -> str:
    """
    Returns the settings of a match in words, each after a comma. Settings that are off, and the code of the table, are
    left out.
    """
    told = {name: text for name, text in settings.items() if text not in ("", "0", "no") and name != "code"}
    return "".join(f", {name}={text}" for name, text in sorted(told.items()))


def waiting_line(table: OpenTable) -> str:
    """Returns a sentence about the table at which a person waits."""
    here = as_shown([name for name in table.names if name not in table.away], table.shown_as)
    away = as_shown(table.away, table.shown_as)
    where = f" Here: {', '.join(here)}." + (f" Away: {', '.join(away)}." if away else "")
    if len(table.names) == table.seats:
        return f"All seats at table {table.table} are taken. The match begins when all are here.{where}"
    missing = counted(table.seats - len(table.names), "player")
    return f"You wait at table {table.table} for {missing} more.{where}"


def _shortened(lines: Sequence[str]) -> list[str]:
    """Returns the first `LINES` lines of a list. If there are more, a last line says how many."""
    return [*lines[:LINES], *_more(len(lines))]


def _more(lines: int) -> list[str]:
    """
    Returns a line with the number of lines that are not shown; nothing, if all are shown.

    :param lines: the number of all lines
    """
    return [f"  ... and {lines - LINES} more."] if lines > LINES else []


def match_duration(milliseconds: int) -> str:
    """Returns the duration of a match, such as `2:05` or `1:00:09`."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def records(found: Sequence[FinishedMatch]) -> list[str]:
    """Returns the list of finished matches as lines."""
    if not found:
        return ["No such match has been finished here. To play one, type: play onitama"]
    lines = [f"  {'match':>5}  {'game':12}  {'time':>8}  players, and who won"]
    for one in found:
        names = versus([seat.shown or seat.name for seat in one.opening.seats])
        lines.append(f"  {one.table:>5}  {title(one.opening.game):12}  {match_duration(one.last.at):>8}  {names}")
        lines.append(f"  {'':>5}  {'':12}  {'':>8}  {_outcome(one)}")
    return [*lines, f"To go through one, type: replay {found[0].table}"]


def _outcome(match: FinishedMatch) -> str:
    """
    Returns the result of a finished match in words. Without a cause, there are no winners, and the reason is returned
    as another release of the host may have written it.
    """
    winners, cause, why = outcome(match)
    if not cause:
        return why
    names = [seat.shown or seat.name for seat in match.opening.seats]
    return ended(Result(tuple(map(Seat, winners)), Cause(cause), why), names, None)


#: The headings in a ladder, by kind of player, in their order.
_RANKED: Mapping[Kind, str] = {
    "account": "Accounts:",
    "house": "House players, by level:",
    "guest": "Guests, whose names may have been different people's:",
}


def _ratings(tally: Tally, games: Sequence[str]) -> list[str]:
    """Returns the lines with the ratings of the best players in each game."""
    lines: list[str] = []
    for game in games:
        ranked = tally.ladders.get(game, [])
        lines += [f"Ratings in {title(game)}, and from where to where they are with 95 %:"] if ranked else []
        for who, one in ranked[:LINES]:
            # The rating, and the bounds of the range in which it is with 95 %.
            rating, low, high = one.rounded
            span = f"{low:>4} to {high:>4}, {counted(one.matches, 'match', 'matches')}"
            lines.append(f"  {one.shown or who.name:20}  {rating:>4}  {'fixed' if who.kind == 'house' else span}")
        lines += _more(len(ranked))
    return lines


def ladder(tally: Tally, game: str) -> Generator[None, None, list[str]]:
    """
    Makes the lines with the ratings and the numbers of victories, in all games or in one. Each step of the generator
    handles one player, so that the work can be done in slices.
    """
    played: Counter[Who] = Counter()
    victories: Counter[Who] = Counter()
    # The empty text: of all players.
    for who, _, count in tally.of(game, ""):
        played[who] += count.played
        victories[who] += count.won
        yield
    matches = tally.matches[game] if game else tally.matches.total()
    if not matches:
        return ["Nobody has a rating here, and no match has been finished yet. To play, type: play onitama"]
    ranked: dict[Kind, list[tuple[int, int, str, str]]] = {kind: [] for kind in _RANKED}
    for who in played:
        # The order of a list: most victories, then fewest matches, then the name.
        ranked[who.kind].append((-victories[who], played[who], key_of(who.name), tally.shown.get(who, who.name)))
        yield
    lines = _ratings(tally, [game] if game else sorted(tally.ladders))
    lines += [] if lines else ["Nobody has a rating here: help play says how a match is rated."]
    lines.append(f"The last {counted(matches, 'match', 'matches')}:")
    for kind, ranks in ranked.items():
        first = [f"  {name:20}  {-won:>4} won of {times:>4}" for won, times, _, name in nsmallest(LINES, ranks)]
        lines += [_RANKED[kind], *first, *_more(len(ranks))] if ranks else []
    return lines


#: The characters of a curve, from its lowest to its highest point, and the most columns of a curve.
_HEIGHTS, _COLUMNS = "_.-=+*#", 60


def study_page(told: Study, names: Sequence[str], move_of: Callable[[int], int], table: TableId) -> list[str]:
    """
    Returns a study as lines: for each player, a curve that shows how good the player's chances were; then the turning
    points of the match.

    :param move_of: returns the number of the move to which an entry of the journal belongs
    """
    # A long match is shown by every second position, every third and so on, so that it fits the columns.
    share = max(1, -(-len(told.standings) // _COLUMNS))
    shown = told.standings[::share]
    width = max(map(len, names))
    lines = ["Who was ahead, from the beginning to the end:"]
    for seat, name in enumerate(names):
        # A share is a percentage; it becomes one of the characters of the curve.
        heights = (_HEIGHTS[one.shares[seat] * (len(_HEIGHTS) - 1) // 100] for one in shown)
        lines.append(f"{name:{min(width, 20)}} {''.join(heights)}")
    if not told.turns:
        lines.append("Nobody gave much away in a single move.")
    for turn in told.turns:
        lines.append(
            f"Move {move_of(turn.n)}: {names[turn.seat]} gave away {turn.lost} % of a victory with {turn.action}."
        )
        lines.append(f"  Better: {turn.better}.")
    return [*lines, f"To go through the moves, type: replay {table}"]


def name_refused(refusal: NameRefused, other: str) -> str:
    """
    Returns a sentence with the reason why a name is refused, and what to type instead. A person that may own a seat
    under this name is not advised to take another name.

    :param other: a free name; empty: none is known
    """
    reason = str(refusal)
    # After this number of seconds, the same log-in is accepted.
    if refusal.wait:
        return f"A seat is kept under this name. If it is yours, type the same line again in {refusal.wait} s."
    # The other cases are recognized by their words, because the refusal has no code for them.
    if "a seat is kept" in reason:
        return sentence(reason)
    if "the host gives such names" in reason:
        return "No seat is kept under this name, and the host alone gives such names. To play, type: play onitama"
    if "belongs to an account" in reason:
        not_theirs = f" If not: name {other}" if other else ""
        return f"{sentence(reason)} If it is yours, type login and the name.{not_theirs}"
    return f"{sentence(reason)} Type name and another one{f', such as: name {other}' if other else '.'}"


def as_typed(table: OpenTable) -> str:
    """Returns the words that must follow `play GAME LEVEL` for a match like the one at this table."""
    seats = f" players={table.seats}" if table.seats > 2 else ""
    return seats + settings_words(table.settings).replace(", ", " ")
