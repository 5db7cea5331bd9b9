"""Requests as vendors see them: target, credential, who decides a header, and what cannot get in."""

import msgspec
import pytest

from trivium.providers.base import Provider
from trivium.providers.credential import BEARER, STATIC
from trivium.routing.model import Channel, TimeLimits
from trivium.secret import Secret
from trivium.settings.syntax import header_name, header_value
from trivium.upstream.request_writer import ENTRIES_MAX, Composer
from trivium.wire.operation import Operation

LIMITS = TimeLimits(connect=1, first_byte=2, idle=3, total=4)


def never(refusal):
    """No request is refused here."""
    raise AssertionError(refusal)


PROVIDER = Provider(
    name="northwind",
    title="Northwind",
    base_url="https://api.northwind.example/v1",
    credential=BEARER,
    paths={
        Operation.CHAT: "/chat/completions",
        Operation.GENERATE_STREAM: "/models/{model}:streamGenerateContent",
    },
    stream_paths={Operation.GENERATE_STREAM: "/models/{model}:streamGenerateContent?alt=sse"},
    forwards=frozenset({"x-version", "x-beta"}),
    headers={"X-Version": "2026-01-01"},
    failure=never,
)


def channel(**changes):
    """A channel of Northwind's; ``provider`` holds changes to the provider."""
    provider = msgspec.structs.replace(PROVIDER, **changes.pop("provider", {}))
    values = {
        "name": "main",
        "provider": provider,
        "base_url": "https://api.northwind.example/v1",
        "credentials": (Secret("sk-one"), Secret("sk-two")),
        "headers": {},
        "limits": LIMITS,
    }
    return Channel(**values | changes)


def compose(to, *, credential=0, operation=Operation.CHAT, model="m", body=b"{}", **options):
    """One request, as (request line, headers, body) and the request."""
    request = Composer().compose(to, credential, operation, model, body, **options)
    head, _, rest = request.payload.partition(b"\r\n\r\n")
    line, *lines = head.split(b"\r\n")
    return line, [tuple(each.split(b": ", 1)) for each in lines], rest, request


def test_a_request_is_complete():
    """Everything a vendor needs, once, in one piece."""
    line, headers, body, request = compose(channel(), body=b'{"model":"m"}')
    assert b"POST /v1/chat/completions HTTP/1.1" == line
    assert {
        b"host": b"api.northwind.example",
        b"authorization": b"Bearer sk-one",
        b"content-type": b"application/json",
        b"accept": b"application/json",
        b"accept-encoding": b"identity",
        b"x-version": b"2026-01-01",
        b"content-length": b"13",
    } == {name: value for name, value in headers if name != b"user-agent"}
    assert len(headers) == len(dict(headers))
    assert dict(headers)[b"user-agent"].startswith(b"trivium/")
    assert b'{"model":"m"}' == body
    assert ("https", "api.northwind.example", 443, None) == msgspec.structs.astuple(request.origin)
    assert LIMITS is request.limits


def test_a_models_own_limits_go_before_the_channels():
    """The head that is kept ready knows of neither."""
    own = msgspec.structs.replace(LIMITS, idle=77)
    composer, to = Composer(), channel()

    found = [
        composer.compose(to, 0, Operation.CHAT, "m", b"{}", limits=limits).limits
        for limits in (own, None)
    ]

    assert found == [own, LIMITS]


@pytest.mark.parametrize(
    ("auth", "header"),
    [
        (BEARER, (b"authorization", b"Bearer sk-two")),
        (STATIC["x-api-key"], (b"x-api-key", b"sk-two")),
        (STATIC["x-goog-api-key"], (b"x-goog-api-key", b"sk-two")),
        (STATIC["api-key"], (b"api-key", b"sk-two")),
        (None, None),
    ],
)
def test_the_credential_goes_where_the_vendor_reads_it(auth, header):
    """The one asked for, in one place."""
    _, headers, _, request = compose(channel(provider={"credential": auth}), credential=1)
    assert b"sk-one" not in request.payload
    assert (0 if header is None else 1) == request.payload.count(b"sk-two")
    assert header is None or header in headers


def test_an_engine_without_key_gets_none():
    """Whatever its provider's kind of credential."""
    _, headers, _, _ = compose(channel(credentials=()))
    assert b"authorization" not in dict(headers)


@pytest.mark.parametrize(
    ("base_url", "host", "origin"),
    [
        ("https://h.example:8443/v1", b"h.example:8443", ("https", "h.example", 8443)),
        ("http://h.example/v1", b"h.example", ("http", "h.example", 80)),
        ("http://127.0.0.1:8000/v1", b"127.0.0.1:8000", ("http", "127.0.0.1", 8000)),
        ("http://[::1]:8000/v1", b"[::1]:8000", ("http", "::1", 8000)),
        ("https://[::1]/v1", b"[::1]", ("https", "::1", 443)),
    ],
)
def test_the_host_header_is_the_authority(base_url, host, origin):
    """Brackets for IPv6, a port only when it is not the scheme's own."""
    _, headers, _, request = compose(channel(base_url=base_url))
    assert host == dict(headers)[b"host"]
    assert origin == msgspec.structs.astuple(request.origin)[:3]


def test_the_channels_proxy_is_part_of_the_origin():
    """Connections through different proxies are never shared."""
    _, _, _, request = compose(channel(proxy="http://proxy.example:3128"))
    assert "http://proxy.example:3128" == request.origin.proxy


@pytest.mark.parametrize(
    ("options", "query", "accept"),
    [
        ({"stream": True}, b"?alt=sse", b"text/event-stream"),
        ({"stream": True, "array": True}, b"", b"application/json"),
    ],
)
def test_a_stream_says_which_form_it_wants(options, query, accept):
    """Server-sent events, or Google's array."""
    line, headers, _, _ = compose(
        channel(), operation=Operation.GENERATE_STREAM, model="gem", **options
    )
    assert b"POST /v1/models/gem:streamGenerateContent%b HTTP/1.1" % query == line
    assert accept == dict(headers)[b"accept"]


def test_who_decides_a_header():
    """The operator over the caller, the caller over the provider's default."""
    to = channel()
    forwarded = [(b"x-version", b"2027"), (b"x-beta", b"a"), (b"x-beta", b"b"), (b"x-other", b"c")]
    _, headers, _, _ = compose(to, forwarded=forwarded)
    assert [(b"x-version", b"2027"), (b"x-beta", b"a"), (b"x-beta", b"b")] == [
        header for header in headers if header[0].startswith(b"x-")
    ]
    to = channel(headers={"X-Version": "operator", "User-Agent": "ours"})
    _, headers, _, _ = compose(to, forwarded=forwarded)
    assert (b"x-version", b"operator") in headers
    assert (b"x-version", b"2027") not in headers
    assert (b"user-agent", b"ours") in headers
    assert len(headers) == len({name for name, _ in headers}) + 1


@pytest.mark.parametrize(
    "name",
    [
        b"host",
        b"authorization",
        b"x-api-key",
        b"x-goog-api-key",
        b"api-key",
        b"content-length",
        b"transfer-encoding",
        b"connection",
        b"expect",
        b"accept-encoding",
        b"proxy-authorization",
    ],
)
def test_no_caller_sets_what_is_the_gateways(name):
    """Even if a provider's row should name it."""
    to = channel(provider={"forwards": frozenset({name.decode()})})
    _, headers, _, request = compose(to, forwarded=[(name, b"evil")])
    assert b"evil" not in request.payload
    assert len(headers) == len(dict(headers))


@pytest.mark.parametrize(
    "value", [b"a\r\nEvil: 1", b"a\nEvil: 1", b"a\rEvil: 1", b"a\x00", b"a\x7f", b"\x1f"]
)
def test_a_value_that_would_be_two_headers_is_left_out(value):
    """Nothing a caller sends begins a line."""
    _, headers, _, request = compose(channel(), forwarded=[(b"x-beta", value)])
    assert b"Evil" not in request.payload
    assert b"x-beta" not in dict(headers)


@pytest.mark.parametrize("model", ["m\r\nEvil: 1", "m HTTP/1.1\r\n\r\n", "a b", "ü", "m?x=1#y"])
def test_a_models_name_does_not_leave_its_path_segment(model):
    """It is written by operators, and may come from a list."""
    line, headers, _, _ = compose(
        channel(), operation=Operation.GENERATE_STREAM, model=model, stream=True
    )
    assert 3 == len(line.split(b" "))
    assert b"?alt=sse" == line.split(b" ")[1][-8:]
    assert 1 == line.count(b"?")
    assert b"Evil" not in dict(headers)


@pytest.mark.parametrize("base_url", ["https://h h/v1", "https://h/a b", "https://h/ü"])
def test_an_address_that_cannot_be_written_is_refused(base_url):
    """Settings refuse it before; this is the last door."""
    with pytest.raises(ValueError, match="main"):
        compose(channel(base_url=base_url))


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"Content-Length": "5"}, "'Content-Length' is written by the gateway itself"),
        ({"Transfer-Encoding": "chunked"}, "written by the gateway"),
        ({"x y": "1"}, "not a header name"),
        ({"x:": "1"}, "not a header name"),
        ({"": "1"}, "not a header name"),
        ({"x-a": "b\r\nEvil: 1"}, "one line of text"),
    ],
)
def test_an_operators_header_that_cannot_be_is_named(headers, words):
    """By the settings' checks, which name its line, and at the latest before it is sent."""
    with pytest.raises(ValueError, match="channel 'main'") as refused:
        compose(channel(headers=headers))
    assert words in str(refused.value)
    ((name, value),) = headers.items()
    assert header_name(name) or header_value(value)


@pytest.mark.parametrize("secret", ["", "sk\r\nEvil: 1", " sk", "sk\n"])
def test_a_credential_that_cannot_be_is_refused_without_being_shown(secret):
    """It may be a real one with a line feed from a file."""
    with pytest.raises(ValueError, match="credential 1 is not one line of text") as refused:
        compose(channel(credentials=(Secret(secret),)))
    assert "Evil" not in str(refused.value)


def test_what_is_remembered_is_never_another_channels():
    """Nor another credential's, model's, or form's."""
    composer = Composer()
    one, two = channel(), channel(credentials=(Secret("sk-other"),))
    for _ in range(2):
        assert b"sk-one" in composer.compose(one, 0, Operation.CHAT, "m", b"{}").payload
        assert b"sk-two" in composer.compose(one, 1, Operation.CHAT, "m", b"{}").payload
        assert b"sk-other" in composer.compose(two, 0, Operation.CHAT, "m", b"{}").payload
        streamed = composer.compose(one, 0, Operation.CHAT, "m", b"{}", stream=True).payload
        assert b"text/event-stream" in streamed
        sized = composer.compose(one, 0, Operation.CHAT, "m", b"12345").payload
        assert sized.endswith(b"content-length: 5\r\n\r\n12345")


def test_memory_is_bounded():
    """A flood of model names does not stay."""
    composer, to = Composer(), channel()
    for number in range(ENTRIES_MAX + 10):
        composer.compose(to, 0, Operation.CHAT, str(number), b"")
    assert ENTRIES_MAX >= len(composer._heads)


RESPONSES = {"paths": {Operation.RESPONSES: "/responses"}}


@pytest.mark.parametrize(
    ("query", "below", "target"),
    [
        ({}, "/resp_1", b"/v1/responses/resp_1"),
        ({}, "/resp_1?limit=3", b"/v1/responses/resp_1?limit=3"),
        ({"v": "1"}, "/resp_1", b"/v1/responses/resp_1?v=1"),
        ({"v": "1"}, "/a%2Fb/input_items?limit=3", b"/v1/responses/a%2Fb/input_items?v=1&limit=3"),
    ],
)
@pytest.mark.parametrize("method", [b"GET", b"DELETE"])
def test_an_errand_asks_for_what_lies_below_the_responses(method, query, below, target):
    """With the operator's credential, the provider's own query first, and no body."""
    to = channel(provider=RESPONSES | {"query": query})
    request = Composer().buffered_call(to, method, below)
    head, _, body = request.payload.partition(b"\r\n\r\n")
    line, *lines = head.split(b"\r\n")
    assert method + b" " + target + b" HTTP/1.1" == line
    headers = dict(each.split(b": ", 1) for each in lines)
    assert (b"Bearer sk-one", b"0", b"") == (
        headers[b"authorization"],
        headers[b"content-length"],
        body,
    )
    assert (to.limits, "api.northwind.example") == (request.limits, request.origin.host)


@pytest.mark.parametrize("below", ["/a b", "/a\r\nx: y", "/a\x00"])
def test_an_errand_that_cannot_be_written_is_refused(below):
    """Nothing gets out of the request line."""
    with pytest.raises(ValueError, match="main"):
        Composer().buffered_call(channel(provider=RESPONSES), b"GET", below)


def test_a_glance_asks_for_any_path_at_the_host():
    """With the credential that is to be tried, and no body."""
    request = Composer().glance(channel(), 0, "/elsewhere?x=1")
    head, _, body = request.payload.partition(b"\r\n\r\n")
    assert head.startswith(b"GET /elsewhere?x=1 HTTP/1.1\r\n")
    assert b"\r\nauthorization: Bearer sk-one\r\n" in head
    assert (True, b"") == (head.endswith(b"content-length: 0"), body)
    with pytest.raises(ValueError, match="main"):
        Composer().glance(channel(), 0, "/a b")
