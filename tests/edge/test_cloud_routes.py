"""Addresses of the clouds' own clients, as they were seen to ask for them."""

import pytest

from trivium.edge.cloud_routes import DEPLOYED
from trivium.edge.routes import (
    REMEMBERED_BYTES_MAX,
    ModelListRoute,
    NotAllowed,
    allowed,
    form_limits,
    resolve,
    shape_of,
)
from trivium.faults import Fault, Kind
from trivium.pipeline.structs import Route, StoredResponseRoute, VideoRoute
from trivium.wire.operation import SHAPE, TABLE, FormUse, Operation, Shape
from trivium.wire.surface import Surface

MODEL = "anthropic.claude-sonnet-4-5-20250929-v1:0"
ARN = "arn:aws:bedrock:us-east-1:1:inference-profile/us.x"
BEDROCK = {
    b"/model/anthropic.claude-sonnet-4-5-20250929-v1:0/invoke": (MODEL, Surface.INVOKE),
    b"/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke": (MODEL, Surface.INVOKE),
    b"/model/m/invoke-with-response-stream": ("m", Surface.INVOKE_STREAM),
    b"/model/m/count-tokens": ("m", Surface.INVOKE_COUNT),
    b"/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.x/invoke": (
        ARN,
        Surface.INVOKE,
    ),
    b"/model/arn:aws:bedrock:us-east-1:1:inference-profile/us.x/invoke": (ARN, Surface.INVOKE),
    b"/model/acme/gpt-mini:free/invoke": ("acme/gpt-mini:free", Surface.INVOKE),
}
PLACE = b"projects/p/locations/us-east5/"
CLAUDE = b"publishers/anthropic/models/claude-opus-4-1@20250805"
GEMINI = b"publishers/google/models/gemini-x"
VERTEX = {
    CLAUDE + b":rawPredict": Route(
        operation=Operation.MESSAGES, model="claude-opus-4-1@20250805", surface=Surface.PREDICT
    ),
    CLAUDE + b":streamRawPredict": Route(
        operation=Operation.MESSAGES,
        model="claude-opus-4-1@20250805",
        surface=Surface.PREDICT_STREAM,
    ),
    b"publishers/anthropic/models/count-tokens:rawPredict": Route(
        operation=Operation.MESSAGES_COUNT, surface=Surface.PREDICT_COUNT
    ),
    GEMINI + b":generateContent": Route(operation=Operation.GENERATE, model="gemini-x"),
    GEMINI + b":streamGenerateContent": Route(
        operation=Operation.GENERATE_STREAM, model="gemini-x"
    ),
    GEMINI + b":countTokens": Route(operation=Operation.GENERATE_COUNT, model="gemini-x"),
    GEMINI + b":embedContent": Route(operation=Operation.GENERATE_EMBED, model="gemini-x"),
    GEMINI + b":predict": Route(
        operation=Operation.GENERATE_EMBED_BATCH, model="gemini-x", surface=Surface.PREDICT_VECTORS
    ),
    b"publishers/acme/models/gpt-mini:free:generateContent": Route(
        operation=Operation.GENERATE, model="acme/gpt-mini:free"
    ),
}
PREFIXES = [
    b"%b/%b/" % (start, version)
    for start in (b"", b"/vendorc", b"/gemini")
    for version in (b"v1", b"v1beta1")
]


@pytest.mark.parametrize("path", BEDROCK)
def test_bedrock_s_clients_name_the_model_in_the_path(path):
    """Encoded or not, with slashes and colons; errors are in Amazon's words."""
    model, surface = BEDROCK[path]
    route = resolve("POST", path, b"")
    assert (model, surface) == (route.model, route.surface)
    counts = surface is Surface.INVOKE_COUNT
    assert (Operation.MESSAGES_COUNT if counts else Operation.MESSAGES) is route.operation
    assert Shape.CONVERSE is shape_of(path)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("place", [PLACE, b""], ids=["project", "express"])
@pytest.mark.parametrize("rest", VERTEX)
def test_vertex_s_clients_are_served_below_every_prefix(prefix, place, rest):
    """With a project and a location, and with a key alone; a stream is events where asked for."""
    path = prefix + place + rest
    route = resolve("POST", path, b"alt=sse")
    assert VERTEX[rest] == route
    assert SHAPE[route.operation] is shape_of(path)
    if route.operation is Operation.GENERATE_STREAM:
        assert resolve("POST", path, b"").array


def test_vertex_s_chat_of_other_publishers():
    """The model is in the body."""
    path = b"/v1/" + PLACE + b"endpoints/openapi/chat/completions"
    assert Route(operation=Operation.CHAT) == resolve("POST", path, b"")
    assert Shape.CHAT is shape_of(path)


@pytest.mark.parametrize("operation", DEPLOYED)
@pytest.mark.parametrize(
    ("name", "model"),
    [(b"gpt-5", "gpt-5"), (b"acme/embeddings", "acme/embeddings"), (b"a%2Fb%20c", "a/b c")],
)
def test_azure_s_clients_name_a_deployment(operation, name, model):
    """It is the model; forms are taken as at the other address."""
    (path,) = TABLE[operation].paths
    deployed = b"/openai/deployments/" + name + path.removeprefix("/v1").encode()
    route = resolve("POST", deployed, b"api-version=2024-10-21")
    assert Route(operation=operation, model=model, surface=Surface.DEPLOYMENT) == route
    assert SHAPE[operation] is shape_of(deployed)
    taken = TABLE[operation].form is not FormUse.NEVER
    assert taken == (form_limits(route) is not None)


@pytest.mark.parametrize("version", [b"", b"/v1"])
@pytest.mark.parametrize(
    ("rest", "method", "target"),
    [
        (b"/responses", "POST", Route(operation=Operation.RESPONSES)),
        (b"/chat/completions", "POST", Route(operation=Operation.CHAT)),
        (b"/embeddings", "POST", Route(operation=Operation.EMBEDDINGS)),
        (b"/images/edits", "POST", Route(operation=Operation.IMAGES_EDIT)),
        (b"/models", "GET", ModelListRoute(google=False)),
        (b"/models/gpt-5", "GET", ModelListRoute(google=False, model="gpt-5")),
        (
            b"/responses/resp_1/cancel",
            "POST",
            StoredResponseRoute(response_id="resp_1", action="cancel"),
        ),
        (b"/videos", "POST", VideoRoute(action="create")),
    ],
)
def test_azure_s_newer_addresses_are_openai_s(version, rest, method, target):
    """With and without the version."""
    path = b"/openai" + version + rest
    assert target == resolve(method, path, b"")
    assert shape_of(b"/v1" + rest) is shape_of(path)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize(
    ("rest", "model"),
    [
        (b"publishers/google/models", None),
        (PLACE + b"publishers/google/models", None),
        (PLACE + b"models", None),
        (b"publishers/google/models/gemini-x", "gemini-x"),
        (PLACE + b"publishers/google/models/gemini-x", "gemini-x"),
    ],
)
def test_vertex_s_clients_list_models(prefix, rest, model):
    """In Google's shape."""
    assert ModelListRoute(google=True, model=model) == resolve("GET", prefix + rest, b"")


NOWHERE = [
    b"/model",
    b"/model/m",
    b"/model//invoke",
    b"/model/m/invoke-with-bidirectional-stream",
    b"/model/m/invoke/",
    b"/model/%FF/invoke",
    b"/openai/deployments/d/responses",
    b"/openai/deployments/%FF/embeddings",
    b"/openai/deployments//embeddings",
    b"/openai/files",
    b"/openai/v1/messages",
    b"/openai/v2/responses",
    b"/v1/projects/p/publishers/google/models/g:generateContent",
    b"/v1/projects/p/locations/l/publishers/google/models/g:fly",
    b"/v1/projects/p/locations/l/publishers/google/models/:generateContent",
    b"/v1/projects/p/locations/l/publishers/google/models/%FF:generateContent",
    b"/v2/publishers/google/models/g:generateContent",
    b"/v1/projects/p/locations/l/endpoints/1:predict",
]


@pytest.mark.parametrize("path", NOWHERE)
def test_there_is_nothing_at_any_other_address(path):
    """And whoever asks is told what there is."""
    with pytest.raises(Fault) as caught:
        resolve("POST", path, b"")
    assert Kind.PATH_UNKNOWN is caught.value.kind
    assert f"There is nothing at {path.decode()}. " in caught.value.message


@pytest.mark.parametrize("path", [*BEDROCK, b"/v1/" + CLAUDE + b":rawPredict"])
def test_what_is_posted_takes_no_other_method(path):
    """And says which it takes."""
    if path.startswith(b"/model"):
        with pytest.raises(NotAllowed):
            resolve("GET", path, b"")
        assert "POST, OPTIONS" == allowed(path)
    else:
        assert "POST" in allowed(path)


def test_long_addresses_are_not_remembered():
    """Callers choose them."""
    from trivium.edge.routes import _remembered

    before = _remembered.cache_info().currsize
    long = b"/model/" + b"a" * REMEMBERED_BYTES_MAX + b"/invoke"
    assert Surface.INVOKE is resolve("POST", long, b"").surface
    assert before == _remembered.cache_info().currsize
