"""What a wire tells its players about a match: its beginning, moves, refusals, absences, its end, and faults."""

from typing import Any

from gamehost.testing.memory_host import Client
from gamehost.testing.wire_hooks import Situation, WireHooks, received


class Planted(Exception):
    """A fault that the contract plants into a game."""


class _Broken:
    """A master that fails on every action, and is otherwise the one it stands for."""

    def __init__(self, master: Any) -> None:
        self._master = master

    def __getattr__(self, name: str) -> Any:
        return getattr(self._master, name)

    def act(self, *_: object) -> None:
        raise Planted("planted by the wire contract")


class MatchContract(WireHooks):
    """The behaviours of a wire in a match."""

    def pair(self) -> tuple[Situation, Client, Client]:
        """A match, set up, and its two clients: who may act, and the other one."""
        situation = self.in_match()
        assert situation.other is not None
        return situation, situation.client, situation.other

    def action(self, situation: Situation, legal: bool = True) -> tuple[Client, bytes]:
        """An action at this moment, and who sends it."""
        assert situation.players is not None
        return (self.legal_action if legal else self.illegal_action)(*situation.players)

    def test_silence_has_known_keys_and_reasons(self) -> None:
        """Each entry of `silent` is one of `SAYINGS`, and has a reason."""
        self.assertEqual(set(self.silent) - set(self.SAYINGS), set())
        for key, reason in self.silent.items():
            self.assertTrue(reason, key)

    def test_the_beginning_is_told_to_both(self) -> None:
        """The player who waits, and the one who comes, are told that the match begins."""
        waiting = self.waiting()
        received(waiting.client)
        bob = waiting.host.connect(self.wire.name)
        self.join(bob, "bob")
        self.assertEqual(len(waiting.host.lobby.tables), 1, "two players who have joined are in a match")
        self.assertTrue(received(waiting.client), "the player who waited was not told that the match begins")
        self.assertTrue(received(bob), "the player who came was not told that the match begins")

    def test_a_legal_action_is_told(self) -> None:
        """The two players are told of it, and the journal has it."""
        situation, ann, bob = self.pair()
        client, action = self.action(situation)
        before = self.entries(situation)
        client.send(action)
        self.assertGreater(self.entries(situation), before, "the action is not in the journal")
        self.assertTrue(received(ann), "the player who acted was told nothing")
        self.assertTrue(received(bob), "the other player was told nothing")

    def test_an_accepted_action_counts_as_a_move(self) -> None:
        """It counts towards the rate of moves of its connection, which slows down a client that plays itself."""
        host, ann = self.connected()
        self.join(ann, "ann")
        bob = host.connect(self.wire.name)
        self.join(bob, "bob")
        self.set_up(ann, bob)
        client, action = self.legal_action(ann, bob)
        before = client.protocol.input.moves_missing
        client.send(action)
        self.assertGreater(
            client.protocol.input.moves_missing, before, "the conversation does not call `move_accepted`"
        )

    def test_an_illegal_action_is_refused_to_its_sender_alone(self) -> None:
        """The sender is told, the other is not, and the journal does not have it. Another action is accepted then."""
        situation, ann, bob = self.pair()
        client, action = self.action(situation, legal=False)
        other = bob if client is ann else ann
        before = self.entries(situation)
        client.send(action)
        self.assertTrue(received(client), "an illegal action was not answered")
        self.assertEqual(received(other), [], "the other player was told of an illegal action")
        self.assertEqual(self.entries(situation), before)
        actor, legal = self.action(situation)
        actor.send(legal)
        self.assertGreater(self.entries(situation), before, "after a refusal no action is accepted any more")

    def test_an_absence_is_told(self) -> None:
        """A player whose opponent's connection is lost is told so."""
        _, ann, bob = self.pair()
        bob.drop()
        self.assert_told("away", received(ann))

    def test_a_return_is_told(self) -> None:
        """The player who returns is told more than one who has just logged in, and can act. The other is told, too."""
        alone = self.waiting()
        greeting = set(received(alone.client))
        situation, ann, bob = self.pair()
        _, action = self.action(situation)
        name = situation.client.protocol._conversation.session.name  # type: ignore[attr-defined]
        ann.drop()
        received(bob)
        ann = situation.host.connect(self.wire.name)
        self.come_back(ann, name)
        words = [word.replace(name, "ann") for word in received(ann)]
        self.assertTrue(set(words) - greeting, "the player who returned was not told how the match stands")
        self.assert_told("back", received(bob))
        before = self.entries(situation)
        ann.send(action)
        self.assertGreater(self.entries(situation), before, "the player who returned cannot act")

    def test_the_end_is_told(self) -> None:
        """A player who has won, because the other was gone for too long, is told so."""
        situation, ann, bob = self.pair()
        bob.drop()
        received(ann)
        situation.host.wait(61)
        self.assertEqual(situation.host.lobby.tables, {}, "the match has ended")
        self.assert_told("over", received(ann))

    def test_after_the_end_another_match_can_be_played(self) -> None:
        """The name of the player who was gone is free, and the one who is there plays somebody else, and can act."""
        over = self.after_match()
        ann, host = over.client, over.host
        self.assertFalse(ann.closed, "a player is hung up on at the end of a match")
        self.join_again(ann, "ann")
        carl = host.connect(self.wire.name)
        self.join(carl, "carl")
        self.assertEqual(len(host.lobby.tables), 1, "no other match begins after the first one")
        self.assertTrue(received(ann), "the player was not told that another match begins")
        self.assertTrue(received(carl))

    def test_who_leaves_after_the_end_leaves_the_lobby(self) -> None:
        """When everybody has gone after a match, no name is in use."""
        over = self.after_match()
        over.client.drop()
        over.host.wait(120)
        self.assertEqual(len(over.host.lobby.registry), 0, "a name is still in use")

    def test_a_suspended_match_is_told(self) -> None:
        """When the game fails, both players are told so, or see their connections closed."""
        situation, ann, bob = self.pair()
        actor, action = self.action(situation)
        [table] = situation.host.lobby.tables.values()
        table._master = _Broken(table._master)  # type: ignore[assignment]
        actor.send(action)
        self.assertEqual(len(self.flushLoggedErrors(Planted)), 1, "the action reached the game")
        for client in (ann, bob):
            self.assert_told("suspended", received(client))
