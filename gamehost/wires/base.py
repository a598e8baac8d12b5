"""
What a wire is: a codec, a script of conversations, and what the connections of all wires share.

A wire is one folder under `gamehost.wires` and one `Wire` token; everything else about connections is in
`gamehost.net.connection`, the same for all.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from attrs import frozen

from gamehost.games.base import Game
from gamehost.lobby.lobby import Lobby, Queue
from gamehost.settings import Settings, setting, yes_or_no
from gamehost.wires.conversation import Conversation, Peer

M = TypeVar("M")

#: The version of the interface between the host and its wires. A new version may be refused by an older host, and an old
#: one by a newer host.
API = 1


class Codec(Protocol[M]):
    """Bytes to messages and back. One for each connection; knows no transport."""

    @property
    def unfinished(self) -> bool:
        """Whether a message has begun that has not ended."""

    def feed(self, data: bytes) -> Iterator[M]:
        """
        The messages that are whole now. To be exhausted before more is fed.

        :raises NotThisWire: (from the iterator) nothing after this point can be trusted; feed no more
        """

    def encode(self, message: M) -> bytes:
        """A message as it goes over the wire."""


class WireConfig(Protocol[M]):
    """What is played on each connection of one listener."""

    def new_codec(self) -> Codec[M]: ...

    def new_conversation(self, peer: Peer[M], lobby: Lobby) -> Conversation[M]: ...


@frozen
class CommonWireConfig(Generic[M]):
    """The script of a wire that has no settings but those of all wires."""

    #: By its name.
    wire: str
    new_codec: Callable[[], Codec[M]]
    conversation: Callable[[Peer[M], Lobby, str, Queue, bool], Conversation[M]]
    strict: bool
    queue: Queue

    def new_conversation(self, peer: Peer[M], lobby: Lobby) -> Conversation[M]:
        """A conversation for one connection."""
        return self.conversation(peer, lobby, self.wire, self.queue, self.strict)


@frozen
class Wire(Generic[M]):
    """A documented wire format: the token that the host knows it by."""

    #: Lower case, for options and the journal: `onitama`.
    name: str
    #: A few words for the help text.
    title: str
    #: Where it listens unless told otherwise, as a Twisted endpoint string.
    endpoint: str
    game: Game[Any, Any]
    #: Reads the wire's own settings. Raises `BadOption`.
    configure: Callable[[Settings], WireConfig[M]]
    #: Every setting of the wire by name, with its unit and default in words.
    options: Mapping[str, str]
    #: Settings that are options of their own, too: `--NAME` is `yes`.
    flags: Sequence[str] = ()
    #: The version of the plug-in interface that the wire was written for; see `API`.
    api: int = 1


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
