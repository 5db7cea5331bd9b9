"""Announcements: made and removed by administrators, seen and dismissed by everybody."""

from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.identity.announcements import store
from trivium.identity.announcements.model import (
    KEPT_MAX,
    MOMENT_MAX,
    SHOWN_MAX,
    TEXT_CHARS_MAX,
    Announcement,
    Level,
)
from trivium.identity.errors import IdentityError
from trivium.identity.revocation import LogAct, log_nothing
from trivium.observe.audit.model import ActKind
from trivium.storage.database import Database

FRESH_S: Final = 5.0
"""For so long a worker believes what it read: every page of everybody asks."""


class Announcements:
    """Announcements in the database. Storage faults pass through as they are."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._shown: tuple[Announcement, ...] = ()
        self._until = 0.0

    async def make(
        self,
        text: str,
        level: Level = Level.INFO,
        starts_at: int | None = None,
        ends_at: int | None = None,
        log_act: LogAct = log_nothing,
    ) -> Announcement:
        """A new announcement; from now on unless it says otherwise.

        Raises ``IdentityError`` (``text``, ``starts_at``, ``ends_at``, ``announcements``).
        """
        now = int(self._clock.now())
        lines = [" ".join(line.split()) for line in text.strip().splitlines()]
        said = "\n".join(lines)
        if not 0 < len(said) <= TEXT_CHARS_MAX or not "".join(lines).isprintable():
            raise IdentityError("text", f"must be 1 to {TEXT_CHARS_MAX} printable characters")
        begins = now if starts_at is None else starts_at
        if not 0 <= begins <= MOMENT_MAX:
            raise IdentityError("starts_at", "must be seconds since the epoch")
        if ends_at is not None and not max(begins, now) < ends_at <= MOMENT_MAX:
            raise IdentityError("ends_at", "must lie ahead, and behind its beginning")
        made = Announcement(
            id=0, text=said, level=level, starts_at=begins, ends_at=ends_at, created_at=now
        )
        async with self._db.write() as conn:
            if await store.count(conn) >= KEPT_MAX:
                raise IdentityError("announcements", f"are {KEPT_MAX} already; remove one first")
            made = msgspec.structs.replace(made, id=await store.put(conn, made))
            what = f"announcement:{made.id}"
            told = {"level": level.value, "text": said[:200]}
            await log_act(conn, ActKind.ANNOUNCEMENT_MADE, None, what, told)
        self._until = 0.0
        return made

    async def all(self) -> list[Announcement]:
        """Those that are kept, newest first: at most ``KEPT_MAX``."""
        async with self._db.read() as conn:
            return await store.newest(conn)

    async def remove(self, announcement_id: int, log_act: LogAct = log_nothing) -> None:
        """Remove one for everybody. Raises ``IdentityError`` (``announcement``)."""
        async with self._db.write() as conn:
            if not await store.remove(conn, announcement_id):
                raise IdentityError("announcement", "is not there")
            what = f"announcement:{announcement_id}"
            await log_act(conn, ActKind.ANNOUNCEMENT_ENDED, None, what)
        self._until = 0.0

    async def shown_to(self, user_id: int) -> list[Announcement]:
        """What somebody sees now: the newest that they have not dismissed."""
        now = self._clock.now()
        if not self._until - FRESH_S <= now < self._until:
            async with self._db.read() as conn:
                self._shown = tuple(await store.shown(conn, int(now), SHOWN_MAX))
            self._until = now + FRESH_S
        found = [each for each in self._shown if each.state(now) == "shown"]
        if not found:
            return []
        async with self._db.read() as conn:
            gone = await store.dismissed(conn, [each.id for each in found], user_id)
        return [each for each in found if each.id not in gone]

    async def dismiss(self, announcement_id: int, user_id: int) -> None:
        """Show one to somebody no more. One that is gone is none."""
        async with self._db.write() as conn:
            await store.dismiss(conn, announcement_id, user_id, int(self._clock.now()))
