"""
Reads and writes the messages of remote games: of their players, and of their masters.

The envelope is read strictly, and written anew. A content is a slice of what was sent. In the loose dialect the elements around
it belong to the slice, and what is unknown in the envelope is read over.
"""

from collections.abc import Callable, Mapping

from gamehost.wires.paper_soccer.messages import (
    REMOTE_SERVER_TYPES,
    BeginGame,
    Error,
    GameMasterLogin,
    LeaveGame,
    Logout,
    Malformed,
    Message,
    NotForServer,
    PlayerLeftGame,
    PlayerLogin,
    RemoteMove,
    RemoteState,
    ThankYou,
)
from gamehost.wires.paper_soccer.outline import OPAQUE, NotOpaque, Part, outline

#: The results of a player.
RESULTS: Mapping[str, bool] = {"winner": True, "loser": False}
_LOOSE_RESULTS: Mapping[str, bool] = {**RESULTS, "looser": False}


class _Wrong(Exception):
    """Well-formed, but no message of a remote game. The text says why, and repeats nothing of it."""


class _Reading:
    """
    One message that is being read.

    :param loose: whether it is read in the loose dialect
    """

    def __init__(self, root: Part, loose: bool) -> None:
        self.root = root
        self.loose = loose

    def attributes(self, part: Part, *names: str) -> list[str]:
        """The values of these attributes of an element; of one that is missing, empty text."""
        unknown = part.attributes.keys() - set(names)
        if part.declares and not (self.loose and part.tag in OPAQUE):
            raise _Wrong("a prefix must be declared inside the content that uses it")
        if unknown and not self.loose:
            raise _Wrong(f"<{part.tag}> has {' and '.join(names) or 'no attributes'}, and no other attributes")
        return [part.attributes.get(name, "") for name in names]

    def leaf(self, part: Part, *names: str) -> list[str]:
        """The same, of an element that is empty."""
        if part.children:
            raise _Wrong(f"<{part.tag}> is empty")
        return self.attributes(part, *names)

    def children(self, *tags: str) -> dict[str, list[Part]]:
        """The elements of the message by tag: no others, and each at most once, but for `move` in the loose dialect."""
        self.attributes(self.root, "type")
        found: dict[str, list[Part]] = {}
        for part in self.root.children:
            repeated = part.tag in found and not (self.loose and part.tag == "move")
            if part.tag not in tags or repeated:
                expected = " and ".join(f"<{tag}>" for tag in tags) or "nothing"
                raise _Wrong(f"expected {expected} in this type of message, each once")
            found.setdefault(part.tag, []).append(part)
        return found

    def game_id(self, found: Mapping[str, list[Part]]) -> str | None:
        """The game's id; `None`: it is left out."""
        if "gameId" not in found:
            return None
        (game_id,) = self.leaf(found["gameId"][0], "id")
        return game_id

    def content(self, parts: list[Part]) -> bytes:
        """What is passed on of elements with a content."""
        for part in parts:
            self.attributes(part)
        if self.loose:
            return b"".join([part.whole for part in parts])
        return parts[0].content


def _player_login(reading: _Reading) -> Message:
    found = reading.children("playerLogin")
    if not found:
        raise _Wrong('expected <playerLogin nick="..." gameType="..."/>')
    return PlayerLogin(*reading.leaf(found["playerLogin"][0], "nick", "gameType"))


def _master_login(reading: _Reading) -> Message:
    found = reading.children("gameMasterLogin")
    if not found:
        raise _Wrong('expected <gameMasterLogin id="..." gameType="..." playersMin="2" playersMax="2"/>')
    names = ("id", "gameType", "playersMin", "playersMax")
    return GameMasterLogin(*reading.leaf(found["gameMasterLogin"][0], *names))


def _move(reading: _Reading) -> Message:
    found = reading.children("gameId", "move")
    if "move" not in found:
        raise _Wrong("expected <move>")
    return RemoteMove(reading.content(found["move"]), reading.game_id(found))


def _game_state(reading: _Reading) -> Message:
    found = reading.children("gameId", "nextPlayer", "gameOver", "gameState")
    if ("nextPlayer" in found) is ("gameOver" in found):
        raise _Wrong("expected either <nextPlayer> or <gameOver>")
    if "gameState" not in found and not reading.loose:
        raise _Wrong("expected <gameState>")
    content = reading.content(found["gameState"]) if "gameState" in found else b""
    game_id = reading.game_id(found)
    if "nextPlayer" in found:
        (nick,) = reading.leaf(found["nextPlayer"][0], "nick")
        if not nick:
            raise _Wrong('expected <nextPlayer nick="..."/>')
        return RemoteState(game_id, content, nick)
    over = found["gameOver"][0]
    reading.attributes(over)
    results = tuple([_result(reading, part) for part in over.children])
    if not results:
        raise _Wrong("expected each player in <gameOver>")
    return RemoteState(game_id, content, "", results)


def _result(reading: _Reading, part: Part) -> tuple[str, bool]:
    words = _LOOSE_RESULTS if reading.loose else RESULTS
    nick, result = reading.leaf(part, "nick", "result") if part.tag == "player" else ("", "")
    if not nick or result not in words:
        raise _Wrong('expected <player nick="..." result="winner"/> or result="loser" in <gameOver>')
    return nick, words[result]


def _player_left(reading: _Reading) -> Message:
    found = reading.children("player", "gameId")
    (nick,) = reading.leaf(found["player"][0], "nick") if "player" in found else ("",)
    if not nick:
        raise _Wrong('expected <player nick="..."/>')
    return PlayerLeftGame(nick, reading.game_id(found) or "")


def _logout(reading: _Reading) -> Message:
    reading.children()
    return Logout()


_READERS: Mapping[str, Callable[[_Reading], Message]] = {
    "playerLogin": _player_login,
    "gameMasterLogin": _master_login,
    "move": _move,
    "gameState": _game_state,
    "playerLeftGame": _player_left,
    "thank you": lambda reading: ThankYou(reading.game_id(reading.children("gameId"))),
    "leaveGame": lambda reading: LeaveGame(reading.game_id(reading.children("gameId"))),
    "logout": _logout,
    "error": lambda reading: Error(),
}

#: What players and masters send.
CLIENT_TYPES = frozenset(_READERS)


def read_remote(data: bytes, loose: bool) -> Message:
    """
    The message in a whole element.

    :raises WireError: not well-formed XML in UTF-8
    """
    try:
        root = outline(data, loose)
    except NotOpaque as fault:
        return Malformed(str(fault))
    kind = root.attributes.get("type", "")
    if loose and kind == "thankYou":
        kind = "thank you"
    if root.tag != "message":
        return Malformed('expected <message type="...">')
    if kind in REMOTE_SERVER_TYPES:
        return NotForServer(kind)
    reader = _READERS.get(kind)
    if reader is None:
        return Malformed(f"unknown type of message; expected one of {', '.join(_READERS)}")
    try:
        return reader(_Reading(root, loose))
    except _Wrong as wrong:
        return Malformed(str(wrong))


# -- writing


def _element(tag: str, content: bytes) -> bytes:
    name = tag.encode("ascii")
    return b"<%b>%b</%b>" % (name, content, name) if content else b"<%b/>" % name


def _id(game_id: str | None) -> str:
    return f'<gameId id="{game_id}"/>'


def written_remote(message: Message, loose: bool) -> bytes | None:
    """
    A message of the host in a remote game as XML; `None`: this is none.

    Nicks hold only letters, digits, `_`, `-` and `.`, and ids digits and a dot, so nothing needs escaping.
    """
    match message:
        case RemoteMove(content, game_id):
            body = _id(game_id).encode("ascii") + (content if loose else _element("move", content))
            return b'<message type="move">%b</message>' % body
        case RemoteState(game_id, content, next_player, results):
            lost = "looser" if loose else "loser"
            players = "".join(
                [f'<player nick="{nick}" result="{"winner" if won else lost}"/>' for nick, won in results]
            )
            turn = f"<gameOver>{players}</gameOver>" if results else f'<nextPlayer nick="{next_player}"/>'
            state = content if loose else _element("gameState", content)
            return b'<message type="gameState">%b%b</message>' % ((_id(game_id) + turn).encode(), state)
        case BeginGame(game_id, nicks):
            players = "".join([f'<player nick="{nick}"/>' for nick in nicks])
            return f'<message type="beginGame">{_id(game_id)}{players}</message>'.encode()
    return None
