"""The checks of servers of Litama's protocol."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gamehost.checker.base import Cut, Law
from gamehost.checker.server_run import Opening, Script, ServerChecks, ServerRun, Spelling, User
from gamehost.checker.server_scripts import LONGEST, case, refusals, some_moves
from gamehost.games.base import Seat
from gamehost.games.onitama.rules import SQUARES, Move
from gamehost.wires.litama import messages as m
from gamehost.wires.litama.checks import LAWS
from gamehost.wires.litama.client import position_of
from gamehost.wires.litama.codec import parse
from gamehost.wires.litama.matches import matches_of
from gamehost.wires.litama.rendering import BLUE_CARDS, turned

SERVER_LAWS: Mapping[str, Law] = {
    "Entered": Law(
        "Messages",
        "`create` and `join` are answered with an id of 24 hexadecimal digits, a token of 64, and the index 0 or 1.",
        "Draw a new id for each match and a new token for each seat. `join` repeats the id of the match.",
    ),
    "Done": Law(
        "Messages",
        "`move` and `spectate` are answered with the id of the match, before any `state` that follows.",
        "Answer the sender first. Then send `state` to all who spectate.",
    ),
    "Standing": Law(
        "Messages",
        "`state` tells how a match stands: to who asks, and to all who spectate after `join`, `spectate` and each move.",
        "Send all fields. White has the colour of the first side card; `moves` has every legal move of `currentTurn`, which"
        " changes after the winning move, too.",
    ),
    "Failed": Law(
        "Errors",
        "What cannot be done is answered with an error, its text to the letter, the id as it was sent, and the command's name.",
        "Check the id, the end of the match, the token, the words, the turn, the piece and the move, in this order.",
    ),
    "framing": Law(
        "Messages", "A message is one text of WebSocket, with one JSON object.", "Send no line ends in a text."
    ),
    "turn": LAWS["turn"],
}

UNKNOWN = "Invalid command sent"
_ID = re.compile(r"[0-9a-f]{24}", re.ASCII)
_TOKEN = re.compile(r"[0-9a-f]{64}", re.ASCII)


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

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """A move. Who has none says nothing: no client knows a pass."""
        if not isinstance(action, Move):
            return ()
        squares = "".join(SQUARES[turned(square, self._blue)] for square in (action.start, action.end))
        return (parse(f"move {match_id} {self.token(seat)} {action.card} {squares}"),)

    def token(self, seat: int) -> str:
        """The token of a seat."""
        return self._tokens.get(seat ^ self._white, "")

    def documented(self, message: Any) -> Any | None:
        """All but what this host says for a connection that ends."""
        extension = isinstance(message, m.Failed) and not message.command and message.error != UNKNOWN
        return None if extension else message

    def canonical(self, message: Any) -> Any:
        """Cards of a hand and moves in order."""
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
                if self.told is not None and _TOKEN.fullmatch(self.told.token):
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


async def _create(run: ServerRun, user: User) -> None:
    await run.say(user, parse(f"create {user.name}"), draw=_Entering(_spelling(run), False))
    await run.say(user, parse(f"spectate {run.match_id}"))


async def _join(run: ServerRun, user: User) -> None:
    await run.say(user, parse(f"join {run.match_id} {user.name}"), draw=_Entering(_spelling(run), True))
    await run.say(user, parse(f"spectate {run.match_id}"))


async def meet(run: ServerRun) -> tuple[User, User]:
    """One creates a match, and the other one joins it. Both spectate."""
    first, second = run.new_user("ann"), run.new_user("bob")
    await run.connect(first)
    await _create(run, first)
    await run.connect(second)
    await _join(run, second)
    return first, second


async def crosswise(run: ServerRun) -> None:
    """Who connects later creates the match."""
    second, first = run.new_user("ann"), run.new_user("bob")
    await run.connect(second)
    await run.connect(first)
    await _create(run, first)
    await _join(run, second)
    await run.play(8)


async def next_match(run: ServerRun) -> None:
    """A whole match, and the next one on the same connections."""
    first, second = await meet(run)
    if await run.play(LONGEST):
        await _create(run, second)
        await _join(run, first)
        await run.play(6)


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
    await _create(run, first)
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
    """What the player on turn may not do, whatever the position is. Who has no move can try none."""
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


async def out_of_turn(run: ServerRun) -> None:
    """The wrong player moves, with the own token."""
    await meet(run)
    await run.play(2)
    user, action = run.on_turn()
    if user is not None and isinstance(action, Move):
        (legal,) = run.spelling.says(action, run.other(user).seat.seat, run.match_id)
        await run.say(run.other(user), legal, trying="a move out of turn")
        await run.play(4)


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


async def joined(run: ServerRun) -> None:
    """A refused move and a legal one in one segment."""
    await meet(run)
    await run.play(2)
    user, action = run.on_turn()
    if user is not None and isinstance(action, Move):
        *_, (_, fault) = _faults(run, user)
        legal = run.spelling.says(action, user.seat.seat, run.match_id)
        await run.say(user, *fault, *legal, trying="an illegal move and a legal one in one segment")
        await run.play(4)


def returns(on_turn: bool) -> Script:
    """A player's connection is lost. The next one spectates, and moves with the token."""

    async def script(run: ServerRun) -> None:
        await meet(run)
        await run.play(3)
        user, _ = run.on_turn()
        if user is not None:
            lost = user if on_turn else run.other(user)
            await run.drop(lost)
            await run.connect(lost)
            await run.say(lost, parse(f"state {run.match_id}"))
            await run.play(4)

    return script


SERVER_SCENARIOS = (
    case("whole-match", "A whole match; `winner` and `currentTurn` at its end.", "Standing", some_moves(LONGEST, meet)),
    case("crosswise", "The player who connects later creates the match.", "Entered", crosswise),
    case("next-match", "A whole match, and the next one on the same connections.", "Entered", next_match),
    case("waiting", "A match that waits is told with one name, and nobody moves in it.", "Standing", waiting),
    case("ended", "After the end `spectate` and `move` are refused, and `state` is not.", "Failed", ended),
    case("ids", "Wrong ids, before and after anything else; texts that are no command.", "Failed", ids),
    case("refusals", "The first player makes illegal moves before the first move.", "Failed", refusals(_faults, 0, meet)),
    case("refusals-later", "Illegal moves in the middle of a match.", "Failed", refusals(_faults, 5, meet)),
    case("out-of-turn", "A player moves in the other's turn.", "Failed", out_of_turn),
    case("any-connection", "A third connection moves with both tokens; another one looks on.", "Done", any_connection),
    case("bytes", "The clients send every byte in a segment of its own.", "turn", some_moves(6, meet), Cut.BYTES),
    case("random-cuts", "The clients' segments end in the middle of frames.", "turn", some_moves(6, meet), Cut.RANDOM),
    case("joined", "An illegal move and a legal one come in one segment.", "turn", joined),
    case("returns-in-own-turn", "A connection is lost in its player's turn; the token moves from the next one.", "Standing",
         returns(True)),
    case("returns-in-others-turn", "A connection is lost in the other's turn.", "Standing", returns(False)),
)  # fmt: skip

SERVER_CHECKS = ServerChecks("litama", SERVER_LAWS, SERVER_SCENARIOS, LitamaSpelling)
