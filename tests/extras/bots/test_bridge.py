"""`gamehost bridge`: whole games in memory, what a bot can do wrong, lost connections, and the command."""

import io
from collections.abc import Sequence
from contextlib import redirect_stderr
from functools import partial
from typing import Any

from twisted.internet.error import ProcessTerminated
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.bots import bridge as command
from gamehost.extras.bots.bridge import ASKED_AGAIN, ENDS, LONGEST, PATIENCE, Bot, bridges, main, parsed
from gamehost.games.base import Seat
from gamehost.games.installed import Installed
from gamehost.games.messages import BadAnswer, Prompt
from gamehost.players.base import SeededChance
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import OpenCodec
from tests import long
from tests.kit.bridges import BOTS, MemoryBot, RandomBot, World
from tests.kit.plugin_games import GOMOKU, GOMOKU_MESSAGES

UCC, CODINGAME = "ucc-stratego", "codingame-paper-soccer"


class BotTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = World()
        self.answers: list[Sequence[str]] = []
        self.faults: list[str] = []
        self.ends = 0

    def ended(self) -> None:
        self.ends += 1

    def bot(self) -> Bot:
        bot = Bot(self.world.machine, 2.0, self.answers.append, self.faults.append, self.ended)
        self.process = MemoryBot(bot, lambda lines: ())
        bot.makeConnection(self.process)
        return bot

    def test_an_answer_comes_in_any_pieces(self) -> None:
        bot = self.bot()
        bot.tell(Prompt(("RED bob 10 10",), 2))
        for piece in (b"a", b"b\r\n\n", b" ", b"cd \n"):
            self.assertEqual(self.answers, [])
            bot.outReceived(piece)
        self.assertEqual((self.process.told, self.answers, self.faults), (["RED bob 10 10"], [["ab", "cd"]], []))
        self.world.machine.advance(60)
        self.assertEqual(self.faults, [])

    def test_what_it_does_wrong(self) -> None:
        for written, fault in (
            ([], "wrote nothing within 2 s; are its streams unbuffered?"),
            ([b"a line"], "did not end its line within 2 s"),
            ([b"one\n"], "wrote 1 of 2 lines within 2 s"),
            ([b"\n\n"], "wrote no answer within 2 s"),
            ([b"1\n2\n3\n"], "wrote '3' without being asked"),
            ([b"1\n2\n", b"\x1b[2J\n"], "wrote '\\x1b[2J' without being asked"),
            ([b"x" * (LONGEST + 1)], f"wrote a line of more than {LONGEST} bytes"),
            ([b"x" * LONGEST, b"xx\n"], f"wrote a line of more than {LONGEST} bytes"),
        ):
            bot = self.bot()
            bot.tell(Prompt(("START",), 2))
            for data in written:
                bot.outReceived(data)
            self.world.machine.advance(2)
            bot.outReceived(b"late\n" * 1000)
            self.assertEqual(self.faults, [fault])
            self.faults.clear()

    def test_ends(self) -> None:
        for reason, fault in (
            (None, "ended with status 0"),
            (ProcessTerminated(exitCode=3), "ended with status 3"),
            (ProcessTerminated(exitCode=127), "could not be run"),
            (ProcessTerminated(signal=11), "ended by signal 11"),
        ):
            self.bot()
            self.process.end(reason)
            self.assertEqual(self.faults.pop(), fault)
        self.assertEqual(self.ends, 4)

    def test_after_its_game(self) -> None:
        for patiently in (True, False):
            bot = self.bot()
            bot.finish(["QUIT DRAW"], patiently)
            bot.outReceived(b"well played\n")
            self.assertEqual((self.process.told, self.process.input_ended), (["QUIT DRAW"], True))
            self.assertEqual(self.process.pid is None, not patiently)
            self.world.machine.advance(ENDS)
            self.assertIsNone(self.process.pid)
            bot.tell(Prompt(("late",), 1))
            self.assertEqual(self.process.told, ["QUIT DRAW"])
        self.assertEqual((self.faults, self.ends, self.world.machine.getDelayedCalls()[2:]), ([], 2, []))


class Damaged:
    """A bot that plays well until it has read and written some lines; then it does something else, or ends."""

    def __init__(self, bot: RandomBot, after: int, instead: Sequence[str] | None = None) -> None:
        self.bot, self.after, self.instead = bot, after, instead

    def __call__(self, lines: list[str]) -> Sequence[str]:
        if self.bot.lines + len(lines) > self.after:
            if self.instead is None:
                raise EOFError
            return self.instead
        return self.bot(lines)


class LyingHostTests(SynchronousTestCase):
    def test_what_cannot_be(self) -> None:
        """The bridge ends, and says that the host is at fault."""
        lies = (
            (
                m.Event(1, 1, {"kind": "moved", "seat": 0, "from": "A4", "to": "Z9"}),
                "an event of stratego that cannot be",
            ),
            (m.Over(1, 1, [0], "magic", "why"), "over names a cause that there is not"),
        )
        for lie, reason in lies:
            world = World()
            run = world.bridge("ann", UCC, partial(BOTS[UCC], 1))
            world.until_idle()
            seated = m.Seated(1, "stratego", 1, ["bob", "ann"], ["open", "open"], 0)
            world.links[0][0].receive(OpenCodec().encode(seated) + OpenCodec().encode(lie))
            self.assertEqual(self.successResultOf(run.done), f"what came is not the open wire: {reason}")


class GamesTests(SynchronousTestCase):
    def against(self, protocol: str, damage: Any, **terms: Any) -> World:
        """A host, ann's bridge with a bot that plays well, and bob's, whose bot is made of a good one."""
        world = World()
        world.bridge("ann", protocol, partial(BOTS[protocol], 1))
        world.bridge("bob", protocol, lambda: damage(BOTS[protocol](2)), **terms)
        return world

    def test_several_games(self) -> None:
        for protocol in BOTS:
            world = World()
            for seed, name in enumerate(("ann", "bob")):
                world.bridge(name, protocol, partial(BOTS[protocol], seed), games=3)
            world.play()
            self.assertEqual(len(world.printed["ann"]), 3)
            self.assertEqual(world.printed["ann"], world.printed["bob"])
            for words in world.printed["ann"]:
                self.assertIn("(rules)", words)
            self.assertEqual((world.wrong, len(world.machine.bots)), ({"ann": [], "bob": []}, 6))
            for run in world.runs.values():
                self.assertIsNone(self.successResultOf(run.done))
                self.assertTrue(run.sound)

    def test_a_bot_that_ends_at_each_point(self) -> None:
        for protocol, points in ((UCC, range(0, 40)), (CODINGAME, range(0, 15))):
            for after in points:
                world = self.against(protocol, lambda bot, after=after: Damaged(bot, after))
                world.play()
                [words] = world.printed["ann"]
                self.assertEqual(world.printed["bob"], [words])
                self.assertEqual(world.wrong["bob"], ["bob has resigned: the bot ended with status 0"])
                self.assertTrue(words.startswith("ann won (left)"), words)
                self.assertFalse(world.runs["bob"].sound)

    def test_nonsense_and_silence(self) -> None:
        for protocol, after, instead, words in (
            (
                UCC,
                0,
                ["castle"] * 4,
                "no set-up; expected 4 rows of 10 pieces of 123456789sFB; it wrote 'castle / castle",
            ),
            (UCC, 0, ["9" * 10] * 4, "illegal: "),
            (UCC, 10, ["pass"], "no move; expected X Y UP|DOWN|LEFT|RIGHT [N], such as 4 3 DOWN; it wrote 'pass'"),
            (UCC, 10, ["0 0 UP 1"], "illegal: "),
            (UCC, 10, ["99 99 UP 99"], "illegal: there is no such square: x and y are 0 to 9"),
            (UCC, 10, [], "the bot wrote no answer within 2 s"),
            (UCC, 0, [], "the bot wrote nothing within 2 s; are its streams unbuffered?"),
            (UCC, 10, ["0 6 UP"] * 40, "the bot wrote '0 6 UP' without being asked"),
            (CODINGAME, 1, ["8"], "no move; expected a line of digits from 0 to 7, such as 4644; it wrote '8'"),
            (CODINGAME, 1, ["0" * 317], "a move of 317 steps; expected at most 316; it wrote"),
            (CODINGAME, 1, ["04"], "illegal: "),
            (CODINGAME, 1, ["22222222"], "illegal: "),
        ):
            world = self.against(protocol, lambda bot, after=after, instead=instead: Damaged(bot, after, instead))
            world.play()
            [reason] = world.wrong["bob"]
            self.assertTrue(reason.startswith(f"bob has resigned: {words}"), reason)
            self.assertEqual(world.printed["bob"], world.printed["ann"])
            self.assertTrue(world.printed["ann"][0].startswith("ann won (left)"))

    def test_it_is_no_fault_that_a_bot_surrenders(self) -> None:
        world = self.against(UCC, lambda bot: Damaged(bot, 10, ["SURRENDER"]))
        world.play()
        self.assertEqual((world.wrong["bob"], world.runs["bob"].sound), ([], True))
        self.assertTrue(world.printed["ann"][0].startswith("ann won (left)"))
        self.assertEqual(world.machine.bots[1].told[-1], "QUIT SURRENDER")
        self.assertEqual(world.machine.bots[0].told[-1], "QUIT DEFAULT")

    def test_illegal_moves_that_are_told(self) -> None:
        class Clumsy(Damaged):
            tries = 0

            def __call__(self, lines: list[str]) -> Sequence[str]:
                if len(lines) >= 11 and self.tries < self.after:
                    self.tries += 1
                    return ["0 0  UP"]
                return self.bot(lines)

        for wrong in (1, ASKED_AGAIN, ASKED_AGAIN + 1):
            world = self.against(UCC, lambda bot, wrong=wrong: Clumsy(bot, wrong), again=True)
            world.play()
            told = world.machine.bots[1].told
            asked = min(wrong, ASKED_AGAIN)
            self.assertEqual(told.count("0 0 UP ILLEGAL"), 2 * asked + (wrong > ASKED_AGAIN))
            self.assertEqual(world.runs["bob"].sound, wrong <= ASKED_AGAIN)
            self.assertEqual(told[-1] == "QUIT ILLEGAL", wrong > ASKED_AGAIN)
        world = self.against(UCC, lambda bot: Clumsy(bot, 1))
        world.play()
        self.assertEqual(world.machine.bots[1].told[-2:], ["0 0 UP ILLEGAL", "QUIT ILLEGAL"])

    def test_damaged_answers(self) -> None:
        chance, letters = SeededChance(7), "0123456789 sFBUPDOWNLEFTRIGHT\t-+x\x00é"
        for number in range(20):
            for protocol in BOTS:
                text = "".join(chance.one_of(letters) for _ in range(chance.below(12)))
                instead, after = [text] * (1 + chance.below(4)), chance.below(20)
                world = self.against(protocol, lambda bot, a=after, i=instead: Damaged(bot, a, i))
                world.play()
                self.assertEqual(world.printed["ann"], world.printed["bob"], (number, text))
                self.assertEqual(len(world.printed["ann"]), 1)
                self.assertEqual(world.wrong["bob"] == [], "(rules)" in world.printed["bob"][0])


class LostConnectionTests(SynchronousTestCase):
    def begun(self, protocol: str, slow: int = 0) -> World:
        world = World({"stratego.max_plies": "12"}, slow)
        for seed, name in enumerate(("ann", "bob")):
            world.bridge(name, protocol, partial(BOTS[protocol], seed))
        for _ in range(100):
            if len(world.machine.bots) == 2 and all(bot.told for bot in world.machine.bots):
                return world
            world.step()
        raise AssertionError("there is no match")

    def told(self, world: World) -> list[list[str]]:
        world.play(60)
        self.assertEqual(len(world.machine.bots), 2)
        for name, run in world.runs.items():
            self.assertIsNone(self.successResultOf(run.done))
            self.assertTrue(run.sound, world.wrong[name])
        return [bot.told for bot in world.machine.bots]

    def cut(self, world: World, links: Sequence[int] | None) -> None:
        """Lose connections, or (`None`) the host, which comes back from its journal. The bridges are back at once."""
        if links is None:
            world.kill_host()
            world.start_host()
        else:
            for near, far in [world.links[link] for link in links if link < len(world.links)]:
                near.hang_up()
                far.drop()
                world.links.remove((near, far))
        world.machine.advance(1)

    @long
    def test_at_each_point(self) -> None:
        """Of one bridge, of both, or with the host: the bots are told the same, and what they do is done once."""
        for protocol in BOTS:
            undisturbed = self.told(self.begun(protocol))
            for slow, points in ((0, range(0, 40, 9)), *((slow, range(slow, 40, 5)) for slow in (4, 6))):
                cut = 0
                for steps in points:
                    for links in ((steps % 2,), (0, 1), None):
                        world = self.begun(protocol, slow)
                        for _ in range(steps):
                            world.step()
                        self.cut(world, links)
                        told = self.told(world)
                        cut += all(world.wrong.values())
                        if not any(
                            "not say how" in words for all_words in world.printed.values() for words in all_words
                        ):
                            self.assertEqual(told, undisturbed, (protocol, slow, steps, links))
                self.assertGreater(cut, 2)


class AtTheHostTests(SynchronousTestCase):
    def seated(self, **terms: Any) -> World:
        world = World()
        for name in ("ann", "bob"):
            world.bridge(name, CODINGAME, lambda: lambda lines: (), answer_time=600.0, **terms)
        world.until_idle()
        return world

    def end_of(self, world: World, name: str) -> str:
        reason = self.successResultOf(world.runs[name].done)
        assert reason is not None
        return reason

    def test_a_name_that_still_has_a_seat(self) -> None:
        """The match of a bridge that is gone is given up, because the new one does not know what was played."""
        world = self.seated()
        gone = world.runs.pop("ann")
        gone.stop()
        near, far = world.links[0]
        far.drop()
        near.hang_up()
        world.links.clear()
        world.machine.advance(0)
        world.bridge("ann", CODINGAME, lambda: lambda lines: ())
        world.until_idle()
        self.assertEqual(world.wrong["ann"][-1], "the name still had a seat in an earlier match, which is given up")
        assert world.host is not None
        self.assertEqual(len(world.host.lobby.tables), 0)

    def test_no_host(self) -> None:
        world = World()
        world.host = None
        world.bridge("ann", CODINGAME, lambda: lambda lines: ())
        self.assertIn("no connection to the host: ", self.end_of(world, "ann"))

    def test_a_host_that_does_not_come_back(self) -> None:
        world = self.seated()
        for seconds, ends in ((PATIENCE - 5, False), (PATIENCE - 5, False), (PATIENCE, True)):
            world.kill_host()
            for _ in range(int(seconds)):
                world.machine.advance(1)
            self.assertEqual([run.done.called for run in world.runs.values()], [ends, ends])
            world.start_host()
            for _ in range(0 if ends else 12):
                world.machine.advance(1)
                world.until_idle()
        self.assertEqual(self.end_of(world, "ann"), "no connection to the host for 30 s")
        self.assertEqual([bot.pid for bot in world.machine.bots], [None, None])

    def test_a_setting_that_the_game_does_not_have(self) -> None:
        world = World()
        world.bridge("ann", CODINGAME, lambda: lambda lines: (), settings={"two_squares": "0"})
        world.until_idle()
        self.assertIn("the host says: ", self.end_of(world, "ann"))

    def test_a_match_that_ends_while_the_connection_is_lost(self) -> None:
        world = self.seated(games=2)
        near, far = world.links[0]
        near.hang_up()
        far.drop()
        assert world.host is not None
        world.host.lobby.give_up(world.host.lobby.registry.get("ann"))  # type: ignore[arg-type]
        world.until_idle()
        self.assertEqual(world.printed["bob"], ["bob won (left): left the game"])
        world.machine.advance(1)
        world.until_idle()
        self.assertEqual(world.printed["ann"], ["the match has ended, and the host does not say how"])
        for _ in range(10):
            world.machine.advance(1)
            world.until_idle()
        self.assertEqual(len(world.machine.bots), 4)
        self.assertTrue(all(bot.told for bot in world.machine.bots))

    def test_a_bot_that_fails_while_the_connection_is_lost(self) -> None:
        world = self.seated()
        near, far = world.links[0]
        near.hang_up()
        far.drop()
        world.machine.bots[0].end()
        self.assertEqual(len(world.wrong["ann"]), 2)
        self.assertEqual(world.printed["bob"], [])
        world.play()
        self.assertEqual(world.printed["bob"], ["bob won (left): left the game"])
        self.assertEqual(world.printed["ann"], world.printed["bob"])

    def test_an_answer_while_the_bridge_comes_back(self) -> None:
        for steps in range(10):
            world = self.seated()
            world.machine.slow = 1  # the bridges hear line by line
            first = next(number for number, bot in enumerate(world.machine.bots) if bot.told[0] == "0")
            near, far = world.links[first]
            near.hang_up()
            far.drop()
            world.machine.advance(1)
            for _ in range(steps):
                world.step()
            world.machine.bots[first].protocol.outReceived(b"0\n")
            world.until_idle()
            self.assertEqual(world.machine.bots[1 - first].told, ["1", "1", "0"])
            self.assertEqual([len(wrong) for wrong in world.wrong.values()], [1 - first, first])

    def test_a_bot_that_has_made_its_last_answer(self) -> None:
        """It may end before the host has judged the answer. It is resigned when it is asked next."""
        world = World()

        class Last(Damaged):
            def __call__(self, lines: list[str]) -> Sequence[str]:
                answer = self.bot(lines)
                if answer:
                    world.machine.bots[1].protocol.outReceived(f"{answer[0]}\n".encode())
                    raise EOFError
                return []

        world.bridge("ann", CODINGAME, partial(BOTS[CODINGAME], 1))
        world.bridge("bob", CODINGAME, lambda: Last(BOTS[CODINGAME](2), 0))
        world.play()
        self.assertEqual(world.wrong["bob"], ["bob has resigned: the bot ended with status 0"])
        self.assertEqual(len(world.machine.bots[0].told), 3)


class CommandTests(SynchronousTestCase):
    GOOD = (UCC, "--to", "127.0.0.1:1", "--name", "ann")

    def test_arguments(self) -> None:
        """What follows `--` is the bot's, whatever it looks like."""
        words = parsed([*self.GOOD, "--games=3", "--set", "two_squares=0", "--", "./bot", "--games", "--", "x"])
        self.assertEqual((words.to, words.games, words.set), ("tcp:127.0.0.1:1", 3, [("two_squares", "0")]))
        self.assertEqual(words.command, ["./bot", "--games", "--", "x"])

    def test_wrong_arguments(self) -> None:
        for words, expected in (
            (["chess", *self.GOOD[1:], "--", "x"], "BRIDGE"),
            ([*self.GOOD], "expected the bot's command after --"),
            ([*self.GOOD, "--games=0", "--", "x"], "expected a number from 1"),
            ([*self.GOOD, "--answer-time=0", "--", "x"], "expected a number of seconds above 0"),
            ([*self.GOOD, "--answer-time=x", "--", "x"], "expected a number of seconds above 0"),
            ([*self.GOOD, "--set=x", "--", "x"], "expected NAME=VALUE, such as two_squares=0"),
            ([CODINGAME, *self.GOOD[1:], "--illegal=again", "--", "x"], "has no message for an illegal move"),
        ):
            with redirect_stderr(io.StringIO()) as errors:
                ended = self.assertRaises(SystemExit, main, words, (), None)
            self.assertEqual(ended.code, 2)
            self.assertIn(expected, errors.getvalue())


class PluginTests(SynchronousTestCase):
    def test_the_bridge_of_the_tutorial(self) -> None:
        self.patch(command, "installed", lambda: Installed({"gomoku": GOMOKU}, {}))
        self.patch(command, "MESSAGES", {"gomoku": GOMOKU_MESSAGES})
        game, bridge = bridges()["gomocup"]
        self.assertIs(game, GOMOKU)
        master = game.new_master(2, {}, SeededChance(1))
        dialogues = [bridge.dialogue(Seat(seat), ("ann", "bob")) for seat in (0, 1)]
        prompts = [one.hear(to.event) for one in dialogues for to in master.begin(0)]
        self.assertEqual(prompts, [Prompt(("START 15", "BEGIN"), 2), Prompt()])
        for number in range(9):
            mover = number % 2
            answer = ["OK"] * (prompts[mover].answers - 1) + [f"{number // 2},{mover}"]
            action = game.read(game.write(dialogues[mover].answer(answer)))
            [to] = master.act(Seat(mover), action, 0)
            prompts = [one.hear(to.event) for one in dialogues]
            asked = Prompt((*(("START 15",) if not number else ()), f"TURN {number // 2},{mover}"), 1 + (not number))
            self.assertEqual(prompts[1 - mover], asked)
        self.assertIsNotNone(master.result)
        self.assertRaises(BadAnswer, dialogues[0].answer, ["ERROR no such move"])
