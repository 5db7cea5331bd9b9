"""Proto3's JSON mapping, read by schema."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.generate import protojson
from trivium.wire.generate.protojson import (
    blob,
    flag,
    integer,
    message,
    number,
    raw,
    raw_object,
    repeated,
    string,
    strings,
    word,
)

SCHEMA = {
    "someText": string,
    "flag": flag,
    "count": integer,
    "ratio": number,
    "data": blob,
    "mode": word,
    "own": raw_object,
    "any": raw,
    "labels": strings,
    "inner": message({"deepName": string}),
    "rows": repeated(message({"deepName": string})),
}


def read(text):
    unknown = []
    members = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    return protojson.read(members, SCHEMA, "", unknown), unknown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"someText":"a"}', {"someText": "a"}),
        ('{"some_text":"a"}', {"someText": "a"}),
        ('{"someText":null,"flag":null}', {}),
        ('{"flag":true}', {"flag": True}),
        ('{"count":5}', {"count": 5}),
        ('{"count":5.0}', {"count": 5}),
        ('{"count":"5"}', {"count": 5}),
        ('{"count":"5.0"}', {"count": 5}),
        ('{"ratio":"0.5"}', {"ratio": 0.5}),
        ('{"ratio":"1e-1"}', {"ratio": 0.1}),
        ('{"data":"-__-AA"}', {"data": "+//+AA=="}),
        ('{"mode":"any"}', {"mode": "ANY"}),
        ('{"mode":2}', {"mode": "2"}),
        ('{"own":{"snake_key":1.0,"b":[1e-7,1]}}', {"own": b'{"snake_key":1.0,"b":[1e-7,1]}'}),
        ('{"any":12345678901234567890123}', {"any": b"12345678901234567890123"}),
        ('{"labels":{"snake_key":"v"}}', {"labels": {"snake_key": "v"}}),
        ('{"inner":{"deep_name":"x"}}', {"inner": {"deepName": "x"}}),
        (
            '{"rows":[{"deep_name":"x"},{"deepName":"y"}]}',
            {"rows": [{"deepName": "x"}, {"deepName": "y"}]},
        ),
    ],
)
def test_many_spellings_become_one(text, found):
    """Trap 92: both spellings, at every depth; the caller's own JSON stays byte for byte."""
    assert (found, []) == read(text)


@pytest.mark.parametrize(
    ("text", "kind", "param"),
    [
        ('{"someText":"a","some_text":"a"}', Kind.DUPLICATE_MEMBER, "some_text"),
        ('{"inner":{"deepName":"a","deep_name":null}}', Kind.DUPLICATE_MEMBER, "inner.deep_name"),
        ('{"someText":5}', Kind.INVALID_TYPE, "someText"),
        ('{"flag":"true"}', Kind.INVALID_TYPE, "flag"),
        ('{"count":5.5}', Kind.INVALID_TYPE, "count"),
        ('{"count":true}', Kind.INVALID_TYPE, "count"),
        ('{"count":"x"}', Kind.INVALID_TYPE, "count"),
        ('{"count":2147483648}', Kind.INVALID_VALUE, "count"),
        ('{"ratio":"NaN"}', Kind.INVALID_TYPE, "ratio"),
        ('{"data":"a*b"}', Kind.INVALID_VALUE, "data"),
        ('{"mode":true}', Kind.INVALID_TYPE, "mode"),
        ('{"own":[]}', Kind.INVALID_TYPE, "own"),
        ('{"labels":{"a":1}}', Kind.INVALID_TYPE, "labels.a"),
        ('{"labels":[]}', Kind.INVALID_TYPE, "labels"),
        ('{"inner":"x"}', Kind.INVALID_TYPE, "inner"),
        ('{"rows":{}}', Kind.INVALID_TYPE, "rows"),
        ('{"rows":[null]}', Kind.INVALID_TYPE, "rows[0]"),
        ('{"rows":[{},{"deep_name":5}]}', Kind.INVALID_TYPE, "rows[1].deep_name"),
    ],
)
def test_what_is_wrong_is_named_in_the_callers_spelling(text, kind, param):
    """Bad input gets an error that says where."""
    with pytest.raises(Fault) as caught:
        read(text)
    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_what_no_schema_names_is_collected():
    """Unknown members are not lost in silence."""
    assert (
        {"inner": {}},
        [("brand_new", b'{"a":1}'), ("inner.other", b"[ 1 ]")],
    ) == read('{"brand_new":{"a":1},"inner":{"other":[ 1 ]},"gone":null}')


@pytest.mark.parametrize("text", ['{"own":{"a":01}}', '{"any":nope}'])
def test_json_that_was_only_skimmed_is_checked(text):
    """Raw members are not passed on broken."""
    members = {name: msgspec.Raw(text[text.index(":") + 1 : -1].encode()) for name in [text[2:5]]}
    with pytest.raises(Fault) as caught:
        protojson.read(members, SCHEMA, "", [])
    assert Kind.MALFORMED_JSON is caught.value.kind


@pytest.mark.parametrize(
    ("name", "found"), [("a_b_c", "aBC"), ("aB", "aB"), ("a_", "a_"), ("_a", "A")]
)
def test_camel_case(name, found):
    """The mapping of protobuf."""
    assert found == protojson.camel(name)


@pytest.mark.parametrize("text", ["0", "1", "-1", "1.0", "1" + "0" * 400])
def test_a_number_stays_what_it_is(text):
    """A whole one whole, and none is too large to be read."""
    assert text == repr(number(text.encode(), "ratio", []))
