"""The first administrator: a gateway that has none prints a link, once a start, that makes one.

Whoever reads the log of a start, or its terminal, runs the gateway. The link is good for a day,
once, and for nothing as soon as there is an administrator, however that one was made.
"""

from typing import Final

from trivium.clock import Clock
from trivium.identity import store as users_store
from trivium.storage.database import Database

PATH: Final = "/setup/"
TOGETHER_S: Final = 30
"""Workers that start within so many seconds print one link between them."""


async def first_link(database: Database, clock: Clock) -> str | None:
    """The path of a new link; ``None`` where there is an administrator, or another worker has just
    printed one. Raises the storage errors.
    """
    async with database.read() as conn:
        if await users_store.has_administrator(conn):
            return None
    # most gateways have one, and no use for accounts until somebody opens a page
    from trivium.identity.accounts import store
    from trivium.identity.accounts.tickets import TicketPurpose, Tickets

    async with database.write() as conn:
        since = int(clock.now()) - TOGETHER_S
        if await store.has_ticket_since(conn, TicketPurpose.SETUP.value, since):
            return None
        return PATH + await Tickets(clock).issue(conn, TicketPurpose.SETUP)
