"""A token's life: fetched once for all who wait, renewed ahead of need, let go when unused."""

import asyncio

import pytest
from tests.scripted_upstream import Double, Send, Until, sized
from tests.upstream.lately import channel, renewed, request, until

from trivium.clock import FixedClock
from trivium.faults import Fault, Kind
from trivium.providers.credential import Finder, FoundSecret, Renewed, Token, TokenRequest
from trivium.secret import Secret
from trivium.upstream import tokens
from trivium.upstream.tokens import VendorTokens


def source(client, service, *, secret="sk-one", kind=None, **more):
    """The source of one account's tokens, and of which store."""
    kind = kind or renewed(service, **more)
    store = more.pop("store", None) or VendorTokens(client, FixedClock(7.0))
    to = channel(service, kind, credentials=(Secret(secret),))
    return store.of(request(to).draft.head, kind)


def text(found):
    """The token that was given, ``None`` for none."""
    return None if found is None else found.parts["token"]


def numbered(count=9):
    """A service that gives tok-0, tok-1, …"""
    return [[Send(sized(b"tok-%d" % number))] for number in range(count)]


@pytest.mark.asyncio
async def test_all_who_wait_have_one_fetched(client):
    """And whoever leaves takes it from nobody."""
    go = asyncio.Event()
    async with Double([[Until(go), Send(sized(b"tok"))]]) as service:
        one = source(client, service)
        waiting = [asyncio.create_task(one.wait()) for _ in range(3)]
        await until(lambda: service.requests)
        waiting[0].cancel()
        await asyncio.sleep(0)
        go.set()
        assert ["tok", "tok"] == [text(got) for got in await asyncio.gather(*waiting[1:])]
    assert 1 == len(service.requests)
    one.close()


@pytest.mark.asyncio
async def test_a_token_in_use_is_renewed_before_its_end(client):
    """Nobody waits: the old one is given until the new one is there."""
    async with Double(numbered()) as service:
        one = source(client, service, life_s=0.5)
        assert "tok-0" == text(await one.wait())
        given = set()
        async with asyncio.timeout(3):
            while "tok-2" not in given:
                given.add(text(one.valid()))
                await asyncio.sleep(0.005)
    one.close()
    assert {"tok-0", "tok-1", "tok-2"} == given


@pytest.mark.asyncio
async def test_a_token_that_nobody_uses_is_let_go(client):
    """The next request fetches one."""
    async with Double(numbered()) as service:
        one = source(client, service, life_s=0.2)
        task = asyncio.create_task(one.wait())
        await task
        one._is_used = False  # as if the request that waited had been the renewal's own
        await asyncio.sleep(0.4)
        assert (None, 1) == (text(one.valid()), len(service.requests))
        assert "tok-1" == text(await one.wait())
    one.close()


@pytest.mark.asyncio
async def test_an_old_token_is_renewed_by_whoever_finds_it(client, monkeypatch):
    """Where the timer came before anybody used it."""
    async with Double(numbered()) as service:
        one = source(client, service, life_s=60)
        await one.wait()
        one._renew_at = 0.0
        assert "tok-0" == text(one.valid())
        await until(lambda: text(one.valid()) == "tok-1")
    one.close()
    assert 2 == len(service.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (b"400 No", Kind.UPSTREAM_CREDENTIAL),
        (b"403 No", Kind.UPSTREAM_CREDENTIAL),
        (b"429 Slow", Kind.UPSTREAM_OVERLOADED),
        (b"500 Oh", Kind.UPSTREAM_OVERLOADED),
    ],
)
async def test_a_service_that_refuses_is_asked_again_after_a_pause(client, status, kind):
    """Whoever comes in the pause is told at once."""
    async with Double([[Send(sized(b"", status=status))]]) as service:
        one = source(client, service)
        for _ in range(3):
            with pytest.raises(Fault) as caught:
                await one.wait()
            assert (kind, True) == (caught.value.kind, caught.value.row.fallback)
        assert 1 == len(service.requests)
        one._pause_until = 0.0
        with pytest.raises(Fault):
            await one.wait()
        assert (2, 4 * tokens.PAUSE_S) == (len(service.requests), one._pause_s)
    one.close()


@pytest.mark.asyncio
async def test_a_service_that_cannot_be_reached_says_so(client):
    """Its own kind of fault: the key is not to blame."""
    async with Double() as service:
        one = source(client, service)
    with pytest.raises(Fault) as caught:
        await one.wait()
    assert Kind.UPSTREAM_UNREACHABLE is caught.value.kind
    one.close()


def _raises(*_):
    raise ValueError("the client id is missing")


def _breaks(*_):
    raise KeyError("client_id")


ODD = {
    "no address": (lambda *_: TokenRequest(url="ftp://x/"), None),
    "parts": (_raises, None),
    "code": (_breaks, None),
    "a header": (
        lambda *_: TokenRequest(url="http://127.0.0.1:1/", headers={"a": "b\r\nc: d"}),
        None,
    ),
    "a target": (lambda *_: TokenRequest(url="http://127.0.0.1:1/a b"), None),
    "no token": (None, _raises),
    "an empty one": (None, lambda _: Token(value="", life_s=9)),
    "two lines": (None, lambda _: Token(value="a\r\nb", life_s=9)),
    "one that is over": (None, lambda _: Token(value="a", life_s=0)),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ODD)
async def test_what_a_provider_makes_of_it_may_be_wrong(client, name):
    """It is the channel's fault, and not the gateway's end."""
    async with Double(numbered()) as service:
        ask, read = ODD[name]
        own = renewed(service)
        one = source(client, service, kind=Renewed(ask=ask or own.ask, read=read or own.read))
        with pytest.raises(Fault) as caught:
            await one.wait()
    assert Kind.UPSTREAM_CREDENTIAL is caught.value.kind
    one.close()


@pytest.mark.asyncio
async def test_a_failed_renewal_leaves_the_token_its_life(client, monkeypatch):
    """And is tried again while the token holds."""
    monkeypatch.setattr(tokens, "PAUSE_S", 0.02)
    script = [
        [Send(sized(b"tok-0"))],
        [Send(sized(b"", status=b"500 Oh"))],
        [Send(sized(b"tok-2"))],
    ]
    async with Double(script) as service:
        one = source(client, service, life_s=60)
        await one.wait()
        one._renew_at = 0.0
        assert "tok-0" == text(one.valid())
        await until(lambda: len(service.requests) == 2)
        assert text(one.valid()) in ("tok-0", "tok-2")
        await until(lambda: text(one.valid()) == "tok-2")
    one.close()


@pytest.mark.asyncio
async def test_those_whose_token_was_refused_share_the_next(client):
    """Another's is taken as it is, one that is on its way is waited for."""
    async with Double(numbered()) as service:
        one = source(client, service)
        old = await one.wait()
        found = await asyncio.gather(one.another(old), one.another(old))
        third = await one.another(old)
        assert ["tok-1"] * 3 == [text(each) for each in (*found, third)]
        assert await one.another(third) is None
    one.close()
    assert 2 == len(service.requests)


@pytest.mark.asyncio
async def test_accounts_have_tokens_of_their_own(client):
    """Told apart by what is secret of them, so that a reload of the settings keeps them."""
    async with Double(numbered()) as service:
        store, kind = VendorTokens(client, FixedClock(7.0)), renewed(service)

        def of(secret):
            to = channel(service, kind, credentials=(Secret(secret),))
            return store.of(request(to).draft.head, kind)

        assert of("a") is of("a")
        assert of("a") is not of("b")
        await of("a").wait()
        store.close()
        assert of("a").valid() is None


@pytest.mark.asyncio
async def test_accounts_are_bounded(client, monkeypatch):
    """Channels come and go with the settings."""
    monkeypatch.setattr(tokens, "SOURCES_MAX", 2)
    async with Double(numbered()) as service:
        store, kind = VendorTokens(client, FixedClock(7.0)), renewed(service)
        made = [
            store.of(request(channel(service, kind, credentials=(Secret(one),))).draft.head, kind)
            for one in "abc"
        ]
        assert (1, 3) == (len(store._sources), len(set(made)))


class Library:
    """Finds an identity, or says why not: each in turn, the last again and again."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.calls = 0

    def find(self, parts, around):
        self.calls += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def kind(self):
        return Renewed(finder=Finder(find=self.find), parts=())


def has(token, life_s=3600.0):
    return FoundSecret(parts={"token": token}, life_s=life_s, source="IMDSv2 (role r)")


@pytest.mark.asyncio
async def test_an_identity_is_found_once_for_all(client):
    """And told: where, for how long; one that is not used is let go and not missed."""
    library = Library(has("t", 100.0))
    async with Double() as service:
        one = source(client, service, kind=library.kind())
        assert ["t"] * 3 == [
            text(got) for got in await asyncio.gather(one.wait(), one.wait(), one.wait())
        ]
    told = one.identity()
    assert ("main", "IMDSv2 (role r)", 0, "", False) == (
        told.channel, told.source, told.failures, told.why, told.is_missed,
    )  # fmt: skip
    assert (90 < told.life_s <= 95, 1) == (True, library.calls)
    one._until = 0.0
    assert (0.0, False) == (one.identity().life_s, one.identity().is_missed)
    one.close()


@pytest.mark.asyncio
async def test_an_identity_without_an_end_is_not_renewed(client):
    """Only a refusal has it found anew."""
    library = Library(has("t", None), has("u", None))
    async with Double() as service:
        one = source(client, service, kind=library.kind())
        old = await one.wait()
        assert (None, None) == (one._timer, one.identity().life_s)
        assert ("u", 2) == (text(await one.another(old)), library.calls)
    one.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("error", "kind", "why"),
    [
        (ConnectionError("no route"), Kind.UPSTREAM_UNREACHABLE, "ConnectionError: no route"),
        (ValueError("no role"), Kind.UPSTREAM_CREDENTIAL, "ValueError: no role"),
    ],
)
async def test_an_identity_that_is_not_found_is_missed(client, error, kind, why):
    """Callers get a sentence, operators the reason; a reload may have taken the channel since."""
    library = Library(error, has("t"))
    async with Double() as service:
        one = source(client, service, kind=library.kind())
        with pytest.raises(Fault) as caught:
            await one.wait()
        assert (kind, tokens._NOT_FOUND) == (caught.value.kind, caught.value.message)
        told = one.identity()
        assert ("", 0.0, 1, why, True) == (
            told.source, told.life_s, told.failures, told.why, told.is_missed,
        )  # fmt: skip
        one._wanted_at -= tokens.WANTED_S
        assert not one.identity().is_missed
        one._pause_until = 0.0
        assert ("t", "", 1) == (
            text(await one.wait()), one.identity().why, one.identity().failures,
        )  # fmt: skip
    one.close()


@pytest.mark.asyncio
async def test_not_all_renew_at_once(client):
    """Nodes that began together find anew at times of their own."""
    async with Double() as service:
        at = set()
        for number in range(8):
            one = source(client, service, kind=Library(has("t")).kind(), secret=f"k{number}")
            await one.wait()
            at.add(round(one._renew_at - one._loop.time()))
            one.close()
    assert min(at) >= 3600 * tokens.RENEW_FROM - 1
    assert max(at) <= 3600 * tokens.RENEW_UNTIL
    assert len(at) > 1
