"""The console's conversation: prompts and text that arrives by itself, and what no transcript shows."""

from collections.abc import Generator

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import Entry, EntryKind, FinishedMatch, SeatRecord, TableHeader, TableId
from gamehost.lobby.finished import Tally
from gamehost.wires.console.listings import ladder
from tests.kit.memory_host import SAID, Client, MemoryHost, without_options
from tests.kit.players import HouseProcess, house_host
from tests.kit.wires.console import Person
from tests.kit.wires.open import DEAL


def connected(host: MemoryHost, *lines: str) -> Client:
    """Somebody who has typed these lines, and has read everything."""
    client = host.connect("console")
    client.say(*lines)
    client.transport.read()
    return client


def typed(client: Client, text: str) -> str:
    """What is written when this is typed."""
    client.transport.read()
    client.send(text.encode() + b"\n")
    return client.transport.read().decode()


def _lines(steps: Generator[None, None, list[str]]) -> list[str]:
    """What work in steps results in."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            lines: list[str] = stop.value
            return lines


class PromptTests(SynchronousTestCase):
    """Where prompts stand, and what stands before and behind them."""

    def setUp(self) -> None:
        self.host = MemoryHost(DEAL)
        self.ann = connected(self.host, "name ann", "play onitama")
        self.bob = connected(self.host, "name bob", "play onitama")
        self.ann.transport.read()

    def test_what_comes_by_itself_begins_a_line(self) -> None:
        """It does not stand behind the prompt, or in what is being typed; a new prompt follows."""
        self.bob.drop()
        self.assertEqual(self.ann.transport.read(), b"\nbob is away. The seat is kept for a while.\n> ")

    def test_an_answer_stands_below_what_was_typed(self) -> None:
        """Enter has ended that line, so no empty one is written."""
        self.assertEqual(typed(self.ann, "ox c1 c2"), "You played ox c1 c2.\n> ")
        self.assertEqual(typed(self.ann, ""), "> ")

    def test_a_slow_disk(self) -> None:
        """A move is answered with its result, and there is no prompt before it. Other lines are answered meanwhile."""
        self.host.journal.late = True
        self.assertEqual(typed(self.ann, "ox c1 c2"), "")
        self.assertTrue(typed(self.ann, "tables").endswith("> "))
        self.host.journal.late = False
        self.host.journal.release()
        self.host.until_idle()
        self.assertEqual(self.ann.transport.read(), b"\nYou played ox c1 c2.\n> ")

    def test_a_refusal_comes_behind_what_was_accepted(self) -> None:
        """Also when the disk is late. What comes after the end is told to be too late."""
        self.host.journal.late = True
        self.ann.say("ox c1 c2", "tiger c1 c3", "resign yes", "tiger c2 c4")
        self.host.journal.late = False
        self.host.journal.release()
        self.host.until_idle()
        said = self.ann.transport.read().decode()
        for words in ("You played ox c1 c2.", "bob wins: you left the match.", "For another match"):
            self.assertEqual(said.count(words), 1, words)
            said = said[said.index(words) :]
        self.assertTrue(said.endswith("\n> "))

    def test_a_card_that_begins_like_a_command(self) -> None:
        """`boar` is a card and the beginning of `board`, which takes no words: with more words it is a move."""
        self.assertIn("There is no square a9", typed(self.ann, "boar a1 a9"))
        self.assertIn("5  p p k p p", typed(self.ann, "boar"))
        self.assertIn("You played boar c1 c2.", typed(self.ann, "boar c1 c2"))

    def test_prompts_can_be_switched_off(self) -> None:
        """For programs: then there are whole lines alone."""
        typed(self.ann, "set prompt off")
        self.assertEqual(typed(self.ann, "ox c1 c2"), "You played ox c1 c2.\n")

    def test_a_log_in_that_waits(self) -> None:
        """No prompt comes before the answer, and the password is not in it."""
        client = connected(self.host)
        self.assertEqual(typed(client, "login carl"), "Password (it is shown while you type): ")
        self.assertEqual(typed(client, "canary canary"), "You are carl. To play, type: play onitama\n> ")


class FirstVisitTests(SynchronousTestCase):
    """What somebody meets who has never been here: no answer leads away from what is wanted."""

    def seated(self, address: str) -> MemoryHost:
        """A host with one player at this address, whose connection is lost."""
        host = MemoryHost({**DEAL, "limits.keyless_resume_seconds": "3"})
        ann = host.connect("console", address)
        ann.say("name ann", "play onitama")
        connected(host, "name bob", "play onitama")
        ann.drop()
        return host

    def back(self, host: MemoryHost, address: str) -> str:
        client = host.connect("console", address)
        client.transport.read()
        client.say("name ann")
        return client.transport.read().decode()

    def test_on_this_machine_nobody_waits_for_a_seat(self) -> None:
        self.assertIn("your seat in match 1 is yours again", self.back(self.seated("127.0.0.1"), "127.0.0.1"))

    def test_who_comes_back_too_early_is_told_to_come_again(self) -> None:
        """And not to take another name, which would give the seat up."""
        host = self.seated("192.0.2.7")
        self.assertEqual(
            self.back(host, "192.0.2.7"),
            "A seat is kept under this name. If it is yours, type the same line again in 3 s.\n> ",
        )
        self.assertNotIn("another one", self.back(host, "192.0.2.8"))
        host.clock.advance(3)
        self.assertIn("yours again", self.back(host, "192.0.2.7"))

    def test_a_way_back_that_is_none_is_not_told(self) -> None:
        """Another player of the match has the address, so the name alone is not enough."""
        host = MemoryHost({**DEAL, "limits.keyless_resume_seconds": "3"})
        ann, bob = (host.connect("console", "192.0.2.7") for _ in range(2))
        for client, name in ((ann, "ann"), (bob, "bob")):
            client.say(f"name {name}", "play onitama")
        said = " ".join(ann.transport.read().decode().split())
        self.assertNotIn("connect again", said)
        self.assertIn("log in with a password: help login", said)

    def test_a_seat_that_is_gone(self) -> None:
        """The line that the host told is typed too late."""
        self.assertIn("No seat is kept under this name", typed(connected(MemoryHost(DEAL)), "name guest.7"))

    def test_whoever_resigns_reads_that(self) -> None:
        """Also where several play on."""
        host = MemoryHost({"limits.unlimited": "yes"})
        people = [connected(host, f"name {name}", "play eriantys players=3") for name in ("ann", "bob", "carl")]
        people[0].transport.read()
        self.assertIn("you left the match.", typed(people[0], "resign yes"))

    def test_the_first_lines_fit(self) -> None:
        """Eighty columns, and matches whose players are away are told of."""
        host = self.seated("192.0.2.7")
        said = host.connect("console").transport.read().decode()
        self.assertLessEqual(max(map(len, said.splitlines())), 80)
        self.assertNotIn("wait for", said)
        host.lobby.registry.sleeping._tables = 2
        self.assertIn("\n2 matches wait for their players. To come", host.connect("console").transport.read().decode())

    def test_nobody_is_sent_to_play_when_no_matches_begin(self) -> None:
        """While the host drains: at the end of a match, and to whoever comes."""
        host = MemoryHost(DEAL)
        ann, bob = (connected(host, f"name {name}", "play onitama") for name in ("ann", "bob"))
        host.lobby.drain("no new matches begin")
        ann.transport.read()
        said = typed(ann, "resign yes") + bob.transport.read().decode()
        said += host.connect("console").transport.read().decode()
        self.assertEqual(said.count("No new matches begin."), 3)
        self.assertNotIn("play onitama", said)

    def test_what_nobody_meant_is_not_proposed(self) -> None:
        client = connected(MemoryHost(DEAL))
        self.assertNotIn("replay", typed(client, "ready"))
        self.assertIn("Did you mean moves?", typed(client, "mvoes"))
        self.assertIn("(random, easy, medium or", typed(client, "play onitama extreme"))

    def test_levels_of_house_players_and_guests_stand_apart(self) -> None:
        tally = Tally(0.0)
        for number, (names, address) in enumerate(((("ann", "easy.1"), "house"), (("guest.1", "easy.2"), "house")), 1):
            seats = (SeatRecord(names[0], "open", "x", names[0] == "ann"), SeatRecord(names[1], "open", address))
            last = Entry(EntryKind.ACTED, 0, outcome=f"{names[1]} won (rules): master taken")
            tally.add(FinishedMatch(TableId(number), 0, TableHeader("onitama", 1, seats), 2, last))
        self.assertEqual(
            _lines(ladder(tally, ""))[2:],
            [
                "Accounts:",
                "  ann                      0 won of    1",
                "House players, by level:",
                "  easy                     2 won of    2",
                "Guests, whose names may have been different people's:",
                "  guest.1                  0 won of    1",
            ],
        )
        self.assertEqual([who.name for who, _, _ in tally.of("", "easy.9")], ["easy"])


class ManyActionsTests(SynchronousTestCase):
    """A line that is several actions of the game."""

    def test_one_question_at_a_time(self) -> None:
        """A student and its destination: nothing is asked between the two, also when the disk writes them one by one."""
        host = MemoryHost({"limits.unlimited": "yes"})
        people = [Person(host), Person(host)]
        for person in people:
            person.type("play eriantys")
        for _ in range(20):
            mover = next(person for person in people if person.suggested())
            if "to hall" in (mover.suggested() or ""):
                break
            mover.follow()
        host.journal.late = True
        mover.client.transport.read()
        mover.client.say(mover.suggested() or "")
        prompts = said = b""
        for _ in range(2):
            host.journal.release(1)
            host.until_idle()
            said = mover.client.transport.read()
            prompts += said
        self.assertEqual(prompts.count(b"> "), 1, prompts)
        self.assertTrue(said.endswith(b"to hall.\n> "), said)


class WatcherTests(SynchronousTestCase):
    """Those who look on while they do something else."""

    def test_a_player_hears_of_another_match_in_lines(self) -> None:
        """The board is the own one: of the other match only sentences are told, with its number."""
        host = MemoryHost(DEAL)
        ann, bob = (connected(host, f"name {name}", "play onitama") for name in ("ann", "bob"))
        connected(host, "name carl", "play onitama")
        dora = connected(host, "name dora", "play onitama")
        dora.say("watch 1")
        dora.transport.read()
        ann.say("ox c1 c2")
        self.assertEqual(dora.transport.read(), b"\nMatch 1: ann played ox c1 c2.\n> ")
        bob.drop()
        self.assertEqual(dora.transport.read(), b"\nMatch 1: bob is away.\n> ")

    def test_the_delay(self) -> None:
        """Everything is seen later, and the watcher is told so. Lines can be typed meanwhile."""
        host = MemoryHost({**DEAL, "onitama.watch_delay": "5"})
        ann, _ = (connected(host, f"name {name}", "play onitama") for name in ("ann", "bob"))
        watcher = connected(host)
        self.assertEqual(typed(watcher, "watch 1"), "")
        self.assertTrue(typed(watcher, "tables").endswith("> "))
        host.wait(5)
        self.assertIn(b"You see everything 5 s later than the players.", watcher.transport.read())
        ann.say("ox c1 c2")
        self.assertEqual(watcher.transport.read(), b"")
        host.wait(5)
        self.assertIn(b"ann played ox c1 c2.", watcher.transport.read())

    def test_who_goes_watches_nothing(self) -> None:
        """A watcher who quits, and one whose match is over."""
        host = MemoryHost(DEAL)
        ann, _ = (connected(host, f"name {name}", "play onitama") for name in ("ann", "bob"))
        first, second = connected(host, "watch 1"), connected(host, "watch 1")
        self.assertEqual(host.lobby.galleries.watchers(TableId(1)), 2)
        first.say("quit")
        host.wait(3)
        self.assertEqual(host.lobby.galleries.watchers(TableId(1)), 1)
        ann.say("resign yes")
        self.assertTrue(typed(second, "unwatch").startswith("You look on at no match."))


class TelnetTests(SynchronousTestCase):
    """What is said of options, and to whom."""

    def test_netcat_hears_nothing_of_it(self) -> None:
        """Whatever is typed: no option, and no control character but the line end."""
        host = MemoryHost(DEAL)
        client = host.connect("console")
        client.say("login ann", "secret secret", "set", "help", "play onitama", "quit")
        said = client.transport.read()
        self.assertEqual(without_options(said), said)
        self.assertFalse([byte for byte in said if byte < 32 and byte != 10])

    def test_options_are_answered_once(self) -> None:
        """However often a client agrees, and whatever it agrees to."""
        client = connected(MemoryHost())
        for _ in range(3):
            client.send(SAID["<will terminal>"] + SAID["<do charset>"] + b"\xff\xfd\x63")
        self.assertEqual(client.transport.read().count(b"\xff\xfa"), 2)

    def test_colours_come_with_a_terminal(self) -> None:
        """And not with one that has none."""
        for kind, colours in ((b"XTERM", True), (b"DUMB", False)):
            host = MemoryHost(DEAL)
            client = connected(host, "play onitama")
            client.send(b"\xff\xfa\x18\0" + kind + b"\xff\xf0")
            connected(host, "play onitama")
            self.assertEqual(b"\x1b[" in client.transport.read(), colours, kind)


class StudyTests(SynchronousTestCase):
    """Where a match turned, in a terminal."""

    def test_a_study(self) -> None:
        """Who was ahead, and the worst moves by the numbers of the replay; without a number, of the last match."""
        host, programs = house_host(DEAL)
        ann, bob = connected(host, "name ann", "play onitama"), connected(host, "name bob", "play onitama")
        ann.send(b"ox c1 c2\n")
        bob.send(b"crab c5 c4\n")
        ann.send(b"resign yes\n")
        host.wait(0.1)
        process, host.lobby.house.programs = HouseProcess(host), programs
        self.assertEqual(typed(ann, "study"), "A house player looks at each move. This takes some seconds.\n")
        self.assertIn("is being read. Wait", typed(ann, "study 1"))
        [(question, answer)] = programs.studied
        process.study(1, question).chainDeferred(answer)
        told = ann.transport.read().decode()
        self.assertIn("\nann ==_\nbob --#\n", told)
        self.assertIn("Move 2: bob gave away 49 % of a victory with crab c5 c4.\n  Better: eel b5 c4.\n", told)
        self.assertTrue(told.endswith("\n> "))
        said = typed(bob, "study 2")
        host.wait(0.1)
        self.assertIn("no record", said + bob.transport.read().decode())
