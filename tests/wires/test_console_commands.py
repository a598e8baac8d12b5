"""Commands, games and what stands behind them: what is understood, and the sentence for what is not."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Result, Seat
from gamehost.journal.records import TableId
from gamehost.wires.console.commands import (
    BY_WORD,
    COMMANDS,
    DIRECTIONS,
    NotUnderstood,
    asked,
    command_page,
    count_of,
    find_command,
    game_named,
    overview,
    page,
    table_and_code,
)
from gamehost.wires.console.conversation import ConsoleConversation
from gamehost.wires.console.listings import ended, sentence
from gamehost.wires.seeking import PLAYED, Sought

GAMES = {played.game.name: played for played in PLAYED}


class WordTests(SynchronousTestCase):
    """Which word is which command."""

    def test_every_command_does_something_and_has_a_page(self) -> None:
        """All of them are in the table of what is done, and none is too wide for a terminal."""
        self.assertEqual(set(ConsoleConversation.DOES), set(BY_WORD))
        for command in COMMANDS:
            lines = command_page(command)
            self.assertGreater(len(lines), 1)
            self.assertLess(max(map(len, lines)), 80, command.word)
            self.assertTrue(command.usage.startswith(command.word))

    def test_pages_fit_a_screen(self) -> None:
        """The overview, and the rules of each game, on 80 columns and 24 lines with the prompt and what was typed."""
        lines = overview(GAMES)
        self.assertLessEqual(len(lines), 22)
        self.assertLess(max(map(len, lines)), 80)
        for game in GAMES:
            rules = page([game], GAMES)
            self.assertLessEqual(len(rules), 25, game)
            self.assertLessEqual(max(map(len, rules)), 80, game)

    def test_beginnings(self) -> None:
        """Any case, any beginning of one command alone; a whole word is itself."""
        for word, command in (("WHO", "who"), ("mo", "moves"), ("rep", "replay"), ("?", "help"), ("exit", "quit")):
            self.assertEqual(find_command(word), command)
        for word in ("canary", "", "playy"):
            self.assertIs(find_command(word), None)
        for word in ("w", "n", "re", "h"):
            error = self.assertRaises(NotUnderstood, find_command, word)
            self.assertIn("Type one more letter", str(error))

    def test_directions_are_moves(self) -> None:
        """The eight of Paper Soccer."""
        self.assertEqual(len(DIRECTIONS), 8)

    def test_games(self) -> None:
        """By name, by a beginning, in two words, or by the second word."""
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
        """A level, an opponent, a private table, players and settings, in any order."""
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

    def test_what_is_not_understood(self) -> None:
        """The sentence says what to type, and repeats nothing."""
        for text, words in (
            ("", "play onitama"),
            ("canary", "onitama, eriantys"),
            ("onitma", "play onitama"),
            ("onitama canary", "against NAME"),
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
        """A number, with a code behind it or a hyphen."""
        for text in ("12 k7qf", "12-K7QF"):
            self.assertEqual(table_and_code(text.split(), "join 12"), (TableId(12), "K7QF"))
        self.assertEqual(table_and_code(["7"], "join 12"), (TableId(7), ""))
        self.assertRaises(NotUnderstood, table_and_code, ["canary"], "join 12")
        self.assertEqual([count_of([], 1, 9), count_of(["5"], 1, 9), count_of(["500"], 1, 9)], [1, 5, 9])
        for words in (["x"], ["1", "2"], ["\u0663"]):
            self.assertRaises(NotUnderstood, count_of, words, 1, 9)


class SentenceTests(SynchronousTestCase):
    """How things are said that all games have."""

    def test_ends(self) -> None:
        """For a winner, a loser, a partner, a watcher; with a draw, and with a player who has left."""
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
        left = Result((Seat(0),), Cause.LEFT, "the other player left")
        self.assertEqual(ended(left, names[:2], Seat(0)), "You win: bob has left.")
        self.assertEqual(ended(left, names[:2], Seat(1)), "ann wins: you left the match.")
        self.assertEqual(ended(left, names[:2], None), "ann wins: bob has left.")

    def test_reasons(self) -> None:
        """As sentences; a setting keeps its name."""
        self.assertEqual(sentence("it is not your turn"), "It is not your turn.")
        self.assertEqual(sentence("move_time: expected seconds"), "The setting move_time: expected seconds.")
        self.assertEqual(sentence("Why?"), "Why?")
