"""
Tests of a wire during a match: the messages to its players, and its answers to messages in wrong states and to
nonsense.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from attrs import define

from gamehost.settings import BadOption
from gamehost.testing.codec_contract import CONTROL, taken
from gamehost.testing.master_contract import with_another_turn
from gamehost.testing.memory_host import Client, Lines, MemoryHost, MessageText
from gamehost.testing.transcript import play, read_transcripts
from gamehost.testing.wire_hooks import InMatch, Situation, WireHooks, received, state_of, wait_for_forfeit
from gamehost.wires.base import Codec
from gamehost.wires.framing import BLANK, Control, WireError


class Planted(Exception):
    """An error that a test raises in a game on purpose."""


class _Broken:
    """A master that fails on every action, and otherwise does what the wrapped one does."""

    def __init__(self, master: Any) -> None:
        self._master = master

    def __getattr__(self, name: str) -> Any:
        return getattr(self._master, name)

    def act(self, *_: object) -> None:
        raise Planted("planted by the wire contract")


#: The number of damaged actions that are tried.
_DAMAGED = 40
#: The bytes that replace another one in a damaged action.
_OTHER_BYTES = (b"z", b"Z", b"9", b"-", b" ", b"\xc3\xa9")


class MatchContract(WireHooks):
    """Tests of a wire in a match: what the players receive about actions, absences and the end."""

    def pair(self) -> tuple[InMatch, Client, Client]:
        """Begins a match, and returns its situation, the client that may act, and the other client. See `in_match`."""
        situation = self.in_match()
        return situation, situation.client, situation.other

    def action(self, situation: InMatch, legal: bool = True) -> tuple[Client, bytes]:
        """Returns the player that sends an action now, and the action."""
        return (self.legal_action if legal else self.illegal_action)(*situation.players)

    def test_silence_has_known_keys_and_reasons(self) -> None:
        """Each entry of `silent` is one of `SAYINGS`, and has a reason."""
        self.assertEqual(set(self.silent) - set(self.SAYINGS), set())
        for key, reason in self.silent.items():
            self.assertTrue(reason, key)

    def test_what_the_protocol_lacks_is_not_there(self) -> None:
        """A reason in `nameless`, `no_return` or `closes_after_match` is true."""
        if self.nameless:
            words = f"`nameless` says {self.nameless!r}, and `log_in` says a name"
            self.assertEqual(self.log_in("ann"), self.log_in("bob"), words)
        if self.no_return:
            situation = self.in_match()
            name = conversation_of(situation).session.name
            situation.client.drop()
            again = situation.host.connect(self.wire.name)
            self.come_back(again, name)
            # `handle` is the player's access to its seat at the table; `None`: it has none.
            words = f"`no_return` says {self.no_return!r}, and the seat is taken back"
            self.assertIsNone(again.protocol.conversation.handle, words)  # type: ignore[attr-defined]

    def test_the_beginning_is_told_to_both(self) -> None:
        """The waiting player and the newcomer both receive that the match begins."""
        waiting = self.waiting()
        received(waiting.client)
        bob = waiting.host.connect(self.wire.name)
        self.join(bob, "bob")
        self.assertEqual(len(waiting.host.lobby.tables), 1, "two players that have joined are in a match")
        self.assertTrue(received(waiting.client), "the player who waited was not told that the match begins")
        self.assertTrue(received(bob), "the player who came was not told that the match begins")

    def test_a_legal_action_is_told(self) -> None:
        """Both players receive a message about a legal action, and the action is in the journal."""
        situation, ann, bob = self.pair()
        client, action = self.action(situation)
        before = self.entries(situation)
        client.send(action)
        self.assertGreater(self.entries(situation), before, "the action is not in the journal")
        self.assertTrue(received(ann), "the player who acted was told nothing")
        self.assertTrue(received(bob), "the other player was told nothing")

    def test_an_accepted_action_counts_as_a_move(self) -> None:
        """
        An accepted action counts for the rate of moves of its connection. This rate slows down a client that plays
        against itself.
        """
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
        """
        The sender of an illegal action receives a refusal. The other player receives nothing, and the action is not in
        the journal. After that, a legal action is accepted.
        """
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

    def test_a_damaged_action_raises_nothing(self) -> None:
        """
        One byte of an action is left out, doubled or replaced. The host accepts or refuses the action, or closes the
        connection; there is no error at the host.
        """
        rng = random.Random(1)
        situation, _, _ = self.pair()
        for number in range(_DAMAGED):
            # Every third action is an illegal one.
            actor, action = self.action(situation, number % 3 > 0)
            place = rng.randrange(len(action))
            # What replaces one byte: nothing, the same byte twice, or another one.
            byte = rng.choice((b"", action[place : place + 1] * 2, *_OTHER_BYTES))
            data = action[:place] + byte + action[place + 1 :]
            before = self.entries(situation)
            actor.send(data)
            situation.host.until_idle()
            raised = [failure.value for failure in self.flushLoggedErrors()]
            self.assertEqual(raised, [], f"{data!r} raises this: expected the action, or a refusal")
            if actor.closed or actor.protocol._codec.unfinished or self.entries(situation) > before:
                # The match cannot be used again: begin another one.
                situation, _, _ = self.pair()

    def test_an_absence_is_told(self) -> None:
        """A player receives that the opponent's connection is lost."""
        _, ann, bob = self.pair()
        bob.drop()
        self.assert_told("away", received(ann))

    def test_a_return_is_told(self) -> None:
        """
        The player that returns receives more than after a first log-in, and can act. The other player receives the
        return.
        """
        if self.no_return:
            return
        alone = self.waiting()
        # What a client receives after its first log-in. The name may differ.
        greeting = set(received(alone.client))
        situation, ann, bob = self.pair()
        _, action = self.action(situation)
        name = situation.client.protocol.conversation.session.name  # type: ignore[attr-defined]
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

    def test_a_return_says_whose_turn_it_is(self) -> None:
        """A player that comes back can see from the messages whose turn it is: they differ if the other seat has the turn."""

        def told(turned: bool) -> list[str]:
            """
            Returns the messages to the player that comes back.

            :param turned: whether the match is changed before, so that it waits for the other seat
            """
            situation, ann, _ = self.pair()
            name = conversation_of(situation).session.name
            ann.drop()
            for table in situation.host.lobby.tables.values() if turned else ():
                # Only the first changed copy. A master that cannot be changed leaves `changed` empty.
                for other in islice(with_another_turn(table._master), 1):
                    table._master = other
                    changed.append(other)
            again = situation.host.connect(self.wire.name)
            self.come_back(again, name)
            return received(again)

        changed: list[object] = []
        # With a reason in `no_return`, players cannot come back on this wire. `told` fills `changed`.
        if not self.no_return and (words := told(turned=True)) and changed:
            self.assertNotEqual(words, told(turned=False), "a player who returns is not told whose turn it is")

    def test_who_returns_may_be_silent(self) -> None:
        """A player that has taken its seat back may be silent: the host does not close the player's connection."""
        if self.no_return:
            return
        situation, ann, bob = self.pair()
        name = situation.client.protocol.conversation.session.name  # type: ignore[attr-defined]
        ann.drop()
        ann = situation.host.connect(self.wire.name)
        self.come_back(ann, name)
        # Longer than the times for a log-in: 10 s, and a minute on wires for people.
        situation.host.wait(10.1)
        situation.host.wait(60)
        self.assertFalse(ann.closed, "who comes back is hung up on: the conversation does not call `logged_in`")
        self.assertFalse(bob.closed)

    def test_the_end_is_told(self) -> None:
        """A player that has won, because the other one was away for too long, receives the end."""
        situation, ann, bob = self.pair()
        bob.drop()
        received(ann)
        wait_for_forfeit(situation.host)
        self.assertEqual(situation.host.lobby.tables, {}, "the match has ended")
        self.assert_told("over", received(ann))

    def test_a_missed_end_is_told_after_the_next_log_in(self) -> None:
        """
        A wire with `tells_missed_end` sends the end to a player that was away; once, and also after a restart of the
        host.

        Another client that logs in under the name does not receive it, and then it is never sent.
        """
        if not self.wire.tells_missed_end:
            return
        for restarted in (False, True):
            when = " after a restart" if restarted else ""
            host, name = self._missed_end(restarted)
            told = self._words_for(host, name)
            # The messages after any log-in, and those of a return to a match that goes on. The end must be another
            # message.
            usual = self._words_for(self.connected(unlimited="yes")[0], name)
            returning = set(self._words_in_match(name))
            self.assertTrue(set(told) - {*usual, *returning}, f"the end was not told to a player who missed it{when}")
            self.assertEqual(self._words_for(host, name), usual, f"an end that was missed is told twice{when}")
            host, name = self._missed_end(restarted)
            # From another address, somebody else logs in under the name. After that, the absent player does not
            # receive the end, either.
            for address in ("192.0.2.77", "192.0.2.1"):
                words = self._words_for(host, name, address)
                self.assertEqual(words, usual, f"an end was sent to another player with the same name{when}")

    def _missed_end(self, restarted: bool) -> tuple[MemoryHost, str]:
        """
        Plays a match whose end a player misses.

        :param restarted: whether the host is restarted afterwards
        :returns: the host, and the name of the player that was away
        """
        situation, ann, bob = self.pair()
        name = conversation_of(situation).session.name
        ann.drop()
        wait_for_forfeit(situation.host)
        self.assertEqual(situation.host.lobby.tables, {}, "the match has ended")
        # The player that has received the end leaves.
        bob.drop()
        return self.restarted(situation.host) if restarted else situation.host, name

    def _words_in_match(self, name: str) -> list[str]:
        """Returns the messages that a player receives when it comes back to a match that goes on."""
        situation, ann, _ = self.pair()
        ann.drop()
        return self._words_for(situation.host, name)

    def _words_for(self, host: MemoryHost, name: str, address: str = "192.0.2.1") -> list[str]:
        """Returns the messages that a new client receives after its log-in. Then the client disconnects."""
        client = host.connect(self.wire.name, address)
        self.come_back(client, name)
        words = received(client)
        client.drop()
        return words

    def test_after_the_end_another_match_can_be_played(self) -> None:
        """
        The name of the absent player is free. The other player can play against a new opponent. If the wire has closed the
        connection, the player needs a new one.
        """
        over = self.after_match()
        ann, host = over.client, over.host
        if self.closes_after_match:
            over.host.wait(2)
            words = f"`closes_after_match` says {self.closes_after_match!r}, and the connection is open"
            self.assertTrue(ann.closed, words)
            ann = host.connect(self.wire.name)
            self.join(ann, "ann")
        else:
            words = "a player is hung up on at the end of a match: set `closes_after_match` if the protocol says so"
            self.assertFalse(ann.closed, words)
            # A wire may make a new session for the next match. Then the old one must not remain in the lobby.
            before = conversation_of(over).session
            self.join_again(ann, "ann")
            if before is not None and conversation_of(over).session is not before:
                words = "the player of the first match is left in the lobby: call `leave_table`, and `end`"
                self.assertIsNot(over.host.lobby.registry.get(before.name), before, words)
        carl = host.connect(self.wire.name)
        self.join(carl, "carl")
        self.assertEqual(len(host.lobby.tables), 1, "no other match begins after the first one")
        self.assertTrue(received(ann), "the player was not told that another match begins")
        self.assertTrue(received(carl))

    def test_who_leaves_after_the_end_leaves_the_lobby(self) -> None:
        """After all players of a match have left, no name is in use."""
        over = self.after_match()
        over.client.drop()
        over.host.wait(120)
        self.assertEqual(len(over.host.lobby.registry), 0, "a name is still in use")

    def test_a_silent_client_is_not_connected_for_ever_after_the_end(self) -> None:
        """
        A client that is silent after its match remains logged in, or the host closes its connection. The host has a quarter
        of an hour for this.
        """
        over = self.after_match()
        for _ in range(6):
            over.host.wait(150)
        words = (
            "after its match a client is not logged in, and its connection stays open: call `end`, or `peer.logged_out`"
        )
        self.assertTrue(over.client.closed or conversation_of(over).session is not None, words)

    def test_a_suspended_match_is_told(self) -> None:
        """When the game fails, both players receive the reason, or their connections are closed."""
        situation, ann, bob = self.pair()
        actor, action = self.action(situation)
        # The only table. From now on its game fails on every action.
        [table] = situation.host.lobby.tables.values()
        table._master = _Broken(table._master)  # type: ignore[assignment]
        actor.send(action)
        self.assertEqual(len(self.flushLoggedErrors(Planted)), 1, "the action reached the game")
        for client in (ann, bob):
            self.assert_told("suspended", received(client))


#: The number of messages of each type that are tried in each state.
SAMPLES = 3


@define(eq=False)
class _WatchedCodec:
    """A codec that also checks whether each encoded message is a whole message for a client."""

    _codec: Codec[Any]
    #: Reads the messages as a client does.
    _text: MessageText
    #: Receives a text about each message that is not whole.
    _faults: list[str]

    @property
    def unfinished(self) -> bool:
        return self._codec.unfinished

    def feed(self, data: bytes) -> Iterator[Any]:
        return self._codec.feed(data)

    def encode(self, message: Any) -> bytes:
        """Encodes a message, and notes a fault if a client cannot read the result as whole messages."""
        data = self._codec.encode(message)
        words = self._text.heard(data)
        if not words or self._text.unread:
            # No message came out, or some bytes of it are left over.
            self._faults.append(f"{type(message).__name__} is not a whole message: {data!r}")
        return data


def conversation_of(situation: Situation) -> Any:
    """Returns the host's conversation with the client under test."""
    return situation.client.protocol.conversation


def lobby_state(situation: Situation) -> object:
    """Returns the state of the host that a refused message must not change."""
    lobby, conversation = situation.host.lobby, conversation_of(situation)
    entries = {table: len(entries) for table, entries in situation.host.journal.entries.items()}
    names = sorted(lobby.registry.sessions.by_key)
    return (conversation.state, conversation.session, conversation.handle, names, sorted(lobby.tables), entries)


class SamplesHooks(WireHooks):
    """Collects messages of each type, which the tests send in each state of the conversation."""

    def samples(self) -> dict[type, list[Any]]:
        """Messages of each type that clients send, as the codec reads them from the corpus and from `nonsense`."""
        found: dict[type, list[Any]] = {}
        for stream in (*self.corpus(), *self.nonsense):
            codec = self.wire.configure({}).new_codec()
            try:
                for message in taken(codec, stream):
                    kept = found.setdefault(type(message), [])
                    # Blank lines and control messages do not reach a conversation.
                    heard = message is not BLANK and not isinstance(message, Control)
                    if heard and message not in kept and len(kept) < SAMPLES:
                        kept.append(message)
            except WireError:
                continue  # the rest of the stream cannot be read
        return found


class AnswersContract(SamplesHooks):
    """The answers of a wire to messages that it does not wait for, and the form of what it sends."""

    def test_every_state_is_reached(self) -> None:
        """`situations` reaches each state of the conversation, except those of `unreached`."""
        states = [state_of(reach().client) for reach in self.situations().values()]
        every = set(type(states[0]))  # type: ignore[call-overload]
        self.assertEqual(every - set(states), set(self.unreached))

    def test_every_awaited_type_is_in_the_corpus(self) -> None:
        """The corpus has a message of each type that some state awaits, so that all of them are tried in all states."""
        kinds = {kind for _, kind in conversation_of(self.connected_only()).HEARS}
        self.assertEqual({kind.__name__ for kind in kinds - set(self.samples())}, set())

    def test_a_message_out_of_place_is_refused(self) -> None:
        """Each type of message, in each state that does not await it, is answered, and changes nothing."""
        samples = self.samples()
        for name, reach in self.situations().items():
            situation = reach()
            for kind, messages in samples.items():
                for message in messages:
                    if (state_of(situation.client), kind) in conversation_of(situation).HEARS:
                        continue  # this state awaits the message
                    self._assert_refused(situation, message, f"{message!r} when {name}")
                    if situation.client.closed:
                        # A closed client cannot send more: reach the state again.
                        situation = reach()

    def _assert_refused(self, situation: Situation, message: object, where: str) -> None:
        """
        Gives a message to the conversation. Checks that it is answered, that it changes nothing, that it counts as a
        refusal, and that the other player receives nothing.

        :param where: describes the message and the state, for the texts of failures
        """
        host, client = situation.host, situation.client
        received(client)
        if situation.other is not None:
            received(situation.other)
        before, refusals = lobby_state(situation), client.protocol.factory.refusals
        with host.context.cork:
            conversation_of(situation).hear(message)
        host.until_idle()
        answered = received(client) or client.closed
        # After the end of a match, a wire may ignore a message that is late.
        self.assertTrue(answered or ("late" in self.silent and where.endswith("when over")), f"not answered: {where}")
        if not client.closed:
            self.assertEqual(lobby_state(situation), before, f"something has changed: {where}")
            if answered:
                words = f"a client may do this for ever: answer with `peer.refuse`: {where}"
                self.assertGreater(client.protocol.factory.refusals, refusals, words)
        if situation.other is not None:
            self.assertEqual(received(situation.other), [], f"told to the other player: {where}")

    def test_a_second_log_in_is_refused(self) -> None:
        """A client that is logged in cannot log in under another name."""
        for name in ("waiting", "first to act", "second to act"):
            situation = self.situations()[name]()
            session, players = conversation_of(situation).session, len(situation.host.lobby.registry)
            situation.client.send(self.log_in("carl"))
            # Neither the other name, nor any new player.
            another = not self.nameless and self.is_in(situation.host, "carl")
            more = len(situation.host.lobby.registry) > players
            self.assertFalse(another or more, f"logged in a second time when {name}")
            if not situation.client.closed:
                self.assertIs(conversation_of(situation).session, session)

    def test_an_action_outside_a_match_is_refused(self) -> None:
        """The action is answered, nothing fails, and the journal does not contain it."""
        _, action = self.legal_action(*self.in_match().players)
        for name in ("waiting", "over"):
            situation = self.situations()[name]()
            received(situation.client)
            before = lobby_state(situation)
            situation.client.send(action)
            answer = received(situation.client)
            if name == "over" and not situation.client.closed:
                # The action may have been sent before the end was received. A wire may ignore it.
                self.assert_told("late", answer)
            else:
                self.assertTrue(answer or situation.client.closed, f"not answered when {name}")
            if not situation.client.closed:
                self.assertEqual(lobby_state(situation), before, f"something has changed when {name}")

    def test_no_answer_holds_what_was_sent(self) -> None:
        """Row 26: in no state an answer contains a part of a bad message, and above all no control bytes."""
        names = ("canary" * 9, "\x1b[2Jcanary", "canary\x07", "canary\x7f<&")
        for name, reach in self.situations().items():
            # Only a client that is not logged in can send a log-in with a bad name.
            for data in (*self.nonsense, *(map(self.log_in, names) if name == "connected" else ())):
                situation = reach()
                situation.client.transport.read()
                situation.client.send(data)
                situation.host.until_idle()
                self._assert_no_echo(situation.client.transport.read(), f"{data!r} when {name}")

    def _assert_no_echo(self, answer: bytes, where: str) -> None:
        """Checks that an answer has neither the word `canary`, which the client sent, nor control bytes on wires of lines."""
        # Some wires have two bytes for each character, one of which is zero.
        self.assertNotIn(b"canary", answer.replace(b"\0", b""), f"an answer holds what was sent: {where}")
        if self.text is Lines:
            self.assertIsNone(CONTROL.search(answer), f"an answer holds a control byte: {where}")

    def test_every_message_is_written_whole(self) -> None:
        """
        Each call of `encode` gives at least one whole message: in all situations, after a legal and an illegal action,
        and when the host closes the connection.
        """
        faults: list[str] = []
        # Every codec of the hosts of this test notes messages that are not whole.
        self.watch = {"codec": lambda codec: _WatchedCodec(codec, self.text(), faults)}
        for reach in self.situations().values():
            situation = reach()
            situation.host.factories[self.wire.name].close("the host is stopping")
            # More than the time that the last message may take.
            situation.host.wait(3)
        for illegal in (False, True):
            client, action = (self.illegal_action if illegal else self.legal_action)(*self.in_match().players)
            client.send(action)
        # After 10 s, a client that sends nothing receives why the host closes the connection.
        self.connected_only().host.wait(11)
        self.assertEqual(faults, [])

    def test_transcripts(self) -> None:
        """The wire has transcripts, and the host sends the lines that are in them."""
        found = list(read_transcripts(self.transcripts / self.wire.name, self.text is not Lines))
        self.assertTrue(found, f"no transcript of {self.wire.name}")
        for transcript in found:
            host = self.new_host(settings=transcript.settings)
            play(transcript, host)

    def test_unknown_settings_are_refused(self) -> None:
        """A setting with an unknown name is refused, and the error contains the name."""
        error = self.assertRaises(BadOption, self.wire.configure, {"no_such_setting": "1"})
        self.assertIn("no_such_setting", str(error))

    def test_settings_are_checked(self) -> None:
        """Every setting has words for the help text. A text that it cannot take is refused, and the setting is named."""
        for name, words in self.wire.options.items():
            self.assertTrue(words, name)
            for text in self.bad_settings:
                error = self.assertRaises(BadOption, self.wire.configure, {name: text})
                self.assertIn(name, str(error))

    #: Texts that no setting of the wire can take.
    bad_settings: Sequence[str] = ("", "\x1b no such value")
