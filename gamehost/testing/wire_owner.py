"""What a wire does with clients that the owner of the host does not want, and when the host takes no new matches."""

from functools import partial

from gamehost.admin.people import why_banned
from gamehost.testing.memory_host import MemoryHost
from gamehost.testing.wire_hooks import WireHooks, received

#: Why no new matches begin.
DRAINING = "the host is about to stop: no new matches begin"


class OwnerContract(WireHooks):
    """The behaviours of a wire towards clients that are refused by the owner of the host."""

    def ban(self, world: MemoryHost, target: str) -> None:
        """Ban a name or an address, and close the connections that are banned."""
        world.lobby.bans.put(target, None, lambda: None)
        for factory in world.factories.values():
            factory.close_some(partial(why_banned, world.lobby.bans))
        world.settle()

    def test_a_banned_name_cannot_log_in(self) -> None:
        """It is refused in the wire's own words. Other names can log in."""
        world, client = self.connected()
        world.lobby.bans.put("ann", None, lambda: None)
        received(client)
        client.send(self.log_in("ann"))
        self.assertTrue(received(client), "a client that is banned was not told so")
        self.assertFalse(self.is_in(world, "ann"))
        other = world.connect(self.wire.name)
        other.send(self.log_in("bob"))
        self.assertTrue(self.is_in(world, "bob"))

    def test_a_banned_address_cannot_connect(self) -> None:
        """It is told so, and closed. Other addresses can connect."""
        world, client = self.connected()
        world.lobby.bans.put("192.0.2.77", None, lambda: None)
        banned = world.connect(self.wire.name, "192.0.2.77")
        self.assert_told("closing", received(banned))
        world.wait(2)
        self.assertTrue(banned.closed)
        self.assertFalse(client.closed)

    def test_a_player_who_is_banned_is_closed_and_the_seat_is_kept(self) -> None:
        """The player is told so. The match goes on as if the connection was lost, and the player cannot come back."""
        situation = self.in_match()
        world, players = situation.host, situation.players
        assert players is not None
        ann, _ = players
        received(ann)
        self.ban(world, "ann")
        self.assert_told("closing", received(ann))
        world.wait(2)
        self.assertTrue(ann.closed)
        self.assertEqual(len(world.lobby.tables), 1)
        again = world.connect(self.wire.name)
        again.send(self.log_in("ann"))
        world.wait(2)
        session = world.lobby.registry.get("ann")
        assert session is not None
        self.assertIsNone(session.player)

    def test_an_address_that_is_banned_is_closed(self) -> None:
        """Whatever its clients do at that moment."""
        for name, reach in self.situations().items():
            situation = reach()
            received(situation.client)
            self.ban(situation.host, "192.0.2.1")
            if name != "connected":
                self.assert_told("closing", received(situation.client))
            situation.host.wait(2)
            self.assertTrue(situation.client.closed)

    def test_who_waits_is_told_that_no_match_begins(self) -> None:
        """When the host drains, nobody waits any more, and newcomers are told so. Nobody is left without an answer."""
        situation = self.waiting()
        world, ann = situation.host, situation.client
        received(ann)
        world.lobby.drain(DRAINING)
        world.settle()
        self.assert_told("closing", received(ann))
        self.assertEqual(world.lobby.directory.counts().waiting, 0)
        bob = world.connect(self.wire.name)
        received(bob)
        bob.send(self.log_in("bob"))
        self.assertTrue(received(bob), "a client was not told that no matches begin")
        self.assertFalse(self.is_in(world, "bob"))

    def test_a_match_goes_on_while_the_host_drains(self) -> None:
        """Its players act, and take their seats back."""
        situation = self.in_match()
        world, players = situation.host, situation.players
        assert players is not None
        world.lobby.drain(DRAINING)
        actor, action = self.legal_action(*players)
        before = self.entries(situation)
        actor.send(action)
        self.assertGreater(self.entries(situation), before)
        self.assertTrue(world.lobby.seats.playing or world.lobby.remote.count)
        if "back" in self.silent:
            return
        players[0].drop()
        again = world.connect(self.wire.name)
        again.send(self.log_in("ann"))
        session = world.lobby.registry.get("ann")
        assert session is not None
        self.assertIsNotNone(session.player)
        players[1].drop()
        again.drop()
        world.wait(61)
        self.assertFalse(world.lobby.seats.playing)

    def test_no_match_follows_while_the_host_drains(self) -> None:
        """A player whose match has ended is told that no other one begins."""
        situation = self.after_match()
        world, client = situation.host, situation.client
        received(client)
        world.lobby.drain(DRAINING)
        world.settle()
        words = received(client)
        if not words:  # on some wires a player waits for the next match without a word
            self.join_again(client, "ann")
            words = received(client)
        self.assert_told("closing", words)
        self.assertEqual(world.lobby.directory.counts().waiting, 0)
