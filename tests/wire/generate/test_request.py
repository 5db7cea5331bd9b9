"""Generate-content requests: checks, and the model's name wherever the body repeats it."""

import json

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.generate.passage import COUNT, EMBED, EMBED_BATCH, GENERATE, STREAM
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import members


def config(text, member="generationConfig"):
    """A request with this configuration."""
    return b'{"contents":[],"%s":%s}' % (member.encode(), text.encode())


@pytest.mark.parametrize(
    ("body", "facts"),
    [
        (b'{"contents":[]}', RequestFacts(model="")),
        (config("null"), RequestFacts(model="")),
        (config("{}"), RequestFacts(model="")),
        (config('{"maxOutputTokens":100}'), RequestFacts(model="", output_max=100)),
        (config('{"max_output_tokens":100}'), RequestFacts(model="", output_max=100)),
        (config('{"maxOutputTokens":"100"}'), RequestFacts(model="", output_max=100)),
        (config('{"maxOutputTokens":100.0}'), RequestFacts(model="", output_max=100)),
        (config('{"maxOutputTokens":null}'), RequestFacts(model="")),
        (config('{"maxOutputTokens":0}'), RequestFacts(model="")),
        (
            config('{"maxOutputTokens":9}', "generation_config"),
            RequestFacts(model="", output_max=9),
        ),
        (
            config('{"max_output_tokens":"9","candidate_count":4}', "generation_config"),
            RequestFacts(model="", output_max=36, choices=4),
        ),
        (config('{"candidateCount":8}'), RequestFacts(model="", choices=8)),
        (config('{"candidateCount":0}'), RequestFacts(model="")),
        (b'{"contents":{"parts":{"text":"hi"}}}', RequestFacts(model="")),
        (
            b'{"contents":[],"system_instruction":{},"toolConfig":{},"safety_settings":[]}',
            RequestFacts(model=""),
        ),
    ],
)
def test_a_request_says_what_it_is(body, facts):
    """Either spelling, numbers as text, and a limit that holds for all candidates together."""
    assert facts == GENERATE.facts(members(body))
    stream = STREAM.facts(members(body))
    assert (True, facts.output_max, facts.choices) == (
        stream.stream,
        stream.output_max,
        stream.choices,
    )


@pytest.mark.parametrize(
    ("passage", "body", "choices"),
    [
        (COUNT, b'{"contents":[]}', 1),
        (COUNT, b'{"contents":{"role":"user","parts":[]}}', 1),
        (COUNT, b'{"generateContentRequest":{"contents":[]}}', 1),
        (COUNT, b'{"generate_content_request":{}}', 1),
        (EMBED, b'{"content":{"parts":[]}}', 1),
        (EMBED_BATCH, b'{"requests":[{},{}]}', 2),
    ],
)
def test_what_generates_nothing_has_no_output(passage, body, choices):
    """The quote is for the input alone."""
    assert RequestFacts(model="", output_max=0, choices=choices) == passage.facts(members(body))


@pytest.mark.parametrize(
    ("passage", "body", "kind", "param"),
    [
        *[
            (passage, body, kind, param)
            for passage in (GENERATE, STREAM)
            for body, kind, param in [
                (b"{}", Kind.MISSING_MEMBER, "contents"),
                (b'{"contents":null}', Kind.MISSING_MEMBER, "contents"),
                (b'{"contents":"hi"}', Kind.INVALID_TYPE, "contents"),
                (b'{"contents":{}}', Kind.INVALID_TYPE, "contents"),
                (b'{"contents":[],"contents":[]}', Kind.DUPLICATE_MEMBER, "contents"),
                (config("[]"), Kind.INVALID_TYPE, "generationConfig"),
                (config("7", "generation_config"), Kind.INVALID_TYPE, "generation_config"),
            ]
        ],
        *[
            (
                GENERATE,
                config(f'{{"maxOutputTokens":{value}}}'),
                kind,
                "generationConfig.maxOutputTokens",
            )
            for value, kind in [
                ("-1", Kind.INVALID_VALUE),
                ("1.5", Kind.INVALID_TYPE),
                ('"many"', Kind.INVALID_TYPE),
                ('""', Kind.INVALID_TYPE),
                ("true", Kind.INVALID_TYPE),
                ("[1]", Kind.INVALID_TYPE),
                ('1,"maxOutputTokens":2', Kind.DUPLICATE_MEMBER),
            ]
        ],
        (
            GENERATE,
            config('{"maxOutputTokens":1,"max_output_tokens":2}'),
            Kind.DUPLICATE_MEMBER,
            "max_output_tokens",
        ),
        (COUNT, b"{}", Kind.MISSING_MEMBER, "contents"),
        (COUNT, b'{"contents":{}}', Kind.INVALID_TYPE, "contents"),
        (COUNT, b'{"generateContentRequest":[]}', Kind.INVALID_TYPE, "generateContentRequest"),
        (EMBED, b"{}", Kind.MISSING_MEMBER, "content"),
        (EMBED, b'{"contents":[]}', Kind.MISSING_MEMBER, "content"),
        (EMBED_BATCH, b"{}", Kind.MISSING_MEMBER, "requests"),
        (EMBED_BATCH, b'{"requests":[]}', Kind.MISSING_MEMBER, "requests"),
        (EMBED_BATCH, b'{"requests":{}}', Kind.INVALID_TYPE, "requests"),
    ],
)
def test_a_bad_member_is_refused_by_name(passage, body, kind, param):
    """The caller reads which member is wrong."""
    with pytest.raises(Fault) as caught:
        passage.facts(members(body))
    assert (kind, param) == (caught.value.kind, caught.value.param)
    assert f"`{param}`" in caught.value.message


@pytest.mark.parametrize(
    ("camel", "snake"),
    [
        ("systemInstruction", "system_instruction"),
        ("generationConfig", "generation_config"),
        ("safetySettings", "safety_settings"),
        ("toolConfig", "tool_config"),
        ("cachedContent", "cached_content"),
    ],
)
def test_both_spellings_of_one_member_are_refused(camel, snake):
    """Parsers disagree on which of the two counts; the text names both."""
    for first, second in [(camel, snake), (snake, camel)]:
        body = b'{"contents":[],"%s":{},"%s":{}}' % (first.encode(), second.encode())
        with pytest.raises(Fault) as caught:
            GENERATE.facts(members(body))
        assert Kind.DUPLICATE_MEMBER is caught.value.kind
        assert f"`{camel}` and `{snake}`" in caught.value.message


def spliced(passage, body, model, upstream):
    """The body as it goes upstream."""
    inside = members(body)
    return inside.splice(passage.changes(inside, RequestFacts(model=model), upstream, True))


@pytest.mark.parametrize("passage", [GENERATE, STREAM, COUNT, EMBED])
@pytest.mark.parametrize(
    ("given", "upstream", "wanted"),
    [
        ("models/g", "g", "models/g"),
        ("g", "g", "g"),
        ("g", "models/g", "g"),
        ("models/g", "other", "models/other"),
        ("g", "other", "other"),
        ("models/g", "models/other", "models/other"),
        ("models/g", "tunedModels/mine", "tunedModels/mine"),
        ("", "other", ""),
    ],
)
def test_a_repeated_model_takes_the_upstreams_name(passage, given, upstream, wanted):
    """In the spelling that the caller used, with the prefix or without."""
    body = b'{"model":"%s","contents":[ 1.0 ]}' % given.encode()
    assert b'{"model":"%s","contents":[ 1.0 ]}' % wanted.encode() == spliced(
        passage, body, "g", upstream
    )


@pytest.mark.parametrize("passage", [GENERATE, STREAM, COUNT, EMBED])
def test_a_body_without_model_is_left_alone(passage):
    """The address says it already."""
    assert {} == passage.changes(
        members(b'{"contents":[]}'), RequestFacts(model="g"), "other", False
    )


def test_the_count_of_a_whole_request_is_renamed_inside():
    """Everything else of the inner request stays byte for byte."""
    for name in (b"generateContentRequest", b"generate_content_request"):
        body = b'{"%s":{"model":"models/g", "contents":[ 1.00,"\\u00e4"]}}' % name
        assert (b'{"%s":{"model":"models/other","contents":[ 1.00,"\\u00e4"]}}' % name) == spliced(
            COUNT, body, "g", "other"
        )
        assert {} == COUNT.changes(members(body), RequestFacts(model="g"), "g", False)


BATCH = (
    b'{"requests": [ {"model":"models/g", "content":{"parts":[{"text":"\\u00e4 \\/"}]},'
    b'"outputDimensionality":1.0e2}, {"content":{}}, {"model":"g"} ],"other": [1.0]}'
)


def test_every_request_of_a_batch_is_renamed():
    """Each in its own spelling; an element without a model and all other bytes stay."""
    assert (
        b'{"requests":[{"model":"models/other","content":{"parts":[{"text":"\\u00e4 \\/"}]},'
        b'"outputDimensionality":1.0e2},{"content":{}},{"model":"other"}],"other":[1.0]}'
    ) == spliced(EMBED_BATCH, BATCH, "g", "other")
    assert {} == EMBED_BATCH.changes(members(BATCH), RequestFacts(model="g"), "g", False)


@pytest.mark.parametrize(
    ("passage", "body", "kind", "param"),
    [
        (GENERATE, {"model": "models/x"}, Kind.INVALID_VALUE, "model"),
        (GENERATE, {"model": "tunedModels/g"}, Kind.INVALID_VALUE, "model"),
        (GENERATE, {"model": 7}, Kind.INVALID_TYPE, "model"),
        (
            COUNT,
            {"generateContentRequest": {"model": "x"}},
            Kind.INVALID_VALUE,
            "generateContentRequest.model",
        ),
        (EMBED, {"model": "x"}, Kind.INVALID_VALUE, "model"),
        (EMBED_BATCH, {"model": "x", "requests": []}, Kind.INVALID_VALUE, "model"),
        (
            EMBED_BATCH,
            {"requests": [{"model": "models/g"}, {"model": "models/x"}]},
            Kind.INVALID_VALUE,
            "requests[1].model",
        ),
        (EMBED_BATCH, {"requests": ["text"]}, Kind.INVALID_TYPE, "requests[0]"),
        (EMBED_BATCH, {"requests": [{"model": []}]}, Kind.INVALID_TYPE, "requests[0].model"),
    ],
)
def test_another_model_than_the_address_is_refused(passage, body, kind, param):
    """It would be a way around the check of what a key may use."""
    with pytest.raises(Fault) as caught:
        passage.changes(members(json.dumps(body).encode()), RequestFacts(model="g"), "g", True)
    assert (kind, param) == (caught.value.kind, caught.value.param)
    assert f"`{param}`" in caught.value.message


def test_a_model_that_occurs_twice_inside_is_refused():
    """Also below the top level: parsers disagree on which one counts."""
    body = members(b'{"requests":[{"model":"g","model":"x"}]}')
    with pytest.raises(Fault) as caught:
        EMBED_BATCH.changes(body, RequestFacts(model="g"), "g", True)
    assert (Kind.DUPLICATE_MEMBER, "requests[0].model") == (
        caught.value.kind,
        caught.value.param,
    )


def test_a_broken_inside_is_refused_by_its_place():
    """Members are only skimmed until they are read."""
    with pytest.raises(Fault) as caught:
        GENERATE.facts(members(b'{"contents":[],"generationConfig":{"maxOutputTokens":1e400}}'))
    assert (Kind.MALFORMED_JSON, "generationConfig.maxOutputTokens") == (
        caught.value.kind,
        caught.value.param,
    )
