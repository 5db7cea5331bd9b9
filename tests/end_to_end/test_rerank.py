"""Documents ranked through a whole gateway: bytes, errors, the bill."""

import asyncio
import os
import signal
from pathlib import Path

import msgspec
import pytest

from end_to_end.running import VENDOR_KEY
from end_to_end.test_media_bill import post, put_back, somebody  # noqa: F401 - restores the logs
from gateway import Gateway, error_of
from pictures import JSON
from scripted_upstream import Double, Send, Stall, sized
from trivium.clock import SystemClock
from trivium.edge.limits import ServerLimits
from trivium.ledger import store
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.settings.load import load_with_source
from trivium.storage.database import Database
from trivium.wiring.serve import serve

FIXTURES = Path(__file__).parents[1] / "fixtures" / "rerank"
COHERE = (FIXTURES / "cohere.json").read_bytes()
JINA = (FIXTURES / "jina.json").read_bytes()
SILENT = b'{"results":[{"index":0,"relevance_score":0.5}]}'
DOCUMENTS = ["Carson City is in Nevada.", {"title": "Capital", "text": "Washington, D.C."}]
ASKED = {"query": "What is the capital?", "documents": DOCUMENTS}


def says(body, **more):
    """A vendor's script."""
    return [Send(sized(body, headers=JSON, **more))]


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/v1/rerank", "/v2/rerank"])
@pytest.mark.parametrize(
    ("provider", "asked_at", "told"),
    [("cohere", "/v2/rerank", COHERE), ("jina", "/v1/rerank", JINA), ("vllm", "/v1/rerank", JINA)],
)
async def test_request_and_answer_pass_byte_for_byte(path, provider, asked_at, told):
    """But for the model's name, at whichever of the addresses; each vendor has one."""
    members = ASKED | {"top_n": 2, "rank_fields": ["title"], "return_documents": True}
    members |= {"max_tokens_per_doc": 400, "x_unknown": {"a": [1]}}
    async with (
        Double([says(told)]) as vendor,
        Gateway.to((provider, vendor), upstream_model="own") as gateway,
    ):
        status, _, body = await gateway.post(path, {"model": "m", **members})
        assert (200, told) == (status, body)
        (sent,) = vendor.requests
        assert f"POST {asked_at} HTTP/1.1" == sent.line.decode()
        assert msgspec.json.encode({"model": "own", **members}) == sent.body
        assert "rerank" == gateway.records[0].operation


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (b'{"id":"1","message":"invalid request: top_n is too large"}', "top_n is too large"),
        (b'{"detail":"documents are too many"}', "documents are too many"),
    ],
)
async def test_a_refusal_is_told_where_clients_of_the_shape_look(refusal, words):
    """In the one error body, and in Cohere's `message` beside it."""
    script = says(refusal, status=b"400 Bad Request")
    async with Double([script]) as vendor, Gateway.to(("cohere", vendor)) as gateway:
        status, _, body = await gateway.post("/v2/rerank", {"model": "m", **ASKED})
        assert (400, "invalid_request_error") == (status, error_of(body)["type"])
        told = msgspec.json.decode(body)
        assert words in told["message"]
        assert told["message"] == told["error"]["message"]


@pytest.mark.asyncio
async def test_a_model_of_a_vendor_that_cannot_rank_says_so():
    """A 400 in words that callers know; the vendor is not asked."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, _, body = await gateway.post("/v1/rerank", {"model": "m", **ASKED})
        assert 400 == status
        assert "does not serve reranks" in error_of(body)["message"]
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_a_body_beyond_the_limit_is_refused():
    """Documents come inside of it."""
    limits = ServerLimits(body_bytes_max=2000)
    async with (
        Double([[]]) as vendor,
        Gateway.to(("jina", vendor), limits=limits) as gateway,
    ):
        asked = {"model": "m", "query": "q", "documents": ["x" * 3000]}
        status, _, body = await gateway.post("/v1/rerank", asked)
        assert (413, "request_too_large") == (status, error_of(body)["code"])
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_an_answer_that_ranks_nothing_is_tried_elsewhere():
    """As of any other operation."""
    scripts = [says(b"<html>")], [says(JINA)]
    async with (
        Double(scripts[0]) as broken,
        Double(scripts[1]) as well,
        Gateway.to(("jina", broken), ("vllm", well)) as gateway,
    ):
        status, _, body = await gateway.post("/v1/rerank", {"model": "m", **ASKED})
        assert (200, JINA) == (status, body)


@pytest.mark.asyncio
async def test_who_leaves_ends_the_call():
    """The vendor is not kept waiting."""
    async with Double([[Stall()]]) as vendor, Gateway.to(("jina", vendor)) as gateway:
        line = await gateway.wire()
        raw = msgspec.json.encode({"model": "m", **ASKED})
        await line.send(gateway.head("/v1/rerank", raw))
        while not vendor.requests:
            await asyncio.sleep(0.01)
        await line.close()
        while not gateway.records:
            await asyncio.sleep(0.01)
        assert "caller_left" == gateway.records[0].fault


PRICES = {
    "by-search": '{ per_search = "0.002" }',
    "by-token": '{ input = "0.05" }',
    "by-both": '{ per_search = "0.002", input = "0.05" }',
    "unpriced": '{ per_second = "1" }',
}
MANY = ["x"] * 250
CASES = [
    # model, documents, the vendor's answer, nano-dollars, usage as it is booked
    ("by-search", MANY, b'{"results":[{}],"meta":{"billed_units":{"search_units":3}}}',
     6_000_000, {"searches": 3}),
    # parts of documents that the vendor counted
    ("by-search", MANY, b'{"results":[{}],"meta":{"billed_units":{"search_units":5}}}',
     10_000_000, {"searches": 5}),
    ("by-token", MANY, JINA, 815 * 50, {"fresh": 815}),
    ("by-both", MANY, b'{"results":[{}],"usage":{"total_tokens":40,"search_units":3}}',
     6_000_000 + 40 * 50, {"fresh": 40, "searches": 3}),
    # nobody told: what was sent is counted, the query with each document
    ("by-search", MANY, SILENT, 6_000_000, {"fresh": 375, "searches": 3, "estimated": True}),
    ("by-token", MANY, SILENT, 375 * 50, {"fresh": 375, "searches": 3, "estimated": True}),
]  # fmt: skip


async def books(folder, script, credit, work):
    """A gateway with prices around some work; its usage entries afterwards."""
    async with Double(script) as vendor:
        path = folder / "trivium.toml"
        text = (
            '[server]\nlisten = "127.0.0.1:0"\n[storage]\n'
            f'url = "sqlite:///{folder / "t.db"}"\njournal = "{folder / "journal"}"\n'
            "[ledger]\nflush_s = 0.05\n"
            f'[[channels]]\nname = "main"\nprovider = "jina"\napi_key = "{VENDOR_KEY}"\n'
            f'base_url = "http://127.0.0.1:{vendor.port}/v1"\n'
        )
        for name, price in PRICES.items():
            text += f'[[models]]\nname = "{name}"\nprice = {price}\n'
            text += '[[models.bindings]]\nchannel = "main"\n'
        path.write_text(text)
        db = Database(f"sqlite:///{folder / 't.db'}")
        key = await somebody(db, credit)
        listening = asyncio.get_running_loop().create_future()
        loaded = load_with_source(path, {}).settings
        task = asyncio.ensure_future(serve(loaded, config_path=path, ready=listening.set_result))
        try:
            (origin,) = await asyncio.wait_for(listening, 10)
            await work(origin, key)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(task, 20)
        async with db.read() as conn:
            found = [e async for _, e in store.entries_after(conn, 0, 1000, None, 0, 10**12)]
        assert [] == await Entries(db, SystemClock()).verify()
        await db.close()
        return [entry for entry in found if entry.kind is EntryKind.USAGE]


@pytest.mark.asyncio
async def test_every_entry_explains_its_price(tmp_path):
    """By what the vendor reports, else by what was sent; callers are told what is booked."""
    told = []

    async def work(origin, key):
        for model, documents, *_ in CASES:
            asked = {"model": model, "query": "q", "documents": documents}
            status, headers, _ = await post(origin, key, "/v1/rerank", asked)
            assert 200 == status
            told.append(headers[b"trivium-cost"].decode())

    entries = await books(tmp_path, [says(body) for _, _, body, _, _ in CASES], 10**12, work)
    assert [nanos for *_, nanos, _ in CASES] == [-entry.amount_nanos for entry in entries]
    details = [msgspec.json.decode(entry.detail) for entry in entries]
    assert [usage for *_, usage in CASES] == [detail["usage"] for detail in details]
    assert [f"{nanos / 1e9:.9f}".rstrip("0") for *_, nanos, _ in CASES] == told


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("model", "documents", "credit", "status", "code"),
    [
        ("by-search", MANY, 5_999_999, 429, "insufficient_quota"),
        # each may count as three of a hundred, and all of them are held for
        ("by-search", ["x" * 2500] * 100, 5_999_999, 429, "insufficient_quota"),
        ("by-token", ["x" * 2000], 1000 * 50, 429, "insufficient_quota"),
        ("unpriced", ["x"], 10**12, 403, "permission_denied"),
    ],
)
async def test_who_cannot_pay_is_told_before_anybody_ranks(
    tmp_path, model, documents, credit, status, code
):
    """The most it can cost is known from the request, and held."""

    async def work(origin, key):
        asked = {"model": model, "query": "q", "documents": documents}
        got, _, answered = await post(origin, key, "/v1/rerank", asked)
        assert (status, code) == (got, msgspec.json.decode(answered)["error"]["code"])

    assert [] == await books(tmp_path, [says(SILENT)], credit, work)
