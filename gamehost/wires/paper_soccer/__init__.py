"""The wire of Paper Soccer, and of games with remote masters: XML messages. This module has its settings."""

import hmac
import re
from collections.abc import Mapping
from enum import Enum
from functools import partial
from typing import Any

from msgspec import Struct

from gamehost.entries import imported
from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.remote.master import REMOTE
from gamehost.lobby.remote_games import is_game_type
from gamehost.rates import is_loopback
from gamehost.settings import BadOption, Settings, one_of, refuse_unknown, setting, yes_or_no
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, Wire, WireConfig, common_settings
from gamehost.wires.paper_soccer.messages import GAME_TYPES

NAME = "paper-soccer"

OPTIONS: Mapping[str, str] = {
    **COMMON_OPTIONS,
    "masters": "who may register as a master: no, local (from this machine) or any; default local",
    "secret": "a text: the id of a master must end in # and this text; default none",
    "native": "names of the built-in game, with commas; default paper soccer,paper_football,paper-soccer",
    "types": "types of remote games with players that may wait before the first master, with commas; *: all; default none",
    "loose": "types with players and masters that speak the loose dialect, with commas; default none",
    "one_game": "types with a master that gets one game at a time, and each message in a write of its own; default none",
    "left": "quiet: masters are not told who has left; default tell",
    "line_ends": "no: no line end behind a message; default yes",
    "championship": "TYPE:N: a championship of N players in a game for two, and nothing else; default none",
    "again": "yes: after thank you, players of the built-in game wait for the next one; default no",
    "declaration": "yes: an XML declaration in front of each message; default no",
}

MOST_PLAYERS = 64

_NUMBER = re.compile(r"[1-9][0-9]?", re.ASCII)


class Admission(Enum):
    """Which clients may register as a master."""

    NO = "no"
    LOCAL = "local"
    ANY = "any"


class RemoteRules(Struct, frozen=True):
    """The settings of the remote games of one port. All types of games are in lower case."""

    masters: Admission = Admission.LOCAL
    secret: str = ""
    native: frozenset[str] = GAME_TYPES
    types: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    one_game: frozenset[str] = frozenset()
    quiet: bool = False
    line_ends: bool = True
    again: bool = False
    #: The type of game and the number of players of the championship; `None`: there is no championship.
    championship: tuple[str, int] | None = None

    def master_id(self, text: str, address: str) -> str | None:
        """
        Returns the id of a master without the secret; `None`: this client may not register as a master.

        :param text: the id as the client sent it
        :param address: the client's address
        """
        if self.masters is Admission.NO or (self.masters is Admission.LOCAL and not is_loopback(address)):
            return None
        # Without a secret in the settings, the whole text is the id.
        if not self.secret:
            return text
        # The client must send the id as ID#SECRET. The comparison takes the same time for every wrong secret.
        name, _, secret = text.rpartition("#")
        return name if hmac.compare_digest(secret.encode(), self.secret.encode()) else None


def players(least: str, most: str) -> tuple[int, int] | None:
    """
    Reads the least and the most players of a type of game; `None`: they are not whole numbers with 2 <= least <= most
    <= 64.
    """
    if not (_NUMBER.fullmatch(least) and _NUMBER.fullmatch(most)):
        return None
    return (int(least), int(most)) if 2 <= int(least) <= int(most) <= MOST_PLAYERS else None


def _types(name: str, text: str) -> frozenset[str]:
    """
    Reads the value of a setting: types of games with commas between them, in lower case.

    :raises BadOption: one of them is not a valid type
    """
    found = [one.strip() for one in text.split(",")]
    if not all(map(is_game_type, found)):
        raise BadOption(f"{name}: expected types of games with commas between them, such as nim,go; got {text!r}")
    return frozenset(one.casefold() for one in found)


def _all_or_types(name: str, text: str) -> frozenset[str]:
    return frozenset({"*"}) if text.strip() == "*" else _types(name, text)


def _native(name: str, text: str) -> frozenset[str]:
    """
    Reads the value of the setting `native`: names of the built-in game.

    :raises BadOption: the host has no built-in game of one of these names
    """
    found = _types(name, text)
    if not found <= GAME_TYPES:
        raise BadOption(f"{name}: expected some of {', '.join(sorted(GAME_TYPES))}, got {text!r}")
    return found


def _secret(name: str, text: str) -> str:
    """
    Checks the value of the setting `secret`.

    :raises BadOption: the text is empty, longer than 40 characters or not printable, or contains `#`
    """
    if not (1 <= len(text) <= 40 and text.isprintable() and "#" not in text):
        raise BadOption(f"{name}: expected 1 to 40 printable characters without #")
    return text


def _championship(name: str, text: str) -> tuple[str, int]:
    """
    Reads the value of the setting `championship`: a type of game and the number of players.

    :raises BadOption: the value is not `TYPE:N` with 2 to 64 players
    """
    game_type, _, count = text.rpartition(":")
    if not is_game_type(game_type) or not _NUMBER.fullmatch(count) or not 2 <= int(count) <= MOST_PLAYERS:
        raise BadOption(f"{name}: expected a type of game and 2 to 64 players, such as nim:8; got {text!r}")
    return game_type, int(count)


def remote_rules(settings: Settings) -> RemoteRules:
    """
    Reads the settings of remote games.

    :raises BadOption: the value of a setting is not valid
    """
    nothing: frozenset[str] = frozenset()
    left = setting(settings, "left", "tell", one_of("tell", "quiet"))
    return RemoteRules(
        Admission(setting(settings, "masters", "local", one_of(*(one.value for one in Admission)))),
        setting(settings, "secret", "", _secret),
        setting(settings, "native", GAME_TYPES, _native),
        types=setting(settings, "types", nothing, _all_or_types),
        loose=setting(settings, "loose", nothing, _types),
        one_game=setting(settings, "one_game", nothing, _types),
        quiet=left == "quiet",
        line_ends=setting(settings, "line_ends", True, yes_or_no),
        again=setting(settings, "again", False, yes_or_no),
        championship=setting(settings, "championship", None, _championship),
    )


def configure(settings: Settings) -> WireConfig[Any]:
    """Reads the settings of the wire. The codec and the conversation are imported when the first client connects."""
    refuse_unknown(settings, OPTIONS)
    strict, queue = common_settings(settings, NAME, PAPER_SOCCER)
    declaration = setting(settings, "declaration", False, yes_or_no)
    rules = remote_rules(settings)
    codec = partial(
        imported("gamehost.wires.paper_soccer.codec:XmlCodec"), declaration, strict, rules.loose, rules.line_ends
    )
    conversation = partial(imported("gamehost.wires.paper_soccer.remote:RemoteConversation"), rules=rules)
    return CommonWireConfig(NAME, codec, conversation, strict, queue)


WIRE: Wire[Any] = Wire(
    name=NAME,
    title="Paper Soccer, XML messages",
    endpoint="tcp:8894:interface=127.0.0.1",
    games=(PAPER_SOCCER, REMOTE),
    configure=configure,
    options=OPTIONS,
    flags=("declaration",),
    values=("championship",),
    spreads=True,
)
