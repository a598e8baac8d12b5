"""The referee: the contract of all games, the deal, the forced exchange, the ends, the settings and the notation."""

import random
from collections import Counter
from collections.abc import Sequence

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gamehost.games.base import Cause, IllegalAction, Result, ScriptedChance, Seat, SystemChance, To
from gamehost.games.onitama.master import ONITAMA, Action, Dealt, Exchanged, Moved, OnitamaMaster, Situation
from gamehost.games.onitama.messages import MESSAGES
from gamehost.games.onitama.rules import START, VECTORS, Card, Exchange, Move, Position
from gamehost.journal.notation import picture
from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from gamehost.testing.messages_contract import MessagesContract
from tests.kit.drawn_matches import PictureContract, parsed, record_of, titles, words
from tests.kit.games.onitama import (
    BLACK,
    WHITE,
    as_move,
    begun,
    board_of,
    deal_of,
    dealt,
    recorded_games,
    recorded_stalemate,
)

DEAL = "tiger,crab/ox,eel/frog"

#: Nobody has a piece, so nobody can ever move: exchange follows exchange.
NOBODY = "." * 25


def act(master: OnitamaMaster, seat: Seat, notation: str, now: int = 0) -> Sequence[To[object]]:
    return master.act(seat, ONITAMA.read(notation.encode()), now)


def in_play(master: OnitamaMaster) -> list[Card]:
    position = master.position
    return [*position.hands[0], *position.hands[1], position.spare]


class MasterTests(MasterContract, PropertyCase):
    game = ONITAMA

    def illegal(self, master: OnitamaMaster, rng: random.Random) -> Sequence[tuple[Seat, Action]]:
        position = master.position
        turn, other = Seat(position.turn), Seat(1 - position.turn)
        moves: list[Action] = list(position.moves())
        wrong: list[tuple[Seat, Action]] = [(other, action) for action in moves]
        wrong += [(other, Exchange(card)) for card in VECTORS]
        wrong += [(turn, Exchange(card)) for card in VECTORS if moves or card not in position.hands[turn]]
        ways = [Move(rng.choice(list(VECTORS)), rng.randrange(25), rng.randrange(25)) for _ in range(30)]
        return wrong + [(turn, way) for way in ways if way not in moves]


class DealTests(PropertyCase):
    def test_deals_are_random_and_white_moves_first(self) -> None:
        master = ONITAMA.new_master(2, {}, SystemChance())
        events = master.begin(0)
        self.assertEqual(events, (To(Dealt(master.position)),))
        self.assertEqual(len(set(in_play(master))), 5)
        self.assertEqual(master.position.turn, WHITE)
        self.assertEqual(master.view(None), Situation(master.position))
        self.assertEqual((master.result, master.deadline), (None, None))

    def test_every_card_everywhere(self) -> None:
        """Over many deals every card comes to every one of the five places, about as often as to the others."""
        places: list[Counter[Card]] = [Counter() for _ in range(5)]
        rng = random.Random(1)
        for _ in range(4000):
            master = begun(chance=SystemChance(rng.randrange))
            for place, card in enumerate(in_play(master)):
                places[place][card] += 1
        for counts in places:
            self.assertEqual(len(counts), 16)
            self.assertLess(max(abs(count - 250) for count in counts.values()), 100)

    def test_as_set(self) -> None:
        master = begun(DEAL)
        self.assertEqual(master.position, dealt(DEAL))
        self.assertEqual(begun(DEAL.upper()).position, dealt(DEAL))


class PlayTests(PropertyCase):
    def test_all_are_told_of_a_move_by_seat(self) -> None:
        master = begun(DEAL)
        before = master.position
        events = act(master, WHITE, "tiger c1 c3")
        move = ONITAMA.read(b"tiger c1 c3")
        assert isinstance(move, Move)
        self.assertEqual(events, (To(Moved(WHITE, move)),))
        self.assertEqual(master.position, before.after(move))
        for seat in (WHITE, BLACK, None):
            self.assertEqual(master.view(seat), Situation(master.position))

    def test_refusals_say_why(self) -> None:
        master = begun(DEAL)
        for seat, notation, reason in (
            (BLACK, "ox a5 a4", "it is the other player's turn"),
            (WHITE, "ox a1 a2", "that card is not in your hand"),
            (WHITE, "tiger a5 a3", "no piece of yours stands on the start square"),
            (WHITE, "stalemate tiger", "you can move, so you must"),
            (WHITE, "stalemate ox", "that card is not in your hand"),
            (BLACK, "stalemate ox", "it is the other player's turn"),
        ):
            error = self.assertRaises(IllegalAction, act, master, seat, notation)
            self.assertEqual(str(error), reason)

    def test_recorded_games(self) -> None:
        reasons = set()
        for game in recorded_games():
            master = begun(deal_of(game))
            for ply in game["plies"]:
                self.assertIs(master.result, None)
                master.act(Seat(master.position.turn), as_move(*ply["move"]), 0)
            result = master.result
            assert result is not None
            self.assertEqual((result.winners, result.cause), ((Seat("wb".index(game["winner"])),), Cause.RULES))
            reasons.add(result.why)
        self.assertEqual(reasons, {"the master is taken", "the master stands on the enemy master's start square"})


class ExchangeTests(PropertyCase):
    def stuck(self, rng: random.Random) -> tuple[OnitamaMaster, SystemChance]:
        chance = SystemChance(rng.randrange)
        master = begun(chance=chance)
        master.position = replace(master.position, board=NOBODY)
        chance.take()
        return master, chance

    def test_accepted_at_the_stalemate_alone(self) -> None:
        """In a recorded game an exchange is refused in every position but the last, where either card may go."""
        game = recorded_stalemate()
        for given_card in game["then"]["hand"]["w"]:
            master = begun(deal_of(game), ScriptedChance([0]))
            for one in game["moves"]:
                for seat in (WHITE, BLACK):
                    for card in VECTORS:
                        self.assertRaises(IllegalAction, master.act, seat, Exchange(card), 0)
                master.act(Seat(master.position.turn), as_move(*one), 0)
            self.assertRaises(IllegalAction, master.act, BLACK, Exchange(Card(given_card)), 0)
            self.assertRaises(IllegalAction, master.act, WHITE, Exchange(master.position.spare), 0)
            before = master.position
            [told] = master.act(WHITE, Exchange(Card(given_card)), 0)
            assert isinstance(told.event, Exchanged)
            self.assertEqual(told, To(Exchanged(WHITE, Card(given_card), told.event.new)))
            self.assertNotIn(told.event.new, {*before.hands[0], *before.hands[1], before.spare})
            self.assertEqual(master.position, before.exchanged(Card(given_card), told.event.new))
            self.assertEqual((master.position.turn, master.result), (BLACK, None))

    def test_one_draw_from_eleven(self) -> None:
        """The new card is any of the eleven that are not on the table: each from exactly one outcome of chance."""
        for exchanges in range(4):
            got = []
            for outcome in range(11):
                master = begun(DEAL, ScriptedChance([10] * exchanges + [outcome]))
                master.position = replace(master.position, board=NOBODY)
                for _ in range(exchanges):
                    turn = Seat(master.position.turn)
                    master.act(turn, Exchange(master.position.hands[turn][0]), 0)
                turn = Seat(master.position.turn)
                [told] = master.act(turn, Exchange(master.position.hands[turn][1]), 0)
                assert isinstance(told.event, Exchanged)
                got.append(told.event.new)
                lying = {*in_play(master), told.event.old} - {told.event.new}
            self.assertEqual((len(set(got)), set(got) & lying), (11, set()))

    def test_a_given_card_can_come_back(self) -> None:
        """The given card lies under the pack: it is not drawn in exchange for itself, but by the next exchange it may be."""
        master = begun(DEAL, ScriptedChance([10, 10]))
        master.position = replace(master.position, board=NOBODY)
        [first] = act(master, WHITE, "stalemate tiger")
        [second] = act(master, BLACK, "stalemate ox")
        assert isinstance(first.event, Exchanged) and isinstance(second.event, Exchanged)
        self.assertNotEqual(first.event.new, "tiger")
        self.assertEqual(second.event.new, "tiger")

    @given(st.randoms(use_true_random=False))
    def test_sixteen_cards(self, rng: random.Random) -> None:
        """However often cards are exchanged: five different ones on the table, eleven in the pack, one draw an exchange."""
        master, chance = self.stuck(rng)
        for _ in range(60):
            turn = Seat(master.position.turn)
            old = rng.choice(master.position.hands[turn])
            [told] = master.act(turn, Exchange(old), 0)
            assert isinstance(told.event, Exchanged)
            self.assertEqual(len(chance.take()), 1)
            self.assertEqual(len(set(in_play(master))), 5)
            self.assertIn(told.event.new, master.position.hands[turn])
            self.assertNotIn(old, in_play(master))
            self.assertEqual(sorted([*in_play(master), *master._pack]), sorted(VECTORS))

    @given(st.randoms(use_true_random=False))
    def test_moves_keep_the_five_cards(self, rng: random.Random) -> None:
        chance = SystemChance(rng.randrange)
        master = begun(chance=chance)
        chance.take()
        cards = sorted(in_play(master))
        while master.result is None and (moves := list(master.position.moves())):
            master.act(Seat(master.position.turn), rng.choice(moves), 0)
            self.assertEqual(sorted(in_play(master)), cards)
        self.assertEqual(chance.take(), ())

    def test_exchanged_for_the_spare(self) -> None:
        """With `exchange=spare` the spare comes to the hand, the given card is the spare, and nothing is drawn."""
        master = begun(DEAL, ScriptedChance(), exchange="spare")
        master.position = replace(master.position, board=NOBODY)
        before, pack = master.position, list(master._pack)
        self.assertEqual(act(master, WHITE, "stalemate tiger"), (To(Exchanged(WHITE, Card("tiger"), before.spare)),))
        self.assertEqual(master.position.spare, "tiger")
        self.assertEqual(master.position.hands[WHITE], (before.spare, before.hands[WHITE][1]))
        self.assertEqual((master.position.turn, master._pack), (BLACK, pack))

    def test_refused_exchanges_draw_nothing(self) -> None:
        master = begun(DEAL)
        self.assertRaises(IllegalAction, act, master, WHITE, "stalemate tiger")
        master.position = replace(master.position, board=NOBODY)
        self.assertRaises(IllegalAction, act, master, WHITE, "stalemate ox")
        self.assertRaises(IllegalAction, act, master, BLACK, "stalemate ox")


class SettingTests(PropertyCase):
    def test_deals_that_cannot_be(self) -> None:
        for deal in (
            "",
            "tiger",
            "tiger,crab/ox,eel",
            "tiger,crab/ox,eel/",
            "tiger,crab/ox,eel/frog/",
            "tiger,crab,ox/eel/frog",
            "tiger/crab,ox/eel,frog",
            "tiger,crab/ox,eel/frog,goose",
            "tiger,crab/ox,eel/crab",
            "tiger,tiger/ox,eel/frog",
            "tiger,crab/ox,eel/cat",
            "tiger, crab/ox,eel/frog",
            "tiger;crab/ox;eel/frog",
        ):
            error = self.assertRaises(BadOption, ONITAMA.check, {"deal": deal})
            self.assertIn("deal: expected", str(error))
            self.assertIn("boar,ox/elephant,horse/crab", str(error))
            self.assertIn("rooster", str(error))
            self.assertRaises(BadOption, ONITAMA.new_master, 2, {"deal": deal}, SystemChance())

    def test_a_draw_by_length(self) -> None:
        master = begun(DEAL, max_plies="3")
        act(master, WHITE, "tiger c1 c3")
        act(master, BLACK, "ox a5 a4")
        self.assertIs(master.result, None)
        act(master, WHITE, "crab c3 e3")
        self.assertEqual(master.result, Result((), Cause.RULES, "drawn after 3 plies"))

    def test_a_win_with_the_last_move(self) -> None:
        master = begun(DEAL, max_plies="1")
        master.position = replace(master.position, board=board_of("k....", ".....", "..K..", ".....", "....."))
        act(master, WHITE, "tiger c3 c5")
        result = master.result
        assert result is not None
        self.assertEqual(result.winners, (WHITE,))

    def test_an_exchange_counts(self) -> None:
        master = begun(DEAL, ScriptedChance([0]), max_plies="1")
        master.position = replace(master.position, board=NOBODY)
        act(master, WHITE, "stalemate tiger")
        result = master.result
        assert result is not None
        self.assertEqual(result.winners, ())

    def test_numbers_that_cannot_be(self) -> None:
        for text in ("0", "-1", "1000001", "many", "1.5", ""):
            self.assertIn("max_plies", str(self.assertRaises(BadOption, ONITAMA.check, {"max_plies": text})))
        ONITAMA.check({"max_plies": "1000000", "move_time": "0.5", "deal": DEAL})

    def test_a_thousand_plies_by_default(self) -> None:
        rng = random.Random(1)
        master = begun(chance=SystemChance(rng.randrange))
        master.position = replace(master.position, board=NOBODY)
        turns = 0
        while master.result is None:
            turn = Seat(master.position.turn)
            master.act(turn, Exchange(master.position.hands[turn][0]), 0)
            turns += 1
        self.assertEqual(turns, 1000)


class NotationTests(PropertyCase):
    def test_written(self) -> None:
        for action, notation in ((Move(Card("tiger"), 2, 12), b"tiger c1 c3"), (Exchange(Card("ox")), b"stalemate ox")):
            self.assertEqual(ONITAMA.write(action), notation)
            self.assertEqual(ONITAMA.read(notation), action)

    def test_not_the_notation(self) -> None:
        for notation in (
            b"",
            b"tiger",
            b"tiger c1",
            b"tiger c1 c6",
            b"tiger c1 c3 ",
            b" tiger c1 c3",
            b"tiger  c1 c3",
            b"tiger c1 c3\n",
            b"TIGER c1 c3",
            b"cat c1 c3",
            b"stalemate",
            b"stalemate cat",
            b"stalemate ox ox",
            b"stalemate c1 c3",
            b"tig\xe9r c1 c3",
        ):
            self.assertRaises(ValueError, ONITAMA.read, notation)
        self.assertNotIn("sEcReT", str(self.assertRaises(ValueError, ONITAMA.read, b"sEcReT c1 c3")))


# Onitama as other programs see it.


class MessagesTests(MessagesContract, PropertyCase):
    messages = MESSAGES
    player = MasterTests()

    def test_messages(self) -> None:
        position = Position(((Card("ox"), Card("boar")), (Card("eel"), Card("crab"))), Card("tiger"))
        for event, text in (
            (Dealt(position), '{"kind":"dealt","hands":[["boar","ox"],["crab","eel"]],"spare":"tiger"}'),
            (Moved(Seat(0), Move(Card("ox"), 2, 7)), '{"kind":"moved","seat":0,"card":"ox","from":"c1","to":"c2"}'),
            (Exchanged(Seat(1), Card("eel"), Card("rat")), '{"kind":"exchanged","seat":1,"old":"eel","new":"rat"}'),
        ):
            self.assertEqual(msgspec.json.encode(MESSAGES.event(event)).decode(), text)

    def test_view(self) -> None:
        master = ONITAMA.new_master(2, {"deal": "boar,ox/crab,eel/tiger"}, None)  # type: ignore[arg-type]
        master.begin(0)
        board = "PPKPP" + "." * 15 + "ppkpp"
        expected = {"board": board, "hands": (["boar", "ox"], ["crab", "eel"]), "spare": "tiger", "turn": 0}
        self.assertEqual(self.shown(master), expected)


# The picture of Onitama.


class PictureTests(PictureContract, PropertyCase):
    player = MasterTests()

    def test_the_start(self) -> None:
        drawn = picture(ONITAMA, record_of(self.player, 1, 0, deal="tiger,crab/ox,eel/frog"))
        self.assertEqual(len([title for title in titles(drawn) if " on " in title]), START.count("p") * 2 + 2)
        self.assertIn("master on c1", titles(drawn))
        shown = words(drawn)
        for word in ("tiger", "crab", "ox", "eel", "frog", "next", "a", "e", "1", "5", "ann is to move."):
            self.assertIn(word, shown)
        self.assertNotIn('class="last"', drawn)

    def test_the_last_move(self) -> None:
        record = record_of(self.player, 2, 3)
        drawn = picture(ONITAMA, record)
        self.assertEqual(drawn.count('class="last"'), 2)
        self.assertEqual(words(drawn)[-1], f"3. {record.entries[-1].notation.decode()}")

    def test_the_asking_seat_sits_below(self) -> None:
        record = record_of(self.player, 1, 0)
        upper = [parsed(picture(ONITAMA, record, seat=seat)) for seat in (None, Seat(0), Seat(1))]
        texts = [
            ["".join(text.itertext()) for text in root.iter() if "name" in text.attrib.get("class", "")]
            for root in upper
        ]
        self.assertEqual(texts, [["bobBlack", "annWhite"], ["bobBlack", "annWhite"], ["annWhite", "bobBlack"]])

    def test_the_end(self) -> None:
        drawn = picture(ONITAMA, record_of(self.player, 3, 200))
        self.assertIn("won", words(drawn))
        self.assertTrue(any(" won: the master " in line for line in words(drawn)))
