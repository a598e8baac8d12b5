"""A log-in service whose clock and worker the test controls."""

from contextlib import nullcontext

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import LoginAttempt, LoginOutcome, LoginRefused, LoginService
from gamehost.accounts.proofs import MemoryProofs, ProvenLogins
from gamehost.limits import Limits
from tests.kit.accounts_contract import CHEAP
from tests.kit.journals import RecordingJournal
from tests.kit.workers import HeldWorker

HOME, AWAY = "192.0.2.1", "198.51.100.7"


class ServiceCase(SynchronousTestCase):
    """A service over accounts in memory, with a clock and a worker that the test controls."""

    def setUp(self) -> None:
        self.accounts = RecordingJournal()
        self.clock = Clock()
        self.worker = HeldWorker()
        self.guests: set[str] = set()
        self.seated: set[str] = set()
        self.proofs = MemoryProofs()
        self.login_service = self.new_service()

    def new_service(self, **limits: str) -> LoginService:
        return LoginService(
            self.accounts,
            self.guests.__contains__,
            self.clock,
            self.worker,
            Limits.read(limits),
            nullcontext(),
            CHEAP,
            proven=ProvenLogins(b"key", self.proofs, self.clock.seconds),
            is_seated=self.seated.__contains__,
        )

    def begin(
        self, name: str, password: str, address: str = HOME, strong: bool = False
    ) -> tuple[list[LoginOutcome], LoginAttempt]:
        """A log-in, and the list that its answer will be in."""
        answers: list[LoginOutcome] = []
        return answers, self.login_service.log_in(name, password, address, answers.append, strong=strong)

    def judged(self, name: str, password: str, address: str = HOME, strong: bool = False) -> LoginOutcome:
        """A log-in and all the work for it."""
        answers, _ = self.begin(name, password, address, strong)
        self.worker.release()
        [answer] = answers
        return answer

    def assert_refused(self, verdict: LoginOutcome, words: str) -> None:
        assert isinstance(verdict, LoginRefused), verdict
        self.assertIn(words, verdict.reason)
