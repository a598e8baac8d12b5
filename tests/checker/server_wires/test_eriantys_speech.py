"""What counts as the same message of Eriantys, and the ids of games."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.server_checks import JsonSpeech
from gamehost.wires.eriantys.values import Color, Communication, Error, GameInfo


class SpeechTests(SynchronousTestCase):
    """Messages without what another server may do differently."""

    def test_extensions(self) -> None:
        """Keys are left out, and so are values that the document does not have."""
        speech = JsonSpeech()
        error = m.ErrorMessage(Error.WRONG_TURN, "another player is asked now")
        self.assertEqual(speech.documented(error), m.ErrorMessage(Error.WRONG_TURN))
        self.assertEqual(speech.documented(m.WhereToMove(12)), m.WhereToMove())
        self.assertIsNone(speech.documented(m.CommunicationMessage(Communication.LAST_ROUND)))
        self.assertTrue(speech.comes_at_any_time(m.Ping()))

    def test_order_and_words(self) -> None:
        """A list of students has no order, and a reason any words."""
        speech = JsonSpeech()
        one, other = (
            m.MovableStudents((Color.RED, *more)) for more in ((Color.BLUE, Color.RED), (Color.RED, Color.BLUE))
        )
        self.assertEqual(speech.canonical(one), speech.canonical(other))
        self.assertEqual(speech.canonical(m.CommunicateWinner(None, "", "A tie.")), m.CommunicateWinner(None, "", ""))

    def test_replies(self) -> None:
        """A client confirms what it must, and answers Ping."""
        speech = JsonSpeech()
        self.assertEqual(speech.replies(m.Ping()), (m.Pong(),))
        self.assertEqual(speech.replies(m.EndOfRound(1)), (m.Acknowledgement(),))
        self.assertEqual(speech.replies(m.CommunicationMessage(Communication.CLOSING_GAME)), (m.Acknowledgement(),))
        self.assertEqual(speech.replies(m.CommunicationMessage(Communication.SUCCESS)), ())

    def test_ids(self) -> None:
        """The replica's id becomes the server's, and back; games of others are not looked at."""
        speech = JsonSpeech()
        self.assertEqual(speech.with_id(m.WaitingForPlayers(1), "77"), m.WaitingForPlayers(77))
        self.assertEqual(speech.with_id(m.JoinAvailableGame(77), "77"), m.JoinAvailableGame(1))
        own, others = GameInfo(1, 1, 2, False), GameInfo(5, 1, 2, False)
        games = speech.with_id(m.AvailableGames((own, others)), "77")
        self.assertEqual(speech.canonical(games), m.AvailableGames((GameInfo(77, 1, 2, False),)))
