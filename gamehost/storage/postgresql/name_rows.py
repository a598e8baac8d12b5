"""
The names of a cluster and those who wait, as rows: what a group of requests reads, and what it writes.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gamehost.accounts.passwords import Account
from gamehost.storage.members import Offer
from gamehost.storage.names import NEW, Claim, Home, Request, Rows, Transfer, carry_out, keys_of
from gamehost.storage.notes import ACCOUNT_COLUMNS, account_of
from gamehost.storage.postgresql.lives import changing
from gamehost.storage.postgresql.session import Session

_HOMES = """
    SELECT key, home, settled, member.ended IS NULL FROM session JOIN member ON epoch = home WHERE key = ANY(%s)"""
_OFFERS = """
    SELECT key, game, pool, home, movable, id, member.ended IS NULL FROM seeking JOIN member ON epoch = home ORDER BY id"""


def carry_out_group(
    session: Session, requests: Sequence[Request], me: int, gone: Collection[int]
) -> tuple[list[int | bool | None], Mapping[str, Account]]:
    """
    Carry out requests in one transaction.

    :param gone: members that do not live any more, although their end is not noted yet
    :returns: the results, and the accounts whose names were claimed
    :raises StoreFailed: this life was ended by another member
    """
    with changing(session, me):
        before = _read(session, requests, gone)
        results, after = carry_out(requests, before, me)
        _write_homes(session, before.homes, after.homes, me)
        _write_offers(session, before.offers, after.offers)
        claimed = [one.key for one, result in zip(requests, results, strict=True) if isinstance(one, Claim) and result]
        return results, read_accounts_of(session, claimed)


def read_offers(session: Session) -> list[Offer]:
    """All who wait, the oldest first."""
    return [_offer(row) for row in session.rows(_OFFERS)]


def read_accounts_of(session: Session, keys: Collection[str]) -> dict[str, Account]:
    """The accounts that have these keys."""
    if not keys:
        return {}
    columns = session.rows(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE key = ANY(%s)", (list(keys),))
    return {account.key: account for account in (account_of(*row) for row in columns)}


def _offer(row: Sequence[Any]) -> Offer:
    key, game, pool, home, movable, order, _ = row
    return Offer(key, (game, pool), home, movable, order)


def _read(session: Session, requests: Sequence[Request], gone: Collection[int]) -> Rows:
    homes = session.rows(_HOMES, (sorted(keys_of(requests)),))
    in_queue = any(not (isinstance(one, Claim) and one.queue is None) for one in requests)
    offers = session.rows(_OFFERS) if in_queue else []
    living = {row[1] for row in homes if row[3]} | {row[3] for row in offers if row[6]}
    if targets := [one.home for one in requests if isinstance(one, Transfer)]:
        alive = session.rows("SELECT epoch FROM member WHERE epoch = ANY(%s) AND ended IS NULL", (targets,))
        living.update(row[0] for row in alive)
    return Rows(
        {key: Home(home, settled) for key, home, settled, _ in homes},
        {row[0]: _offer(row) for row in offers},
        living.difference(gone),
    )


def _write_homes(session: Session, before: Mapping[str, Home], after: Mapping[str, Home], me: int) -> None:
    if gone := [key for key in before if key not in after]:
        session.run("DELETE FROM session WHERE key = ANY(%s) AND home = %s", (gone, me))
    if new := [(key, home.member) for key, home in after.items() if key not in before]:
        # If there is a row in spite of the lock, the primary key refuses this.
        session.run(
            "INSERT INTO session(key, home) SELECT * FROM unnest(%s::text[], %s::int8[])",
            ([key for key, _ in new], [home for _, home in new]),
        )
    for key, home in after.items():
        if key in before and before[key] != home:
            session.run("UPDATE session SET home = %s WHERE key = %s AND home = %s", (home.member, key, me))


def _write_offers(session: Session, before: Mapping[str, Offer], after: Mapping[str, Offer]) -> None:
    if gone := [key for key in before if key not in after or after[key].order == NEW]:
        session.run("DELETE FROM seeking WHERE key = ANY(%s)", (gone,))
    for key, offer in after.items():
        if offer.order == NEW:
            session.run(
                "INSERT INTO seeking(key, game, pool, home, movable) VALUES (%s, %s, %s, %s, %s)",
                (key, *offer.queue, offer.home, offer.movable),
            )
        elif offer != before[key]:
            session.run("UPDATE seeking SET movable = %s WHERE key = %s", (offer.movable, key))
