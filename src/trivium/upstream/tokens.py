"""Secrets that hold for a while: got once for all who wait, renewed ahead of need.

A token that a service gives, or an identity that a library finds (``upstream/finding.py``). A
request waits only where there is no valid one. While one is used it is renewed before it ends, by a
timer or by a request that finds it old and goes on with it; one that nobody uses is let go.
"""

import asyncio
import random
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import structlog

from trivium.clock import Clock
from trivium.faults import Fault, Kind
from trivium.providers.credential import (
    TOKEN,
    FoundSecret,
    Renewed,
    Signing,
    Surroundings,
)
from trivium.routing.model import Channel
from trivium.upstream import buffered_call
from trivium.upstream.buffered_call import BufferedCall
from trivium.upstream.call import Client
from trivium.upstream.finding import FinderThreads, IdentityNotFoundError
from trivium.upstream.request import DraftHead
from trivium.upstream.request_writer import checked_line
from trivium.upstream.thread_client import asking
from trivium.upstream.token_request import ANSWER_BYTES_MAX, ANSWER_S, request_of
from trivium.upstream.vendor_identity import VendorIdentity

log = structlog.get_logger(__name__)

RENEW_FROM: Final = 0.2
RENEW_UNTIL: Final = 0.3
"""A secret is renewed in this part of its life, by chance, so that not all workers and nodes ask at
once. So early that whoever gives it may be slow, and away for half a life at any time of it."""
MARGIN_S: Final = 10.0
"""So long before its end it is taken for ended, or in the last twentieth: a request takes time to
arrive, and clocks differ."""
PAUSE_S: Final = 1.0
PAUSE_MAX_S: Final = 60.0
PAUSE_PART: Final = 0.05
PAUSE_MIN_S: Final = 0.2
"""Between two attempts to renew where the service fails; doubled each time, and no more than a part
of a life that is short, or the least."""
REFUSED_S: Final = 30.0
"""After a vendor's 401 had a token renewed, another 401 has it renewed again so much later at the
soonest: what the vendor refuses then is not the token's age."""
WANTED_S: Final = 600.0
"""For so long after a request wanted a secret it is missed: a reload may have taken its channel."""
SOURCES_MAX: Final = 1_024
"""Accounts whose secrets are kept; all go when it is exceeded."""


def revealed(channel: Channel, credential: int) -> dict[str, str]:
    """The parts of one of a channel's secrets, by name."""
    parts = {name: secret.reveal() for name, secret in channel.parts.items()}
    if channel.credentials:
        parts["api_key"] = channel.credentials[credential].reveal()
    return parts


class VendorTokens:
    """The tokens and found identities of every account."""

    def __init__(self, client: Client, clock: Clock, ca_file: str | None = None) -> None:
        """``ca_file``: what a finder checks certificates against; ``None``: the system's."""
        self._client = client
        self._clock = clock
        self._threads = FinderThreads()
        self._ca_file = ca_file
        self._sources: dict[tuple[object, ...], TokenSource] = {}

    def of(self, head: DraftHead, kind: Renewed | Signing) -> "TokenSource":
        """The account whose secret a request is to carry. A reload of the settings keeps it."""
        channel = head.channel
        key = _account(channel, head.credential)
        found = self._sources.get(key)
        if found is None:
            if len(self._sources) >= SOURCES_MAX:
                self.close()
            found = TokenSource(self, channel, head.credential, kind)
            self._sources[key] = found
        return found

    def identity(self, channel: Channel, credential: int) -> VendorIdentity | None:
        """How the secret of a channel's account stands; ``None``: no request has wanted it."""
        source = self._sources.get(_account(channel, credential))
        return None if source is None else source.identity()

    def identities(self) -> list[VendorIdentity]:
        """How those of all accounts stand that requests wanted."""
        return [source.identity() for source in self._sources.values()]

    async def obtain(
        self, channel: Channel, credential: int, kind: Renewed | Signing
    ) -> FoundSecret:
        """Find or fetch a secret.

        Raises ``Fault``, ``IdentityNotFoundError``, and ``ValueError``.
        """
        parts = revealed(channel, credential)
        if kind.finder is not None:
            around = Surroundings(
                base_url=channel.base_url,
                proxy=channel.proxy,
                ca_file=self._ca_file,
                limit_s=self._threads.limit_s,
                ask=asking(self._client, channel),
                clock=self._clock.now,
            )
            return await self._threads.find(kind.finder, parts, around)
        assert isinstance(kind, Renewed)
        return await self._fetch(channel, parts, kind)

    def close(self) -> None:
        """Renew nothing any more, and forget all of them."""
        for source in self._sources.values():
            source.close()
        self._sources.clear()

    async def _fetch(
        self, channel: Channel, parts: Mapping[str, str], kind: Renewed
    ) -> FoundSecret:
        ask, read = kind.ask, kind.read
        assert ask is not None
        assert read is not None
        asked = ask(parts, self._clock.now())
        taker = BufferedCall(asyncio.get_running_loop().create_future(), ANSWER_BYTES_MAX)
        await buffered_call.run(self._client, request_of(asked, channel, ANSWER_S), taker)
        if not 200 <= taker.status < 300:
            fault = Kind.UPSTREAM_CREDENTIAL
            if taker.status >= 500 or taker.status == 429:
                fault = Kind.UPSTREAM_OVERLOADED
            log.warning("token_refused", channel=channel.name, status=taker.status)
            raise _TokenRefusedError(fault, f"the token service answered {taker.status}")
        token = read(b"".join(taker.parts))
        checked_line("token", token.value)
        if not token.value or token.life_s <= 0:
            raise ValueError("the token service gave a token that is over already")
        host = urlsplit(asked.url).hostname or ""
        return FoundSecret(
            parts={TOKEN: token.value}, life_s=token.life_s, source=f"token service {host}"
        )


def _account(channel: Channel, credential: int) -> tuple[object, ...]:
    return (
        channel.provider.name,
        channel.base_url,
        channel.proxy,
        channel.credentials[credential] if channel.credentials else None,
        *channel.parts.items(),
    )


class _TokenRefusedError(Exception):
    """A token service's refusal, with what operators are told of it."""

    def __init__(self, kind: Kind, why: str) -> None:
        super().__init__(why)
        self.kind = kind


class TokenSource:
    """Gets one account's secret, and renews it in time."""

    def __init__(
        self, owner: VendorTokens, channel: Channel, credential: int, kind: Renewed | Signing
    ) -> None:
        self._owner = owner
        self._channel = channel
        self._credential = credential
        self._kind = kind
        self._loop = asyncio.get_running_loop()
        self.is_closed = False
        """Whether it was let go: whoever wants its secret asks for another source."""
        self._found: FoundSecret | None = None
        self._until = self._renew_at = self._pause_until = self._refused_until = 0.0
        """The loop's seconds."""
        self._pause_s = PAUSE_S
        self._pause_max_s = PAUSE_MAX_S
        self._is_used = False
        """Whether a request has had the secret since it was got."""
        self._fault: tuple[Kind, str] | None = None
        """Why the last renewal failed."""
        self._why = ""
        """The same for operators."""
        self._failures = 0
        self._wanted_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def valid(self) -> FoundSecret | None:
        """The secret, ``None`` where it must be waited for. An old one is renewed meanwhile."""
        now = self._wanted_at = self._loop.time()
        if now >= self._until:
            return None
        self._is_used = True
        if now >= self._renew_at:
            self._begin(now)
        return self._found

    async def wait(self) -> FoundSecret:
        """A valid secret. Raises ``Fault`` where none can be had."""
        found = self.valid()
        if found is None:
            self._begin(self._loop.time())
            found = await self._outcome()
        if found is None:
            kind, message = self._fault or (Kind.UPSTREAM_CREDENTIAL, self._words)
            raise Fault(kind, message)
        return found

    async def another(self, refused: FoundSecret) -> FoundSecret | None:
        """What to use instead of a secret that the vendor refused; ``None``: there is no other.

        Raises ``Fault`` where none can be had.
        """
        now = self._loop.time()
        if self._task is None and self._found is refused:
            if now < self._refused_until:
                return None
            self._refused_until = now + REFUSED_S
            self._until = 0.0
        found = await self.wait()
        return None if found.parts == refused.parts else found

    def identity(self) -> VendorIdentity:
        """Where it came from, for how long it holds, and why there is none."""
        now = self._loop.time()
        left: float | None = max(0.0, self._until - now)
        if left == _NO_END:
            left = None
        return VendorIdentity(
            channel=self._channel.name,
            source="" if self._found is None else self._found.source,
            life_s=left,
            failures=self._failures,
            why=self._why,
            is_missed=not left
            and left is not None
            and bool(self._why)
            and now - self._wanted_at < WANTED_S,
        )

    def close(self) -> None:
        """Renew it no more."""
        self.is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    @property
    def _words(self) -> str:
        return _REFUSED if self._kind.finder is None else _NOT_FOUND

    def _begin(self, now: float) -> None:
        if self._task is None and now >= self._pause_until:
            self._task = self._loop.create_task(self._renew(), name="token")

    async def _outcome(self) -> FoundSecret | None:
        """The secret once the renewal that is under way has ended."""
        task = self._task
        if task is not None:
            await asyncio.wait((task,))  # who waits may be cancelled: the renewal goes on
        return self.valid()

    async def _renew(self) -> None:
        """Get a secret; failures are kept and told to whoever waits."""
        try:
            found = await self._owner.obtain(self._channel, self._credential, self._kind)
        except _TokenRefusedError as refused:
            self._failed(refused.kind, self._words, str(refused))
        except Fault as fault:
            self._failed(fault.kind, fault.message, fault.message)
        except IdentityNotFoundError as missing:
            kind = Kind.UPSTREAM_UNREACHABLE if missing.is_away else Kind.UPSTREAM_CREDENTIAL
            self._failed(kind, self._words, str(missing))
        except ValueError as error:
            self._failed(Kind.UPSTREAM_CREDENTIAL, self._words, str(error))
        except Exception:
            log.exception("token_failed", channel=self._channel.name)
            self._failed(Kind.UPSTREAM_CREDENTIAL, self._words, "the provider's code failed")
        else:
            self._has(found)
        finally:
            self._task = None

    def _has(self, found: FoundSecret) -> None:
        now, life = self._loop.time(), found.life_s
        if self._kind.finder is not None and (
            self._why or self._found is None or self._found.source != found.source
        ):
            log.info("identity_found", channel=self._channel.name, source=found.source, life_s=life)
        self._found = found
        self._fault, self._why, self._pause_s, self._pause_until = None, "", PAUSE_S, 0.0
        self._is_used = False
        if life is None:
            self._until = self._renew_at = _NO_END
            return
        self._until = now + life - min(life / 20, MARGIN_S)
        self._pause_max_s = min(PAUSE_MAX_S, max(PAUSE_MIN_S, life * PAUSE_PART))
        renew_s = life * random.uniform(RENEW_FROM, RENEW_UNTIL)  # noqa: S311 - jitter
        self._renew_at = now + renew_s
        self._later(renew_s)

    def _failed(self, kind: Kind, message: str, why: str) -> None:
        log.warning("token_not_renewed", channel=self._channel.name, why=why)
        self._fault, self._why = (kind, message), why
        self._failures += 1
        pause_s = min(self._pause_s, self._pause_max_s)
        self._pause_until = self._loop.time() + pause_s
        self._later(pause_s)
        self._pause_s = 2 * pause_s

    def _later(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._due)

    def _due(self) -> None:
        """Renew a secret that is in use, while it holds."""
        now = self._loop.time()
        if self._is_used and now < self._until:
            self._begin(now)


_NO_END: Final = float("inf")
_NOT_FOUND: Final = "The gateway found no identity for the upstream where it runs."
_REFUSED: Final = "The upstream's token service gave the gateway no token."
