"""
The checks of clients of the open wire.

The document is `docs/wires/open.rst`. Its sections are named by their titles. This module contains no rules of games:
`Game.legal` lists the actions that a seat may take, and `Game.follow` computes the effect of an event. A client is
checked in the game that it seeks.
"""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from msgspec import UNSET, ValidationError, convert

from gamehost.extras.check.base import (
    GRADES,
    HIDDEN,
    Act,
    Grade,
    Reading,
    Said,
    Scenario,
    Step,
    Unanswered,
    WireChecks,
    laws,
    printed_json,
)
from gamehost.games.base import Seat
from gamehost.programs.clients import Judges
from gamehost.wires.open import messages as m
from gamehost.wires.seeking import PLAYED, PlayedGame

#: The most legal actions that are listed. If there are more, every action counts as legal.
MOST = 1_000
_PLAYED: Mapping[str, PlayedGame] = {one.game.name: one for one in PLAYED}

LAWS = laws(__name__, "clients")

_SAID: Mapping[type, str] = {
    m.Enter: "logs in as a guest",
    m.LogIn: "logs in to an account",
    m.Lobby: "asks for the tables",
    m.Seek: "looks for opponents",
    m.Stop: "looks for opponents no longer",
    m.House: "asks for a house player",
    m.Join: "takes a seat at a table",
    m.AskRematch: "asks for a rematch",
    m.AskInvitation: "asks who waits at a table",
    m.SetNotices: "asks how it is told while it is away, or changes that",
    m.Watch: "looks on",
    m.AskHistory: "asks what has happened",
    m.AskLadder: "asks for the ratings",
    m.AskMoves: "asks what it may do",
    m.Leave: "gives the match up",
    m.Ping: "asks whether the host is there",
}


class OpenReading(Reading):
    """Follows a match of any game on one connection, as the client knows it, and judges the client's messages."""

    #: The code of a private table is a secret, too: with it a program can join or watch the match, and read its record.
    SECRETS = (*Reading.SECRETS, "code")

    def __init__(self) -> None:
        """Makes the reading of one connection."""
        #: Whether the client has logged in.
        self._entered = False
        #: The table of the match; `None`: there is no match.
        self._table: int | None = None
        self._played: PlayedGame | None = None
        self._seat = Seat(0)
        #: The match as the client knows it; `None`: it is not known.
        self._view: Any = None
        self._moves = Unanswered()
        #: The other unanswered messages that may be refused: `log-in` or `other`.
        self._open: list[str] = []
        #: For each unanswered request for moves, by id: whether a refusal of it is no fault of the client.
        self._asked: dict[Any, bool] = {}
        #: Whether the next message may have been sent before the end of the match was known.
        self._may_be_late = False

    def redacted(self, message: Any) -> Any:
        """Returns a message without its secrets. Settings of notices are secrets: they contain endpoints and codes of mails."""
        match message:
            case m.SetNotices(by, values) if values is not UNSET:
                return m.SetNotices(by, dict.fromkeys(values, HIDDEN))
            case m.NoticeWays(ways):
                return m.NoticeWays({name: dict.fromkeys(facts, HIDDEN) for name, facts in ways.items()})
        return super().redacted(message)

    def said(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the client. Returns what the message means, marked if it is
        wrong.
        """
        # The end of the match and one message of the client may cross on the way. So only the first message after the end
        # may be late, and this call resets the mark.
        may_be_late, self._may_be_late = self._may_be_late, False
        match message:
            case m.Act(table, action):
                if self._table is None and may_be_late:
                    return Said(f"acts: {action}, when the match is over")
                return self._acts(table, action)
            case m.Enter(name) | m.LogIn(name):
                # `_open` lists the unanswered messages that the host may refuse: a later refusal is for the first of them.
                self._open.append("other" if self._entered else "log-in")
                words = f"logs in as {name}"
                return Said(f"{words}, but is logged in already", Grade.BREACH) if self._entered else Said(words)
            case m.AskMoves(table, begun, number):
                # A refusal of this request is no fault of the client if three things are so: it is for the client's own match,
                # for the present position (without a begun move), and no other request for moves waits.
                self._asked[number] = table == self._table and begun is UNSET and not self._asked
            case m.Seek(game) if self._table is None:
                return Said(f"looks for opponents in {game}")
            case m.Seek() | m.Join():
                self._open.append("other")
                return Said("looks for opponents during a match", Grade.BREACH)
            case m.Leave() if self._table is None and not may_be_late:
                self._open.append("other")
                return Said("gives up, but no match is played", Grade.BREACH)
        words = _SAID.get(type(message), "")
        # A message without a known meaning.
        if not words:
            self._open.append("other")
            return Said(getattr(message, "reason", "this is no message of a client"), Grade.BREACH, "framing")
        return Said(words)

    def _acts(self, table: int, notation: str) -> Said:
        """Judges an action of the client, by the list of legal actions."""
        words = f"acts: {notation}"
        if self._played is None or self._table is None:
            return Said(f"{words}, but no match is played", Grade.BREACH)
        if table != self._table:
            return self._moves.send(notation, words, "it has no seat at this table", in_turn=False)
        game = self._played.game
        try:
            action = game.read(notation.encode("ascii", "replace"))
        except ValueError as error:
            return self._moves.send(notation, words, str(error), in_turn=False)
        legal = None if self._view is None else game.legal(self._view, self._seat)
        # The position is not known, or this game has no list of legal actions.
        if legal is None:
            return self._moves.send(notation, words, None, "")
        # Longer lists are cut off: with so many actions, nobody can say quickly that one is not legal.
        listed = list(islice(legal, MOST + 1))
        if not listed:
            return self._moves.send(notation, words, "the client has nothing to do now", in_turn=False)
        wrong = None if action in listed or len(listed) > MOST else "the rules do not allow it now"
        return self._moves.send(notation, words, wrong)

    def heard(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the host. Returns what the message means, and for a refusal
        how bad the refused message was.
        """
        match message:
            case m.Refused(why, number):
                excused = self.excuses(message)
                # No request for moves has this id, so a move is refused.
                if self._asked.pop(number, None) is None:
                    self._moves.refused()
                return Said(f"refused: {why}", None if excused else Grade.BREACH)
            case m.Sorry(why):
                return Said(f"the host says: {why}", GRADES[self._open.pop(0) if self._open else "log-in"])
        return Said(self._told(message))

    def excuses(self, refusal: Any) -> bool:
        """
        Returns whether a refusal is no fault of the client: it answers a request for moves in the client's own match. A
        client cannot know whether there are too many moves to list.
        """
        return isinstance(refusal, m.Refused) and self._asked.get(refusal.id, False)

    def _told(self, message: Any) -> str:
        """Updates what is known of the match by a message of the host. Returns what the message means."""
        match message:
            case m.Entered(name):
                self._entered = True
                self._open.clear()
                return f"logged in as {name}"
            case m.Seeking(game):
                return f"nobody else wants to play {game} yet"
            case m.Seated(table, game, seat, names):
                self._table, self._played, self._seat, self._view = table, _PLAYED.get(game), Seat(seat), None
                self._moves.over()
                self._asked.clear()
                return f"{' and '.join(names)} play {game}; the client has seat {seat}"
            case m.Event(table, _, event) if table == self._table:
                return self._happened(event)
            case m.Back(table, _, seat, view) if table == self._table and view is not UNSET:
                self._look(view)
                return f"seat {seat} is back, and this is how the match stands"
            case m.Back(_, _, seat):
                return f"the player of seat {seat} is back"
            case m.Away(_, _, seat):
                return f"the player of seat {seat} is away"
            case m.Claimable(_, _, seat, claims):
                return (
                    f"the player of seat {seat} has not come back in time"
                    if claims
                    else "there is nothing to claim now"
                )
            case m.Moves(_, _, moves, number):
                self._asked.pop(number, None)
                return f"{len(moves)} actions can be taken"
            case m.Pong():
                return "the host is there"
            case m.Over(table, _, _, _, why) if table == self._table:
                # Without an unanswered action, one may still come that was sent before the end was known.
                self._may_be_late = self._moves.over() == 0
                self._table = self._played = self._view = None
                return f"the match is over: {why}"
        return ""

    def _happened(self, event: Any) -> str:
        """Updates what is known of the match by one of its events. Returns what the message means."""
        assert self._played is not None
        messages, game = self._played.messages, self._played.game
        # An event of the own seat answers the client's action.
        seat = _of(event, "seat")
        # An event without a seat concerns all.
        own = seat is None or seat == self._seat
        sent = self._moves.next_accepted() if own else None
        if sent is not None:
            self._moves.accepted(sent.move)
        else:
            self._moves.position_changed()
        try:
            told = messages.read_event(convert(event, messages.event_type))
            if told is not None:
                self._view = game.follow(self._view, told, self._seat)
        except (ValidationError, ValueError, LookupError):
            # The event cannot be followed, so the position is not known from now on.
            self._view = None
        return f"{_of(event, 'kind') or type(event).__struct_config__.tag}"

    def _look(self, view: Any) -> None:
        """Takes the state of the match from a view. If it cannot be read, the state is not known."""
        assert self._played is not None
        messages = self._played.messages
        try:
            self._view = messages.read_view(convert(view, messages.view_type), self._seat)
        except (ValidationError, ValueError, LookupError):
            self._view = None


def _of(event: Any, name: str) -> Any:
    """Returns a field of an event. An event is a struct in the host's messages, and a dictionary in a client's."""
    return event.get(name) if isinstance(event, dict) else getattr(event, name, None)


_ACTION = re.compile(rb'("action"\s*:\s*")[^"]*')


def spoiled(data: bytes) -> bytes | None:
    """Changes an action into a text that no game can read. Returns `None` for other messages."""
    changed = _ACTION.sub(rb"\g<1>!", data, count=1)
    return None if changed == data else changed


SCENARIOS = (
    Scenario("first-seat", "A whole match in the first seat, in the game that the client seeks.", "turn"),
    Scenario("second-seat", "A whole match in the second seat.", "turn", client_first=False),
    Scenario("matches", "Three matches on one connection.", "end", matches=3, most=40),
    Scenario("wins", "The opponent gives up: over comes without a last event.", "end", steps=(Step(Act.OPPONENT_RESIGNS, 6),)),
    Scenario("refused", "The client's action is refused once; it sends another one.", "turn",
             steps=(Step(Act.MOVE_REFUSED, 2),), most=20),
    Scenario("drop-in-clients-turn", "The opponent's connection is lost and comes back in the client's turn.", "drop",
             steps=(Step(Act.OPPONENT_DROPS, 3, client_owes=True),), most=20),
    *Scenario.usual({}, 4, 30),
)  # fmt: skip

CHECKS = WireChecks(
    "open",
    LAWS,
    SCENARIOS,
    OpenReading,
    canonical=False,
    printed=printed_json,
    spoiled=spoiled,
    late=("Act", "AskMoves"),
    excused=OpenReading.excuses,
)

JUDGES = Judges(CHECKS)
