"""Deletes what has expired, in small transactions with pauses between them."""

from typing import Final

import structlog

from trivium.oauth.admin import store as admin
from trivium.oauth.apps import store as apps
from trivium.oauth.consent import store as consent
from trivium.oauth.developer import store as developer
from trivium.oauth.tokens import store as tokens
from trivium.storage.periodic import PAUSE_S, Sweeper

BATCH: Final = 500
"""Tokens of a kind a transaction."""
DAY_S: Final = 86_400
CODES_S: Final = DAY_S
"""How long an expired code is known, so that its second use is recognised."""
ENDED_S: Final = 90 * DAY_S
"""How long ended tokens of developers and machines, and families with what happened to them, can be
looked at."""
REVOKED_S: Final = 400 * DAY_S
"""How long it is known that consent was taken back."""

log = structlog.get_logger()


class OAuthSweeper(Sweeper):
    """Keeps the tables of the OAuth service small."""

    what = "oauth"
    every_s = 300.0

    async def round(self, now: float | None = None) -> int:
        """Delete everything that is due; how many rows. Raises what ``Database.write`` raises."""
        now = self._second(now)
        async with self._db.write() as conn:
            swept = await apps.sweep_secrets(conn, now)
            swept += await developer.sweep(conn, now - ENDED_S)
            swept += await admin.sweep(conn, now - ENDED_S)
            swept += await consent.sweep(conn, now, now - CODES_S, now - REVOKED_S)
        while True:
            async with self._db.write() as conn:
                rows = await tokens.sweep(conn, now, now - ENDED_S, BATCH)
            swept += rows
            if rows < BATCH:
                break
            await self._sleep(PAUSE_S)
        if swept:
            log.info("oauth_swept", rows=swept)
        return swept
