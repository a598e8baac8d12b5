"""The hooks of the wire contract that the author of a wire fills in, and how the contract reaches each state."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from attrs import define, evolve, frozen

from gamehost.testing.cases import Mixin
from gamehost.testing.memory_host import Client, Lines, MemoryHost, MessageText
from gamehost.testing.transcript import Says, read_transcripts
from gamehost.wires.base import Codec, Conversation, Peer, Wire, WireConfig


@frozen
class Situation:
    """Two clients of a host: the one under test, and the other player if there is one."""

    host: MemoryHost
    client: Client
    other: Client | None = None


@frozen
class InMatch(Situation):
    """A situation in which the two clients are in a match with each other."""

    other: Client
    #: Both clients, in the order in which they joined the match.
    players: tuple[Client, Client]


@define(eq=False)
class WatchedConfig:
    """
    A configuration of a wire that makes the codecs and conversations of another configuration, each in a wrapper of the
    test. By default there are no wrappers.
    """

    _config: WireConfig[Any]
    #: Returns the wrapped codec.
    _codec: Callable[[Any], Codec[Any]] = lambda codec: codec
    #: Returns the wrapped conversation.
    _conversation: Callable[[Any], Conversation[Any]] = lambda conversation: conversation

    def new_codec(self) -> Codec[Any]:
        return self._codec(self._config.new_codec())

    def new_conversation(self, peer: Peer[Any], lobby: Any) -> Conversation[Any]:
        return self._conversation(self._config.new_conversation(peer, lobby))


class WireHooks(Mixin):
    """
    The hooks of the wire contract.

    A reason in `nameless`, `no_return` or `closes_after_match` says that the protocol has no such thing. Each is checked: a
    wire that has it must not give a reason. A server that speaks first needs no hook, and lines that end in CRLF need
    `text`.

    Every wire sets `wire`, `transcripts`, `begun` and `too_long`, and writes `log_in`, `legal_action` and
    `illegal_action`. The other hooks have defaults that suit a wire of lines on which a log-in leads into a match.
    """

    wire: Wire[Any]
    #: The folder of the transcripts of all wires; those of this wire are in the folder with its name.
    transcripts: Path
    #: How transcripts write the wire's messages.
    text: type[MessageText] = Lines
    #: The class of the host of all tests. If clients of the wire must send messages from time to time, the class sends
    #: these for them.
    host_class: type[MemoryHost] = MemoryHost
    #: Settings of the host for all tests, as for `--set`.
    host_settings: Mapping[str, str] = {}
    #: The first bytes of a message, without its end. However often the last byte is repeated, the message does not end.
    begun: bytes
    #: A whole message just over the limit.
    too_long: bytes
    #: Whole messages that no state accepts. Each contains the word `canary`, and control bytes if the format can.
    nonsense: Sequence[bytes] = (
        *(b"canary\n", b"\x1b[2Jcanary\n", b"canary\x07\x00canary\n", b"\x1b]0;canary\x07\n", b"canary\xff\n"),
    )
    #: Names that are refused. Empty: the wire takes any text.
    impossible_names: Sequence[str] = ("no/such name", "tie", "a" * 31, "easy.1", "a:")
    #: The bytes with which a client logs out. Empty: the wire has no such message.
    log_out: bytes = b""
    #: The events that the wire does not send, with the reason. The keys are those of `SAYINGS`. Each entry is checked:
    #: a wire that does send it must not have the entry.
    silent: Mapping[str, str] = {}
    #: Why a client of the wire has no name, so that each log-in makes a new player. Empty: `log_in` sends the name.
    nameless: str = ""
    #: Why a player cannot take its seat back on a new connection. Empty: `come_back` does it.
    no_return: str = ""
    #: Why the host closes a connection after its match. Empty: another match can follow on it.
    closes_after_match: str = ""
    #: States of the conversation that `situations` does not reach, with the reason.
    unreached: Mapping[Enum, str] = {}

    #: The wrappers around the parts of the wire's configuration, as arguments of `WatchedConfig`.
    watch: Mapping[str, Callable[[Any], Any]] = {}

    #: The events that a wire should send to its clients, by the keys of `silent`.
    SAYINGS: ClassVar[Mapping[str, str]] = {
        "away": "the other player's connection is lost",
        "back": "the other player is back",
        "over": "the match has ended",
        "suspended": "the match cannot go on, by a fault of the host",
        "closing": "the host ends the connection, and why",
        "shutdown": "the host stops",
        "late": "an action that arrives after the end of the match is refused",
    }

    def log_in(self, name: str) -> bytes:
        """The bytes with which a client logs in."""
        raise NotImplementedError

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        """The client that may act right after `set_up`, and an action that the rules allow."""
        raise NotImplementedError

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        """A player, and a well-formed action that the rules forbid right after `set_up`."""
        raise NotImplementedError

    def join(self, client: Client, name: str) -> None:
        """Log in on a new connection. The client then waits for a match, or begins one with the waiting player."""
        client.send(self.log_in(name))

    def join_again(self, client: Client, name: str) -> None:
        """Does the same as `join`, on a connection whose match has ended."""
        self.join(client, name)

    def come_back(self, client: Client, name: str) -> None:
        """Log in on a new connection, to take back the seat that is reserved under a name."""
        client.send(self.log_in(name))

    def set_up(self, first: Client, second: Client) -> None:
        """Take the steps between the beginning of a match and its first action, such as placing pieces."""

    def is_in(self, host: MemoryHost, name: str) -> bool:
        """Whether a player is in the lobby; on a wire without names, whether anybody is."""
        if self.nameless:
            return len(host.lobby.registry) > 0
        return host.lobby.registry.get(name) is not None

    def corpus(self) -> Sequence[bytes]:
        """The streams from which the fuzzer starts. By default, all bytes of each connection of each transcript."""
        streams = []
        for transcript in read_transcripts(self.transcripts / self.wire.name, self.text is not Lines):
            # Each client of a transcript gives one stream: all that it sends.
            numbers = {step.number for step in transcript.steps if isinstance(step, Says)}
            for number in numbers:
                said = [step.line for step in transcript.steps if isinstance(step, Says) and step.number == number]
                streams.append(b"".join(map(self.text().said, said)))
        return streams

    def situations(self) -> Mapping[str, Callable[[], Situation]]:
        """
        The functions that bring a client into each state of the conversation.

        Add those of the wire's own: `{**super().situations(), "placing": self.placing}`.
        """
        return {
            "connected": self.connected_only,
            "waiting": self.waiting,
            "first to act": partial(self.in_match, 0),
            "second to act": partial(self.in_match, 1),
            "over": self.after_match,
        }

    # -- the contract uses these methods; they call the hooks

    def new_host(self, settings: Mapping[str, str] | None = None, limits: Mapping[str, str] = {}) -> MemoryHost:
        """
        Returns a new host with only this wire.

        :param settings: the settings of the host; by default `host_settings`
        :param limits: further settings: the limits, by their names without `limits.`
        """
        # A class whose clients write and read the messages of this wire as text.
        host_class = type("HostInWords", (self.host_class,), {"texts": {self.wire.name: self.text}})
        settings = self.host_settings if settings is None else settings
        settings = {**settings, **{f"limits.{name}": text for name, text in limits.items()}}
        host: MemoryHost = host_class(settings, wires=(self.watched,))
        return host

    def restarted(self, host: MemoryHost) -> MemoryHost:
        """Returns a new host with the journal of a host that was killed: its next run."""
        settings = {**self.host_settings, "limits.unlimited": "yes"}
        return type(host)(settings, wires=(self.watched,), journal=host.journal.restarted())

    @property
    def watched(self) -> Wire[Any]:
        """The wire, with the wrappers of `watch` in its configuration."""
        if not self.watch:
            return self.wire
        return evolve(self.wire, configure=lambda given: WatchedConfig(self.wire.configure(given), **self.watch))

    def connected(self, **limits: str) -> tuple[MemoryHost, Client]:
        """Returns a new host, and a client that has connected and has sent nothing yet."""
        host = self.new_host(limits=limits)
        return host, host.connect(self.wire.name)

    def connected_only(self) -> Situation:
        """Returns a situation with a client that has connected and has sent nothing yet."""
        return Situation(*self.connected(unlimited="yes"))

    def waiting(self) -> Situation:
        """Returns a situation in which the client, Ann, waits for an opponent."""
        host, client = self.connected(unlimited="yes")
        self.join(client, "ann")
        return Situation(host, client)

    def matched(self) -> InMatch:
        """Returns a situation in which Ann and Bob have just begun a match, before `set_up`."""
        host, ann = self.connected(unlimited="yes")
        self.join(ann, "ann")
        bob = host.connect(self.wire.name)
        self.join(bob, "bob")
        return InMatch(host, ann, bob, (ann, bob))

    def in_match(self, acting: int = 0) -> InMatch:
        """
        Returns a situation in which Ann and Bob are in a match, after `set_up`. They have read all messages.

        :param acting: 0: the client under test is the player that may act; 1: it is the other player
        """
        matched = self.matched()
        ann, bob = matched.players
        self.set_up(ann, bob)
        actor, _ = self.legal_action(ann, bob)
        rest = bob if actor is ann else ann
        # The messages so far are dropped.
        received(ann), received(bob)
        client, other = (actor, rest) if acting == 0 else (rest, actor)
        return InMatch(matched.host, client, other, (ann, bob))

    def after_match(self) -> Situation:
        """
        Returns a situation with a client whose match has ended, because the opponent was away for longer than the grace
        time.
        """
        situation = self.in_match()
        situation.other.drop()
        wait_for_forfeit(situation.host)
        received(situation.client)
        return Situation(situation.host, situation.client)

    def entries(self, situation: Situation) -> int:
        """Returns how many entries the journal of the host has, of all tables."""
        return sum(map(len, situation.host.journal.entries.values()))

    def assert_told(self, key: str, words: list[str]) -> None:
        """
        Checks that a client received messages about an event, or none if `silent` says that the wire does not send it.

        :param key: the event, a key of `SAYINGS`
        :param words: the messages that the client received
        """
        saying = self.SAYINGS[key]
        if key in self.silent:
            self.assertEqual(words, [], f"`silent` says that this wire does not tell that {saying}, but it does")
        else:
            self.assertTrue(words, f"a client was not told that {saying}")


def wait_for_forfeit(host: MemoryHost) -> None:
    """
    Advances the clock until an absent player has lost its seat. That takes longer on wires where the opponent may claim
    the result before.
    """
    # More than the grace time of 60 s.
    host.wait(61)
    if host.lobby.tables:
        host.wait(600)


def received(client: Client) -> list[str]:
    """Returns the messages that a client has received since the last call, as text."""
    return client.heard()


def state_of(client: Client) -> object:
    """Returns the state of the host's conversation with a client."""
    return client.state
