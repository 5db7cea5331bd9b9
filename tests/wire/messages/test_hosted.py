"""The messages body where a cloud hosts it: what it says, and what makes one of the other."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire import peek
from trivium.wire.messages import hosted
from trivium.wire.messages.hosted import BETAS_MAX, Hosting


def body(**members):
    return peek.members(msgspec.json.encode(members))


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("bedrock-2023-05-31", "2023-06-01"),
        ("vertex-2023-10-16", "2023-06-01"),
        ("2023-06-01", "2023-06-01"),
        ("2026-10-21", "2026-10-21"),
    ],
)
def test_every_clouds_word_for_a_version_is_known(said, version):
    """SDKs of 2026 send the newer date to either cloud."""
    assert Hosting(version) == hosted.read(body(anthropic_version=said), hosted.BEDROCK)


@pytest.mark.parametrize(
    ("members", "kind", "param"),
    [
        ({}, Kind.MISSING_MEMBER, "anthropic_version"),
        ({"anthropic_version": None}, Kind.MISSING_MEMBER, "anthropic_version"),
        ({"anthropic_version": 1}, Kind.INVALID_TYPE, "anthropic_version"),
        ({"anthropic_version": "bedrock-2020"}, Kind.INVALID_VALUE, "anthropic_version"),
        ({"anthropic_beta": "a"}, Kind.INVALID_TYPE, "anthropic_beta"),
        ({"anthropic_beta": [1]}, Kind.INVALID_TYPE, "anthropic_beta"),
        ({"anthropic_beta": ["a,b"]}, Kind.INVALID_VALUE, "anthropic_beta"),
        ({"anthropic_beta": ["a\r\nx: y"]}, Kind.INVALID_VALUE, "anthropic_beta"),
        ({"anthropic_beta": ["é"]}, Kind.INVALID_VALUE, "anthropic_beta"),
        ({"anthropic_beta": ["a"] * (BETAS_MAX + 1)}, Kind.INVALID_VALUE, "anthropic_beta"),
    ],
)
def test_what_cannot_be_is_refused_by_name(members, kind, param):
    """A beta becomes part of a header, so it must be able to."""
    if param == "anthropic_beta":
        members = {"anthropic_version": hosted.BEDROCK, **members}
    with pytest.raises(Fault) as caught:
        hosted.read(body(**members), hosted.BEDROCK)
    assert (kind, param) == (caught.value.kind, caught.value.param)
    if not members:
        assert '"bedrock-2023-05-31"' in caught.value.message


def test_betas_keep_their_order_and_come_once():
    """From the header and from the body."""
    told = hosted.read(
        body(anthropic_version=hosted.BEDROCK, anthropic_beta=["b", " c ", ""]), hosted.BEDROCK
    )
    assert ("a", "b", "c") == hosted.joined(hosted.split("a, b,,"), told.betas)


@pytest.mark.parametrize(
    ("stream", "own"), [(None, {}), (True, {"stream": True}), (False, {"stream": False})]
)
def test_a_hosted_body_becomes_the_shapes_own(stream, own):
    """The model is of the path, whatever stood in the body."""
    members = body(anthropic_version=hosted.BEDROCK, anthropic_beta=["a"], model="x", max_tokens=5)
    spliced = msgspec.json.decode(members.splice(hosted.unhosted("m@1", stream=stream)))
    assert {"model": "m@1", "max_tokens": 5, **own} == spliced


OLD, NEW = Hosting("2023-06-01"), Hosting("2026-10-21", ("a",))


@pytest.mark.parametrize(
    ("changes", "hosting", "expected"),
    [
        (hosted.for_bedrock, OLD, {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 5}),
        (
            hosted.for_bedrock,
            NEW,
            {"anthropic_version": "2026-10-21", "anthropic_beta": ["a"], "max_tokens": 5},
        ),
        (
            hosted.for_bedrock_count,
            OLD,
            {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 1},
        ),
        (
            hosted.for_vertex,
            OLD,
            {"anthropic_version": "vertex-2023-10-16", "stream": True, "max_tokens": 5},
        ),
        (
            hosted.for_vertex,
            NEW,
            {"anthropic_version": "2026-10-21", "stream": True, "max_tokens": 5},
        ),
        (
            hosted.for_vertex_count,
            OLD,
            {
                "anthropic_version": "vertex-2023-10-16",
                "model": "m",
                "stream": True,
                "max_tokens": 5,
            },
        ),
    ],
)
def test_a_body_becomes_one_that_a_cloud_takes(changes, hosting, expected):
    """Each insists on its own members and refuses the others'."""
    members = body(model="m", stream=True, max_tokens=5)
    assert expected == msgspec.json.decode(members.splice(changes(hosting)))
