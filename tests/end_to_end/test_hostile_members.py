"""No value that a caller can write is a failure of the gateway: each is taken, or refused by name.

Every member of every request of the table of features, in turn, holds each of a list of values that
parsers, tables and writers choke on. Both lanes, all pairs of shapes.
"""

import json

import pytest

from end_to_end.features.asking import SHAPES
from end_to_end.features.requests import REQUESTS
from end_to_end.features.verdicts import PROVIDER, origin
from end_to_end.features.verdicts import operation as operation_of
from end_to_end.test_every_member import MEMBERS, TIMES, made
from trivium.conversation.estimate import tokens
from trivium.conversation.fit import fitted
from trivium.conversation.inline_files import wanted
from trivium.conversation.losses import Report
from trivium.conversation.target import target
from trivium.faults import Fault
from trivium.providers.profiles import profile
from trivium.wire import state_refs
from trivium.wire.codec import ReadContext
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape
from trivium.wire.peek import members
from trivium.wire.registry import PASSAGES

HOSTILE = (
    b"null", b"true", b"false", b"0", b"-0", b"-1", b"0.5", b"1e400", b"-1e400", b"1e-400",
    b"1" + b"0" * 400, b"9007199254740993", b"18446744073709551616", b"NaN", b"1e5",
    b'""', b'" "', b'"a"', b'"\\u0000"', b'"\\ud800"', b'"\\udc00\\ud800"', b'"\xff\xfe"', b'"\\x"',
    b'"\xed\xa0\x80"', b'"\\ud83d\\ude00"', b'"' + "é".encode() * 99 + b'"', b'"' + b"a" * 9999 + b'"',
    b'"https://[x"', b'"data:"', b'"data:;;;"', b'"data:image/png;base64,*"', b'"{"', b'"[1]"', b'"1e400"',
    b"[]", b"[null]", b'[""]', b"[[]]", b"[{}]", b"[1e400]", b'["\\ud800"]', b'["\xff"]',
    b"{}", b'{"type":"a"}', b'{"type":null}', b'{"type":1e400}', b'{"type":"\xff"}', b'{"":""}',
    b'{"type":"object","type":"text"}', b'{"a":1e400}', b'{"a":"\xff"}', b'{"a":"\\ud800"}',
    b"[" * 2000 + b"]" * 2000, b'{"a":' * 2000 + b"1" + b"}" * 2000,
)  # fmt: skip
"""JSON, or what is nearly that."""
HOLE = "hole-in-the-request"


def places(value, path=()):
    """Every place of a JSON value, and what stands there."""
    yield path, value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from places(inner, (*path, at))


def holed(value, path):
    """The value with a hole in one place."""
    if not path:
        return HOLE
    out = dict(value) if isinstance(value, dict) else list(value)
    out[path[0]] = holed(out[path[0]], path[1:])
    return out


def features(shape):
    """The requests of the table."""
    return [case.bodies[shape] for case in REQUESTS if shape in case.bodies]


def declared(shape):
    """Requests made of the types that the official SDKs declare."""
    for member in MEMBERS[shape]:
        for seed in range(TIMES[member] // 3):
            body, _ = made(shape, member, seed)
            yield body


def holes(bodies):
    """The requests with a hole for a value, one for each kind of place that any of them has."""
    seen = {}
    for body in bodies:
        for path, value in places(body):
            kind = tuple("*" if isinstance(step, int) else step for step in path)
            beside = value.get("type") if isinstance(value, dict) else None
            if path and (kind, type(value), beside) not in seen:
                seen[kind, type(value), beside] = json.dumps(holed(body, path)).encode()
    return list(seen.values())


def taken(shape, body):
    """What the gateway makes of a body, on every lane; the fault where it refuses it at once."""
    found = members(body)
    state_refs.found(body, Shape(shape))
    operation = operation_of(shape)
    faults = []
    try:
        facts = PASSAGES[operation].facts(found)
        found.splice(PASSAGES[operation].changes(found, facts, "m", True))
    except Fault as fault:
        faults.append(fault)
    by_path = shape in ("generate", "converse")
    context = {"model": "m", "stream": False} if by_path else {}
    try:
        spoken = CODECS[Shape(shape)].read_request(found.table, ReadContext(**context))
        tokens(spoken)
    except Fault as fault:
        return [*faults, fault]
    for upstream in SHAPES:
        goal = target(origin(upstream), "m", **profile(upstream, PROVIDER[upstream], "m"))
        report = Report(goal.title)
        try:
            wanted(spoken, goal)
            data = CODECS[Shape(upstream)].write_request(fitted(spoken, goal, report), goal, report)
            json.loads(data)
            report.dropped_header(), report.repaired_header(), report.dropped_names()
        except Fault as fault:
            faults.append(fault)
    return faults


def failures(shape, bodies, values):
    """Bodies that end in anything but an answer or a refusal that says what is wrong."""
    out = []
    for body in holes(bodies):
        for value in values:
            said = body.replace(b'"' + HOLE.encode() + b'"', value)
            try:
                faults = taken(shape, said)
            except Fault as fault:
                faults = [fault]
            except Exception as exc:  # whatever it is: that is what is looked for
                out.append((type(exc).__name__, str(exc), said[:300]))
                continue
            out += [
                (one.status, one.message, said[:300])
                for one in faults
                if not 400 <= one.status < 500
            ]
    return out


@pytest.mark.parametrize("shape", SHAPES)
def test_no_value_is_a_failure_of_the_gateway(shape):
    """Only of the request."""
    assert [] == failures(shape, features(shape), HOSTILE)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_no_value_of_any_type_is_a_failure_of_the_gateway(shape):
    """The same in every member of every type that the SDKs have."""
    assert [] == failures(shape, declared(shape), HOSTILE)
