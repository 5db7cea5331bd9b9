"""Pictures and classifications on a whole gateway with prices: every entry explains its own, and
the books agree.
"""

import asyncio
import gc
import logging
import os
import signal

import msgspec
import pytest
import structlog

from edge.wires import Wire
from end_to_end.running import VENDOR_KEY
from pictures import BASE64, JSON, PICTURE, USAGE, answer, event, streamed
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.ledger import store
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.settings.load import load_with_source
from trivium.storage import migrate
from trivium.storage.database import Database
from trivium.wiring.serve import serve

MODERATED = (
    b'{"id":"m","model":"x","results":[{"flagged":false,"categories":{},"category_scores":{}}]}'
)
OK = [Send(sized(MODERATED, headers=JSON))]
DRAW = "/v1/images/generations"
COMPLETED = event("image_generation.completed", usage=USAGE)
EDITED = USAGE | {
    "input_tokens": 40,
    "input_tokens_details": {"text_tokens": 10, "image_tokens": 30},
}
VARIED = (
    b'--X\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'
    + PICTURE
    + b"\r\n--X--\r\n"
)
"""A form, whose model is the default: legacy model A."""
PRICES = {
    "dall-e-3": '[[models.images]]\nprice = "0.04"\n[[models.images]]\nquality = "hd"\n'
    'size = "1792x1024"\nprice = "0.12"\n',
    "dall-e-2": 'price = { per_image = "0.02" }\n',
    "gpt-image-1": 'price = { input = "5", image_input = "10", output = "40" }\n',
    "omni-moderation-latest": 'price = { per_request = "0.0001" }\n',
    "unpriced": 'price = { per_second = "1" }\n',
}
CASES = [
    # path, body, the vendor's script, nano-dollars
    (DRAW, {"model": "dall-e-3", "prompt": "x"}, answer(), 40_000_000),
    (
        DRAW,
        {"model": "dall-e-3", "prompt": "x", "quality": "hd", "size": "1792x1024"},
        answer(),
        120_000_000,
    ),
    (
        DRAW,
        {"model": "dall-e-2", "prompt": "x", "n": 3, "response_format": "b64_json"},
        answer(*[{"b64_json": BASE64}] * 3),
        60_000_000,
    ),
    (
        DRAW,
        {"model": "gpt-image-1", "prompt": "x"},
        answer(usage=USAGE),
        10 * 5_000 + 200 * 40_000,
    ),
    (
        DRAW,
        {"model": "gpt-image-1", "prompt": "x", "stream": True},
        streamed(COMPLETED),
        10 * 5_000 + 200 * 40_000,
    ),
    # nobody told: by the picture, never nothing
    (DRAW, {"model": "gpt-image-1", "prompt": "x"}, answer(), 1 * 5_000 + 6240 * 40_000),
    (
        "/v1/images/edits",
        {"model": "gpt-image-1", "prompt": "x", "images": [{"file_id": "f"}]},
        answer(usage=EDITED),
        10 * 5_000 + 30 * 10_000 + 200 * 40_000,
    ),
    ("/v1/images/variations", VARIED, answer(), 20_000_000),
    ("/v1/moderations", {"input": "x"}, OK, 100_000),
]


@pytest.fixture(autouse=True)
def put_back():
    """The collector and the logs as they were: a gateway in this process changes both."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, gc.get_threshold()
    yield
    root.handlers[:], level, threshold = before
    root.setLevel(level)
    structlog.reset_defaults()
    gc.set_threshold(*threshold)


def settings(vendor, folder):
    """One channel, and a model a price."""
    text = (
        '[server]\nlisten = "127.0.0.1:0"\n'
        f'[storage]\nurl = "sqlite:///{folder / "trivium.db"}"\njournal = "{folder / "journal"}"\n'
        "[ledger]\nflush_s = 0.05\n"
        f'[[channels]]\nname = "main"\nprovider = "openai"\napi_key = "{VENDOR_KEY}"\n'
        f'base_url = "http://127.0.0.1:{vendor.port}/v1"\n'
    )
    for name, price in PRICES.items():
        head, _, rest = price.partition("[[models.images]]")
        text += f'[[models]]\nname = "{name}"\n{head}[[models.bindings]]\nchannel = "main"\n'
        text += f"[[models.images]]{rest}" if rest else ""
    return text


async def somebody(db, credit):
    """A user with a balance, and a key."""
    await migrate.ensure(db)
    people = Identity(db, SystemClock())
    user = await people.create_user("ada", "ada@example.org")
    _, key = await people.create_key("ada")
    if credit:
        await Entries(db, SystemClock()).book(user.id, EntryKind.TOP_UP, credit)
    return key


async def post(origin, key, path, body):
    """Status, headers and body."""
    is_form = isinstance(body, bytes)
    raw = body if is_form else msgspec.json.encode(body)
    kind = "multipart/form-data; boundary=X" if is_form else "application/json"
    line = Wire(*await asyncio.open_connection("127.0.0.1", int(origin.rpartition(":")[2])))
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
    try:
        head += f"Content-Type: {kind}\r\n"
        await line.send(f"{head}Content-Length: {len(raw)}\r\n\r\n".encode() + raw)
        return await line.answer()
    finally:
        await line.close()


async def run(folder, script, credit, work):
    """A gateway around some work; its entries afterwards, after the books were proven."""
    async with Double(script) as vendor:
        path = folder / "trivium.toml"
        path.write_text(settings(vendor, folder))
        db = Database(f"sqlite:///{folder / 'trivium.db'}")
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
            entries = [e async for _, e in store.entries_after(conn, 0, 1000, None, 0, 10**12)]
        assert [] == await Entries(db, SystemClock()).verify()
        assert [] == await Entries(db, SystemClock()).misleased()
        await db.close()
        return [entry for entry in entries if entry.kind is EntryKind.USAGE]


@pytest.mark.asyncio
async def test_every_media_entry_explains_its_price(tmp_path):
    """By the picture, by tokens, by the request; what callers are told is what is booked."""
    told = []

    async def work(origin, key):
        for path, body, _, _ in CASES:
            status, headers, _ = await post(origin, key, path, body)
            assert 200 == status, path
            told.append(headers.get(b"trivium-cost"))

    entries = await run(tmp_path, [script for _, _, script, _ in CASES], 10**12, work)
    assert [cost for *_, cost in CASES] == [-entry.amount_nanos for entry in entries]
    for (path, body, _, cost), entry, header in zip(CASES, entries, told, strict=True):
        detail = msgspec.json.decode(entry.detail)
        default = {"/v1/moderations": "omni-moderation-latest"}.get(path, "dall-e-2")
        asked = {} if isinstance(body, bytes) else body
        assert asked.get("model", default) == detail["model"]
        assert detail["prices"] or detail["images"]
        if path.startswith("/v1/images"):
            assert asked.get("n", 1) == detail["usage"]["images"][0]["count"]
        if header is not None:
            assert f"{cost / 1e9:.9f}".rstrip("0") == header.decode()
    assert entries[5].detail.count('"estimated":true') == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "credit", "status", "code"),
    [
        ({"model": "dall-e-3", "prompt": "x"}, 39_999_999, 429, "insufficient_quota"),
        # whatever it may turn out to be is held
        ({"model": "dall-e-3", "prompt": "x", "size": "1792x1024"}, 119_999_999, 429,
         "insufficient_quota"),
        ({"model": "dall-e-2", "prompt": "x", "n": 10}, 199_999_999, 429, "insufficient_quota"),
        ({"model": "gpt-image-1", "prompt": "x"}, 6240 * 40_000, 429, "insufficient_quota"),
        ({"model": "unpriced", "prompt": "x"}, 10**12, 403, "permission_denied"),
    ],
)  # fmt: skip
async def test_who_cannot_pay_is_told_before_anybody_draws(tmp_path, body, credit, status, code):
    """The most it can cost is held; what has no price is not served."""

    async def work(origin, key):
        got, _, answered = await post(origin, key, DRAW, body)
        assert (status, code) == (got, msgspec.json.decode(answered)["error"]["code"])

    assert [] == await run(tmp_path, [answer()], credit, work)
