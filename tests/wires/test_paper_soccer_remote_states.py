"""The whole product of states and messages in remote games, as the page prints it, and the settings of a listener."""

import csv

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.memory_host import Client
from tests.kit.sources import ROOT
from tests.kit.wires.paper_soccer_talk import login, message
from tests.kit.wires.remote_talk import (
    ACCEPTED,
    World,
    begin,
    is_error,
    leave,
    left,
    master_login,
    move,
    over,
    refused,
    state,
    thanks,
)

PAGE = ROOT / "docs" / "games" / "remote.rst"

#: Row of the page's table -> messages that a client could send. Those with an id are for the game that it is in, or was in.
SAMPLES = {
    "playerLogin": [login("ann", "nim"), login("zoe", "nim")],
    "gameMasterLogin": [master_login("go", name="go-1")],
    "move": [move(1), message("move", "<move/>")],
    "thank you": [thanks(1), message("thank you")],
    "leaveGame": [leave(1), message("leaveGame")],
    "logout": [message("logout")],
    "error": [message("error"), message("error", "x")],
    "gameState": [state(1, "bob")],
    "playerLeftGame": [left(1, "bob")],
    "a message of the server": [begin(1, "ann"), message("serverShutdown"), message("loginResponse")],
    "anything else": ["<hello/>", message("hello"), message("move"), "<point x='0' y='1'/>\n"],
}

STATES = ("outside", "pool", "remote", "over", "master")


def table_of_answers() -> dict[str, dict[str, str]]:
    """The page's table: message -> state -> answer."""
    text = PAGE.read_text("utf-8")
    block = text[text.index(":name: remote-answers") :].split("\n\n")[1]
    rows = csv.reader((line.strip() for line in block.splitlines()), skipinitialspace=True)
    return {row[0]: dict(zip(STATES, row[1:], strict=True)) for row in rows}


def arrive(where: str) -> tuple[World, Client]:
    """A connection in this state that has been in game 1, or is in it; as a player it is Ann's, and it is her turn."""
    world = World()
    if where == "master":
        return world, world.game("ann", "bob", "cid")[0]
    master, (ann, bob) = world.game("ann", "bob")
    if where != "remote":
        master.say(over(1, {"ann": True, "bob": False}))
        bob.drop()
    if where in ("pool", "outside"):
        ann.say(thanks(1))
    if where == "outside":
        ann.say(message("logout"))
    ann.heard()
    assert getattr(ann.state, "value", "") == where, ann.state
    return world, ann


class AnswersTests(SynchronousTestCase):
    """What the page says is what happens."""

    def test_the_table_is_whole(self) -> None:
        """Each type of message has a row."""
        self.assertEqual(set(SAMPLES), set(table_of_answers()))

    def test_every_message_in_every_state(self) -> None:
        """Each sample of each row in each column."""
        for row, answers in table_of_answers().items():
            for where, answer in answers.items():
                for sample in SAMPLES[row]:
                    with self.subTest(where=where, sample=sample):
                        self.check(answer, where, sample)

    def check(self, answer: str, where: str, sample: str) -> None:
        """What is heard, and where the connection is then."""
        world, client = arrive(where)
        before = len(world.outcomes)
        client.send(sample.encode())
        heard, after = client.heard(), getattr(client.state, "value", "")
        if answer == "error":
            self.assertTrue(heard and all(map(is_error, heard)), (heard, where, sample))
            self.assertEqual((after, len(world.outcomes)), (where, before))
        elif answer in ("nothing", "late"):
            self.assertEqual((heard, after), ([], where), sample)
        elif answer in ("log in", "register"):
            self.assertEqual((heard, after), ([ACCEPTED], "pool" if answer == "log in" else "master"))
        elif answer == "hang up":
            world.host.wait(2)
            self.assertTrue(client.closed)
        else:
            ends = {
                "pass": "remote",
                "pool": "pool",
                "leave": "pool",
                "free": "outside",
                "rule": where,
                "put out": where,
            }
            expected = [left(1, "bob")] if answer == "put out" else []
            self.assertEqual((heard, after), (expected, ends[answer]), sample)

    def test_late_is_for_games_that_were(self) -> None:
        """An id of another game is an error."""
        for where in ("outside", "pool", "over"):
            for sample in (move(2), thanks(2), leave(2), move("1.2")):
                _, client = arrive(where)
                heard = client.ask(sample)
                if where == "over" and sample != move(2) and sample != move("1.2"):
                    self.assertEqual((heard, getattr(client.state, "value", "")), ([], "pool"))
                else:
                    self.assertTrue(is_error(heard[0]), (where, sample))


class SettingsTests(SynchronousTestCase):
    """What a listener lets in."""

    def ask(self, settings: dict[str, str], said: str, address: str = "192.0.2.9") -> str:
        """The answer to a log-in, in strict mode."""
        world = World({"paper-soccer.strict": "yes", **settings})
        client = world.host.connect("paper-soccer", address)
        [answer] = client.ask(said)
        return answer

    def test_who_may_be_a_master(self) -> None:
        """By default programs on this machine."""
        for masters, address, accepted in (
            ("no", "127.0.0.1", False),
            ("local", "127.0.0.1", True),
            ("local", "::1", True),
            ("local", "192.0.2.9", False),
            ("any", "192.0.2.9", True),
        ):
            answer = self.ask({"paper-soccer.masters": masters}, master_login(), address)
            self.assertEqual(answer, ACCEPTED if accepted else refused(2), (masters, address))

    def test_a_secret(self) -> None:
        """It stands at the end of the id, and is not logged or recorded."""
        for name, accepted in (
            ("m#s3cret", True),
            ("m", False),
            ("m#", False),
            ("#s3cre", False),
            ("m#s3cretx", False),
        ):
            answer = self.ask({"paper-soccer.secret": "s3cret"}, master_login(name=name))
            self.assertEqual(answer, ACCEPTED if accepted else refused(2), name)
        self.assertEqual(self.ask({"paper-soccer.secret": "s3cret"}, master_login(name="#s3cret")), refused(1))
        world = World({"paper-soccer.secret": "s3cret"})
        world.master(name="m#s3cret")
        world.player("ann"), world.player("bob")
        [opening] = world.host.journal.openings.values()
        self.assertEqual([seat.name for seat in opening.seats], ["ann", "bob", "#m"])

    def test_ids_and_numbers_of_masters(self) -> None:
        """1 to 64 printable characters; plain whole numbers."""
        for name, number in (("", 1), ("x" * 65, 1), ("x" * 64, 0), ("\u00e4 b", 0), ("a&#9;b", 1)):
            self.assertEqual(self.ask({}, master_login(name=name)), refused(number) if number else ACCEPTED, name)
        for least, most, accepted in (
            *((2, 2, True), (2, 64, True), (1, 2, False), (3, 2, False), (2, 65, False), (2, 1, False)),
            *(
                (2, "02", False),
                (2, "+2", False),
                ("", 2, False),
                (" 2", 2, False),
                ("\u0662", 2, False),
                (2, "1e1", False),
            ),
        ):
            self.assertEqual(self.ask({}, master_login("nim", least, most)), ACCEPTED if accepted else refused(5))

    def test_types(self) -> None:
        """Those of the built-in game are the host's own; others must be well-formed."""
        for game_type in ("paper soccer", "Paper_Football", "PAPER-SOCCER"):
            self.assertEqual(self.ask({}, master_login(game_type)), refused(4))
        for game_type in ("", "a/b", "x" * 65, "a&#9;b", "a,b"):
            self.assertEqual(self.ask({"paper-soccer.types": "*"}, master_login(game_type)), refused(2), game_type)
            self.assertEqual(self.ask({"paper-soccer.types": "*"}, login("ann", game_type)), refused(2), game_type)
        for game_type in ("a b", "a_b-c.d:e", "\u00c4", "7", "x" * 64):
            self.assertEqual(self.ask({}, master_login(game_type)), ACCEPTED, game_type)
            self.assertEqual(self.ask({"paper-soccer.types": "*"}, login("ann", game_type)), ACCEPTED, game_type)
        for types, number in (("nim", 0), ("NIM", 0), ("go, nim", 0), ("go", 2)):
            answer = self.ask({"paper-soccer.types": types}, login("ann", "Nim"))
            self.assertEqual(answer, refused(number) if number else ACCEPTED, types)

    def test_names_of_the_built_in_game(self) -> None:
        """Those that are freed are like any other type."""
        settings = {"paper-soccer.native": "paper soccer"}
        self.assertEqual(self.ask(settings, master_login("paper_football")), ACCEPTED)
        self.assertEqual(self.ask(settings, master_login("paper soccer")), refused(4))
        self.assertEqual(self.ask(settings, login("ann", "paper-soccer")), refused(2))
        self.assertEqual(self.ask(settings, login("ann", "paper soccer")), ACCEPTED)

    def test_a_seat_in_the_built_in_game(self) -> None:
        """Its player can come back to it, and cannot play another game under the nick meanwhile."""
        world = World({"paper-soccer.types": "nim"})
        ann, bob = world.connect(), world.connect()
        ann.say(login("ann"))
        bob.say(login("bob"))
        bob.say(message("move", "<move><point x='0' y='1'/></move>"))
        ann.drop()
        again = world.connect()
        self.assertIn('<error id="1">', again.ask(login("ann", "nim"))[0])
        self.assertIn('<nextPlayer nick="ann"/>', again.ask(login("ann"))[1])

    def test_again(self) -> None:
        """With this setting players of the built-in game need not log in for the next one."""
        world = World({"paper-soccer.again": "yes"})
        ann, bob = world.connect(), world.connect()
        ann.say(login("ann"))
        bob.say(login("bob"))
        ann.say(leave(1))
        bob.heard()
        self.assertEqual(bob.ask(thanks(1)), [])
        ann.heard()
        self.assertEqual(len(ann.ask(login("ann"))), 2)
        self.assertEqual(len(bob.heard()), 1)
