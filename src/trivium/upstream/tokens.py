"""Tokens that vendors give for a while: fetched once for all who wait, renewed ahead of need.

A request waits only where there is no valid token. While one is used it is renewed before it ends,
by a timer or by a request that finds it old and goes on with it; one that nobody uses is let go.
"""

import asyncio
from typing import Final
from urllib.parse import urlsplit

import structlog

from trivium.clock import Clock
from trivium.faults import Fault, Kind
from trivium.providers.credential import Renewed, TokenRequest
from trivium.routing.model import Channel, TimeLimits
from trivium.upstream import buffered_call
from trivium.upstream.buffered_call import BufferedCall
from trivium.upstream.call import Client
from trivium.upstream.request import Draft, Origin, Request
from trivium.upstream.request_writer import checked_line, written

log = structlog.get_logger(__name__)

AHEAD_S: Final = 300.0
"""A token is renewed so long before its end, or in the last fifth of a shorter life."""
MARGIN_S: Final = 10.0
"""So long before its end it is taken for ended, or in the last twentieth: a request takes time to
arrive, and clocks differ."""
PAUSE_S: Final = 1.0
PAUSE_MAX_S: Final = 60.0
"""Between two attempts to renew where the service fails; doubled each time."""
REFUSED_S: Final = 30.0
"""After a vendor's 401 had a token renewed, another 401 has it renewed again so much later at the
soonest: what the vendor refuses then is not the token's age."""
SOURCES_MAX: Final = 1_024
"""Accounts whose tokens are kept; all go when it is exceeded."""
_ANSWER_BYTES_MAX: Final = 1_048_576
_ANSWER_S: Final = 15.0
_PORTS: Final = {"http": 80, "https": 443}


def revealed(channel: Channel, credential: int) -> dict[str, str]:
    """The parts of one of a channel's secrets, by name."""
    parts = {name: secret.reveal() for name, secret in channel.parts.items()}
    if channel.credentials:
        parts["api_key"] = channel.credentials[credential].reveal()
    return parts


class VendorTokens:
    """The tokens of every account."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._sources: dict[tuple[object, ...], TokenSource] = {}

    def of(self, draft: Draft, kind: Renewed) -> "TokenSource":
        """The account whose token a request is to carry. A reload of the settings keeps it."""
        channel = draft.channel
        key = (
            channel.provider.name,
            channel.base_url,
            channel.proxy,
            channel.credentials[draft.credential] if channel.credentials else None,
            *channel.parts.items(),
        )
        found = self._sources.get(key)
        if found is None:
            if len(self._sources) >= SOURCES_MAX:
                self.close()
            found = TokenSource(self._client, self._clock, channel, draft.credential, kind)
            self._sources[key] = found
        return found

    def close(self) -> None:
        """Renew nothing any more, and forget all of them."""
        for source in self._sources.values():
            source.close()
        self._sources.clear()


class TokenSource:
    """Gets one account's access token, and renews it in time."""

    def __init__(
        self, client: Client, clock: Clock, channel: Channel, credential: int, kind: Renewed
    ) -> None:
        self._client = client
        self._clock = clock
        self._channel = channel
        self._credential = credential
        self._kind = kind
        self._loop = asyncio.get_running_loop()
        self._token = ""
        self._until = self._renew_at = self._pause_until = self._refused_until = 0.0
        """The loop's seconds."""
        self._pause_s = PAUSE_S
        self._is_used = False
        """Whether a request has had the token since it was fetched."""
        self._fault: tuple[Kind, str] | None = None
        """Why the last renewal failed."""
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def valid(self) -> str | None:
        """The token, ``None`` where it must be waited for. One that is old is renewed meanwhile."""
        now = self._loop.time()
        if now >= self._until:
            return None
        self._is_used = True
        if now >= self._renew_at:
            self._begin(now)
        return self._token

    async def wait(self) -> str:
        """A valid token. Raises ``Fault`` where none can be had."""
        token = self.valid()
        if token is None:
            self._begin(self._loop.time())
            token = await self._outcome()
        if token is None:
            kind, message = self._fault or (Kind.UPSTREAM_CREDENTIAL, _REFUSED)
            raise Fault(kind, message)
        return token

    async def another(self, refused: str) -> str | None:
        """The token to use instead of one that the vendor refused; ``None``: there is no other.

        Raises ``Fault`` where none can be had.
        """
        now = self._loop.time()
        if self._task is None and self._token == refused:
            if now < self._refused_until:
                return None
            self._refused_until = now + REFUSED_S
            self._until = 0.0
        token = await self.wait()
        return None if token == refused else token

    def close(self) -> None:
        """Renew it no more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    def _begin(self, now: float) -> None:
        if self._task is None and now >= self._pause_until:
            self._task = self._loop.create_task(self._renew(), name="token")

    async def _outcome(self) -> str | None:
        """The token once the renewal that is under way has ended."""
        task = self._task
        if task is not None:
            await asyncio.wait((task,))  # who waits may be cancelled: the renewal goes on
        return self.valid()

    async def _renew(self) -> None:
        """Fetch a token; failures are kept and told to whoever waits."""
        try:
            await self._fetch()
        except Fault as fault:
            self._failed(fault.kind, fault.message, fault.message)
        except ValueError as error:
            self._failed(Kind.UPSTREAM_CREDENTIAL, _REFUSED, str(error))
        except Exception:
            log.exception("token_failed", channel=self._channel.name)
            self._failed(Kind.UPSTREAM_CREDENTIAL, _REFUSED, "the provider's code failed")
        finally:
            self._task = None

    async def _fetch(self) -> None:
        asked = self._kind.ask(revealed(self._channel, self._credential), self._clock.now())
        taker = BufferedCall(self._loop.create_future(), _ANSWER_BYTES_MAX)
        await buffered_call.run(self._client, _request(asked, self._channel), taker)
        if not 200 <= taker.status < 300:
            kind = Kind.UPSTREAM_CREDENTIAL
            if taker.status >= 500 or taker.status == 429:
                kind = Kind.UPSTREAM_OVERLOADED
            log.warning("token_refused", channel=self._channel.name, status=taker.status)
            raise Fault(kind, _REFUSED)
        token = self._kind.read(b"".join(taker.parts))
        checked_line("token", token.value)
        now, life = self._loop.time(), token.life_s
        if not token.value or life <= 0:
            raise ValueError("the token service gave a token that is over already")
        self._token = token.value
        self._until = now + life - min(life / 20, MARGIN_S)
        renew_s = life - min(life / 5, AHEAD_S)
        self._renew_at = now + renew_s
        self._fault, self._pause_s, self._pause_until = None, PAUSE_S, 0.0
        self._is_used = False
        self._later(renew_s)

    def _failed(self, kind: Kind, message: str, why: str) -> None:
        log.warning("token_not_renewed", channel=self._channel.name, why=why)
        self._fault = (kind, message)
        self._pause_until = self._loop.time() + self._pause_s
        self._later(self._pause_s)
        self._pause_s = min(2 * self._pause_s, PAUSE_MAX_S)

    def _later(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._due)

    def _due(self) -> None:
        """Renew a token that is in use, while it holds."""
        now = self._loop.time()
        if self._is_used and now < self._until:
            self._begin(now)


_REFUSED: Final = "The upstream's token service gave the gateway no token."


def _request(asked: TokenRequest, channel: Channel) -> Request:
    """Raises ``ValueError`` for what cannot be written."""
    parts = urlsplit(asked.url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError("the token service's address must begin with https:// or http://")
    port = parts.port or _PORTS[parts.scheme]
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [checked_line("host", parts.netloc), (b"accept", b"application/json")]
    lines += [checked_line(name, value) for name, value in asked.headers.items()]
    lines.append((b"content-length", b"%d" % len(asked.body)))
    checked_line("target", target)
    if not target.isascii() or " " in target or not asked.method.isalpha():
        raise ValueError("the token service's address cannot be written")
    limits = TimeLimits(
        connect=channel.limits.connect, first_byte=_ANSWER_S, idle=_ANSWER_S, total=_ANSWER_S
    )
    return Request(
        origin=Origin(parts.scheme, parts.hostname, port, channel.proxy if asked.proxied else None),
        payload=written(asked.method.upper().encode(), target.encode(), lines) + asked.body,
        limits=limits,
    )
