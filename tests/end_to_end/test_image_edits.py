"""Edits and variations through a whole gateway: forms with files, references, both upstreams."""

import asyncio
import base64
import io

import msgspec
import pytest
from openai import AsyncOpenAI, BadRequestError

from gateway import Gateway, error_of
from pictures import BASE64, JSON, PICTURE, USAGE, answer, drawn, event, png, streamed
from scripted_upstream import Double, Reset, Send, sized
from trivium.edge.limits import ServerLimits

EDITS, VARIATIONS = "/v1/images/edits", "/v1/images/variations"
BOUNDARY = "XYZ"
OTHER = png(colour=(0, 0, 200, 255))
COMPLETED = event("image_edit.completed", usage=USAGE)


def form(*parts):
    """The bytes of a form: (name, text) or (name, file name, bytes)."""
    out = b""
    for name, *rest in parts:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'
        if len(rest) == 2:
            head += f'; filename="{rest[0]}"\r\nContent-Type: image/png'
        out += head.encode() + b"\r\n\r\n"
        out += (rest[-1] if isinstance(rest[-1], bytes) else rest[-1].encode()) + b"\r\n"
    return out + f"--{BOUNDARY}--\r\n".encode()


def parts_of(request):
    """(name, file name, content) of every part that a vendor was sent."""
    found = []
    boundary = request.raw.split(b"boundary=", 1)[1].split(b"\r\n", 1)[0]
    for piece in request.body.split(b"--" + boundary)[1:-1]:
        head, _, content = piece.partition(b"\r\n\r\n")
        name = head.split(b'name="', 1)[1].split(b'"', 1)[0].decode()
        file = (
            head.split(b'filename="', 1)[1].split(b'"', 1)[0].decode()
            if b"filename" in head
            else None
        )
        found.append((name, file, content[:-2]))
    return found


async def ask(script, path, body, *, provider="openai", name="gpt-image-1", **more):
    """Status, headers, body, what the vendor was sent, the record."""
    kind = (
        "application/json"
        if isinstance(body, dict)
        else f"multipart/form-data; boundary={BOUNDARY}"
    )
    async with (
        Double([script]) as vendor,
        Gateway.to((provider, vendor), name=name, **more) as gateway,
    ):
        found = await gateway.post(path, body, f"Content-Type: {kind}")
        return *found, vendor.requests, gateway.records[0]


EDIT = form(
    ("model", "gpt-image-1"),
    ("image[]", "a.png", PICTURE),
    ("prompt", "A hat."),
    ("image[]", "b.png", OTHER),
    ("mask", "m.png", PICTURE),
    ("size", "1024x1024"),
    ("wish[of]", "mine"),
)


@pytest.mark.asyncio
async def test_files_and_fields_go_on_as_they_came():
    """In order, by their own names, with type and bytes; unknown fields as well."""
    status, _, got, (seen,), record = await ask(answer(usage=USAGE), EDITS, EDIT)
    assert 200 == status
    assert [
        ("model", None, b"gpt-image-1"),
        ("image[]", "a.png", PICTURE),
        ("prompt", None, b"A hat."),
        ("image[]", "b.png", OTHER),
        ("mask", "m.png", PICTURE),
        ("size", None, b"1024x1024"),
        ("wish[of]", None, b"mine"),
    ] == parts_of(seen)
    assert BASE64 == msgspec.json.decode(got)["data"][0]["b64_json"]
    assert ("images_edit", 200, len(EDIT)) == (
        record.operation, record.usage.image_output, record.bytes_in,
    )  # fmt: skip


@pytest.mark.asyncio
async def test_a_second_channel_gets_the_same_files():
    """An upload is read as often as there are attempts."""
    async with (
        Double([[Reset()]]) as first,
        Double([answer()]) as second,
        Gateway.to(("openai", first), ("openai", second), name="gpt-image-1") as gateway,
    ):
        kind = f"Content-Type: multipart/form-data; boundary={BOUNDARY}"
        status, _, _ = await gateway.post(EDITS, EDIT, kind)
        assert 200 == status
        assert parts_of(second.requests[0])[1] == ("image[]", "a.png", PICTURE)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "parts", "param"),
    [
        ("gpt-image-1", [("image", "a.png", PICTURE)], "prompt"),
        ("gpt-image-1", [("prompt", "x")], "image"),
        ("gpt-image-1", [("prompt", "x"), ("image", "text")], "image"),
        ("gpt-image-1", [("prompt", "x"), ("image", "a.png", PICTURE), ("n", "11")], "n"),
        ("gpt-image-1", [("prompt", "x"), ("image", "a.png", PICTURE), ("size", "1x1")], "size"),
        ("dall-e-2", [("prompt", "x"), ("image", "a.png", PICTURE), ("stream", "true")], "stream"),
        ("dall-e-2", [("prompt", "x"), *[("image[]", "a.png", PICTURE)] * 2], "image"),
        ("dall-e-3", [("prompt", "x"), ("image", "a.png", PICTURE)], "model"),
    ],
)
async def test_the_rules_hold_for_forms(name, parts, param):
    """As for JSON: by name, before anybody is called."""
    status, _, got, seen, _ = await ask(answer(), EDITS, form(("model", name), *parts), name=name)
    assert (400, param, []) == (status, error_of(got)["param"], seen)


@pytest.mark.asyncio
async def test_a_form_beyond_the_limit_is_refused():
    """Nothing of it is kept."""
    limits = ServerLimits(upload_bytes_max=1000)
    body = form(("model", "m"), ("prompt", "x"), ("image", "a.png", b"x" * 2000))
    async with (
        Double([answer()]) as vendor,
        Gateway.to(("openai", vendor), limits=limits) as gateway,
    ):
        kind = f"Content-Type: multipart/form-data; boundary={BOUNDARY}"
        status, _, got = await gateway.post(EDITS, body, kind)
        assert (413, "request_too_large") == (status, error_of(got)["code"])


@pytest.mark.asyncio
async def test_an_edit_streams():
    """Its own events pass."""
    body = form(
        ("model", "gpt-image-1"), ("prompt", "x"), ("stream", "true"), ("image", "a.png", PICTURE)
    )
    status, headers, got, _, record = await ask(streamed(COMPLETED), EDITS, body)
    assert (200, COMPLETED) == (status, got)
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert 200 == record.usage.image_output


@pytest.mark.asyncio
async def test_pictures_may_be_named_in_json():
    """As the vendor has it; its own ids pass."""
    body = {"model": "gpt-image-1", "prompt": "x", "images": [{"file_id": "f"}], "size": "auto"}
    status, _, _, (seen,), _ = await ask(answer(), EDITS, body)
    assert (200, body) == (status, msgspec.json.decode(seen.body))
    status, _, got, _, _ = await ask(answer(), EDITS, body | {"images": []})
    assert (400, "images") == (status, error_of(got)["param"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "body",
    [
        form(("model", "g"), ("prompt", "A hat."), ("image", "a.png", PICTURE)),
        {
            "model": "g",
            "prompt": "A hat.",
            "images": [{"image_url": f"data:image/png;base64,{BASE64}"}],
        },
    ],
    ids=["form", "json"],
)
async def test_a_generate_model_edits_behind_the_same_endpoint(body):
    """The picture goes inline, whichever way it came."""
    status, _, got, (seen,), record = await ask(
        drawn(), EDITS, body, provider="gemini", name="g", upstream_model="gemini-2.5-flash-image"
    )
    assert (200, BASE64) == (status, msgspec.json.decode(got)["data"][0]["b64_json"])
    assert [{"inlineData": {"mimeType": "image/png", "data": BASE64}}, {"text": "A hat."}] == (
        msgspec.json.decode(seen.body)["contents"][0]["parts"]
    )
    assert 1290 == record.usage.image_output


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "param"),
    [
        (form(("model", "g"), ("prompt", "x"), ("image", "a.png", PICTURE), ("mask", "m", PICTURE)), "mask"),
        ({"model": "g", "prompt": "x", "images": [{"file_id": "f"}]}, "images[0].file_id"),
        ({"model": "g", "prompt": "x", "images": [{"image_url": "https://e.org/a.png"}]},
         "images[0].image_url"),
    ],
)  # fmt: skip
async def test_what_a_generate_model_cannot_take_is_refused(body, param):
    """By name."""
    more = {"provider": "gemini", "name": "g", "upstream_model": "gemini-2.5-flash-image"}
    status, _, got, seen, _ = await ask(drawn(), EDITS, body, **more)
    assert (400, param, []) == (status, error_of(got)["param"], seen)


@pytest.mark.asyncio
async def test_a_variation_is_a_picture_and_no_words():
    """Of legacy model A; without a model it is meant."""
    body = form(("image", "a.png", PICTURE), ("n", "2"), ("size", "256x256"))
    status, _, _, (seen,), record = await ask(
        answer({"b64_json": BASE64}, {"b64_json": BASE64}), VARIATIONS, body, name="dall-e-2"
    )
    assert 200 == status
    assert [("model", None, b"dall-e-2"), ("image", "a.png", PICTURE)] == parts_of(seen)[:2]
    assert ("images_vary", 2) == (record.operation, record.usage.images[0].count)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "body", "status", "param"),
    [
        ("gpt-image-1", form(("model", "gpt-image-1"), ("image", "a", PICTURE)), 400, "model"),
        ("dall-e-2", form(("size", "1792x1024"), ("image", "a", PICTURE)), 400, "size"),
        ("dall-e-2", form(("n", "2")), 400, "image"),
        ("dall-e-2", {"image": "x"}, 415, None),
    ],
)
async def test_the_rules_hold_for_variations(name, body, status, param):
    """One picture, in a form, by a model that makes them."""
    got, _, answered, seen, _ = await ask(answer(), VARIATIONS, body, name=name)
    assert (status, param, []) == (got, error_of(answered)["param"], seen)


@pytest.mark.asyncio
async def test_who_leaves_in_the_middle_of_an_upload_reaches_nobody():
    """And leaves nothing."""
    async with (
        Double([answer()]) as vendor,
        Gateway.to(("openai", vendor), name="gpt-image-1") as gateway,
    ):
        line = await gateway.wire()
        raw = gateway.head(EDITS, EDIT, f"Content-Type: multipart/form-data; boundary={BOUNDARY}")
        await line.send(raw[: len(raw) // 2])
        await line.close()
        await asyncio.sleep(0.05)
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_a_refusal_of_the_vendor_is_told():
    """In the image error shape."""
    refusal = b'{"error":{"message":"bad mask","type":"invalid_request_error","param":"mask"}}'
    script = [Send(sized(refusal, status=b"400 Bad Request", headers=JSON))]
    status, _, got, _, _ = await ask(script, EDITS, EDIT)
    assert (400, "mask") == (status, error_of(got)["param"])


# --- the official client --------------------------------------------------------------------------


def client_of(gateway):
    return AsyncOpenAI(
        base_url=f"http://127.0.0.1:{gateway.port}/v1", api_key=gateway.key, max_retries=0
    )


@pytest.mark.asyncio
async def test_the_official_client_edits_several_pictures():
    """Their names, types and bytes arrive."""
    async with (
        Double([answer(usage=USAGE)]) as vendor,
        Gateway.to(("openai", vendor), name="gpt-image-1") as gateway,
        client_of(gateway) as client,
    ):
        files = [("a.png", io.BytesIO(PICTURE), "image/png"), ("b.png", OTHER, "image/png")]
        made = await client.images.edit(
            model="gpt-image-1", prompt="A hat.", image=files, mask=("m.png", PICTURE), n=1
        )
        sent = {
            (name, file, content) for name, file, content in parts_of(vendor.requests[0]) if file
        }
    assert PICTURE == base64.b64decode(made.data[0].b64_json)
    assert {
        ("image[]", "a.png", PICTURE),
        ("image[]", "b.png", OTHER),
        ("mask", "m.png", PICTURE),
    } == sent


@pytest.mark.asyncio
async def test_the_official_client_streams_an_edit():
    """One event at the end."""
    async with (
        Double([streamed(COMPLETED)]) as vendor,
        Gateway.to(("openai", vendor), name="gpt-image-1") as gateway,
        client_of(gateway) as client,
    ):
        stream = await client.images.edit(
            model="gpt-image-1", prompt="A hat.", image=PICTURE, stream=True
        )
        events = [one async for one in stream]
    assert [("image_edit.completed", BASE64)] == [(one.type, one.b64_json) for one in events]


@pytest.mark.asyncio
@pytest.mark.filterwarnings("ignore:deprecated:DeprecationWarning")  # the client's own word for it
async def test_the_official_client_makes_variations():
    """And hears of what is wrong."""
    async with (
        Double([answer()]) as vendor,
        Gateway.to(("openai", vendor), name="dall-e-2") as gateway,
        client_of(gateway) as client,
    ):
        made = await client.images.create_variation(image=PICTURE, response_format="b64_json")
        assert BASE64 == made.data[0].b64_json
        with pytest.raises(BadRequestError) as told:
            await client.images.create_variation(image=PICTURE, n=11)
        assert "n" == told.value.param
