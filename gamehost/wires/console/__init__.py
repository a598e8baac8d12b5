"""The console: people play all games in a terminal, with telnet or netcat."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from attrs import frozen

from gamehost.entries import imported
from gamehost.settings import Settings, refuse_unknown
from gamehost.wires.base import Wire
from gamehost.wires.seeking import PLAYED, PlayedGame

NAME = "console"

_options = imported("gamehost.wires.console.matches:ConsoleOptions")
_conversation = imported("gamehost.wires.console.conversation:ConsoleConversation")


@frozen
class ConsoleConfig:
    """The console's configuration. The modules for conversations are imported when the first client connects."""

    #: The games, by their names.
    games: Mapping[str, PlayedGame]

    new_codec = staticmethod(imported("gamehost.wires.console.codec:ConsoleCodec"))

    @cached_property
    def options(self) -> Any:
        return _options(NAME, self.games)

    def new_conversation(self, peer: Any, lobby: Any) -> Any:
        return _conversation(peer, lobby, self.options)


def configure(settings: Settings) -> ConsoleConfig:
    refuse_unknown(settings, ())
    return ConsoleConfig({played.game.name: played for played in PLAYED})


WIRE: Wire[Any] = Wire(
    name=NAME,
    title="All games, for people with netcat or telnet",
    endpoint="tcp:8888:interface=127.0.0.1",
    games=tuple(played.game for played in PLAYED),
    configure=configure,
    options={},
    must_listen=False,
    for_people=True,
    spreads=True,
)
