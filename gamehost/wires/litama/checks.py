"""
The checks of clients and of servers of Litama's protocol.

What the protocol says is in `docs/wires/litama.rst`; sections are the titles in it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gamehost.checker.base import Act, Cut, Grade, Said, Scenario, Step, WireChecks, laws
from gamehost.checker.server_run import Opening, ServerChecks, ServerRun, Spelling, User
from gamehost.checker.server_scripts import (
    LONGEST,
    case,
    crosswise,
    joined,
    meet,
    next_match,
    out_of_turn,
    refusals,
    returns,
    some_moves,
)
from gamehost.games.base import Seat
from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, Move
from gamehost.ops import printable
from gamehost.wires.litama import messages as m
from gamehost.wires.litama.client import position_of
from gamehost.wires.litama.codec import parse
from gamehost.wires.litama.matches import matches_of
from gamehost.wires.litama.rendering import BLUE_CARDS, turned
from gamehost.wires.onitama.checks import STUCK, OnitamaReading, stalemate

LAWS = laws(__name__, "clients")

#: The side card's stamp says who begins.
BLUE = {"onitama.deal": "boar,ox/crab,eel/tiger"}
RED = {"onitama.deal": "tiger,ox/crab,eel/boar"}

_TOKEN = re.compile(r"\b[0-9a-f]{64}\b")


class LitamaReading(OnitamaReading):
    """Follows the match that was entered last."""

    _index: int | None = None
    _match_id = ""
    _blue = 0

    def of_any_time(self, message: Any) -> Said | None:
        match message:
            case m.Create(_, _, name):
                self.name = name
                return Said(f"has a match wait, as {name}")
            case m.Join(_, _, name):
                self.name = name
                return Said(f"begins the match that waits under this id, as {name}")
            case m.State():
                return Said("asks how the match stands")
            case m.Spectate(_, match_id, token):
                if token:
                    self._match_id = match_id
                return Said("wants to know how the match stands" + (", and takes its seat back" if token else ""))
        return None

    def of_a_match(self, message: Any) -> Said:
        if not isinstance(message, m.MakeMove):
            return self.no_message()
        if len(message.words) != 2:
            return self.sends(message.words, "", "expected a card and two squares, such as boar a1b2")
        card, squares = message.words
        start, end = (
            None if name not in SQUARE_NAMED else turned(SQUARE_NAMED[name], self._blue)
            for name in (squares[:2], squares[2:])
        )
        return self.moves(card, (start, end), squares)

    def heard(self, message: Any) -> Said:
        match message:
            case m.Failed(_, error, "move"):
                return self.refused(error)
            case m.Failed(_, "Game ended" as error, _):
                return Said(f"the server says: {error}")
            case m.Failed(_, error, command):
                return Said(f"the server says: {error}", Grade.NOTE if command in ("create", "join") else Grade.BREACH)
            case m.Entered(command, match_id, _, index):
                self._match_id, self._index = match_id, index
                return Said(f"the answer to {command}: the id of the match, and the token of the seat")
            case m.Done("move", _):
                return Said(self._accepted())
            case m.Standing(fields):
                return Said(self._stands(fields))
        return Said("the server tells how the match stands from now on")

    def _accepted(self) -> str:
        one = self.unanswered.next_accepted()
        if one is not None and self.turn is not None:
            self.unanswered.accepted(one.move)
            self.turn, self.position = 1 - self.turn, None
        return "the move is made"

    def _stands(self, fields: Mapping[str, Any]) -> str:
        if fields.get("gameState") == "waiting for player":
            return "the match waits for another player"
        try:
            position, blue = position_of(fields), int(fields["startingCards"]["side"] not in BLUE_CARDS)
            turn, names, winner = fields["currentTurn"], fields["usernames"], fields["winner"]
            own = None if self._index is None else Seat(blue ^ (fields["indices"]["blue"] != self._index))
        except (KeyError, TypeError, ValueError):
            return "this cannot be understood"
        if fields.get("matchId") != self._match_id:
            return "how another match stands"
        if fields["gameState"] == "ended":
            return (
                self.over("draw" if winner == "none" else str(names[winner])) if self.turn is not None else "it is over"
            )
        if self.turn != position.turn:
            self.unanswered.position_changed()
        self._blue = blue
        self.goes_on(own, position.turn)
        self.position = position
        return f"{turn}'s turn, which {names[turn]} has; {len(fields['moves'])} moves were made"


def printed(message: Any, raw: bytes) -> str:
    """The text of a message. Tokens are hidden: whoever has one moves with it."""
    return _TOKEN.sub("***", printable(raw))


def spoiled(data: bytes) -> bytes | None:
    """A move onto the square on which it began: no card leads there."""
    words = data.rstrip(b"\r\n").split(b" ")
    if words[0] != b"move" or len(words) != 5:
        return None
    return b" ".join([*words[:4], words[4][:2] * 2]) + b"\n"


SCENARIOS = (
    Scenario("blue-begins", "The side card of the beginning is blue's; a whole match.", "turn", BLUE),
    Scenario("red-begins", "The side card of the beginning is red's.", "turn", RED),
    Scenario("creator-is-white", "Who has created the match begins.", "turn", BLUE, below=lambda n: 0),
    Scenario("creator-is-black", "Who has created the match comes second.", "turn", BLUE, below=lambda n: n - 1),
    Scenario("opponent-waits", "Another player waits already, so the match begins with the answer to `create`.", "turn", BLUE,
             client_first=False, most=40),
    Scenario("random-deals", "Three matches on one connection, each with other cards.", "end", matches=3, most=40),
    Scenario("wins", "The opponent gives up: the end comes without a last move.", "end", BLUE,
             steps=(Step(Act.OPPONENT_RESIGNS, 6),)),
    Scenario("draw", "The match is drawn after ten moves: `winner` is `none`.", "end", {**BLUE, "onitama.max_plies": "10"}),
    Scenario("invalid-move", "The client's move is refused once; it sends another one.", "turn", BLUE,
             steps=(Step(Act.MOVE_REFUSED, 2),), most=20),
    Scenario("strict", "The protocol's messages only.", "framing", BLUE, strict=True, most=30),
    Scenario("no-move", "The client comes back, and has no move: the host gives a card for it.", "turn", STUCK,
             steps=(Step(Act.CLIENT_CUT, 4),), needs_reconnect=True, most=20, lay=stalemate(client=True)),
    Scenario("opponent-has-no-move", "The client comes back to a board on which the opponent has no move.", "turn", STUCK,
             steps=(Step(Act.CLIENT_CUT, 5),), needs_reconnect=True, most=24, lay=stalemate(client=False)),
    *Scenario.usual(BLUE, 4, 30),
)  # fmt: skip

CHECKS = WireChecks(
    *("litama", LAWS, SCENARIOS, LitamaReading),
    spoiled=spoiled,
    printed=printed,
    late=("MakeMove", "Spectate", "State"),
)


# The checks of servers.


SERVER_LAWS = {**laws(__name__, "servers"), "turn": LAWS["turn"]}

UNKNOWN = "Invalid command sent"
_ID = re.compile(r"[0-9a-f]{24}", re.ASCII)
_WHOLE_TOKEN = re.compile(r"[0-9a-f]{64}", re.ASCII)


class LitamaSpelling(Spelling):
    """
    Texts of Litama. The server draws ids and tokens. The replica has others, so what it hears and says is translated.
    """

    def __init__(self) -> None:
        #: What the server has told last about a seat, and the replica's ids and tokens with those of the server.
        self.told: m.Entered | None = None
        self._pairs: dict[str, str] = {}
        self._tokens: dict[int, str] = {}
        self._blue = 0
        self._white = 0

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        return (parse(f"create {name}"),)

    def back(self, name: str, password: str) -> Sequence[Any]:
        """The token moves from any connection, so nothing is said but a question."""
        assert self.told is not None
        return (parse(f"state {self.told.match_id}"),)

    async def enter(self, run: ServerRun, user: User, after: User | None = None) -> None:
        """Create a match, or join the one that waits; and spectate."""
        command = self.log_in(user.name, "") if after is None else (parse(f"join {run.match_id} {user.name}"),)
        await run.say(user, *command, draw=_Entering(self, after is not None))
        await run.say(user, parse(f"spectate {run.match_id}"))

    enter_again = enter

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """A move. Who has none says nothing: no client knows a pass."""
        if not isinstance(action, Move):
            return ()
        squares = "".join(SQUARES[turned(square, self._blue)] for square in (action.start, action.end))
        return (parse(f"move {match_id} {self.token(seat)} {action.card} {squares}"),)

    def token(self, seat: int) -> str:
        return self._tokens.get(seat ^ self._white, "")

    def documented(self, message: Any) -> Any | None:
        extension = isinstance(message, m.Failed) and not message.command and message.error != UNKNOWN
        return None if extension else message

    def canonical(self, message: Any) -> Any:
        if not isinstance(message, m.Standing) or not {"moves", "cards", "startingCards"} <= set(message.fields):
            return message
        fields = dict(message.fields)
        fields["moves"] = sorted(fields["moves"])
        for name in ("cards", "startingCards"):
            fields[name] = {
                key: cards if key == "side" else sorted(cards) for key, cards in sorted(fields[name].items())
            }
        return m.Standing(fields)

    def with_id(self, message: Any, match_id: str) -> Any:
        match message:
            case m.Command(text):
                for ours, theirs in self._pairs.items():
                    text = text.replace(theirs, ours)
                return parse(text)
            case m.Entered(command, ours_id, ours_token, index):
                if self.told is not None and _ID.fullmatch(self.told.match_id):
                    self._pairs.setdefault(ours_id, self.told.match_id)
                if self.told is not None and _WHOLE_TOKEN.fullmatch(self.told.token):
                    self._pairs[ours_token] = self._tokens[index] = self.told.token
                return m.Entered(
                    command, self._pairs.get(ours_id, ours_id), self._pairs.get(ours_token, ours_token), index
                )
            case m.Standing(fields):
                return m.Standing({**fields, "matchId": self._pairs.get(fields["matchId"], fields["matchId"])})
            case m.Done(command, ours):
                return m.Done(command, self._pairs.get(ours, ours))
            case m.Failed(ours, error, command):
                return m.Failed(self._pairs.get(ours, ours), error, command)
        return message

    def begins(self, fields: Mapping[str, Any]) -> Opening:
        """The opening of a match that has begun, from its first `state`."""
        cards = fields["startingCards"]
        white, black = ("blue", "red") if cards["side"] in BLUE_CARDS else ("red", "blue")
        self._blue, self._white = int(white == "red"), int(fields["indices"][white])
        hands = "/".join(",".join(cards[colour]) for colour in (white, black))
        return Opening({"deal": f"{hands}/{cards['side']}"}, match_id=str(fields["matchId"]))

    def creator_of(self, run: ServerRun) -> None:
        """The replica's creator gets the side that the server has drawn."""
        for match in matches_of(run.replica.host.lobby).by_id.values():
            creator = match.creator()
            if creator is not None and creator.session is not None:
                creator.session.second = self._white == 1


class _Entering:
    """What a server draws for `create` and `join`: id and token; with `join`, the deal and the sides."""

    def __init__(self, spelling: LitamaSpelling, begins: bool) -> None:
        self._spelling = spelling
        self._begins = begins
        self._opening: Opening | None = None
        spelling.told = None

    @property
    def known(self) -> bool:
        return self._spelling.told is not None and (self._opening is not None or not self._begins)

    def hear(self, user: User, message: Any) -> None:
        match message:
            case m.Entered():
                self._spelling.told = message
            case m.Standing({"gameState": "in progress"} as fields) if self._begins:
                try:
                    position_of(fields)
                    self._opening = self._spelling.begins(fields)
                except (KeyError, TypeError, ValueError):
                    self._opening = Opening()

    def repeat(self, run: ServerRun) -> None:
        told = self._spelling.told
        run.match_id = told.match_id if told is not None else run.match_id
        if self._opening is not None:
            run.begin_with(self._opening)
            self._spelling.creator_of(run)


def _spelling(run: ServerRun) -> LitamaSpelling:
    assert isinstance(run.spelling, LitamaSpelling)
    return run.spelling


async def ended(run: ServerRun) -> None:
    """After the end `spectate` is refused with two words, and `state` still answers."""
    first, second = await meet(run)
    if await run.play(LONGEST):
        await run.say(first, parse(f"spectate {run.match_id}"), trying="`spectate` after the end")
        await run.say(first, parse(f"state {run.match_id}"))
        token = _spelling(run).token(0)
        await run.say(second, parse(f"move {run.match_id} {token} ox a1a2"), trying="`move` after the end")


async def waiting(run: ServerRun) -> None:
    """What is told and refused while a match waits."""
    first, other = run.new_user("ann"), run.new_user("bob")
    await run.connect(first)
    await run.spelling.enter(run, first)
    await run.connect(other)
    for user in (first, other):
        await run.say(user, parse(f"state {run.match_id}"))
    await run.say(other, parse(f"spectate {run.match_id}"))
    token = _spelling(run).told
    assert token is not None
    await run.say(first, parse(f"move {run.match_id} {token.token} ox a1a2"), trying="`move` while the match waits")
    await run.say(other, parse(f"move {run.match_id} {'0' * 64} ox a1a2"), trying="`move` without the token")


async def ids(run: ServerRun) -> None:
    """Wrong ids, as the first commands of a connection and later; a match that does not wait; a text that is no command."""
    lost = run.new_user("eve")
    await run.connect(lost)
    await _wrong_ids(run, lost, "0" * 24)
    first, second = await meet(run)
    await _wrong_ids(run, first, "f" * 24)
    for user in (lost, second):
        await run.say(user, parse(f"join {run.match_id} {user.name}"), trying="`join` of a match that has begun")
    for text in ("create", "help", "", "CREATE ann"):
        await run.say(second, parse(text), trying="a text that is no command")
    await run.play(4)


async def _wrong_ids(run: ServerRun, user: User, unknown: str) -> None:
    for match_id, words in (
        (unknown, "an unknown id"),
        ("12", "an id that is too short"),
        ("x" * 24, "an id of letters"),
    ):
        for command in (
            f"join {match_id} eve",
            f"state {match_id}",
            f"spectate {match_id}",
            f"move {match_id} 1 ox a1a2",
        ):
            await run.say(user, parse(command), trying=f"`{command.partition(' ')[0]}` with {words}")


def _faults(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[Any]]]:
    _, action = run.on_turn()
    if not isinstance(action, Move):
        return
    (legal,) = run.spelling.says(action, user.seat.seat, run.match_id)
    *before, token, card, squares = legal.text.split(" ")
    theirs = _spelling(run).token(1 - user.seat.seat)
    yield "the token of the other player", (parse(" ".join([*before, theirs, card, squares])),)
    for words, *fields in (
        ("a token that nobody has", "0" * 64, card, squares),
        ("a move without a card", token, squares),
        ("a move with a word too many", token, card, squares, squares),
        ("a square off the board", token, card, "a1f9"),
        ("a move of half its squares", token, card, squares[:2]),
        ("a move that ends where it began", token, card, squares[:2] * 2),
        ("a move from the end square of a legal one", token, card, squares[2:] + squares[:2]),
        ("a card that does not exist", token, "unicorn", squares),
    ):
        yield words, (parse(" ".join([*before, *fields])),)


async def any_connection(run: ServerRun) -> None:
    """A token belongs to no connection: a third one moves with both, and another one looks on."""
    await meet(run)
    third, looks_on = run.new_user("eve"), run.new_user("dan")
    await run.connect(third)
    await run.connect(looks_on)
    await run.say(looks_on, parse(f"spectate {run.match_id}"))
    for _ in range(4):
        user, action = run.on_turn()
        if user is None or not (messages := run.spelling.says(action, user.seat.seat, run.match_id)):
            return
        await run.say(third, *messages)
    await run.say(looks_on, parse(f"state {run.match_id}"))


SERVER_SCENARIOS = (
    case("whole-match", "A whole match; `winner` and `currentTurn` at its end.", "Standing", some_moves(LONGEST)),
    case("crosswise", "The player who connects later creates the match.", "Entered", crosswise),
    case("next-match", "A whole match, and the next one on the same connections.", "Entered", next_match),
    case("waiting", "A match that waits is told with one name, and nobody moves in it.", "Standing", waiting),
    case("ended", "After the end `spectate` and `move` are refused, and `state` is not.", "Failed", ended),
    case("ids", "Wrong ids, before and after anything else; texts that are no command.", "Failed", ids),
    case("refusals", "The first player makes illegal moves before the first move.", "Failed", refusals(_faults, 0)),
    case("refusals-later", "Illegal moves in the middle of a match.", "Failed", refusals(_faults, 5)),
    case("out-of-turn", "A player moves in the other's turn.", "Failed", out_of_turn),
    case("any-connection", "A third connection moves with both tokens; another one looks on.", "Done", any_connection),
    case("bytes", "The clients send every byte in a segment of its own.", "turn", some_moves(6), Cut.BYTES),
    case("random-cuts", "The clients' segments end in the middle of frames.", "turn", some_moves(6), Cut.RANDOM),
    case("joined", "An illegal move and a legal one come in one segment.", "turn", joined(_faults)),
    case("returns-in-own-turn", "A connection is lost in its player's turn; the token moves from the next one.", "Standing",
         returns(True)),
    case("returns-in-others-turn", "A connection is lost in the other's turn.", "Standing", returns(False)),
)  # fmt: skip

SERVER_CHECKS = ServerChecks("litama", SERVER_LAWS, SERVER_SCENARIOS, LitamaSpelling)
