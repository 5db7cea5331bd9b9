"""The vendor's own list is read with the channel's key, page by page, and never without an end."""

import contextlib

import msgspec
import pytest

from gateway import Gateway
from scripted_upstream import Double, Flood, Reset, Send, Stall, sized
from trivium.pipeline import vendor_models
from trivium.pipeline.vendor_models import vendor_list

JSON = b"Content-Type: application/json\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
PRICED = {"id": "up", "pricing": {"prompt": "0.000001", "completion": "0.000002"}}
WANTED = frozenset({"up", "gone"})


def page(document):
    return [Send(sized(msgspec.json.encode(document), headers=JSON))]


@contextlib.asynccontextmanager
async def asked(script, provider="openrouter", *, wanted=WANTED, limit_s=60.0, **more):
    """What was read of a vendor with this script, and the vendor."""
    async with (
        Double(script) as vendor,
        Gateway.to((provider, vendor), upstream_model="up", **more) as gateway,
    ):
        services = gateway.services
        channel = services.router.channel(f"{provider}-0")
        found = await vendor_list(
            services.client, services.composer, services.clock, channel, wanted, limit_s
        )
        yield found, vendor


@pytest.mark.asyncio
async def test_a_list_is_read_with_the_channels_own_key():
    async with asked([page({"data": [PRICED, {"id": "other"}, 7]})], keys=("sk-one",)) as (
        found, vendor,
    ):  # fmt: skip
        assert [b"GET /v1/models HTTP/1.1"] == [seen.line for seen in vendor.requests]
        assert b"sk-one" in vendor.requests[0].raw
    assert ("", True, 2, 1, ["up"]) == (
        found.why, found.is_whole, found.listed, found.unread, list(found.models)
    )  # fmt: skip
    assert {"input": "1", "output": "2"} == dict(found.models["up"].suggestion.lists[0].price)


@pytest.mark.asyncio
async def test_pages_are_followed_to_the_end():
    first = {"data": [{"id": "a"}], "has_more": True, "last_id": "a"}
    last = {"data": [{"id": "up"}], "has_more": False, "last_id": "up"}
    async with asked([page(first), page(last)], "anthropic") as (found, vendor):
        assert [b"GET /v1/models HTTP/1.1", b"GET /v1/models?limit=1000&after_id=a HTTP/1.1"] == [
            seen.line for seen in vendor.requests
        ]
    assert (2, True, ["up"]) == (found.listed, found.is_whole, list(found.models))


@pytest.mark.asyncio
async def test_pages_without_an_end_are_given_up():
    more = {"models": [{"name": "models/up"}], "nextPageToken": "again"}
    async with asked([page(more)], "gemini") as (found, vendor):
        assert vendor_models.PAGES_MAX == len(vendor.requests)
    assert ("", False, ["up"]) == (found.why, found.is_whole, list(found.models))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "why"),
    [
        (page({"data": 7}), "no list of models"),
        (page("none"), "no list of models"),
        ([Send(sized(b"<html>", headers=b"Content-Type: text/html\r\n"))], "no list of models"),
        ([Send(sized(b'{"error":{"message":"no"}}', status=b"401 No", headers=JSON))], "account"),
        ([Reset()], ""),
        ([Send(HEAD), Flood(b"10000\r\n" + b" " * 65_536 + b"\r\n", 1_000)], "too large"),
        ([Send(HEAD + b'b\r\n{"data": [{\r\n'), Stall()], "not whole after"),
    ],
)
async def test_whatever_is_wrong_is_told(script, why):
    async with asked([script], limit_s=1.0) as (found, _):
        assert (False, {}) == (found.is_whole, found.models)
        assert found.why
        assert why in found.why.lower()


@pytest.mark.asyncio
async def test_a_provider_without_a_list_is_not_asked():
    async with asked([page({})], "jina") as (found, vendor):
        assert [] == vendor.requests
    assert "its provider has no list of models" == found.why


@pytest.mark.asyncio
async def test_all_of_a_list_may_be_wanted():
    """In the vendor's order, with or without a price."""
    async with asked([page({"data": [{"id": "z"}, PRICED]})], wanted=None) as (found, _):
        assert ["z", "up"] == list(found.models)
    assert found.models["z"].suggestion is None


@pytest.mark.asyncio
async def test_a_key_that_the_vendor_echoes_is_not_told():
    """In whichever form it is: no pattern would know this one."""
    told = b'{"error":{"message":"nothing is known of hunter2, which you sent here"}}'
    refused = [Send(sized(told, status=b"400 Bad Request", headers=JSON))]
    async with asked([refused], keys=("hunter2",)) as (found, _):
        assert "nothing is known of [\u2026], which you sent here" in found.why
