"""The ladder as a table."""

import msgspec
import pytest

from trivium.conversation.losses import Drop, DropAction, Report
from trivium.conversation.member_table import (
    ROWS,
    Concept,
    addressed,
    citable,
    effort,
    foreign,
    lacking,
    member,
    unnamed,
)
from trivium.conversation.parts import Native
from trivium.conversation.request import FormatKind, ResponseFormat, Sampling
from trivium.faults import Fault

SHAPES = ("chat", "responses", "messages", "generate", "converse", "cohere")


def test_every_concept_has_its_row_and_a_place_somewhere():
    """A concept that no shape has could not be asked for."""
    assert set(Concept) == set(ROWS)
    for row in ROWS.values():
        assert row.members
        assert set(row.members) <= set(SHAPES)


def test_sampling_members_are_fields():
    """Those who drop one go by its name."""
    fields = {field.name for field in msgspec.structs.fields(Sampling)}
    named = {row.field for row in ROWS.values() if row.field.startswith("Sampling.")}
    assert {f"Sampling.{name}" for name in fields} == named


@pytest.mark.parametrize(
    ("concept", "shape", "expected"),
    [
        (Concept.OUTPUT_MAX, "chat", "max_completion_tokens"),
        (Concept.OUTPUT_MAX, "generate", "generationConfig.maxOutputTokens"),
        (Concept.SEED, "messages", "Sampling.seed"),
        (Concept.HISTORY, "responses", "input"),
        (Concept.TOP_P, "cohere", "p"),
        (Concept.VERBOSITY, "cohere", "verbosity"),
    ],
)
def test_a_member_is_called_as_the_caller_calls_it(concept, shape, expected):
    """And by its field where the shape has none."""
    assert expected == member(concept, shape)


def test_what_is_lacking_is_reported_by_its_rank_and_name():
    """What is changed says so."""
    report = Report("the target")
    lacking(report, Concept.TOP_P, "generate", "none")
    lacking(report, Concept.DETAIL, "chat", "lower", act=DropAction.CHANGED)
    lacking(report, Concept.USER, "chat", "none")
    assert [
        Drop("generationConfig.topP", "none"),
        Drop("image_url.detail", "lower", DropAction.CHANGED),
    ] == report.drops
    assert ["user"] == report.kept
    with pytest.raises(Fault, match=r"^n cannot be carried to the target: one answer\.$"):
        lacking(report, Concept.CANDIDATES, "chat", "one answer")


def test_members_of_another_shape_alone_are_named():
    """But not that the model itself made a call, which all shapes mean unsaid."""
    report = Report("m")
    foreign(Native("messages", b'{"caller":{"type":"direct"}}'), report, "messages")
    assert [] == report.drops
    foreign(Native("messages", b'{"caller":{"type":"code"},"defer_loading":true}'), report, "tools")
    assert [("tools", "only its own shape has caller, defer_loading")] == [
        (one.member, one.reason) for one in report.drops
    ]


def test_what_names_a_schema_is_told_where_it_has_no_place():
    """The name in our own record, its words to the caller."""
    report = Report("m")
    wanted = ResponseFormat(FormatKind.SCHEMA, b"{}", name="n", description="d", strict=True)
    unnamed(wanted, "chat", report)
    assert ["response_format.name"] == report.kept
    assert ["response_format.description"] == [one.member for one in report.drops]


@pytest.mark.parametrize(
    ("shape", "picture", "documents", "step"),
    [
        ("chat", "image_url", "annotations", "reasoning_effort"),
        ("messages", "image", "citations", "output_config.effort"),
        ("generate", "fileData", "groundingMetadata", "generationConfig.thinkingConfig"),
        ("converse", "s3Location", "document.citations", "outputConfig.effort"),
        ("cohere", "image_url", "documents", "thinking"),
    ],
)
def test_some_things_have_a_name_of_their_own(shape, picture, documents, step):
    """A medium by its address, a document to be cited, an effort and nothing else."""
    assert addressed(Concept.IMAGE, shape) == picture
    assert citable(shape) == documents
    assert effort(shape) == step


def test_a_report_may_say_where():
    """What the caller wrote, instead of the name of the concept."""
    report = Report("m")
    lacking(report, Concept.REASONING, "messages", "why", where="output_config.effort")
    assert ["output_config.effort"] == [one.member for one in report.drops]
