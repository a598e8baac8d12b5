"""
The checks of clients and of servers of the wire `stratego-lines`. Also the parts that they share with the checks of
`stratego-frames`: the board as one player sees it, an opponent that attacks from afar, set-ups for short games, and a check of
secrets.

The document is *Stratego server protocol description*. It has no titles, so the items of its list are used as sections.
A move is judged only by what the player can see.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve

from gamehost.extras.check.base import (
    TOO_EARLY,
    Act,
    Cut,
    Grade,
    Reading,
    Said,
    Scenario,
    Step,
    Unanswered,
    WireChecks,
    laws,
)
from gamehost.extras.check.server_run import Script, ServerChecks, ServerRun, Spelling, User
from gamehost.extras.check.server_scripts import AWAY, case, crosswise, meet, once_more, some_moves
from gamehost.games.base import Seat
from gamehost.games.stratego import rules
from gamehost.games.stratego.master import ENEMY, board_of_set_up, board_with
from gamehost.games.stratego.player import Step as PieceStep
from gamehost.games.stratego.player import StrategoPlayer
from gamehost.games.stratego.rules import Action as StrategoAction
from gamehost.players.base import Level
from gamehost.programs.clients import Judges
from gamehost.wires.framing import asks_for_help
from gamehost.wires.stratego_lines import messages as m
from gamehost.wires.stratego_lines.messages import is_resignation

#: The memory of the Two-Squares rule before the first move. By this rule, a piece may cross the same border in three
#: turns in a row at most.
_NOWHERE = rules.nowhere(3)
#: The fault of a move with a square off the board.
_OFF = "no such square"


@define(eq=False)
class Sight:
    """Follows the board as the client sees it. A square is a number from 0 to 99, as on the game's board."""

    #: A letter for each square: the kind of an own piece, or `#` for an enemy's piece; empty: the board is not known.
    squares: str = ""
    #: The memory of the Two-Squares rule.
    _walk: rules.Walk = _NOWHERE

    @property
    def own(self) -> Mapping[int, str]:
        """The kinds of the own pieces, by square."""
        return {square: mark for square, mark in enumerate(self.squares) if mark in rules.KINDS}

    def clear(self) -> None:
        """Forgets the board."""
        self.squares, self._walk = "", _NOWHERE

    def show(self, squares: Iterable[str]) -> None:
        """
        Takes a board from a message.

        :param squares: a letter for each square, A1 first. Letters that are not pieces may be any.
        """
        # An empty board with its lakes.
        marks = zip(squares, rules.BARE.decode("ascii"), strict=True)
        self.squares = "".join(mark if mark in rules.KINDS or mark == ENEMY else bare for mark, bare in marks)

    def wrong(self, source: int, target: int) -> str | None:
        """Returns the fault of a client's move by the document; `None`: it has none."""
        if not (0 <= source < 100 and 0 <= target < 100):
            return _OFF
        # Only what the client can see is on this board: its own pieces, and the enemy's without their kinds.
        return rules.opening(board_with(self.squares, rules.FIRST_PLAYER, {}), 0).objection(source, target)

    def crosses_again(self, source: int, target: int) -> bool:
        """Returns whether a host with the Two-Squares rule would refuse a move."""
        way = rules.WAYS[source].get(target)
        return way is not None and bool(way[1] & self._walk.barred(source))

    def walked(self, source: int, target: int) -> None:
        """Notes a move of the client for the Two-Squares rule. It does not change the board."""
        # `None`: the move is not on a straight way, and the rule does not matter.
        way = rules.WAYS[source].get(target)
        if way is not None:
            self._walk = self._walk.on(source, target, way[1])

    def moved(self, source: int, target: int, battle: tuple[str, str] | None = None) -> None:
        """
        Makes a move of any piece on this board.

        :param battle: the kinds of the attacker and the defender, with `.` for an unknown kind; `None`: there was no battle
        """
        # The board is not known.
        if not self.squares:
            return
        # Without a battle, the moved piece is left.
        board, left = list(self.squares), "attacker"
        if battle is not None:
            fought = battle[0] in rules.MOVERS and battle[1] in rules.KINDS
            # If a kind is not known, both pieces are removed: this cannot be decided here.
            left = rules.survivor(*battle) if fought else "tie"
        if left != "defender":
            board[target] = board[source] if left == "attacker" else "."
        board[source] = "."
        self.squares = "".join(board)


#: A set-up with scouts in the front row where there is no lake. The back row comes first.
_SCOUTS_IN_FRONT = ("BFB8B8B8B8", "B8S7777915", "5556666924", "9943994399")


@define(eq=False)
class AttacksFromAfar(StrategoPlayer):
    """An opponent that moves its scouts far, and attacks with them from afar."""

    def _set_up(self) -> StrategoAction:
        if any(mark not in ".~" for mark in self.squares):
            return super()._set_up()
        return rules.PlaceRows(_SCOUTS_IN_FRONT if self.seat == 0 else _SCOUTS_IN_FRONT[::-1])

    def _step(self) -> PieceStep:
        """Chooses a long step of a scout, an attack if there is one."""
        steps = [step for step in self._steps() if self.squares[step[0]] == rules.SCOUT and _length(step) > 1]
        if not steps:
            return super()._step()
        attacks = [step for step in steps if self.squares[step[1]] == ENEMY]
        return self.thinking.chance.one_of(attacks or steps)


def _length(step: PieceStep) -> int:
    """Returns the length of a step in squares."""
    across = abs(step[0] - step[1])
    return across // rules.WIDTH or across


#: Set-ups for short games, the back row first. In the front row, the flag and a scout are in columns A and B, where there is no
#: lake.
FLAG_IN_A = ("BBBBBB1233", "4445555666", "6777788888", "F9S9999999")
FLAG_IN_B = ("BBBBBB1233", "4445555666", "6777788888", "9FS9999999")
#: A set-up that an enemy cannot distinguish from `FLAG_IN_B` until a piece of the back rows fights.
FLAG_IN_B_TOO = ("3321BBBBBB", "6665555444", "8888877776", "9FS9999999")

#: The moves of a game that the first player wins: its scout in column B takes the flag at once.
FIRST_WINS = (rules.Move(1, 3, 1, 6),)
#: The moves of a game that the second player wins: after a move in column J, its scout in column A takes the flag.
SECOND_WINS = (rules.Move(9, 3, 9, 4), rules.Move(0, 6, 0, 3))
#: Moves without a battle.
QUIET_MOVES = (rules.Move(9, 3, 9, 4), rules.Move(8, 6, 8, 5), rules.Move(9, 4, 9, 5), rules.Move(8, 5, 8, 4))


def _placed(front: Sequence[str], seat: Seat) -> rules.PlaceRows:
    """Returns a set-up for a seat. The rows come in ascending order of the board."""
    return rules.PlaceRows(tuple(front) if seat == 0 else tuple(reversed(front)))


async def _scripted(
    run: ServerRun, users: tuple[User, User], moves: Sequence[rules.Move], second: Sequence[str] = FLAG_IN_B
) -> None:
    """
    Plays the set-ups of two users, and some moves.

    :param second: the set-up of the second user
    """
    for user, front in zip(users, (FLAG_IN_A, second), strict=True):
        seat = user.seat.seat
        await run.say(user, *run.spelling.says(_placed(front, seat), seat, ""))
    for number, move in enumerate(moves):
        user = users[number % 2]
        await run.say(user, *run.spelling.says(move, user.seat.seat, ""))
        run.moves += 1


def short_game(moves: Sequence[rules.Move]) -> Script:
    """
    Returns a script that plays a short game, and then another one on the same connections.

    :param moves: all moves of the short game
    """

    async def script(run: ServerRun) -> None:
        """Plays the short game, and begins another one."""
        users = await meet(run)
        await _scripted(run, users, moves)
        # On some wires the next match begins by itself.
        if run.spelling.again(users[0].name, ""):
            await once_more(run, *users)
        await run.play(6)

    return script


def faults(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[object]]]:
    """Yields wrong moves of a user before its first move: the name of each fault, and the messages with it."""
    # The front row of each side, from 0 at the bottom. `onward` is one row towards the enemy.
    own, enemy = (3, 6) if user.seat.seat == 0 else (6, 3)
    onward = 1 if user.seat.seat == 0 else -1
    back = own - onward
    for words, move in (
        ("a move that ends where it began", rules.Move(4, own, 4, own)),
        ("a move from an empty square", rules.Move(0, own + 2 * onward, 1, own + 2 * onward)),
        ("a move of the enemy's piece", rules.Move(0, enemy, 0, enemy - onward)),
        ("a move onto an own piece", rules.Move(4, back, 4, own)),
        ("a move into a lake", rules.Move(2, own, 2, own + onward)),
        ("a diagonal move", rules.Move(4, own, 5, own + onward)),
    ):
        yield words, run.spelling.says(move, user.seat.seat, "")


def refused(first: bool) -> Script:
    """
    Returns a script that makes illegal moves before the first move of a player.

    :param first: whether it is the first player; otherwise the second one
    """

    async def script(run: ServerRun) -> None:
        """Plays the set-ups, and sends the illegal moves."""
        users = await meet(run)
        # The second player moves after the first move of the first player.
        await _scripted(run, users, () if first else SECOND_WINS[:1])
        user = users[0] if first else users[1]
        for words, messages in faults(run, user):
            await run.say(user, *messages, trying=words)
        await run.play(6)

    return script


async def alike(run: ServerRun) -> None:
    """
    A script that looks for secrets. It plays two games that differ only in pieces which the first player cannot see.
    The server must send that player the same messages in both.
    """
    heard = []
    for names, second in ((("ann", "bob"), FLAG_IN_B), (("amy", "bud"), FLAG_IN_B_TOO)):
        users = await meet(run, *names)
        await _scripted(run, users, QUIET_MOVES, second)
        # The names differ in the two games.
        words = str(users[0].heard).replace(users[0].name, "FIRST").replace(users[1].name, "SECOND")
        heard.append(words)
    if heard[0] != heard[1]:
        run.found(
            Grade.BREACH,
            "the first player can tell two hidden set-ups apart",
            "secret",
            happened="Two games differed only in what the first player may not see, "
            "and the server sent that player other messages.",
        )


LAWS = laws(__name__, "clients")

#: What the client must send after a message of the server; empty: nothing.
_AWAITED: Mapping[type, str] = {
    m.AuthReq: "name",
    m.AuthOk: "",
    m.New: "",
    m.Resume: "",
    m.EndSetup: "",
    m.GetMove: "move",
}
_WORDS: Mapping[type, str] = {
    m.AuthReq: "a username and a password are awaited",
    m.AuthOk: "logged in",
    m.AuthErr: "not logged in",
    m.New: "a game begins",
    m.Resume: "back in a game that goes on",
    m.EndSetup: "both set-ups stand",
    m.GetMove: "it is the client's turn",
}


#: The Two-Squares rule is not in the document, so a client need not know it.
FREE = {"stratego.two_squares": "0"}


class LinesReading(Reading):
    """
    Follows a game on one connection, as the client sees it, and judges the client's lines. A line has no name, so its
    meaning depends on what the server waits for.
    """

    def __init__(self) -> None:
        """Makes the reading of one connection."""
        #: What the server waits for: `name`, `password`, `answer`, `set-up` or `move`; empty: nothing.
        self._awaited = ""
        #: The rows of the set-up so far.
        self._rows: list[str] = []
        self._red = True
        self._sight = Sight()
        self._moves = Unanswered()
        #: How many other lines of the client may still be refused.
        self._open = 0
        #: Whether a log-in was refused, and the reason may follow.
        self._not_let_in = False
        #: Whether a game has begun, and the colour has not come yet.
        self._begun = False
        #: Whether the client has come back to a game, and no set-up is awaited.
        self._back = False
        #: Whether a move may still come that was sent before the end of the game was known.
        self._may_be_late = False

    def redacted(self, message: Any) -> Any:
        """Returns a message without a password. A line is hidden if the server waits for a password."""
        return m.Text("***") if self._awaited == "password" and isinstance(message, m.Text) else message

    def said(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the client. Returns what the message means, marked if it is
        wrong.
        """
        text = message.text if isinstance(message, m.Text) else None
        if self._awaited in ("", "set-up") and self._was_late(text):
            return Said("is sent before the end of the game is known", law="turn")
        if text is not None and is_resignation(text) and (self._awaited in ("set-up", "move") or self._sight.own):
            return Said("gives the game up", law="turn")
        if text is not None and self._awaited == "set-up" and asks_for_help(text):
            return Said("asks for help", law="turn")
        # The wire has lines without names, so what is awaited decides what a line means.
        match self._awaited:
            case "name":
                self._awaited = "password"
                if text is not None:
                    return Said(f"logs in as {text}", law="name")
            case "password":
                self._awaited = "answer"
                return Said("the password", law="name")
            case "set-up":
                return self._set_up(text)
            case "move" if text is not None:
                return self._moves_piece(text)
        self._open += 1
        if text is None:
            return Said("a line that cannot be read", Grade.BREACH, "framing")
        # An unanswered move means that the client did not wait for its answer.
        wrong = TOO_EARLY if self._moves else "nothing is awaited from the client now"
        return Said(wrong, Grade.BREACH, "turn")

    def _was_late(self, text: str | None) -> bool:
        """Returns whether a line is the one that the client may have sent before it knew the end of the game."""
        # A set-up that has begun is a sign that the client knows the end.
        if not self._may_be_late or text is None or (self._awaited and self._rows):
            return False
        late = is_resignation(text) or m.read_move(text) is not None
        # Only one line may be late.
        self._may_be_late = not late
        return late

    def _set_up(self, text: str | None) -> Said:
        """
        Judges a row of the set-up. After the fourth row, the whole set-up is judged.

        :param text: the row; `None`: the line cannot be read
        """
        self._rows.append(text or "")
        number = len(self._rows)
        if number == 4:
            self._awaited = ""
            # Small letters have a finding of their own.
            fault = m.fault_of_set_up(tuple(row.upper() for row in self._rows))
            if fault is not None:
                return Said(f"row 4 of the set-up: {fault}", Grade.BREACH, "set-up")
            self._place()
        if text is None:
            return Said("a line that cannot be read", Grade.BREACH, "framing")
        # Blue's first line is row 10 of the board.
        row = number if self._red else 11 - number
        if text != text.upper():
            return Said("writes a set-up in small letters", Grade.FRAGILE, "set-up")
        return Said(f"row {row} of the set-up", law="set-up")

    def _place(self) -> None:
        """Puts the client's pieces on the board, and unknown pieces on the four rows of the enemy."""
        upwards = self._rows if self._red else self._rows[::-1]
        self._sight.show(board_of_set_up(Seat(not self._red), tuple(m.in_pieces(row.upper()) for row in upwards)))

    def _moves_piece(self, text: str) -> Said:
        """Judges a move of the client."""
        move = m.read_move(text)
        if move is None:
            self._open += 1
            return Said("not a move; expected ff-tt, such as B4-B5", Grade.BREACH, "move")
        self._awaited = ""
        # A move has columns and rows from 0. Squares are numbered from A1, row by row.
        source, target = move[1] * 10 + move[0], move[3] * 10 + move[2]
        start, end = m.square(move[0], move[1]), m.square(move[2], move[3])
        piece = self._sight.own.get(source)
        words = f"{rules.KINDS[piece].name if piece else 'a piece'} {start} to {end}"
        # Without the board, nobody can say whether the move is legal.
        wrong = self._sight.wrong(source, target) if self._sight.own else None
        said = evolve(self._moves.send((source, target), words, wrong, ""), law="move")
        if said.grade is None and text != text.upper():
            return Said("writes a move in small letters", Grade.FRAGILE, "move")
        return said

    def heard(self, message: Any) -> Said:
        """Updates what is known of the match by a message of the server, and returns what the message means."""
        refused = isinstance(message, m.GetMove) and bool(self._moves)
        if type(message) in _AWAITED:
            self._awaited = _AWAITED[type(message)]
            self._back = isinstance(message, m.Resume)
        match message:
            case m.GetMove() if refused:
                # Without extensions, a second `get-move` is the only sign that a move is refused.
                grade = self._grade_of_refusal()
                return Said("the move is refused; another one is awaited", grade)
            case m.AuthReq():
                self._not_let_in = False
            case m.AuthErr():
                self._not_let_in = True
                return Said(_WORDS[m.AuthErr], Grade.NOTE)
            case m.New() | m.Resume():
                self._begun = True
            case m.EndSetup():
                self._may_be_late, self._open = False, 0
            case m.Color(color):
                return self._coloured(color)
            case m.Err(reason):
                return Said(f"the server says: {reason}", self._grade_of_error(reason))
        return Said(self._told(message))

    def _coloured(self, color: str) -> Said:
        """Notes the colour of the client. A second colour without a new game means that the set-up was refused."""
        again, self._begun = not self._begun, False
        self._red = color == "red"
        # A client that has come back has its pieces already.
        self._awaited = "" if self._back else "set-up"
        self._rows.clear()
        if again:
            return Said("the set-up is refused; four rows are awaited again", Grade.BREACH)
        self._sight.clear()
        return Said(f"the client is {color}; " + ("the board follows" if self._back else "four rows are awaited"))

    def _grade_of_refusal(self) -> Grade:
        """
        Returns the grade of a refused move. A move that is only against the Two-Squares rule is no fault, because the
        document does not have this rule.
        """
        one = self._moves.refused()
        if one is None or one.wrong is not None or not self._sight.own:
            return Grade.BREACH
        return Grade.NOTE if self._sight.crosses_again(*one.move) else Grade.BREACH

    def _grade_of_error(self, reason: str) -> Grade:
        """Finds what the server refuses by an error, and returns the grade of it."""
        # The error gives the reason why the log-in was refused.
        if self._not_let_in:
            return Grade.NOTE
        if self._moves:
            return self._grade_of_refusal()
        # The whole set-up is refused, so its rows are awaited again.
        if self._awaited == "" and len(self._rows) == 4 and "set-up" in reason:
            self._awaited = "set-up"
            self._rows.clear()
            return Grade.BREACH
        refused, self._open = self._open > 0, max(0, self._open - 1)
        return Grade.BREACH if refused else Grade.NOTE

    def _told(self, message: Any) -> str:
        """Updates what is known of the match by a message of the server about it. Returns what the message means."""
        match message:
            case m.Met(piece):
                return self._met(piece)
            case m.Moved(start, end, attacker):
                return self._moved(start, end, attacker)
            case m.Winner(color):
                self._awaited = ""
                crossed = self._moves.over()
                # One line from before the end is ignored by the server, and the others are refused.
                self._may_be_late = crossed + self._open == 0
                self._open = max(0, self._open + crossed - 1)
                self._sight.clear()
                return "the game is over: " + ("a draw" if color == "none" else f"{color} has won")
            case m.Board(rows):
                upwards = "".join(rows[::-1])
                self._sight.show(m.PIECES.get(letter, letter) for letter in upwards)
                return "the board as this player may see it"
        return _WORDS.get(type(message), "")

    def _met(self, piece: str | None) -> str:
        """
        Updates what is known of the match by the answer to the client's move. Returns what the message means.

        :param piece: the letter of the enemy's piece on the square; `None`: the square was empty
        """
        one = self._moves.next_accepted()
        if one is not None:
            source, target = one.move
            self._moves.accepted(one.move)
            self._sight.walked(source, target)
            # `.` stands for a kind that is not known.
            met = None if piece is None else (self._sight.own.get(source, "."), m.PIECES[piece])
            self._sight.moved(source, target, met)
        if piece is None:
            return "the square was empty"
        return f"the square held the enemy's {rules.KINDS[m.PIECES[piece]].name}"

    def _moved(self, start: str, end: str, attacker: str | None) -> str:
        """
        Updates what is known of the match by a move of the enemy. Returns what the message means.

        :param attacker: the letter of the enemy's piece; `None`: there was no battle
        """
        self._moves.position_changed()
        source, target = _number(start), _number(end)
        if attacker is None:
            self._sight.moved(source, target)
            return f"the enemy moves {start} to {end}"
        self._sight.moved(source, target, (m.PIECES[attacker], self._sight.own.get(target, ".")))
        return f"the enemy's {rules.KINDS[m.PIECES[attacker]].name} attacks {end} from {start}"


def _number(square: str) -> int:
    """Returns the number of a square such as B4 on the game's board."""
    return (int(square[1:]) - 1) * 10 + m.COLUMNS.index(square[0])


def spoiled(data: bytes) -> bytes | None:
    """Changes a move so that it ends on its start square. Returns `None` for other messages."""
    text = data.decode("ascii", "replace").strip()
    if m.read_move(text) is None:
        return None
    start = text.split("-")[0]
    return f"{start}-{start}\n".encode("ascii")


SCENARIOS = (
    Scenario("red", "The client is red; the opponent gives up after forty moves.", "turn", FREE, most=40),
    Scenario("blue", "The client is blue.", "set-up", FREE, client_first=False, most=40),
    Scenario("whole-game", "A long game against a player at random, or until two hundred moves are made.", "turn", FREE,
             level=Level.RANDOM),
    Scenario("loses", "A game against an opponent of middle strength.", "end", FREE, level=Level.MEDIUM, most=160,
             client_first=False),
    Scenario("wins-at-once", "The opponent gives up before the first move.", "end", FREE,
             steps=(Step(Act.OPPONENT_RESIGNS, 3),)),
    Scenario("two-games", "new comes again after winner, on the same connection.", "end", FREE, matches=2, most=12),
    Scenario("refused-move", "The client's move is refused once; get-move comes again.", "move", FREE,
             steps=(Step(Act.MOVE_REFUSED, 4),), most=20),
    Scenario("drop", "The opponent's connection is lost and comes back.", "drop", FREE,
             steps=(Step(Act.OPPONENT_DROPS, 5, client_owes=True),), most=20),
    Scenario("drop-in-set-up", "The opponent drops before its set-up.", "drop", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 1), Step(Act.OPPONENT_DROPS, 1)), most=16),
    Scenario("strict", "The documented lines only.", "framing", FREE, strict=True, most=40),
    Scenario("strict-blue", "The documented lines only, as blue.", "framing", FREE, strict=True, client_first=False, most=40),
    Scenario("strict-refused", "The documented lines only, and a move is refused: get-move comes again, without err.",
             "move", FREE, strict=True, steps=(Step(Act.MOVE_REFUSED, 4),), most=20),
    Scenario("own-drop-in-set-up", "The client's connection is lost before its set-up.", "reconnect", FREE,
             steps=(Step(Act.CLIENT_CUT, 1),), needs_reconnect=True, most=20),
    Scenario("scouts", "The opponent's scouts move far, and attack from afar.", "turn", FREE, opponent=AttacksFromAfar,
             client_first=False, most=40),
    Scenario("two-squares", "The Two-Squares rule may refuse a move that goes to and fro.", "move",
             {"stratego.two_squares": "3"}, forgives=True, most=60),
    *Scenario.usual(FREE, 6, 30, ascii=True, turns=False),
)  # fmt: skip

CHECKS = WireChecks("stratego-lines", LAWS, SCENARIOS, LinesReading, spoiled=spoiled)


# -- servers

SERVER_LAWS = laws(__name__, "servers")


class LinesSpelling(Spelling):
    """The messages of this wire for the scenarios for servers."""

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        return (m.Text(name), m.Text(password))

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """Returns no messages, because the server begins the next game without a message of the client."""
        return ()

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """Returns the messages with which a client sends an action."""
        if isinstance(action, rules.PlaceRows):
            lines = ["".join(m.LETTERS[piece] for piece in row) for row in action.rows]
            # Blue's rows are sent from the top of the board downwards.
            return tuple(map(m.Text, lines if seat == 0 else reversed(lines)))
        if isinstance(action, rules.Move):
            return (m.Text(f"{m.square(action.x, action.y)}-{m.square(action.to_x, action.to_y)}"),)
        return ()

    def documented(self, message: Any) -> Any | None:
        return None if isinstance(message, (m.Err, m.Resume, m.Board)) else message

    def secret(self, got: Any, expected: Any) -> str:
        if isinstance(got, m.Moved) and got.attacker is not None and expected.attacker is None:
            return "the letter of a piece that moved onto an empty square"
        return ""


async def wrong_password(run: ServerRun) -> None:
    """A script: a user logs in with a wrong password, and then with its own."""
    user = run.new_user("ann")
    await run.connect(user)
    # The first log-in makes the account, with its password.
    await run.spelling.enter(run, user)
    await run.drop(user)
    await run.pause(AWAY)
    await run.connect(user)
    await run.say(user, m.Text(user.name), m.Text(user.password + "x"), trying="a wrong password")
    await run.spelling.enter(run, user)


CASES = (
    case("moves", "A set-up of both players and thirty moves.", "Moved", some_moves(32)),
    case("crosswise", "The player who connects later logs in first, and is red.", "Color", crosswise),
    case("red-wins", "Red takes the flag; the next game begins.", "Winner", short_game(FIRST_WINS)),
    case("blue-wins", "Blue takes the flag; the next game begins.", "Winner", short_game(SECOND_WINS)),
    case("wrong-password", "A wrong password is refused; the right one follows.", "AuthErr", wrong_password),
    case("refused-red", "Red makes illegal moves.", "GetMove", refused(True)),
    case("refused-blue", "Blue makes illegal moves.", "GetMove", refused(False)),
    case("alike", "Two games that differ only in hidden pieces look alike.", "secret", alike),
    case("random-cuts", "The clients' segments end in the middle of lines.", "turn", some_moves(6), Cut.RANDOM),
    case("bytes", "The clients send bytes in segments of their own.", "turn", some_moves(4), Cut.BYTES),
)  # fmt: skip

SERVER_CHECKS = ServerChecks("stratego-lines", SERVER_LAWS, CASES, LinesSpelling)

JUDGES = Judges(CHECKS, SERVER_CHECKS)
