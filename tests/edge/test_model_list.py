"""One list of models in three dialects, on every address, of what the key may use."""

from decimal import Decimal
from types import SimpleNamespace

import msgspec
import pytest

from edge.wires import asked
from gateway import Gateway, error_of, settings_for
from scripted_upstream import Double
from trivium.edge import model_list
from trivium.edge.routes import ModelListRoute
from trivium.faults import Fault, Kind
from trivium.identity.model import Caller
from trivium.providers.registry import PROVIDERS
from trivium.routing import catalogue
from trivium.routing.model import PriceRow
from trivium.routing.router import Router
from trivium.wire.operation import Shape

NOBODY = SimpleNamespace(port=9)


def services(*names):
    """Services that know models of these names."""
    settings = settings_for([("openai", NOBODY)])
    (model,) = settings.models
    models = tuple(msgspec.structs.replace(model, name=name) for name in names)
    found = catalogue.build(msgspec.structs.replace(settings, models=models), PROVIDERS)
    return SimpleNamespace(router=Router(found, lambda: 0.5))


def render(names, *, one=None, shape=Shape.CHAT, models=frozenset(), prefixes=(), query=b""):
    exchange = asked(target=b"/v1/models?" + query, method="GET")
    exchange.shape = shape
    exchange.caller = Caller(
        key_id=1, user_id=1, payer_id=1, unlimited=False, disabled=False, expires_at=float("inf"),
        models=models, prefixes=prefixes,
    )  # fmt: skip
    target = ModelListRoute(google=shape is Shape.GENERATE, model=one)
    return msgspec.json.decode(model_list.render(exchange, target, services(*names)))


NAMES = ("gpt-5", "claude-x", "org/llama3:8b")


def test_the_operators_order_is_kept():
    """The first model is what clients show first."""
    assert list(NAMES) == [model["id"] for model in render(NAMES)["data"]]


@pytest.mark.parametrize("shape", [Shape.CHAT, Shape.MESSAGES, Shape.GENERATE])
@pytest.mark.parametrize(
    ("allow", "left"),
    [
        ({"models": frozenset({"claude-x"})}, ["claude-x"]),
        ({"prefixes": ("gpt-", "org/")}, ["gpt-5", "org/llama3:8b"]),
        ({"models": frozenset({"other"})}, []),
    ],
)
def test_only_what_the_key_may_use_is_listed(shape, allow, left):
    """In every dialect."""
    body = render(NAMES, shape=shape, **allow)
    if shape is Shape.GENERATE:
        assert [f"models/{name}" for name in left] == [model["name"] for model in body["models"]]
    else:
        assert left == [model["id"] for model in body["data"]]


@pytest.mark.parametrize("shape", [Shape.CHAT, Shape.MESSAGES, Shape.GENERATE])
def test_a_model_the_key_may_not_use_is_as_good_as_none(shape):
    """The same 404 as for a name that was never there."""
    told = []
    for one, names in (("claude-x", NAMES), ("claude-x", ("gpt-5",))):
        with pytest.raises(Fault) as caught:
            render(names, one=one, shape=shape, models=frozenset({"gpt-5"}))
        told.append((caught.value.kind, caught.value.message))
    assert told[0] == told[1]
    assert Kind.MODEL_UNKNOWN is told[0][0]


@pytest.mark.parametrize("shape", [Shape.CHAT, Shape.MESSAGES])
def test_a_name_with_slashes_and_colons_is_one_model(shape):
    """As engines name theirs."""
    assert "org/llama3:8b" == render(NAMES, one="org/llama3:8b", shape=shape)["id"]


def test_pages_follow_the_query():
    """Read as it is encoded."""
    body = render(NAMES, shape=Shape.MESSAGES, query=b"limit=1&after_id=claude%2Dx")
    assert (["org/llama3:8b"], False) == ([m["id"] for m in body["data"]], body["has_more"])


FORMS = {
    "openai": ("Authorization: Bearer {key}", "", Shape.CHAT),
    "codex": ("Authorization: Bearer {key}", "?client_version=0.169.0", Shape.CHAT),
    "anthropic": ("x-api-key: {key}", "", Shape.MESSAGES),
    "claude code": (
        "Authorization: Bearer {key}\r\nanthropic-version: 2023-06-01", "?limit=1000", Shape.MESSAGES,
    ),
    "the specification's header": (
        "Authorization: Bearer {key}\r\nvendor-version: 2023-06-01", "", Shape.MESSAGES,
    ),
    "google": ("x-goog-api-key: {key}", "", Shape.GENERATE),
    "google by query": ("x-nothing: 1", "?key={key}", Shape.GENERATE),
}  # fmt: skip


def family_of(body):
    """Whose list it is, by the members only that family has."""
    if "models" in body:
        return Shape.GENERATE
    return Shape.MESSAGES if "has_more" in body else Shape.CHAT


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/v1/models", "/models"])
@pytest.mark.parametrize("form", FORMS)
async def test_the_shared_path_answers_each_family_in_its_own_words(path, form):
    """How the key is presented tells who asks; a version header does too."""
    header, query, shape = FORMS[form]
    async with Gateway.to(("openai", NOBODY), name="org/llama3:8b") as gateway:
        status, headers, body = await gateway.get(
            (path + query).format(key=gateway.key), header.format(key=gateway.key), key=False
        )
        assert (200, b"application/json") == (status, headers[b"content-type"])
        assert shape is family_of(msgspec.json.decode(body))
        encoded = path + "/org%2Fllama3:8b" + query
        status, _, body = await gateway.get(
            encoded.format(key=gateway.key), header.format(key=gateway.key), key=False
        )
        assert 200 == status
        assert b"org/llama3:8b" in body


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    [
        "/v1beta/models", "/v1alpha/models", "/vendorc/v1beta/models", "/vendorc/v1/models",
        "/gemini/v1beta/models", "/gemini/v1/models",
    ],
)  # fmt: skip
async def test_googles_own_paths_leave_no_choice(path):
    """Whatever the key came in."""
    async with Gateway.to(("openai", NOBODY)) as gateway:
        status, _, body = await gateway.get(path, "anthropic-version: 2023-06-01")
        assert (200, Shape.GENERATE) == (status, family_of(msgspec.json.decode(body)))
        assert 200 == (await gateway.get(path + "/m"))[0]
        status, _, body = await gateway.get(path + "/other")
        assert (404, 404, "NOT_FOUND") == (status, error_of(body)["code"], error_of(body)["status"])


@pytest.mark.asyncio
async def test_a_list_may_be_asked_for_by_head_and_calls_no_vendor():
    """The head of what GET answers, from memory."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head("/v1/models", method="HEAD"))
        status, headers, _ = await line.answer(head_only=True)
        _, _, body = await gateway.get("/v1/models")
        assert (200, b"%d" % len(body)) == (status, headers[b"content-length"])
        await line.close()
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_a_page_that_cannot_be_is_refused_by_name():
    """In the dialect asked for."""
    async with Gateway.to(("openai", NOBODY)) as gateway:
        status, _, body = await gateway.get("/v1/models?limit=x", "anthropic-version: 2023-06-01")
        assert (400, "limit") == (status, error_of(body)["param"])


def generating(name, **rest):
    """What Google's list says that a model on OpenAI's channel does."""
    settings = settings_for([("openai", NOBODY)])
    found = catalogue.build(settings, PROVIDERS)
    (model,) = found.models.values()
    model = msgspec.structs.replace(model, name=name, **rest)
    router = Router(msgspec.structs.replace(found, models={name: model}), lambda: 0.5)
    exchange = asked(target=b"/v1beta/models", method="GET")
    exchange.shape = Shape.GENERATE
    exchange.caller = Caller(
        key_id=1, user_id=1, payer_id=1, unlimited=False, disabled=False, expires_at=float("inf"),
        models=frozenset(), prefixes=(),
    )  # fmt: skip
    body = model_list.render(exchange, ModelListRoute(google=True), SimpleNamespace(router=router))
    return set(msgspec.json.decode(body)["models"][0]["supportedGenerationMethods"])


TALKS = {"generateContent", "streamGenerateContent", "countTokens"}


@pytest.mark.parametrize("name", ["dall-e-2", "dall-e-3", "gpt-image-1"])
def test_a_model_that_only_draws_holds_no_conversation(name):
    """Whatever else its channel's provider serves."""
    assert set() == generating(name)
    assert generating("gpt-5") >= TALKS


@pytest.mark.parametrize(
    ("kinds", "talks", "embeds"),
    [
        (("input", "output"), True, True),
        (("per_request",), True, True),
        (("input",), False, True),
        (("per_second",), False, False),
        (("per_image",), False, False),
        (("per_character",), False, False),
    ],
)
def test_what_a_model_costs_tells_what_it_does(kinds, talks, embeds):
    """Who converses has a price of output, who embeds one of input."""
    rows = (PriceRow(price=dict.fromkeys(kinds, Decimal(1))),)
    told = generating("m", free=False, prices=rows)
    assert (talks, embeds) == (told >= TALKS, "embedContent" in told)
    assert talks or not told & TALKS
