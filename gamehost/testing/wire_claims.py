"""What the log-ins of a wire claim, as the other hosts of a cluster must know it."""

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from gamehost.accounts.names import key_of
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.watching import GUEST
from gamehost.settings import Settings
from gamehost.testing.message_text import Lines
from gamehost.testing.transcript import play, read_transcripts
from gamehost.testing.wire_answers import SamplesHooks, conversation_of, lobby_state
from gamehost.testing.wire_hooks import Situation, received
from gamehost.wires.base import Codec, WireConfig
from gamehost.wires.conversation import Claim, Conversation, Peer


def claims_of(conversation: Any) -> list[Claim]:
    """What the messages of a client claim from now on, each asked for before it is heard."""
    hear = conversation.hear
    claims: list[Claim] = []

    def ask(message: Any) -> None:
        claim = conversation.claim(message)
        if claim is not None:
            claims.append(claim)
        hear(message)

    conversation.hear = ask
    return claims


@define(eq=False)
class _WatchedConfig:
    """The configuration of a wire whose conversations are asked what each message claims."""

    _config: WireConfig[Any]
    #: Names of sessions that nobody has claimed.
    unclaimed: set[str] = field(factory=set)

    def new_codec(self) -> Codec[Any]:
        return self._config.new_codec()

    def new_conversation(self, peer: Peer[Any], lobby: Lobby) -> Conversation[Any]:
        made = self._config.new_conversation(peer, lobby)
        conversation: Any = made
        claims = claims_of(conversation)
        hear = conversation.hear

        def compare(message: Any) -> None:
            hear(message)
            session = conversation.session
            if session is not None and session.key not in {key_of(claim.name) for claim in claims}:
                self.unclaimed.add(session.name)

        conversation.hear = compare
        return made


class ClaimsContract(SamplesHooks):
    """The behaviours of a wire when it is asked what a message claims."""

    #: Names that nobody can have.
    impossible_names: Sequence[str] = ("no/such name", "tie", "a" * 21, "easy.1", "a:")

    def test_a_log_in_claims_its_name(self) -> None:
        """It has the name of the session that follows; on a wire that spreads also where its player waits for an opponent."""
        for name in ("ann", "Bob"):
            world, client = self.connected(unlimited="yes")
            claims = claims_of(client.protocol._conversation)
            client.send(self.log_in(name))
            self.assertEqual(len(claims), 1, f"{name} logs in: expected one claim, got {claims}")
            [claim], session = claims, conversation_of(Situation(world, client)).session
            self.assertIsNotNone(session, f"{name} is not logged in")
            self.assertEqual(key_of(claim.name), session.key, f"{name} claims another name: {claim}")
            waiting = [key for key, sessions in world.lobby._queues.waiting.items() if session in sessions]
            spreads = self.wire.spreads and not claim.for_leader
            self.assertEqual([] if claim.queue is None else [claim.queue.key], waiting if spreads else [])

    def test_every_session_is_claimed(self) -> None:
        """In all transcripts nobody has a name that was not claimed before, but for the names that the host gives."""
        watched: list[_WatchedConfig] = []

        def configure(settings: Settings) -> _WatchedConfig:
            watched.append(_WatchedConfig(self.wire.configure(settings)))
            return watched[-1]

        self.watch = configure
        for transcript in read_transcripts(self.transcripts / self.wire.name, self.text is not Lines):
            play(transcript, self.new_host(settings=transcript.settings))
        names = {name for config in watched for name in config.unclaimed}
        self.assertEqual({name for name in names if not name.startswith(GUEST)}, set())

    def test_an_impossible_name_claims_nothing(self) -> None:
        """Such a log-in is refused on every host, and needs no other one."""
        for name in self.impossible_names:
            _, client = self.connected(unlimited="yes")
            claims = claims_of(client.protocol._conversation)
            client.send(self.log_in(name))
            self.assertEqual(claims, [], f"{name!r} is refused whoever has it")

    def test_log_ins_alone_claim(self) -> None:
        """Messages claim in the states in which they are heard. To be asked changes nothing, and is not answered."""
        claims = conversation_of(self.connected_only()).CLAIMS
        self.assertTrue(claims, "the wire does not say what its log-ins claim")
        self.assertEqual(claims.keys() - conversation_of(self.connected_only()).HEARS.keys(), set())
        samples = self.samples()
        for name, reach in self.situations().items():
            situation = reach()
            conversation, clients = conversation_of(situation), [situation.client, situation.other]
            for client in clients:
                if client is not None:
                    received(client)
            before = (lobby_state(situation), dict(vars(conversation)))
            for kind, messages in samples.items():
                for message in messages:
                    claimed = conversation.claim(message)
                    if (conversation.state, kind) not in claims:
                        self.assertIsNone(claimed, f"{message!r} when {name}")
            situation.host.settle()
            self.assertEqual((lobby_state(situation), dict(vars(conversation))), before, f"changed when {name}")
            for client in clients:
                self.assertEqual([] if client is None else received(client), [], f"said something when {name}")
