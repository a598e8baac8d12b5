"""The console's conversation: prompts and text that arrives by itself, and what no transcript shows."""

import re
from collections.abc import Generator, Sequence
from typing import Any

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.stratego.text import CLASSIC
from gamehost.journal.records import Entry, EntryKind, FinishedMatch, OwnedMatch, SeatRecord, TableHeader, TableId
from gamehost.lobby.finished import Tally
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.console import languages
from gamehost.wires.console.absence import absence_words
from gamehost.wires.console.codec import (
    ASK_CHARSET,
    ASK_TERMINAL,
    CONTROL,
    HIDE,
    LINE_LIMIT,
    LONGEST,
    NOT_UTF8,
    PROBE,
    SHOW,
    Agreed,
    Charset,
    ConsoleCodec,
    Line,
    Message,
    Prompt,
    Telnet,
    Terminal,
    Text,
    Window,
)
from gamehost.wires.console.commands import (
    DIRECTIONS,
    NotUnderstood,
    asked,
    command_page,
    count_of,
    ended,
    find_command,
    game_named,
    ladder,
    overview,
    page,
    sentence,
    table_and_code,
)
from gamehost.wires.console.conversation import ConsoleConversation
from gamehost.wires.console.languages import LANGUAGES, commands
from gamehost.wires.console.mine import mine_lines, missed_lines
from gamehost.wires.framing import WireError
from gamehost.wires.seeking import PLAYED, Sought
from tests.kit.memory_host import SAID, Client, ConsoleWords, MemoryHost, without_options
from tests.kit.players import HouseProcess, house_host
from tests.kit.wires.console import Person
from tests.kit.wires.open import DEAL


def connected(host: MemoryHost, *lines: str) -> Client:
    client = host.connect("console")
    client.say(*lines)
    client.transport.read()
    return client


def typed(client: Client, text: str) -> str:
    client.transport.read()
    client.send(text.encode() + b"\n")
    return client.transport.read().decode()


def _lines(steps: Generator[None, None, list[str]]) -> list[str]:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            lines: list[str] = stop.value
            return lines


class PromptTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = MemoryHost(DEAL)
        self.ann = connected(self.host, "name ann", "play onitama")
        self.bob = connected(self.host, "name bob", "play onitama")
        self.ann.transport.read()

    def test_what_comes_by_itself_begins_a_line(self) -> None:
        self.bob.drop()
        self.assertEqual(self.ann.transport.read(), b"\nbob is away. The seat is kept for 60 s.\n> ")

    def test_an_answer_stands_below_what_was_typed(self) -> None:
        """Enter has ended that line, so no empty one is written."""
        self.assertEqual(typed(self.ann, "ox c1 c2"), "You played ox c1 c2.\n> ")
        self.assertEqual(typed(self.ann, ""), "> ")

    def test_a_slow_disk(self) -> None:
        self.host.journal.late = True
        self.assertEqual(typed(self.ann, "ox c1 c2"), "")
        self.assertTrue(typed(self.ann, "tables").endswith("> "))
        self.host.journal.late = False
        self.host.journal.release()
        self.host.until_idle()
        self.assertEqual(self.ann.transport.read(), b"\nYou played ox c1 c2.\n> ")

    def test_a_refusal_comes_behind_what_was_accepted(self) -> None:
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

    def test_a_phrase_that_there_is_not(self) -> None:
        """It is told before the phrases, which are no answer by themselves."""
        self.assertTrue(typed(self.ann, "say hi").startswith("That is not one of these phrases:\n  say "))
        self.assertTrue(typed(self.ann, "say").startswith("  say "))

    def test_prompts_can_be_switched_off(self) -> None:
        typed(self.ann, "set prompt off")
        self.assertEqual(typed(self.ann, "ox c1 c2"), "You played ox c1 c2.\n")

    def test_a_log_in_that_waits(self) -> None:
        client = connected(self.host)
        self.assertEqual(typed(client, "login carl"), "Password (it is shown while you type): ")
        self.assertEqual(typed(client, "canary canary"), "You are carl. To play, type: play onitama\n> ")


class FirstVisitTests(SynchronousTestCase):
    """What somebody meets who has never been here: no answer leads away from what is wanted."""

    def seated(self, address: str) -> MemoryHost:
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

    def test_moves_with_a_text(self) -> None:
        """Only those that contain it are listed, with any capitals."""
        host = MemoryHost(DEAL)
        ann, _ = (connected(host, f"name {name}", "play onitama") for name in ("ann", "bob"))
        told = ann.ask("moves BOAR c1")
        self.assertIn("boar c1", " ".join(told))
        self.assertNotIn("ox c1", " ".join(told[:2]))
        self.assertIn("There is no such move now.", ann.ask("moves lion"))


class WatcherTests(SynchronousTestCase):
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

    def test_ctrl_c(self) -> None:
        """Telnet shows nothing until its timing mark is answered, so it is answered each time, and nothing else is changed."""
        client = connected(MemoryHost())
        client.send(b"wh\xff\xf4\xff\xfd\x06o\r\n")
        said = client.transport.read()
        self.assertTrue(said.startswith(PROBE.data + b"\xff\xfc\x06"), said)
        self.assertIn(b"Nobody", said)
        for byte in b"\xff\xf4\xff\xfd\x06":
            client.send(bytes((byte,)))
        self.assertEqual(client.transport.read(), b"\xff\xfc\x06")

    def test_colours_come_with_a_terminal_alone(self) -> None:
        for kind, colours in ((b"XTERM", True), (b"DUMB", False)):
            host = MemoryHost(DEAL)
            client = connected(host, "play onitama")
            client.send(b"\xff\xfa\x18\0" + kind + b"\xff\xf0")
            connected(host, "play onitama")
            self.assertEqual(b"\x1b[" in client.transport.read(), colours, kind)


class StudyTests(SynchronousTestCase):
    def test_a_study(self) -> None:
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


# The console's codec: lines as people type them, and what telnet tells in between.


class RevealedTests(SynchronousTestCase):
    """A finished match that is gone through shows what was hidden in it, unless the owner forbids it."""

    def boards(self, host: MemoryHost) -> list[str]:
        ann, bob = (connected(host, f"name {name}", "play stratego", "set board ascii") for name in ("ann", "bob"))
        for one in (ann, bob):
            typed(one, "setup classic")
        carl = connected(host, "name carl", "set board ascii", "watch 1")
        watched = typed(carl, "board")
        typed(carl, "unwatch")
        typed(ann, "resign yes")
        host.wait(0.1)
        shown = typed(carl, "replay 1")
        host.wait(0.1)
        return [watched, shown + carl.transport.read().decode()]

    def test_stratego(self) -> None:
        watched, replayed = self.boards(MemoryHost())
        self.assertIn("  b  b  b", watched)
        for row in CLASSIC:
            self.assertIn(" ".join(f"r{kind}" for kind in row), replayed)
            self.assertIn(" ".join(f"b{kind}" for kind in reversed(row)), replayed)

    def test_never(self) -> None:
        host = MemoryHost()
        host.lobby.directory.reveal = False
        self.assertNotIn("rF", self.boards(host)[1])


class CodecTests(CodecContract, PropertyCase):
    text = ConsoleWords
    read = (
        (b"play onitama\n", Line("play onitama")),
        ("name Zden\u011bk\n".encode(), Line("name Zden\u011bk")),
        (b"\n", Line("")),
        (b"a\tb\n", Line("a b")),
        (b"boz\x08ard\x7f\x7f\x08\x08\n", Line("b")),
        (b"\x08\x08\x7fx\n", Line("x")),
        (b"\x1b[2J\n", CONTROL),
        ("\u0085\n".encode(), CONTROL),
        (b"\xfe\n", NOT_UTF8),
    )
    sent = (
        (Text(("one", "two")), "one\ntwo"),
        (Text(("",)), ""),
        (Prompt(), ">"),
        (Text(("Zden\u011bk",)), "Zden\u011bk"),
        (Prompt("Password: "), "Password:"),
        *((option, word) for option, word in ((PROBE, "<probe>"), (ASK_TERMINAL, "<terminal?>"), (HIDE, "<hide>"))),
        *((option, word) for option, word in ((ASK_CHARSET, "<charset?>"), (SHOW, "<show>"))),
    )
    streams = (
        b"play onitama\nox c1 c2\r\nmoves\r\n\r\n\n",
        b"who\n" + b"".join(SAID.values()) + b"na\xff\xfb\x1fme\r\0ann\r\n\xff\xff\nwho\n",
        b"\xff\xf1who\xff\xfd\x01\n\xff\xfa"
        + b"\x18\0"
        + b"x" * 99
        + b"\xff\xff\xff\xf0\xff\xfa\x1f\0\xff\xf0board\r\n",
        b"who\n" + b"x" * (LINE_LIMIT + 1) + b"\nwho\n",
        b"\xfe\nwho\n\xfe\nwho\n",
    )

    def new_codec(self) -> ConsoleCodec:
        return ConsoleCodec()


class TelnetBytesTests(SynchronousTestCase):
    def read(self, *pieces: bytes) -> list[Message]:
        codec = ConsoleCodec()
        return [message for piece in pieces for message in codec.feed(piece)]

    def test_options(self) -> None:
        """Agreement, the window, the terminal and the character set. The first one says that the client is telnet."""
        for said, told in (
            ("<will terminal>", Agreed(24)),
            ("<window 60>", Window(60)),
            ("<terminal xterm>", Terminal("xterm")),
            ("<charset utf-8>", Charset("UTF-8")),
        ):
            self.assertEqual(self.read(SAID[said], SAID[said]), [Telnet(), told, told])

    def test_the_end_of_a_line_tells_it(self) -> None:
        expected: Sequence[Message] = [Line("a"), Telnet(), Line("b"), Line("c")]
        self.assertEqual(self.read(b"a\nb\r\nc\r\n"), expected)
        self.assertEqual(self.read(b"a\nb\r", b"\nc\r", b"\n"), expected)
        self.assertEqual(self.read(b"a\r", b"\0b\n"), self.read(b"a\r\0b\n"))

    def test_nothing_is_believed(self) -> None:
        for option in (
            b"\xff\xfa\x1f\0\xff\xf0",
            b"\xff\xfa\x1f" + bytes(70) + b"\xff\xf0",
            b"\xff\xfa\x63?\xff\xf0",
            b"\xff\xfa\xff\xf0",
            b"\xff\xfe\x01\xff\xfc\x18\xff\xf6",
        ):
            self.assertEqual(self.read(option + b"who\n"), [Line("who")], option)
        [_, terminal, line] = self.read(b"\xff\xfa\x18\0" + b"x" * 9999 + b"\xff\xf0who\n")
        assert isinstance(terminal, Terminal)
        self.assertLess(len(terminal.name), LONGEST)
        self.assertEqual(line, Line("who"))

    def test_names_have_plain_letters_alone(self) -> None:
        """A terminal's name cannot hold anything that a log or a terminal would act on."""
        self.assertEqual(self.read(b"\xff\xfa\x18\0a\x1b[2J b\n\xff\xf0")[1], Terminal("a2jb"))

    def test_lines_are_ended_as_the_client_does(self) -> None:
        codec = ConsoleCodec()
        self.assertEqual(codec.encode(Text(("a",))), b"a\n")
        list(codec.feed(b"who\r\n"))
        self.assertEqual(codec.encode(Text(("a",))), b"a\r\n")

    def test_what_a_host_does_not_say(self) -> None:
        self.assertRaises(TypeError, ConsoleCodec().encode, Line("who"))

    def test_the_second_line_that_is_not_utf8(self) -> None:
        self.assertRaises(WireError, self.read, b"\xfe\n\xfe\n")


# Commands, games and what stands behind them: what is understood, and the sentence for what is not.


GAMES = {played.game.name: played for played in PLAYED}


class OwnLinesTests(SynchronousTestCase):
    def test_how_matches_stand(self) -> None:
        """In a line for each, of at most 80 columns, with what to type."""
        row = OwnedMatch(TableId(123456), "paper-soccer", ("ann", "bob"), 0, "turn")
        over = replace(row, state="over", ended=5, winners=(1,), cause="time", why="a player ran out of time")
        cases: list[tuple[dict[str, Any], str]] = [
            ({"by": 3 * 3_600_000}, "It is your turn: 3 h left."),
            ({"state": "wait"}, "It is not your turn."),
            (
                {"state": "open", "code": "K7QM2X4A", "by": 60_000},
                "It waits 1 min more. Others type: join 123456-K7QM2X4A",
            ),
            ({"state": "offer", "offer": "takeback"}, "bob asks to take a move back: accept or decline"),
            (
                {"state": "offer", "offer": "draw", "slow": True},
                "bob offers a draw: sit 123456, and then accept or decline",
            ),
            ({"state": "offer", "names": ("bob",)}, "bob wants a rematch: join 123456"),
        ]
        ends: list[tuple[dict[str, Any], str]] = [
            ({}, "bob wins: a player ran out of time."),
            ({"winners": (), "cause": "left", "why": "nobody came back"}, "Nobody came back."),
            ({"winners": (), "cause": "", "why": "nobody came in time"}, "Nobody came in time."),
        ]
        rows = [replace(row, **more) for more, _ in cases] + [replace(over, **more) for more, _ in ends]
        lines = mine_lines(rows, "Ann", 0)
        self.assertEqual([line.strip() for line in lines[2::2]], [words for _, words in cases + ends])
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertEqual(missed_lines([over])[1:], ["  123456  Paper Soccer  bob wins: a player ran out of time."])


class WordTests(SynchronousTestCase):
    def test_no_time_is_below_zero(self) -> None:
        """A clock may have jumped."""
        self.assertEqual(absence_words("bob", -1.0, ()), "bob is away. The seat is kept for 0 s.")

    def test_every_command_does_something_and_has_a_page(self) -> None:
        self.assertEqual(set(ConsoleConversation.DOES), set(commands()))
        for command in commands().values():
            lines = command_page(command)
            self.assertGreater(len(lines), 1)
            self.assertLess(max(map(len, lines)), 80, command.word)
            self.assertTrue(command.usage.startswith(command.word))

    def test_pages_fit_a_screen(self) -> None:
        """The overview, and the rules of each game, on 80 columns and 24 lines with the prompt and what was typed."""
        for language in LANGUAGES:
            lines = overview(GAMES, language)
            self.assertLessEqual(len(lines), 22)
            self.assertEqual([line for line in lines if len(line) > 79], [], language)
        for game in GAMES:
            rules = page([game], GAMES)
            self.assertLessEqual(len(rules), 25, game)
            self.assertLessEqual(max(map(len, rules)), 80, game)

    def test_pages_in_all_languages(self) -> None:
        """Each has a page of its own for each command, as wide as a terminal, and the rules of each game."""
        for language in LANGUAGES[1:]:
            for word, english in commands().items():
                command = commands(language)[word]
                self.assertEqual((command.usage, command.example), (english.usage, english.example))
                self.assertNotEqual(command.summary, english.summary, (language, word))
                self.assertEqual(
                    (bool(command.page), "" in command.page), (bool(english.page), False), (language, word)
                )
                lines = command_page(command, language)
                self.assertEqual([line for line in lines if len(line) > 79], [], (language, word))
            for game in GAMES:
                rules = page([game], GAMES, language)
                same = set(rules) & set(page([game], GAMES)) - {""}  # what is typed
                self.assertLessEqual((rules[0] in same, len(same), len(rules)), (False, 3, 28), (language, game))
                self.assertEqual([line for line in rules if len(line) > 80], [], (language, game))

    def test_no_sentence_lacks_a_value(self) -> None:
        values = {name: "{" + name + "}" for name in ("games", "line", "settings")}
        for language in LANGUAGES:
            for name in ("language", "overview", "example", "begin", "settings"):
                wanted = set(re.findall("{.*?}", languages.told("en", name, **values)))
                self.assertEqual(set(re.findall("{.*?}", languages.told(language, name, **values))), wanted)

    def test_beginnings(self) -> None:
        for word, command in (("WHO", "who"), ("mo", "moves"), ("rep", "replay"), ("?", "help"), ("exit", "quit")):
            self.assertEqual(find_command(word), command)
        for word in ("canary", "", "playy"):
            self.assertIs(find_command(word), None)
        for word in ("w", "n", "re", "h"):
            error = self.assertRaises(NotUnderstood, find_command, word)
            self.assertIn("Type one more letter", str(error))

    def test_directions_are_moves(self) -> None:
        self.assertEqual(len(DIRECTIONS), 8)

    def test_games(self) -> None:
        for text, game in (
            ("onitama", "onitama"),
            ("ONI", "onitama"),
            ("paper soccer", "paper-soccer"),
            ("soccer", "paper-soccer"),
            ("Paper_Soccer", "paper-soccer"),
            ("s", ""),
        ):
            if game:
                self.assertEqual(game_named(text.split(), GAMES), game)
            else:
                self.assertRaises(NotUnderstood, game_named, text.split(), GAMES)

    def test_what_is_asked_for(self) -> None:
        for text, sought, level, against in (
            ("onitama", Sought("onitama"), "", ""),
            ("oni HARD", Sought("onitama"), "hard", ""),
            ("oni e private", Sought("onitama", private=True), "easy", ""),
            ("oni against easy", Sought("onitama"), "easy", ""),
            ("soccer with bob", Sought("paper-soccer"), "", "bob"),
            ("eri 3 Expert=yes", Sought("eriantys", 3, {"expert": "yes"}), "", ""),
            ("eri seats=4", Sought("eriantys", 4), "", ""),
        ):
            found = asked(text.split(), GAMES)
            self.assertEqual((found.sought, found.level, found.against), (sought, level, against), text)

    def test_what_is_not_understood_is_answered_with_what_to_type(self) -> None:
        for text, words in (
            ("", "play onitama"),
            ("canary", "onitama, eriantys"),
            ("onitma", "play onitama"),
            ("onitama canary", "against NAME"),
            ("onitama canary", "days NUMBER"),
            ("onitama dayz 3", "Did you mean days? Type: play onitama days 3"),
            ("onitama hrad", "play onitama hard"),
            ("onitama privat", "play onitama private"),
            ("onitama against", "against ann"),
            ("onitama easy against bob", "Choose one"),
            ("eriantys players=canary", "players=3"),
        ):
            error = self.assertRaises(NotUnderstood, asked, text.split(), GAMES)
            self.assertIn(words, str(error))
            self.assertNotIn("canary", str(error))

    def test_tables_and_counts(self) -> None:
        for text in ("12 k7qf", "12-K7QF"):
            self.assertEqual(table_and_code(text.split(), "join 12"), (TableId(12), "K7QF"))
        self.assertEqual(table_and_code(["7"], "join 12"), (TableId(7), ""))
        self.assertRaises(NotUnderstood, table_and_code, ["canary"], "join 12")
        self.assertEqual([count_of([], 1, 9), count_of(["5"], 1, 9), count_of(["500"], 1, 9)], [1, 5, 9])
        for words in (["x"], ["1", "2"], ["\u0663"]):
            self.assertRaises(NotUnderstood, count_of, words, 1, 9)


class SentenceTests(SynchronousTestCase):
    def test_ends(self) -> None:
        names = ("ann", "bob", "carl")
        for result, seat, words in (
            (Result((Seat(0),), Cause.RULES, "master taken"), 0, "You win: master taken."),
            (Result((Seat(0),), Cause.RULES, "master taken"), None, "ann wins: master taken."),
            (Result((Seat(0), Seat(2)), Cause.RULES, "all towers"), 2, "You and ann win: all towers."),
            (Result((Seat(0), Seat(2)), Cause.RULES, "all towers"), 1, "ann and carl win: all towers."),
            (Result((), Cause.RULES, "too long"), 0, "The match is a draw: too long."),
            (Result((Seat(1),), Cause.TIME, ""), None, "bob wins: time ran out."),
        ):
            self.assertEqual(ended(result, names, None if seat is None else Seat(seat)), words)
        left = Result((Seat(0),), Cause.LEFT, "a player left")
        self.assertEqual(ended(left, names[:2], Seat(0)), "You win: bob has left.")
        self.assertEqual(ended(left, names[:2], Seat(1)), "ann wins: you left the match.")
        self.assertEqual(ended(left, names[:2], None), "ann wins: bob has left.")

    def test_reasons(self) -> None:
        self.assertEqual(sentence("it is not your turn"), "It is not your turn.")
        self.assertEqual(sentence("move_time: expected seconds"), "The setting move_time: expected seconds.")
        self.assertEqual(sentence("Why?"), "Why?")
