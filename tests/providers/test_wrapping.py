"""How clouds wrap the messages shape: the rows, and that other providers have none."""

import json

import pytest

from trivium.providers.registry import PROVIDERS
from trivium.providers.wrapping import (
    BEDROCK_COUNT,
    BEDROCK_MESSAGES,
    VERTEX_COUNT,
    VERTEX_MESSAGES,
)
from trivium.wire.bedrock.chunks import Unframer
from trivium.wire.messages.hosted import Hosting
from trivium.wire.operation import SHAPE, Shape

BODY = b'{"model":"m","messages":[],"max_tokens":5,"stream":true}'
OLD = Hosting("2023-06-01")


@pytest.mark.parametrize(
    ("wrapping", "members"),
    [
        (BEDROCK_MESSAGES, {"anthropic_version", "messages", "max_tokens"}),
        (BEDROCK_COUNT, {"input"}),
        (VERTEX_MESSAGES, {"anthropic_version", "messages", "max_tokens", "stream"}),
        (VERTEX_COUNT, {"anthropic_version", "messages", "max_tokens", "stream", "model"}),
    ],
)
def test_a_body_is_wrapped(wrapping, members):
    """With what each cloud takes and nothing else."""
    assert members == set(json.loads(wrapping.wrapped(BODY, OLD)))


def test_only_bedrock_frames_its_streams():
    """Each answer has an unwrapper of its own."""
    assert isinstance(BEDROCK_MESSAGES.stream(), Unframer)
    assert BEDROCK_MESSAGES.stream() is not BEDROCK_MESSAGES.stream()
    assert VERTEX_MESSAGES.stream is None


def test_an_operation_that_is_wrapped_is_one_that_the_provider_has():
    """Of the messages shape: nobody wraps another."""
    for provider in PROVIDERS.values():
        assert set(provider.wrappings) <= set(provider.paths), provider.name
        assert {SHAPE[one] for one in provider.wrappings} <= {Shape.MESSAGES}, provider.name
