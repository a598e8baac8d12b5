"""What a wire does with clients that the owner of the host does not want, and when the host takes no new matches."""

from gamehost.testing.memory_host import MemoryHost
from gamehost.testing.wire_hooks import WireHooks, received


class OwnerContract(WireHooks):
    """The behaviours of a wire towards clients that are refused by the owner of the host."""

    def ban(self, world: MemoryHost, target: str) -> None:
        """Ban a name or an address, and close the connections that are banned."""
        bans = world.lobby.bans
        ban = bans.put(target, None, lambda: None)
        for factory in world.factories.values():
            factory.close_some(
                lambda one: (
                    ban.words
                    if bans.of_address(one.address) or (one.session is not None and bans.of_name(one.session.name))
                    else None
                )
            )
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
