"""Requests to a registry, and their answers."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.names import (
    ASK_UNTIL,
    Answer,
    Asked,
    Claim,
    NewNumbers,
    Release,
    Requests,
    Settle,
    Transfer,
    Wait,
    WaitNoLonger,
)

QUEUE = ("onitama", "")


class Kept(Requests):
    """Requests that nobody carries out."""

    def __init__(self, epoch: int) -> None:
        super().__init__(epoch)
        self.asked: list[Asked] = []

    def _put(self, asked: Asked) -> None:
        self.asked.append(asked)


class RequestsTests(SynchronousTestCase):
    """The host's side of a registry."""

    def setUp(self) -> None:
        self.requests = Kept(1)
        self.answers: list[Any] = []

    def answer(self, result: object) -> None:
        """Answer the first request that was not answered yet."""
        self.requests.answer(self.requests.asked.pop(0), result)

    def test_every_request_is_put_in_order(self) -> None:
        """And answered, if somebody waits for the answer."""
        keep = self.answers.append
        self.requests.claim("ann", QUEUE, keep)
        self.requests.waits("ann", QUEUE, False)
        self.requests.waits_no_longer("ann")
        self.requests.transfer("ann", 2, keep)
        self.requests.release(["ann", "bob"])
        self.requests.release([])
        self.requests.new_numbers(64, keep)
        self.requests.settle(["eve"])
        wanted = [Claim("ann", QUEUE), Wait("ann", QUEUE, False), WaitNoLonger("ann"), Transfer("ann", 2)]
        more = [Release(("ann", "bob")), NewNumbers(64), Settle(("eve",))]
        self.assertEqual([asked.request for asked in self.requests.asked], [*wanted, *more])
        for result in (Answer(2), None, None, True, None, range(1, 65), None):
            self.answer(result)
        self.assertEqual(self.answers, [Answer(2), True, range(1, 65)])

    def test_a_name_that_was_given_away_meanwhile(self) -> None:
        """The claim said `here`, and then the host released the name or moved it away: the claim is made again."""
        for give_away in (lambda: self.requests.release(["ann"]), lambda: self.requests.transfer("ann", 2, print)):
            self.requests.asked.clear()
            self.requests.claim("ann", None, self.answers.append)
            self.requests.claim("bob", None, self.answers.append)
            give_away()
            self.answer(Answer(1))
            self.assertEqual(self.answers, [])
            self.assertEqual(self.requests.asked[-1].request, Claim("ann", None))
            self.answer(Answer(1))
            self.requests.asked.pop(0)
            self.answer(Answer(2))
            self.assertEqual(self.answers, [Answer(1), Answer(2)])
            self.answers.clear()

    def test_another_answer_stays(self) -> None:
        """If the claim had another answer than `here`, it is not made again."""
        for result in (Answer(3), None):
            self.requests.claim("ann", None, self.answers.append)
            self.requests.release(["ann"])
            self.answer(result)
            self.requests.asked.clear()
        self.assertEqual(self.answers, [Answer(3), None])

    def test_claims_are_given_up(self) -> None:
        """Ten seconds after they were tried first."""
        asked = Asked(Claim("ann", None), self.answers.append)
        self.assertFalse(asked.is_given_up(50.0))
        self.assertFalse(asked.is_given_up(49.9 + ASK_UNTIL))
        self.assertTrue(asked.is_given_up(50.0 + ASK_UNTIL))
