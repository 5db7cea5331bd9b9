"""The choke point: whatever is asked for and however a key is presented, only a good key gets in."""

from hashlib import sha256

import msgspec
import pytest

from edge.wires import Wire
from gateway import Gateway
from scripted_upstream import Double, Send, sized
from trivium.edge.routes import RELAY
from trivium.identity import keys
from trivium.identity.authenticate import INVALID, MISSING
from trivium.identity.model import Caller
from trivium.wire.generate.path import METHODS

RELAYED = [
    *(("POST", path.decode()) for path in RELAY),
    *(
        ("POST", f"{start}/{version}/models/m:{method}")
        for start in ("/vendorc", "/gemini", "")
        for version in ("v1beta", "v1alpha", "v1")
        for method in METHODS
    ),
]
LISTS = [
    ("GET", path)
    for path in (
        "/v1/models", "/v1/models/m", "/models", "/models/m", "/v1beta/models", "/v1beta/models/m",
        "/vendorc/v1beta/models", "/vendorc/v1/models/m", "/gemini/v1beta/models",
    )
]  # fmt: skip

FORMS = {
    "bearer": ("Authorization: Bearer {}", ""),
    "x-api-key": ("x-api-key: {}", ""),
    "x-goog-api-key": ("x-goog-api-key: {}", ""),
    "api-key": ("api-key: {}", ""),
    "query": ("x-nothing: 1", "?key={}"),
}


def issued(number):
    """A well-formed key."""
    return keys.issue(lambda n: bytes([number] * n))


GOOD, EXPIRED, DISABLED, UNKNOWN, OTHER = (issued(number) for number in range(1, 6))
TYPO = GOOD[:20] + ("x" if GOOD[20] != "x" else "y") + GOOD[21:]
SECRET = "sk-gateway-" + "a" * 43
BAD = {
    "garbage": "dummy",
    "a vendor's": "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789",
    "a mistyped one": TYPO,
    "one cut short": GOOD[:-1],
    "one too long": GOOD + "0",
    "one in capitals": GOOD.upper(),
    "one that was never issued": UNKNOWN,
    "one with a wrong checksum": SECRET + "000000",
    "an expired one": EXPIRED,
    "a disabled one": DISABLED,
    "its digest": sha256(GOOD.encode()).hexdigest(),
    "sql": "'%20OR%20'1'='1",
    "sql of the right length": "sk-gateway-'%20OR%20'1'='1'--".ljust(60, "-"),
    "a format string": "sk-gateway-{}%25s%25n",
    "a null": "sk-gateway-%00",
    "a very long one": "sk-gateway-" + "A" * 8000,
}


def caller(number, **changes):
    """A user's key as the snapshot has it."""
    values = {
        "key_id": number, "user_id": number, "payer_id": number, "unlimited": False, "disabled": False,
        "expires_at": float("inf"), "models": frozenset(), "prefixes": (),
    }  # fmt: skip
    return Caller(**(values | changes))


SNAPSHOT = {
    sha256(key.encode()).digest(): who
    for key, who in (
        (GOOD, caller(1)),
        (EXPIRED, caller(2, expires_at=1_000_000_000.0)),
        (DISABLED, caller(3, disabled=True)),
        (OTHER, caller(5, models=frozenset({"theirs"}))),
    )
}
BODY = msgspec.json.encode(
    {
        "model": "m", "max_tokens": 9, "input": "Hi", "prompt": "Hi",
        "messages": [{"role": "user", "content": "Hi"}],
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "content": {"parts": [{"text": "Hi"}]},
        "requests": [{"model": "models/m", "content": {"parts": [{"text": "Hi"}]}}],
    }
)  # fmt: skip
"""Right for every operation: members of other operations travel on unread."""
VENDOR = [Send(sized(b'{"object":"list","data":[]}'))]


def provider(path):
    """Who speaks the shape of a path."""
    if "models/m:" in path:
        return "gemini"
    if path.endswith("/rerank"):
        return "jina"
    return "anthropic" if "/messages" in path else "openai"


OWN = {
    # counted here after all, and `prompt` is an object there
    "/v1/responses/input_tokens": b'{"model":"m","input":"Hi"}',
    "/v1/audio/speech": b'{"model":"m","input":"Hi","voice":"alloy"}',
    "/v1/rerank": b'{"model":"m","query":"Hi","documents":["Hi"]}',
    "/v2/rerank": b'{"model":"m","query":"Hi","documents":["Hi"]}',
    "/v2/embed": b'{"model":"m","texts":["Hi"],"input_type":"classification"}',
}
FORM = {
    "/v1/audio/transcriptions": ("file", "a.wav"),
    "/v1/audio/translations": ("file", "a.wav"),
    "/v1/images/edits": ("image", "a.png"),
    "/v1/images/variations": ("image", "a.png"),
}
"""Operations that take a file, by the name of its part."""


def form(path):
    """A form that such an operation can be asked with."""
    member, name = FORM[path]
    fields = {"model": "m"} | ({"prompt": "Hi"} if path.endswith("edits") else {})
    parts = [
        f'--x\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in fields.items()
    ]
    head = f'--x\r\nContent-Disposition: form-data; name="{member}"; filename="{name}"\r\n\r\n'
    return ("".join(parts) + head).encode() + b"\x89PNG\r\n\x1a\n" + b"\r\n--x--\r\n"


def request(method, path, header, query, key):
    """A request that presents a key, or with ``None`` none at all, and could else be served."""
    body = OWN.get(path, BODY) if method == "POST" else b""
    if path in FORM:
        body = form(path)
        header = f"{header}\r\nContent-Type: multipart/form-data; boundary=x"
    lines = [f"{method} {path}{query.format(key) if key else ''} HTTP/1.1", "Host: gateway"]
    if key:
        plain = key.replace("%20", " ").replace("%25", "%").replace("%00", "0")
        lines.append(header.format(plain))
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def refusals(line, method, path):
    """The answer for every form and every bad key, without what differs by design."""
    for header, query in FORMS.values():
        for name, key in [("no key", None), *BAD.items()]:
            await line.send(request(method, path, header, query, key))
            status, headers, body = await line.answer()
            told = msgspec.json.decode(body)
            assert headers.pop(b"request-id") == headers.pop(b"x-request-id")
            told.pop("id", None)  # the same once more, where Cohere's clients look for it
            del told["request_id"], headers[b"date"]
            yield (
                name,
                status,
                told["error"]["message"],
                msgspec.json.encode([told, sorted(headers)]),
            )


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "path"), RELAYED + LISTS)
async def test_every_route_refuses_every_bad_key_in_the_same_words(method, path):
    """401 and one text for all of them; no vendor is asked, no record made, no money held."""
    async with Double([VENDOR]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.listener.open(gateway.services, SNAPSHOT.get)
        line = await Wire.to(gateway.port)
        bodies = set()
        async for name, status, message, body in refusals(line, method, path):
            assert (401, MISSING if name == "no key" else INVALID) == (status, message), name
            if name != "no key":
                bodies.add(body)
        # the list on the shared path is answered in the dialect of the key's form
        assert len(bodies) <= (3 if (method, path) in LISTS else 1)
        await line.close()
        assert [] == vendor.requests
        assert [] == gateway.records == gateway.services.ledger.holds


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "path"), RELAYED + LISTS)
async def test_every_route_takes_a_good_key_in_every_form(method, path):
    """It is served, and the caller is known."""
    async with Double([VENDOR]) as vendor, Gateway.to((provider(path), vendor)) as gateway:
        gateway.listener.open(gateway.services, SNAPSHOT.get)
        for header, query in FORMS.values():
            status, _, _ = await gateway.send(request(method, path, header, query, GOOD))
            assert status in (200, 502, 503)
        for seen in vendor.requests:
            assert GOOD.encode() not in seen.raw
        if method == "POST":
            assert [1] * len(FORMS) == [record.key_id for record in gateway.records]


@pytest.mark.asyncio
@pytest.mark.parametrize("form", FORMS)
async def test_another_tenants_key_gets_what_is_its_own_and_nothing_else(form):
    """It is a good key, for other models."""
    header, query = FORMS[form]
    async with Double([VENDOR]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.listener.open(gateway.services, SNAPSHOT.get)
        for path in ("/v1/embeddings", "/v1beta/models/m:embedContent"):
            status, _, body = await gateway.send(request("POST", path, header, query, OTHER))
            assert 403 == status
            assert b"may not use the model" in body
        status, _, _ = await gateway.send(request("GET", "/v1/models/m", header, query, OTHER))
        assert 404 == status
        assert [] == vendor.requests
        assert {5} == {record.user_id for record in gateway.records}


@pytest.mark.asyncio
async def test_the_query_form_can_be_switched_off():
    """`server.query_key = false`: then it is as if nothing had been presented."""
    async with (
        Double([VENDOR]) as vendor,
        Gateway.to(("openai", vendor), query_key=False) as gateway,
    ):
        for method, path in (("GET", "/v1beta/models"), ("POST", "/v1/embeddings")):
            status, _, body = await gateway.send(
                gateway.head(f"{path}?key={gateway.key}", method=method, key=False)
            )
            assert (401, MISSING) == (status, msgspec.json.decode(body)["error"]["message"])
            assert 401 != (await gateway.send(gateway.head(path, method=method)))[0]


@pytest.mark.asyncio
async def test_of_two_good_keys_the_first_in_the_written_order_pays():
    """The order of `edge/credentials.py`, for every shape alike."""
    for path in ("/v1/embeddings", "/v1/messages", "/v1beta/models/m:embedContent"):
        async with Double([VENDOR]) as vendor, Gateway.to((provider(path), vendor)) as gateway:
            gateway.listener.open(gateway.services, SNAPSHOT.get)
            raw = request("POST", path, "x-api-key: {}", "", OTHER)
            both = raw.replace(b"Host:", b"Authorization: Bearer %b\r\nHost:" % GOOD.encode())
            await gateway.send(both)
            assert [5] == [record.key_id for record in gateway.records]


@pytest.mark.asyncio
async def test_a_bad_key_costs_no_upload():
    """The head decides: a large body is not taken in."""
    async with Double([VENDOR]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(
            gateway.head("/v1/embeddings", key=False).replace(b"Length: 0", b"Length: 90000000")
        )
        assert 401 == (await line.answer())[0]
        assert await line.ended()
        await line.close()


@pytest.mark.asyncio
async def test_one_key_may_be_kept_out_of_addresses():
    """403 for this one alone, also on a connection that knows the head already."""
    async with (
        Double([VENDOR]) as vendor,
        Gateway.to(("openai", vendor), who={"header_only": True}) as gateway,
    ):
        for header in ("X-Api-Key: placeholder", "X-Nothing: 1"):
            line = await gateway.wire()
            for _ in range(3):
                await line.send(
                    gateway.head(f"/v1/embeddings?key={gateway.key}", b"{}", header, key=False)
                )
                status, _, body = await line.answer()
                error = msgspec.json.decode(body)["error"]
                assert (403, "permission_denied") == (status, error["code"])
            await line.close()
        assert [] == vendor.requests
        assert 200 == (await gateway.get(f"/v1/models?key={gateway.key}"))[0]
