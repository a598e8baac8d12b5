"""
The changes that an organizer can make during a contest: take a player out, give a player another command, play games again.
Each change is one entry of the contest's journal.
"""

from collections.abc import Callable, Mapping, Sequence

from gamehost.extras.contest.contest import Contest, ContestError
from gamehost.extras.contest.entries import TAKEN_OUT, CommandReplaced, Dropped, Intervention, Replayed

#: The commands of the organizer, each with its arguments and its meaning.
ACTIONS: Mapping[str, str] = {
    "drop": "drop NAME: take a player out",
    "replace": "replace NAME COMMAND: another command for a player, from its next game on",
    "replay": "replay NAME NAME: play the games of two again",
}

#: A function that reads the command of a player, from the player's name and a text.
Reading = Callable[[str, str], tuple[str, ...]]


def intervene(contest: Contest, words: Sequence[str], command: Reading, anew: bool = False) -> Intervention:
    """
    Checks a change that the organizer asks for, and returns the entry for the journal. The caller carries it out. It is
    a single entry, so that after a crash the whole change is in the journal, or nothing of it.

    :param words: one of `ACTIONS`, and its arguments
    :param command: reads the command of a player
    :param anew: whether all games of a player with a new command are played again
    :raises ContestError: the change cannot be made
    """
    match words:
        case ["drop", name]:
            player = _player(contest, name)
            if player in contest.scratched:
                raise ContestError(f"{name} is out: {contest.scratched[player][1]}")
            return Dropped(player, contest.last_round)
        case ["replace", name, text]:
            player = _player(contest, name)
            # Without `anew`, no game is played again.
            mine = [one for one, played in contest.played.items() if anew and player in played.players]
            return CommandReplaced(player, command(name, text), contest.last_round, _again(contest, mine))
        case ["replay", one, other]:
            pair = {_player(contest, one), _player(contest, other)}
            games = [name for name, played in contest.played.items() if pair <= {*played.players}]
            # The names may be equal.
            if len(pair) < 2 or not games:
                raise ContestError(f"no game between {one} and {other} is decided")
            return Replayed(_again(contest, games))
        case _:
            raise ContestError(f"expected {', or '.join(ACTIONS.values())}")


def handed_in(contest: Contest, name: str, folder: str) -> CommandReplaced:
    """
    Returns the journal's entry for a program that an author has uploaded. The player plays with it from the next game on.

    :param folder: the folder of the program
    :raises ContestError: the organizer has taken the player out
    """
    player = _player(contest, name)
    # A player that is out for another reason, such as absence, may come back with a new program.
    if contest.scratched.get(player, (0, ""))[1] == TAKEN_OUT:
        raise ContestError(f"{name} was {TAKEN_OUT}")
    return CommandReplaced(player, contest.plan.entrants[player].command, contest.last_round, folder=folder)


def by_whom(entry: Intervention) -> str:
    """Returns who has made a change, in words for people."""
    return "by the author" if isinstance(entry, CommandReplaced) and entry.folder else "by the organizer"


def _player(contest: Contest, name: str) -> int:
    """
    Returns the number of the player with a name.

    :raises ContestError: no player has this name
    """
    names = contest.plan.names
    if name not in names:
        raise ContestError(f"{name!r} does not play; expected one of {', '.join(names)}")
    return names.index(name)


def _again(contest: Contest, games: Sequence[str]) -> tuple[str, ...]:
    """
    Checks that games may be played again, and returns them as a tuple for the journal.

    :param games: the ids of decided games
    :raises ContestError: other games already depend on the result of one of them
    """
    if games and contest.plan.sprt is not None:
        raise ContestError("the games of a sequential test depend on each other: begin anew, in another folder")
    # In such contests, each round is made from the results of the rounds before it.
    paired = [name for name in games if contest.in_turn and contest.played[name].round < contest.last_round]
    if paired:
        raise ContestError(
            f"game {paired[0]} cannot be played again: the pairings of later rounds, which were played, follow from it"
        )
    return tuple(games)


def words_of(contest: Contest, entry: Intervention) -> str:
    """Describes a change in words for people."""
    names = contest.plan.names
    match entry:
        case Dropped():
            return f"{names[entry.player]} is out: {entry.why}"
        case CommandReplaced() if entry.folder:
            return f"{names[entry.player]} plays with what was handed in, from its next game on: {entry.folder}"
        case CommandReplaced():
            again = f"; played again: {', '.join(entry.again)}" if entry.again else ""
            return f"{names[entry.player]} has another command: {' '.join(entry.command)}{again}"
        case Replayed():
            return f"played again: {', '.join(entry.ids)}"
