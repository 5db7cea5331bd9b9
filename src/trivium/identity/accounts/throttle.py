"""Counting tries in the database: all workers and nodes see one count, and a restart forgets none.

A subject is kept as a digest: the table tells nobody which names and addresses were tried.
"""

from hashlib import sha256

from trivium.identity.accounts import store
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import Device
from trivium.identity.accounts.throttle_policy import (
    CHALLENGES,
    KEY_LETTERS,
    LETTERS_FROM,
    LETTERS_TO,
    PER_ACCOUNT,
    PER_ADDRESS,
    PER_FACTOR,
    Limit,
    another,
    forgiven,
    network_of,
)
from trivium.storage.database import Connection

Subject = tuple[Limit, bytes]
"""Who is counted, and by which limit."""


def of_typed(typed: str) -> Subject:
    """Passwords for a name or an address as spelt: counts of users would tell who exists."""
    return PER_ACCOUNT, _digest("typed", typed.lower() if "@" in typed else typed)


def of_device(device: Device) -> Subject:
    """Passwords of the user of a browser, typed in that browser."""
    return PER_ACCOUNT, _digest("device", f"{device.user_id}:{device.value}")


def of_user(user_id: int) -> Subject:
    """Passwords of somebody who is logged in and proves it again."""
    return PER_ACCOUNT, _digest("user", user_id)


def of_factor(user_id: int) -> Subject:
    """Second factors of one user."""
    return PER_FACTOR, _digest("factor", user_id)


def of_address(address: str) -> Subject | None:
    """Logins from one IP address; ``None`` when it is not known."""
    return (PER_ADDRESS, _digest("address", network_of(address))) if address else None


def of_challenges(address: str) -> Subject | None:
    """Logins begun from one IP address; ``None`` when it is not known."""
    return (CHALLENGES, _digest("challenges", network_of(address))) if address else None


def of_mailbox(email: str) -> Subject:
    """Letters to one mailbox."""
    return LETTERS_TO, _digest("mailbox", email)


def of_warnings(user_id: int) -> Subject:
    """Letters to one user about what applications did. Apart from those that strangers ask for: an
    application must not be able to use up somebody's password reset.
    """
    return LETTERS_TO, _digest("warnings", user_id)


def of_budget(user_id: int, scope: str) -> Subject:
    """Letters to one user about one budget: a window that is spent and free again by turns must not
    fill a mailbox.
    """
    return LETTERS_TO, _digest("budget", f"{user_id}:{scope}")


def of_key_budgets(user_id: int) -> Subject:
    """Letters to one user about budgets of keys, which anybody may make as many of as they like."""
    return KEY_LETTERS, _digest("key budgets", user_id)


def of_sender(address: str) -> Subject | None:
    """Letters asked for from one IP address; ``None`` when it is not known."""
    return (LETTERS_FROM, _digest("letters", network_of(address))) if address else None


async def count(conn: Connection, now: int, *subjects: Subject | None) -> AccountError | None:
    """Count one try for every subject, or for none of them and say why.

    What is returned is to be raised *after* the transaction, which would be undone otherwise.
    Subjects are held in a fixed order, so that two tries cannot wait for each other.
    """
    counted = []
    wait_s = 0
    for limit, subject in sorted((s for s in subjects if s), key=lambda s: s[1]):
        known = await store.seen(conn, subject)
        more = another(limit, known, now)
        if more is None:
            wait_s = max(wait_s, known.until - now)
        else:
            counted.append((subject, more))
    if wait_s:
        return AccountError(AccountRefusal.TOO_MANY_TRIES, wait_s)
    for subject, more in counted:
        await store.keep(conn, subject, more)
    return None


async def forgive(conn: Connection, subject: Subject | None) -> None:
    """Take one try back that turned out well."""
    if subject is not None:
        limit, key = subject
        await store.keep(conn, key, forgiven(limit, await store.seen(conn, key)))


async def forget(conn: Connection, *subjects: Subject) -> None:
    """Begin anew: whoever is counted has proved to be the owner."""
    for key in sorted({key for _, key in subjects}):
        await store.forget(conn, key)


def _digest(kind: str, who: object) -> bytes:
    return sha256(f"{kind}\0{who}".encode("utf-8", "replace")).digest()
