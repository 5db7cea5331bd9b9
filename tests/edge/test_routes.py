"""Paths to what they ask for, and everything else to an error that helps."""

import pytest

from edge.wires import asked
from trivium.edge import openapi
from trivium.edge.routes import (
    EXPLAIN,
    METRICS,
    PAGES,
    RELAY,
    AssetRoute,
    ExplainRoute,
    ModelListRoute,
    NotAllowed,
    PageRoute,
    RootRoute,
    allowed,
    form_limits,
    resolve,
)
from trivium.edge.routes import shape_of as dialect_of
from trivium.faults import Fault, Kind
from trivium.pipeline.structs import Route, StoredResponseRoute, VideoRoute
from trivium.wire.generate.path import METHODS
from trivium.wire.operation import ASYNC_JOBS, TABLE, UPSTREAM_ONLY, Operation, Shape

BODIES = {
    b"/v1/chat/completions": Operation.CHAT,
    b"/v1/responses": Operation.RESPONSES,
    b"/v1/responses/input_tokens": Operation.RESPONSES_COUNT,
    b"/v1/completions": Operation.COMPLETIONS,
    b"/v1/embeddings": Operation.EMBEDDINGS,
    b"/v1/moderations": Operation.MODERATIONS,
    b"/v1/rerank": Operation.RERANK,
    b"/v2/rerank": Operation.RERANK,
    b"/v1/images/generations": Operation.IMAGES,
    b"/v1/audio/speech": Operation.SPEECH,
    b"/v1/audio/transcriptions": Operation.TRANSCRIPTIONS,
    b"/v1/audio/translations": Operation.TRANSLATIONS,
    b"/v1/images/edits": Operation.IMAGES_EDIT,
    b"/v1/images/variations": Operation.IMAGES_VARY,
    b"/v1/messages": Operation.MESSAGES,
    b"/v2/chat": Operation.COHERE_CHAT,
    b"/v2/embed": Operation.COHERE_EMBED,
    b"/v1/messages/count_tokens": Operation.MESSAGES_COUNT,
}
"""Paths as the specification has them; the model is in the body."""

CLOUDS = ("/model/", "/v1/projects/", "/openai/")
"""Beginnings of addresses that only clients of clouds ask for: ``test_cloud_routes.py``."""

PREFIXES = [
    b"%b/%b" % (start, version)
    for start in (b"/vendorc", b"/gemini", b"")
    for version in (b"v1beta", b"v1alpha", b"v1")
]
"""Where the generate-content shape is served."""


@pytest.mark.parametrize("path", BODIES)
def test_a_path_of_the_specification_is_its_operation(path):
    """Query parameters such as Claude Code's `beta=true` change nothing."""
    assert Route(operation=BODIES[path]) == resolve("POST", path, b"")
    assert Route(operation=BODIES[path]) == resolve("POST", path, b"beta=true")


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("method", METHODS)
def test_every_generate_method_is_served_under_each_of_its_addresses(prefix, method):
    """The specification's path, the vendor's own, and both stable and early versions."""
    path = b"%b/models/gemini-x:%b" % (prefix, method.encode())
    route = resolve("POST", path, b"alt=sse")
    assert Route(operation=METHODS[method], model="gemini-x") == route
    assert Shape.GENERATE is dialect_of(path)


@pytest.mark.parametrize(
    ("query", "array"),
    [
        (b"", True),
        (b"alt=json", True),
        (b"alt=sse", False),
        (b"key=x&alt=sse", False),
        (b"$alt=sse", False),
        (b"%24alt=sse", False),
        (b"alt=SSE", False),
        (b"xalt=sse", True),
        (b"alt=ssex", True),
    ],
)
def test_a_stream_is_an_array_unless_events_are_asked_for(query, array):
    """As the vendor has it: one JSON array, or `alt=sse`."""
    route = resolve("POST", b"/v1beta/models/g:streamGenerateContent", query)
    assert (array, Operation.GENERATE_STREAM) == (route.array, route.operation)


@pytest.mark.parametrize(
    ("rest", "model"),
    [
        (b"models/org/name:generateContent", "org/name"),
        (b"models/org%2Fname:generateContent", "org/name"),
        (b"models/llama3:8b:generateContent", "llama3:8b"),
        (b"models/llama3%3A8b:generateContent", "llama3:8b"),
        (b"models/a%20b:generateContent", "a b"),
        (b"models/m%C3%A9%25:generateContent", "mé%"),
        (b"models/models/g:generateContent", "g"),
        (b"tunedModels/mine:generateContent", "tunedModels/mine"),
    ],
)
def test_a_model_name_may_hold_anything(rest, model):
    """Right split on the last colon, decoded once."""
    assert model == resolve("POST", b"/vendorc/v1beta/" + rest, b"").model


LISTED = {
    b"/v1/models": ModelListRoute(google=False),
    b"/models": ModelListRoute(google=False),
    b"/v1/models/gpt-x": ModelListRoute(google=False, model="gpt-x"),
    b"/models/gpt-x": ModelListRoute(google=False, model="gpt-x"),
    b"/v1/models/org/name": ModelListRoute(google=False, model="org/name"),
    b"/v1/models/org%2Fname": ModelListRoute(google=False, model="org/name"),
    b"/v1/models/llama3:8b": ModelListRoute(google=False, model="llama3:8b"),
    b"/v1/models/a%20b%25": ModelListRoute(google=False, model="a b%"),
    b"/v1beta/models": ModelListRoute(google=True),
    b"/v1alpha/models": ModelListRoute(google=True),
    b"/vendorc/v1beta/models": ModelListRoute(google=True),
    b"/vendorc/v1/models": ModelListRoute(google=True),
    b"/gemini/v1beta/models": ModelListRoute(google=True),
    b"/gemini/v1beta/models/g": ModelListRoute(google=True, model="g"),
    b"/vendorc/v1beta/models/models/g": ModelListRoute(google=True, model="g"),
    b"/v1beta/models/llama3:8b": ModelListRoute(google=True, model="llama3:8b"),
}


@pytest.mark.parametrize("path", LISTED)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_models_are_listed_under_every_address(path, method):
    """Codex asks `/models?client_version=…`, OpenAI's and Anthropic's clients `/v1/models`."""
    assert LISTED[path] == resolve(method, path, b"client_version=0.169.0")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_pages_and_the_root_are_read(method):
    """Probes come with either method."""
    assert RootRoute() == resolve(method, b"/", b"")
    assert [PageRoute()] * 3 == [resolve(method, path, b"") for path in sorted(PAGES)]


OTHER_METHODS = ("GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND")


@pytest.mark.parametrize("path", [*BODIES, b"/v1beta/models/g:generateContent"])
@pytest.mark.parametrize("method", OTHER_METHODS)
def test_a_relay_path_is_posted_to(path, method):
    """Also GET: a client that would rather open a WebSocket learns it from the 405."""
    with pytest.raises(NotAllowed) as caught:
        resolve(method, path, b"")
    assert "POST" == caught.value.allowed
    assert "This path takes POST only." == caught.value.message


@pytest.mark.parametrize("path", [b"/", METRICS, *sorted(PAGES), *LISTED])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_is_read_takes_no_other_method(path, method):
    """A POST to `/` is a wrong base URL, not a success. A name with a colon is told apart below."""
    if method == "POST" and b":" in path:
        return
    with pytest.raises(NotAllowed) as caught:
        resolve(method, path, b"")
    assert "GET, HEAD" == caught.value.allowed


@pytest.mark.parametrize(
    "path",
    [
        b"/v1beta/models/g:predict",
        b"/vendorc/v1beta/models/g:batchGenerateContent",
        b"/v1/models/g:generatecontent",
        b"/v1/models/g%3Apredict",
        b"/v1beta/models/llama3:8b",
    ],
)
def test_an_unknown_method_of_a_model_is_not_found(path):
    """In the dialect of whoever wrote a colon, with the methods there are."""
    with pytest.raises(Fault, match="There is no method") as caught:
        resolve("POST", path, b"")
    assert Kind.PATH_UNKNOWN is caught.value.kind
    assert all(method in caught.value.message for method in METHODS)
    assert Shape.GENERATE is dialect_of(path)


NOTHING = [
    b"/v2/chat/completions", b"/v1", b"/v1/files", b"/v1/batches", b"/v1/messages/batches",
    b"/v1/fine_tuning/jobs", b"/v1/realtime", b"/v1/responses/resp_1/output", b"/v1/Chat/Completions",
    b"/v1/chat%2Fcompletions", b"/v1/chat/../chat/completions", b"/v1/chat/completions;x=1",
    b"/v1/chat/completions\x00", b"/administrator", b"/index.html", b"/favicon.png", b"/*",
    b"/v1beta/files", b"/v1beta/cachedContents", b"/upload/v1beta/files", b"/v1beta/tunedModels",
    b"/vendorc", b"/vendorc/v2/models/g:generateContent", b"/v1beta/models/:generateContent",
    b"/v1beta/models/%FF:generateContent", b"/healthz/x", b"/openapi.yaml",
]  # fmt: skip


@pytest.mark.parametrize("path", NOTHING)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
def test_there_is_nothing_anywhere_else(path, method):
    """No path is almost another: no case folding, no dot segments, no decoding."""
    with pytest.raises(Fault) as caught:
        resolve(method, path, b"")
    assert Kind.PATH_UNKNOWN is caught.value.kind
    assert caught.value.message.startswith("There is nothing at ")


def test_a_long_path_is_shown_in_part():
    """What a caller sends is repeated to it within limits."""
    with pytest.raises(Fault) as caught:
        resolve("GET", b"/" + b"a" * 60_000, b"")
    assert 300 > len(caught.value.message)


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        (b"/v1/chat/completions", Shape.CHAT),
        (b"/v1/messages/count_tokens", Shape.MESSAGES),
        (b"/v1beta/files", Shape.GENERATE),
        (b"/upload/v1beta/files", Shape.GENERATE),
        (b"/v1alpha", Shape.GENERATE),
        (b"/vendorc", Shape.GENERATE),
        (b"/gemini/anything", Shape.GENERATE),
        (b"/v1/models/g:predict", Shape.GENERATE),
        (b"/v1/models/g%3apredict", Shape.GENERATE),
        (b"/v1/files", None),
        (b"/v1betamax", None),
        (b"/vendorcx/v1beta", None),
        (b"/", None),
    ],
)
def test_an_error_is_written_for_whoever_asks_at_such_a_path(path, shape):
    """Google's clients read an integer code; everybody else a symbolic one."""
    assert shape is dialect_of(path)


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        (b"/v1/chat/completions", "POST, OPTIONS"),
        (b"/v1beta/models/g:generateContent", "POST, OPTIONS"),
        (b"/v1/models", "GET, HEAD, OPTIONS"),
        (b"/v1/models/llama3:8b", "GET, HEAD, OPTIONS"),
        (b"/", "GET, HEAD, OPTIONS"),
        (b"/healthz", "GET, HEAD, OPTIONS"),
        (b"/api/explain", "POST, OPTIONS"),
        (b"/nowhere", None),
    ],
)
def test_a_path_knows_its_methods(path, methods):
    """What OPTIONS answers."""
    assert methods == allowed(path)


def test_everything_described_is_served():
    """Every operation of the description is found by the router, as what it says."""
    for method, template in sorted(openapi.served()):
        path = (
            template.replace("{model}", "m")
            .replace("{response_id}", "resp_1")
            .replace("{video_id}", "v")
            .replace("{asset_id}", "a" * 40)
            .replace("{project}", "p")
            .replace("{location}", "l")
            .encode()
        )
        target = resolve(method, path, b"")
        if "{response_id}" in template:
            assert isinstance(target, StoredResponseRoute), template
        elif "/v1/videos" in template:
            assert isinstance(target, VideoRoute), template
        elif "{asset_id}" in template:
            assert isinstance(target, AssetRoute), template
        elif template == "/api/explain":
            assert isinstance(target, ExplainRoute)
        elif "oauth" in template or template.startswith(("/api/admin/", "/scim/")):
            assert isinstance(target, PageRoute), template
        else:
            assert isinstance(target, Route if method == "POST" else ModelListRoute | PageRoute), (
                template
            )


def test_everything_served_is_described():
    """Every relay path, page, list and generate method is an operation of the description."""
    google = "/vendorc/v1beta/models"
    routed = {("POST", path.decode()) for path in RELAY}
    routed |= {("GET", path.decode()) for path in [*PAGES, METRICS]}
    routed |= {("POST", f"{google}/{{model}}:{method}") for method in METHODS}
    routed |= {
        ("GET", f"{path}{one}") for path in ("/v1/models", google) for one in ("", "/{model}")
    }
    stored = "/v1/responses/{response_id}"
    routed |= {("GET", stored), ("DELETE", stored)}
    routed |= {("POST", f"{stored}/cancel"), ("GET", f"{stored}/input_items")}
    videos = "/v1/videos"
    routed |= {("POST", videos), ("GET", videos), ("GET", f"{videos}/{{video_id}}")}
    routed |= {("DELETE", f"{videos}/{{video_id}}"), ("GET", f"{videos}/{{video_id}}/content")}
    routed.add(("POST", f"{videos}/{{video_id}}/remix"))
    routed |= {("POST", f"/model/{{model}}/{one}") for one in ("converse", "converse-stream")}
    routed |= {("POST", EXPLAIN.decode()), ("GET", "/assets/{asset_id}")}
    # what the pages plane serves is compared with its routes where those are described
    described = {
        (method, path)
        for method, path in openapi.served()
        if "oauth" not in path and not path.startswith(("/api/admin/", "/scim/"))
    }
    clouds = {path for _, path in described if path.startswith(CLOUDS)}
    # nothing lists their addresses; that each is served is shown above
    described = {row for row in described if row[1] not in clouds or "/converse" in row[1]}
    assert len(clouds) > 20
    assert routed == described
    assert (
        set(BODIES.values())
        | set(METHODS.values())
        | {Operation.CONVERSE, Operation.CONVERSE_STREAM}
        | {operation for operation, row in TABLE.items() if row.shared_path}
        == set(Operation) - ASYNC_JOBS - UPSTREAM_ONLY
    )
    assert BODIES == RELAY


@pytest.mark.parametrize(
    ("method", "path", "response_id", "action"),
    [
        ("GET", b"/v1/responses/resp_1", "resp_1", "retrieve"),
        ("HEAD", b"/v1/responses/resp_1", "resp_1", "retrieve"),
        ("DELETE", b"/v1/responses/resp%2F1", "resp/1", "delete"),
        ("POST", b"/v1/responses/resp_1/cancel", "resp_1", "cancel"),
        ("GET", b"/v1/responses/resp_1/input_items", "resp_1", "input_items"),
    ],
)
def test_a_stored_response_is_asked_for_by_its_id(method, path, response_id, action):
    """What is below it says what is wanted; its errors are the shape's."""
    assert StoredResponseRoute(response_id=response_id, action=action) == resolve(method, path, b"")
    assert Shape.RESPONSES is dialect_of(path)


@pytest.mark.parametrize(
    ("method", "path", "methods"),
    [
        ("POST", b"/v1/responses/resp_1", "GET, HEAD, DELETE"),
        ("GET", b"/v1/responses/resp_1/cancel", "POST"),
        ("DELETE", b"/v1/responses/resp_1/input_items", "GET, HEAD"),
    ],
)
def test_a_stored_response_takes_few_methods(method, path, methods):
    """The others are named."""
    with pytest.raises(NotAllowed) as caught:
        resolve(method, path, b"")
    assert methods == caught.value.allowed
    assert f"{methods}, OPTIONS" == allowed(path)


def test_the_query_is_no_part_of_the_path():
    """An encoded question mark is; routes see the path alone."""
    exchange = asked(target=b"/v1/models/a%3Fb?key=k")
    assert (b"/v1/models/a%3Fb", b"key=k") == (exchange.path, exchange.query)
    assert "a?b" == resolve("GET", exchange.path, exchange.query).model


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PATCH"])
@pytest.mark.parametrize(
    "path",
    [b"/login", b"/login/confirm", b"/account", b"/account/keys", b"/static/a.css", b"/api/oauth_apps",
     b"/.well-known/oauth-authorization-server", b"/webhooks/stripe", b"/topup", b"/favicon.ico"],
)  # fmt: skip
def test_pages_for_people_know_their_own_methods(method, path):
    """What is there is for them to say."""
    assert PageRoute() == resolve(method, path, b"")


@pytest.mark.parametrize("path", [b"/accounts", b"/loginx", b"/Login", b"//login", b"/v1/account"])
def test_a_page_begins_with_its_own_word(path):
    """Not with one that looks like it."""
    with pytest.raises(Fault):
        resolve("GET", path, b"")


@pytest.mark.parametrize(
    ("method", "path", "video_id", "action"),
    [
        ("POST", b"/v1/videos", "", "create"),
        ("GET", b"/v1/videos", "", "list"),
        ("GET", b"/v1/videos/video_1", "video_1", "retrieve"),
        ("HEAD", b"/v1/videos/video_1", "video_1", "retrieve"),
        ("DELETE", b"/v1/videos/video%2F1", "video/1", "delete"),
        ("GET", b"/v1/videos/video_1/content", "video_1", "content"),
        ("HEAD", b"/v1/videos/video_1/content", "video_1", "content"),
        ("POST", b"/v1/videos/video_1/remix", "video_1", "remix"),
    ],
)
def test_a_video_is_asked_for_by_its_id(method, path, video_id, action):
    """What is below it says what is wanted; its errors are the shape's."""
    target = resolve(method, path, b"variant=thumbnail")
    assert VideoRoute(action=action, video_id=video_id) == target
    assert Shape.VIDEOS is dialect_of(path)
    assert (form_limits(target) is not None) is (method == "POST")


@pytest.mark.parametrize(
    ("method", "path", "methods"),
    [
        ("PUT", b"/v1/videos", "GET, HEAD, POST"),
        ("POST", b"/v1/videos/v", "GET, HEAD, DELETE"),
        ("POST", b"/v1/videos/v/content", "GET, HEAD"),
        ("GET", b"/v1/videos/v/remix", "POST"),
    ],
)
def test_a_video_takes_its_own_methods(method, path, methods):
    """They are named."""
    with pytest.raises(NotAllowed) as caught:
        resolve(method, path, b"")
    assert methods == caught.value.allowed
