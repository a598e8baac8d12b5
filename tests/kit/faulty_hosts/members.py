"""
Members of a cluster with a fault, for tests of the tests. The environment's `FAULT` says which one.
"""

import os
from collections.abc import Callable
from typing import Any

from gamehost.__main__ import main
from gamehost.storage import names as judging
from gamehost.storage.postgresql import lives, opening, registry
from gamehost.storage.postgresql.session import Session

_lock: Any = Session.lock
_look: Any = judging.Judge.look


def take_from_the_living() -> None:
    """The leader takes over from a member that lives, when it is a few seconds old, and looks at no lock."""
    looks = [0]

    def look(self: judging.Judge, seen: Any, now: float) -> judging.Verdict:
        verdict: judging.Verdict = _look(self, seen, now)
        looks[0] += 1
        if looks[0] < 12 or not verdict.may_inherit or len(verdict.members) < 2:
            return verdict
        looks[0] = 0
        members = verdict.members
        return judging.Verdict(members[:-1], [members[-1].epoch], verdict.hanging, True, True)

    judging.Judge.look = look  # type: ignore[method-assign]
    vars(lives).update(_has_ended=lambda session, epoch: True)


def judge_at_once() -> None:
    """After a lost connection, it does not wait before it judges others."""
    judging.Judge.line_lost = lambda self, now: None  # type: ignore[method-assign]


def forget_the_lock() -> None:
    """After a lost connection, one member does not take the lock of its life again."""
    if os.environ["GAMEHOST_PLACE"] != "1":
        return
    resumed: Any = opening.Life._resumed

    def resume_without(self: opening.Life, until: float) -> Session:
        skipped = self.epoch

        def lock(session: Session, number: int, *more: Any, **words: Any) -> bool:
            return True if number == skipped else _lock(session, number, *more, **words)

        Session.lock = lock  # type: ignore[method-assign, assignment]
        try:
            session: Session = resumed(self, until)
        finally:
            Session.lock = _lock  # type: ignore[method-assign]
        return session

    opening.Life._resumed = resume_without  # type: ignore[method-assign]


def claim_without_a_lock() -> None:
    """Names are changed without the lock of the cluster, and slowly."""
    from gamehost.storage.postgresql import registry as name_rows

    read: Any = name_rows._read

    def slowly(session: Session, *arguments: Any) -> Any:
        found = read(session, *arguments)
        session.rows("SELECT pg_sleep(0.02)")
        return found

    vars(lives).update(lock_cluster=lambda session: None)
    vars(name_rows).update(_read=slowly)


def keep_relays() -> None:
    """Connections to a member that does not live any more are not cut."""
    from gamehost.cluster.relay import Relays

    Relays.cut_all_but = lambda self, living: None  # type: ignore[method-assign]


def stay_silent() -> None:
    """Nobody notices a member that hangs."""
    vars(registry).update(cut_off=lambda session, epoch: None)


FAULTS: dict[str, Callable[[], None]] = {
    "take from the living": take_from_the_living,
    "judge at once": judge_at_once,
    "forget the lock": forget_the_lock,
    "claim without a lock": claim_without_a_lock,
    "keep relays": keep_relays,
    "stay silent": stay_silent,
}

if __name__ == "__main__":
    FAULTS[os.environ["FAULT"]]()
    main()
