"""Pictures through a whole gateway: which model, its rules, and the way to each kind of upstream."""

import msgspec
import pytest

from gateway import Gateway, error_of
from pictures import BASE64, JSON, USAGE, answer, drawn, event, streamed
from scripted_upstream import Close, Double, Send, sized
from trivium.clock import SystemClock
from trivium.ledger.model import Hold
from trivium.ledger.quote import Pricing
from trivium.pipeline.images import class_of
from trivium.providers.images import Defaults
from trivium.providers.registry import PROVIDERS
from trivium.routing import catalogue
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import Settings
from trivium.wire.images.rules import ImageClass

PATH = "/v1/images/generations"
PARTIAL = event("image_generation.partial_image", partial_image_index=0)
COMPLETED = event("image_generation.completed", usage=USAGE, size="1024x1024", quality="low")


def sent(vendor, at=-1):
    """The body that the vendor was sent."""
    return msgspec.json.decode(vendor.requests[at].body)


async def ask(script, body, *headers, provider="openai", name="gpt-image-1", **more):
    """One request for pictures: status, headers, body, and what the vendor was sent."""
    async with (
        Double([script]) as vendor,
        Gateway.to((provider, vendor), name=name, **more) as gateway,
    ):
        found = await gateway.post(PATH, {"model": name} | body, *headers)
        return *found, [msgspec.json.decode(one.body) for one in vendor.requests], gateway


@pytest.mark.asyncio
async def test_the_callers_body_passes_with_its_unknown_members():
    """So does the answer, byte for byte."""
    body = {"prompt": "A cat.", "size": "auto", "quality": "low", "wish": {"a": [1]}}
    status, headers, got, seen, gateway = await ask(answer(usage=USAGE), body)
    assert 200 == status
    assert [{"model": "gpt-image-1"} | body] == seen
    assert {"created": 1, "data": [{"b64_json": BASE64}], "usage": USAGE} == msgspec.json.decode(
        got
    )
    assert b"trivium-dropped" not in headers
    (record,) = gateway.records
    assert ("images", 200, 10, 200) == (
        record.operation, record.status, record.usage.fresh, record.usage.image_output,
    )  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "body", "param", "code"),
    [
        ("gpt-image-1", {"prompt": "x", "style": "vivid"}, "style", "unsupported_parameter"),
        ("gpt-image-1", {"prompt": "x", "size": "1792x1024"}, "size", "invalid_value"),
        ("dall-e-2", {"prompt": "x" * 1001}, "prompt", "invalid_value"),
        ("dall-e-3", {"prompt": "x", "n": 2}, "n", "invalid_value"),
        ("gpt-image-2", {"prompt": "x", "size": "1000x1000"}, "size", "invalid_value"),
        ("dall-e-2", {}, "prompt", "missing_required_parameter"),
        ("anything", {"prompt": "x", "n": 11}, "n", "invalid_value"),
        ("anything", {"prompt": "x", "quality": "best"}, "quality", "invalid_value"),
    ],
)
async def test_a_violation_is_a_400_in_the_image_error_shape(name, body, param, code):
    """message, type, param, code; nobody is called."""
    status, _, got, seen, _ = await ask(answer(), body, name=name)
    told = error_of(got)
    assert (400, param, code, "invalid_request_error", []) == (
        status, told["param"], told["code"], told["type"], seen,
    )  # fmt: skip
    assert {"message", "type", "param", "code"} <= set(told)


@pytest.mark.asyncio
async def test_an_operator_may_say_what_a_model_is():
    """Its name then tells nothing."""
    more = {"name": "house", "model": {"image_class": "legacy_b"}}
    status, _, got, _, _ = await ask(answer(), {"prompt": "x", "n": 2}, **more)
    assert (400, "n") == (status, error_of(got)["param"])
    more = {"name": "house", "model": {"image_class": "open"}}
    assert 200 == (await ask(answer(), {"prompt": "x", "quality": "best"}, **more))[0]


def test_a_class_is_the_operators_or_the_names_or_the_channels():
    """In this order."""

    def of(name, upstream=None, image_class=None):
        entry = ModelEntry(
            name=name, free=True, image_class=image_class,
            bindings=(BindingEntry(channel="c", model=upstream),),
        )  # fmt: skip
        channel = ChannelEntry(name="c", provider="openai", api_key="k")
        built = catalogue.build(Settings(channels=(channel,), models=(entry,)), PROVIDERS)
        return class_of(built.models[name])

    assert ImageClass.LEGACY_A is of("dall-e-2", "dall-e-3")
    assert ImageClass.LEGACY_B is of("pictures", "dall-e-3")
    assert ImageClass.GPT is of("dall-e-2", image_class="gpt")
    assert of("pictures", "flux") is None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"prompt": "x"}, "dall-e-2"),
        ({"prompt": "x", "n": 2, "size": "512x512"}, "dall-e-2"),
        ({"prompt": "x", "background": "opaque"}, "gpt-image-2"),
        ({"prompt": "x", "quality": "low"}, "gpt-image-2"),
        ({"prompt": "x", "model": None, "output_format": "webp"}, "gpt-image-2"),
    ],
)
async def test_a_request_without_a_model_means_the_default(body, name):
    """Legacy model A, unless a member of GPT image models alone is used."""
    async with Double([answer()]) as vendor, Gateway.to(("openai", vendor), name=name) as gateway:
        assert 200 == (await gateway.post(PATH, body))[0]
        assert name == sent(vendor)["model"]


@pytest.mark.asyncio
async def test_the_defaults_are_the_operators_to_choose():
    """Whatever they are named."""
    async with Double([answer()]) as vendor, Gateway.to(("openai", vendor), name="p") as gateway:
        gateway.services.pictures = Defaults("p", "q")
        assert 200 == (await gateway.post(PATH, {"prompt": "x"}))[0]
        status, _, got = await gateway.post(PATH, {"prompt": "x", "background": "auto"})
        assert (404, "model_not_found") == (status, error_of(got)["code"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "body", "gone"),
    [
        ("dall-e-2", {"size": "auto", "quality": "auto", "stream": False}, {"size", "quality", "stream"}),
        ("dall-e-3", {"size": "auto", "background": None, "style": "vivid"}, {"size", "background"}),
        ("gpt-image-1", {"style": None, "size": "auto"}, {"style"}),
        ("gpt-image-1", {"response_format": "b64_json"}, {"response_format"}),
        ("anything", {"size": "auto", "style": None}, set()),
    ],
)  # fmt: skip
async def test_what_means_nothing_to_the_class_stays_behind(name, body, gone):
    """Defaults written out, and nulls of another class's members."""
    _, _, _, seen, _ = await ask(answer(), {"prompt": "x"} | body, name=name)
    assert ({"model", "prompt"} | set(body)) - gone == set(seen[0])


@pytest.mark.asyncio
async def test_a_member_that_is_left_out_is_told():
    """Base64 comes anyway."""
    body = {"prompt": "x", "response_format": "b64_json"}
    status, headers, *_ = await ask(answer(), body)
    assert 200 == status
    assert headers[b"trivium-dropped"].startswith(b"response_format;act=dropped")
    status, _, got, _, _ = await ask(answer(), body | {"response_format": "url"})
    assert (400, "response_format") == (status, error_of(got)["param"])


@pytest.mark.asyncio
@pytest.mark.parametrize("partial", [0, 3])
async def test_a_stream_passes_as_it_comes(partial):
    """Partial pictures if there are any, then one completed event."""
    events = [PARTIAL] * partial + [COMPLETED]
    body = {"prompt": "x", "stream": True, "partial_images": partial}
    status, headers, got, seen, gateway = await ask(streamed(*events), body)
    assert (200, b"".join(events)) == (status, got)
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert partial == seen[0]["partial_images"]
    (record,) = gateway.records
    assert (200, 1) == (record.usage.image_output, record.usage.images[0].count)


@pytest.mark.asyncio
async def test_a_stream_that_breaks_ends_with_an_error_event():
    """Legally: the events before it, then the cause, then nothing."""
    status, _, got, _, gateway = await ask(
        [Send(streamed(PARTIAL)[0].data), Close()], {"prompt": "x", "stream": True}
    )
    assert 200 == status
    assert got.startswith(PARTIAL + b'event: error\ndata: {"error":{')
    assert "upstream_broke" == gateway.records[0].fault


@pytest.mark.asyncio
async def test_a_refusal_of_the_vendor_is_told_in_the_callers_words():
    """Status and code, in the image error shape."""
    refusal = b'{"error":{"message":"no","type":"invalid_request_error","param":"prompt","code":"moderation_blocked"}}'
    script = [Send(sized(refusal, status=b"400 Bad Request", headers=JSON))]
    status, _, got, _, _ = await ask(script, {"prompt": "x"})
    assert (400, "prompt") == (status, error_of(got)["param"])


@pytest.mark.asyncio
async def test_a_generate_model_draws_behind_the_same_endpoint():
    """Translated there, and the picture back."""
    body = {"prompt": "A cat.", "size": "1536x1024", "quality": "high", "user": "u"}
    name = "gemini-2.5-flash-image"
    status, headers, got, seen, gateway = await ask(drawn(), body, provider="gemini", name=name)
    assert 200 == status
    assert {"aspectRatio": "3:2"} == seen[0]["generationConfig"]["imageConfig"]
    told = msgspec.json.decode(got)
    assert ([{"b64_json": BASE64}], 1290) == (told["data"], told["usage"]["output_tokens"])
    assert b"quality;act=dropped" in headers[b"trivium-dropped"]
    (record,) = gateway.records
    assert (1290, "images") == (record.usage.image_output, record.operation)
    assert "quality, size, user" == record.dropped


@pytest.mark.asyncio
async def test_a_generate_model_streams_one_event():
    """Though it answers whole, and is asked for a whole answer."""
    name = "gemini-2.5-flash-image"
    body = {"model": name, "prompt": "x", "stream": True, "partial_images": 2}
    async with Double([drawn()]) as vendor, Gateway.to(("gemini", vendor), name=name) as gateway:
        status, headers, got = await gateway.post(PATH, body)
        (asked,) = vendor.requests
    assert asked.line == f"POST /v1beta/models/{name}:generateContent HTTP/1.1".encode()
    assert (200, 1) == (status, got.count(b"event: image_generation.completed"))
    assert headers[b"content-type"].startswith(b"text/event-stream")


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [{"n": 2}, {"background": "transparent"}, {"size": "3072x1024"}])
async def test_what_a_generate_model_cannot_is_refused(body):
    """By name, before anybody is called."""
    (param,) = body
    name = "gemini-2.5-flash-image"
    status, _, got, seen, _ = await ask(
        drawn(), {"prompt": "x"} | body, provider="gemini", name=name
    )
    assert (400, param, []) == (status, error_of(got)["param"], seen)


@pytest.mark.asyncio
async def test_a_model_that_only_talks_does_not_draw():
    """It says what it serves."""
    status, _, got, _, _ = await ask(
        drawn(), {"prompt": "x"}, provider="gemini", name="gemini-3-pro"
    )
    assert 400 == status
    assert "does not serve image generations" in error_of(got)["message"]


@pytest.mark.asyncio
async def test_a_vendor_that_declines_is_no_success():
    """The policy is named."""
    name = "gemini-2.5-flash-image"
    script = drawn(candidates=[{"finishReason": "IMAGE_SAFETY"}])
    status, _, got, _, _ = await ask(script, {"prompt": "x"}, provider="gemini", name=name)
    assert (400, "content_policy_violation") == (status, error_of(got)["code"])


class Books(Pricing):
    """Prices as the real ledger does, and remembers what was settled."""

    def __init__(self):
        super().__init__(SystemClock())
        self.settled = []

    def hold(self, request_id, caller, quote, budgets=(), who=None):
        amount = quote.amount_nanos
        return Hold(request_id=request_id, user_id=1, amount_nanos=amount, quote=quote)

    def settle(self, hold, usage, end="", channel=""):
        self.settled.append((usage, end))
        return 0


PRICED = {"free": False, "price": {"input": "1", "output": "2"}}
NO_PICTURE = answer(usage=USAGE, data=[])


@pytest.mark.asyncio
async def test_an_answer_without_a_picture_is_no_success():
    """Nothing is charged, and another channel may draw."""
    async with (
        Double([NO_PICTURE]) as first,
        Double([answer()]) as second,
        Gateway.to(("openai", first), ("openai", second), name="gpt-image-1") as gateway,
    ):
        body = {"model": "gpt-image-1", "prompt": "x"}
        status, headers, got = await gateway.post(PATH, body)
        assert (200, BASE64) == (status, msgspec.json.decode(got)["data"][0]["b64_json"])
        assert b"openai-0;failed=upstream_broke" in headers[b"trivium-route"]
    async with (
        Double([NO_PICTURE]) as vendor,
        Gateway.to(("openai", vendor), name="gpt-image-1", model=PRICED) as gateway,
    ):
        books = gateway.services.ledger = Books()
        status, _, got = await gateway.post(PATH, body)
        assert (502, "upstream_error") == (status, error_of(got)["code"])
        assert "without a picture" in error_of(got)["message"]
        assert [(None, "upstream_broke")] == books.settled


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "code", "fresh"),
    [
        pytest.param(drawn({"text": "A cat has four legs."}), "invalid_value", 8, id="wrote"),
        pytest.param(
            drawn(candidates=[{"finishReason": "IMAGE_SAFETY"}]),
            "content_policy_violation", 8, id="declined",
        ),
        pytest.param(drawn(candidates=[]), "upstream_error", None, id="broke"),
    ],
)  # fmt: skip
async def test_a_model_that_worked_and_drew_nothing_is_paid(script, code, fresh):
    """Else whoever asks it for words has them for nothing; a broken answer is nobody's debt."""
    name = "gemini-2.5-flash-image"
    async with (
        Double([script]) as vendor,
        Gateway.to(("gemini", vendor), name=name, model=PRICED) as gateway,
    ):
        books = gateway.services.ledger = Books()
        _, _, got = await gateway.post(PATH, {"model": name, "prompt": "How many legs?"})
        ((usage, _),) = books.settled
        assert (code, fresh) == (error_of(got)["code"], usage and usage.fresh)


@pytest.mark.asyncio
async def test_usage_that_nobody_told_is_estimated_by_the_picture():
    """Never nothing; of the legacy models the pieces are all there is."""
    _, headers, _, _, gateway = await ask(answer(), {"prompt": "A cat."})
    assert b"usage" == headers[b"trivium-estimated"]
    used = gateway.records[0].usage
    assert (True, 6240, 2) == (used.estimated, used.image_output, used.fresh)
    _, headers, _, _, gateway = await ask(answer(), {"prompt": "A cat."}, name="dall-e-3")
    assert b"trivium-estimated" not in headers
    assert (False, 1) == (
        gateway.records[0].usage.estimated,
        gateway.records[0].usage.images[0].count,
    )
