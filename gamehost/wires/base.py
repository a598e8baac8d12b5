"""
What a wire is: a codec and a conversation for each connection, and the settings that all wires have.

A wire is one folder under `gamehost.wires` and one `Wire`. Everything else about connections is the same for all wires,
and is in `gamehost.net.connection`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pkgutil import resolve_name
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from attrs import frozen

from gamehost.games.base import Game
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import Queue
from gamehost.settings import Settings, refuse_unknown, setting, yes_or_no
from gamehost.wires.conversation import Conversation, Peer

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)

#: The version of the interface between the host and its wires. A new version may be refused by an older host, and an old
#: one by a newer host.
API = 1


class Codec(Protocol[M]):
    """Turns bytes into messages and messages into bytes. Each connection has its own; a codec knows no transport."""

    @property
    def unfinished(self) -> bool:
        """
        Whether a message has begun that has not ended.

        If none has, and all messages were taken, a new codec can read what comes next. See `Wire.spreads`.
        """

    def feed(self, data: bytes) -> Iterator[M]:
        """
        The messages that are complete now. The iterator must be exhausted before more is fed.

        :raises WireError: (from the iterator) nothing after this point can be trusted, and nothing more may be fed
        """

    def encode(self, message: M) -> bytes:
        """The bytes of a message."""


class ReadsWhole(Protocol[M_co]):
    """A codec that has a short way for a segment that is exactly one message. Nearly all are."""

    def whole(self, data: bytes) -> M_co | None:
        """
        The message that the bytes are; `None`: they are not exactly one, or something waits before them. Then nothing has
        changed, and they are to be fed.

        :raises WireError: as `Codec.feed`
        """


@runtime_checkable
class Numbered(Protocol):
    """A codec that numbers what it writes."""

    #: The number of the next message. A codec that goes on for one at another host of a cluster begins where that one was.
    sequence: int


@runtime_checkable
class Ending(Protocol[M_co]):
    """A codec of a protocol in which the end of a connection is a message."""

    def ending(self, stopping: bool) -> M_co | None:
        """
        What is sent last; `None`: nothing.

        :param stopping: whether the host stops
        """


class WireConfig(Protocol[M]):
    """A wire with its settings, for one listener. Makes the codec and the conversation of each connection."""

    def new_codec(self) -> Codec[M]: ...

    def new_conversation(self, peer: Peer[M], lobby: Lobby) -> Conversation[M]: ...


@frozen
class CommonWireConfig(Generic[M]):
    """The configuration of a wire that has no settings but `COMMON_OPTIONS`."""

    #: The wire's name.
    wire: str
    new_codec: Callable[[], Codec[M]]
    conversation: Callable[[Peer[M], Lobby, str, Queue, bool], Conversation[M]]
    strict: bool
    queue: Queue

    def new_conversation(self, peer: Peer[M], lobby: Lobby) -> Conversation[M]:
        return self.conversation(peer, lobby, self.wire, self.queue, self.strict)


class SeatKey(Enum):
    """What takes a player's seat back after a lost connection."""

    NAME = "the name"
    PASSWORD = "the name and a password, without which nobody logs in"
    #: A program that has ended cannot come back.
    TOKEN = "a token, which the host has given to the program"


@frozen
class Wire(Generic[M]):
    """A wire format, as the host knows it."""

    #: Lower case, for options and the journal: `onitama`.
    name: str
    #: A few words for the help text.
    title: str
    #: A Twisted endpoint string. The host's own wires listen there by default; others listen only where an option says.
    endpoint: str
    #: The games that can be played on it.
    games: Sequence[Game[Any, Any]]
    #: Reads the wire's own settings. Raises `BadOption`.
    configure: Callable[[Settings], WireConfig[M]]
    #: Every setting of the wire by name, with its unit and default in words.
    options: Mapping[str, str]
    #: Settings that also have an option of their own: `--NAME` means `yes`.
    flags: Sequence[str] = ()
    #: Settings that also have an option of their own, with a value: `--NAME=TEXT`.
    values: Sequence[str] = ()
    #: The version of the plug-in interface that the wire was written for; see `API`.
    api: int = 1
    #: Whether the host cannot start if a port of this wire is in use. Otherwise the port is left out.
    must_listen: bool = True
    #: Whether people type on it, who read first: they have `limits.login_patience_seconds` to log in and to finish a line.
    for_people: bool = False
    #: Seconds to log in that its clients need at least, if that is more than the limits say: those that connect before a
    #: person has typed a name.
    login_seconds: float = 0.0
    #: The most bytes that are written in one piece, because its clients can read no more at once; 0: any number. No
    #: message may have more.
    write_bytes: int = 0
    #: Whether its players may be at any host of a cluster. All others are at one of them.
    spreads: bool = False
    #: Whether its clients may also speak WebSocket, on the same port. A text is a line then, without
    #: its end, so the codec is one of lines that end in `\\n`, such as a `LineCodec`. The client speaks first.
    websocket: bool = False
    #: What takes a seat back.
    seat_key: SeatKey = SeatKey.NAME
    #: Makes the codec of a client's connection: it reads what the server says, and writes what a client says. `None`: the
    #: wire has none, and tools that act as a client cannot be used with it.
    client_codec: Callable[[], Codec[M]] | None = None
    #: Makes the program that plays in `gamehost player`, a `gamehost.programs.wire_player.WirePlayer`, from a name, a
    #: password, what makes its players, and the name of the game. This and the following are imported when a command asks
    #: for them: see `imported`.
    player: Callable[..., Any] | None = None
    #: The checks of clients, a `gamehost.checker.base.WireChecks`.
    checks: Callable[[], Any] | None = None
    #: The checks of servers, a `gamehost.checker.server_run.ServerChecks`. A wire that has them has checks of clients.
    server_checks: Callable[[], Any] | None = None


def imported(where: str) -> Callable[..., Any]:
    """
    A part of a wire that the host itself does not need. It is imported when it is called for.

    :param where: `module:NAME` of a class or a function, which is called then, or of a value, which is returned
    """

    def part(*arguments: Any) -> Any:
        found = resolve_name(where)
        return found(*arguments) if callable(found) else found

    return part


#: The settings that all wires have, in words.
COMMON_OPTIONS: Mapping[str, str] = {
    "strict": "yes: the document's messages only, no extensions; default no",
    "separate": "yes: this wire's players meet each other only; default no",
}


def common_settings(settings: Settings, wire: str, game: Game[Any, Any]) -> tuple[bool, Queue]:
    """
    What `COMMON_OPTIONS` say: whether the wire is strict, and where its players wait.

    :raises BadOption: one of them cannot be used
    """
    separate = setting(settings, "separate", False, yes_or_no)
    strict = setting(settings, "strict", False, yes_or_no)
    return strict, Queue(game, wire if separate else "")


def common_wire(
    name: str,
    title: str,
    endpoint: str,
    game: Game[Any, Any],
    new_codec: Callable[[], Codec[M]],
    conversation: Callable[[Peer[M], Lobby, str, Queue, bool], Conversation[M]],
    strict_codec: Callable[[], Codec[M]] | None = None,
    **more: Any,
) -> Wire[M]:
    """
    A wire that has no settings but `COMMON_OPTIONS`. The first four arguments are as in `Wire`.

    :param new_codec: makes the codec of one connection
    :param conversation: makes a conversation from a peer, the lobby, the wire's name, its queue, and whether it is strict
    :param strict_codec: makes the codec in strict mode, if that needs another one
    :param more: other fields of `Wire`
    """

    def configure(settings: Settings) -> WireConfig[M]:
        refuse_unknown(settings, COMMON_OPTIONS)
        strict, queue = common_settings(settings, name, game)
        codec = strict_codec if strict and strict_codec is not None else new_codec
        return CommonWireConfig(name, codec, conversation, strict, queue)

    return Wire(*(name, title, endpoint, (game,), configure, COMMON_OPTIONS), **more)
