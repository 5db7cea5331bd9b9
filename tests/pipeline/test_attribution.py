"""What a request says of whom it is for: on record, on the way to the ledger, not at the vendor."""

from types import SimpleNamespace

import msgspec
import pytest

from gateway import Gateway
from scripted_upstream import Double, Send, sized
from trivium.observe.pseudonyms import Pseudonyms
from trivium.pipeline import attribution
from trivium.secret import Keyring
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits
from trivium.wire.attribution import Attributed

CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
ANSWER = sized(
    b'{"object":"chat.completion","choices":[]}', headers=b"Content-Type: application/json\r\n"
)

pytestmark = pytest.mark.asyncio


async def asked(body, headers=None, pseudonyms=None):
    """The record, what the vendor was asked, and the answer's headers."""
    async with Double([[Send(ANSWER)]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        if pseudonyms is not None:
            gateway.services.pseudonyms = pseudonyms
        lines = [f"{name}: {value}" for name, value in (headers or {}).items()]
        status, told, _ = await gateway.post(CHAT, HELLO | body, *lines)
        assert 200 == status
        (record,) = gateway.records
        return record, vendor.requests[0], told


async def test_headers_and_members_are_on_record():
    """A list of tags is taken out: the vendor would refuse it."""
    record, sent, _ = await asked(
        {"user": "u-1", "metadata": {"tags": ["a"], "kept": "b"}},
        {"trivium-tags": "b, c", "x-session-id": "s-1"},
    )
    assert ("u-1", "s-1", ("b", "c", "a")) == (record.end_user, record.session, record.tags)
    told = msgspec.json.decode(sent.body)
    assert ("u-1", {"kept": "b"}) == (told["user"], told["metadata"])
    assert {b"trivium-tags", b"x-session-id"}.isdisjoint(name.lower() for name, _ in sent.headers)


async def test_metadata_of_tags_alone_is_gone():
    """An empty object would be another thing for vendors to refuse."""
    record, sent, _ = await asked({"metadata": {"tags": ["a"]}})
    assert ("a",) == record.tags
    assert "metadata" not in msgspec.json.decode(sent.body)


async def test_what_is_left_out_is_told():
    """With how many; an answer without such tags has no such header."""
    _, _, told = await asked({}, {"trivium-tags": f"ok,{'x' * 65}"})
    assert b"1" == told[b"trivium-tags-left-out"]
    _, _, told = await asked({}, {"trivium-tags": "ok"})
    assert b"trivium-tags-left-out" not in told


async def test_names_are_hashed_where_the_operator_says_so():
    """The vendor is told as before."""
    hashing = Pseudonyms(Keyring(b"k" * 32), end_users=True, sessions=True)
    record, sent, _ = await asked({"user": "u-1"}, {"x-session-id": "s"}, hashing)
    assert (hashing.hashed("u-1"), hashing.hashed("s")) == (record.end_user, record.session)
    assert "u-1" == msgspec.json.decode(sent.body)["user"]


async def answered(gateway, *names):
    """The statuses of requests for these end users, one after another."""
    return [(await gateway.post(CHAT, HELLO | {"user": name}))[0] for name in names]


async def test_each_end_user_has_requests_of_its_own():
    """Naming nobody is an end user like any other, so leaving the name out escapes nothing."""
    who = {"end_user_limits": RateLimits(1)}
    script = [[Send(ANSWER)]] * 4
    async with Double(script) as vendor, Gateway.to(("openai", vendor), who=who) as gateway:
        assert [200, 429, 200, 200, 429] == await answered(gateway, "a", "a", "b", "", "")


async def test_inventing_end_users_does_not_escape_the_keys_own_limit():
    """A new one for each request."""
    who = {"end_user_limits": RateLimits(100), "limits": RateLimits(2)}
    script = [[Send(ANSWER)]] * 2
    async with Double(script) as vendor, Gateway.to(("openai", vendor), who=who) as gateway:
        assert [200, 200, 429, 429] == await answered(gateway, "a", "b", "c", "d")


DAY = Budget(amount_nanos=5, period=Period.DAY)
OWN = msgspec.structs.replace(DAY, scope="key:7")
TAGGED = msgspec.structs.replace(DAY, scope="team:1/tag:a")


async def test_budgets_of_end_users_and_tags_come_after_the_keys_own():
    """Whatever a caller says adds some and takes none away."""
    who = {"budgets": (OWN,), "end_user_budgets": (DAY,), "tagged": {"a": (TAGGED,)}}
    async with Double() as vendor, Gateway.to(("openai", vendor), who=who) as gateway:

        def counted(end_user, *tags):
            context = SimpleNamespace(
                exchange=SimpleNamespace(caller=gateway.caller),
                services=gateway.services,
                attribution=Attributed(end_user, "", tags),
            )
            return [each.scope for each in attribution.budgets(context)]

        hashed = gateway.services.pseudonyms.hashed
        assert ["key:7", f"key:7/end_user:{hashed('x')}"] == counted("x", "b")
        assert ["key:7", f"key:7/end_user:{hashed('')}", "team:1/tag:a"] == counted("", "a")


async def test_budgets_of_tags_over_all_keys_come_last():
    """Also of a key whose teams have none."""
    everywhere = msgspec.structs.replace(DAY, scope="all/tag:a")
    who = {"tagged": {"a": (TAGGED,)}, "tagged_everywhere": {"a": (everywhere,)}}
    for members, wanted in (
        (who, ["team:1/tag:a", "all/tag:a"]),
        ({"tagged_everywhere": {"a": (everywhere,)}}, ["all/tag:a"]),
    ):
        async with Double() as vendor, Gateway.to(("openai", vendor), who=members) as gateway:
            assert gateway.caller.has_budgets
            context = SimpleNamespace(
                exchange=SimpleNamespace(caller=gateway.caller),
                services=gateway.services,
                attribution=Attributed("", "", ("b", "a")),
            )
            assert wanted == [each.scope for each in attribution.budgets(context)]
