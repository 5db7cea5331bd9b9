"""Addresses of the generate-content operations."""

import pytest

from trivium.wire.generate.path import METHODS, bare, decode_model, parse
from trivium.wire.operation import ASYNC_JOBS, SHAPE, UPSTREAM_ONLY, Operation, Shape


@pytest.mark.parametrize(
    ("path", "model", "operation"),
    [
        ("gemini-2.5-flash:generateContent", "gemini-2.5-flash", Operation.GENERATE),
        ("g:streamGenerateContent", "g", Operation.GENERATE_STREAM),
        ("g:countTokens", "g", Operation.GENERATE_COUNT),
        ("g:embedContent", "g", Operation.GENERATE_EMBED),
        ("g:batchEmbedContents", "g", Operation.GENERATE_EMBED_BATCH),
        ("openai/gpt-x:generateContent", "openai/gpt-x", Operation.GENERATE),
        ("openai%2Fgpt-x:generateContent", "openai/gpt-x", Operation.GENERATE),
        ("llama3:8b:generateContent", "llama3:8b", Operation.GENERATE),
        ("llama3%3A8b:generateContent", "llama3:8b", Operation.GENERATE),
        ("g%3AgenerateContent", "g", Operation.GENERATE),
        ("gpt%20x:generateContent", "gpt x", Operation.GENERATE),
        ("100%2525:generateContent", "100%25", Operation.GENERATE),
        ("models/g:generateContent", "g", Operation.GENERATE),
        ("models/models/g:countTokens", "g", Operation.GENERATE_COUNT),
        ("models%2Fg:countTokens", "g", Operation.GENERATE_COUNT),
        ("publishers/x/models/g:generateContent", "publishers/x/models/g", Operation.GENERATE),
        ("tunedModels/mine:generateContent", "tunedModels/mine", Operation.GENERATE),
        ("generateContent:generateContent", "generateContent", Operation.GENERATE),
        ("mod%C3%A8le:generateContent", "modèle", Operation.GENERATE),
        ("mod\xc3\xa8le:generateContent", "modèle", Operation.GENERATE),
    ],
)
def test_the_model_ends_at_the_last_colon(path, model, operation):
    """Slashes, colons and percent signs belong to the name; it is decoded once."""
    assert (model, operation) == parse(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "g",
        "g:",
        ":generateContent",
        "models/:generateContent",
        "llama3:8b",
        "g:predict",
        "g:batchGenerateContent",
        "g:generatecontent",
        "g:generateContent/",
        "g:generateContent:",
        "g%FF:generateContent",
        "g\u2028:generateContent",
    ],
)
def test_no_known_method_is_no_address(path):
    """Unknown methods, empty names and broken text are answered with 404."""
    assert parse(path) is None


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("g", "g"),
        ("a%2Fb", "a/b"),
        ("a/b", "a/b"),
        ("llama3:8b", "llama3:8b"),
        ("models/g", "g"),
        ("a%252Fb", "a%2Fb"),
        ("", None),
        ("models/", None),
        ("%FF", None),
    ],
)
def test_a_single_model_is_named_the_same_way(path, name):
    """The look-up of one model decodes as the methods do."""
    assert name == decode_model(path)


def test_only_the_prefix_is_taken_off():
    """A folder of that name further inside belongs to the model."""
    assert "accounts/f/models/x" == bare("accounts/f/models/x")
    assert "tunedModels/x" == bare("tunedModels/x")


def test_every_operation_of_the_shape_has_an_address():
    """A new operation needs a method here."""
    wanted = {operation for operation, shape in SHAPE.items() if shape is Shape.GENERATE}
    wanted -= ASYNC_JOBS | UPSTREAM_ONLY
    assert wanted == set(METHODS.values())
