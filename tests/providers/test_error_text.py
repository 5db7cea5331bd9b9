"""Vendors' words reach callers without what they must not see, and still say something."""

import pytest

from growth.measuring import least
from trivium.providers.error_text import WORDING_MAX, leading_member, member, public


@pytest.mark.parametrize(
    "text",
    [
        "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens'.",
        "messages.1.content.0.text: Field required",
        "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens",
        "The model `meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8` takes no tools",
        "claude-sonnet-4-5-20250929 does not support this",
        "gpt-4o-mini-2024-07-18 does not support this",
        "No tool output found for function call call_9aZbY8xW7vU6tS5rQ4pO3n.",
        "tool_use ids were found without tool_result blocks: toolu_01A09q90qw90lq917835lq9",
        "Invalid type for 'user_location': expected an object",
        "This model's maximum context length is 128000 tokens.",
        "Invalid schema for function 'get_time': 'city' is not of type 'object'",
        "temperature must be between 0.0 and 2.0",
        "Die Eingabe ist ungültig: ä, ö, ü",
    ],
)
def test_useful_text_is_left_alone(text):
    """Member paths, model names, limits and the conversation's own ids are what callers need."""
    assert text == public(text)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("See https://platform.openai.com/docs for more", "See […] for more"),
        ("Connection to 10.0.0.5:8000 refused by engine", "Connection to […] refused by engine"),
        ("two\n\nlines\tand\x00 zero bytes", "two lines and zero bytes"),
        ("key sk-abcdefghijklmnop is not allowed", "key […] is not allowed"),
        ("limit of org-a1b2c3d4e5f6 was reached", "limit of […] was reached"),
    ],
)
def test_secrets_are_cut_out(text, clean):
    """What surrounds them stays."""
    assert clean == public(text)


@pytest.mark.parametrize(
    "text",
    ["", "   ", "<html>", '{"error": "nested"}', "https://api.example.com/v1", "1.2.3.4:80", "12"],
)
def test_text_without_substance_is_not_used(text):
    """The caller gets our own words instead."""
    assert public(text) == ""


def test_long_text_ends_with_an_ellipsis():
    """The limit is on what is shown, the mark included."""
    text = public("word " * 300)
    assert WORDING_MAX >= len(text)
    assert text.endswith("…")


@pytest.mark.parametrize(
    "text",
    ["a" * 9000, "a-" * 4500, "a." * 4500, "/a" * 4500, "key" * 3000, "1." * 4500, "[:" * 4500,
     "x@" * 4500, "a://" * 2250, "*" * 9000, "sk-" * 3000, "request id " * 800, "a_" * 4500],
)  # fmt: skip
def test_hostile_text_costs_little(text):
    """A vendor's body cannot hold up the loop."""
    assert least(lambda: public(text), 0.1) < 0.1


@pytest.mark.parametrize(
    ("param", "path"),
    [
        (None, None),
        ("", None),
        ("messages", "messages"),
        ("messages[2].content", "messages[2].content"),
        ("messages.1.content.0.text", "messages[1].content[0].text"),
        ("tools.[0].name", "tools[0].name"),
        ("generationConfig.maxOutputTokens", "generationConfig.maxOutputTokens"),
        ("x-header", "x-header"),
        ("not a path", None),
        ("body -> messages", None),
        ("sk-abcdefghijklmnop", None),
        ("org-a1b2c3d4e5", None),
        ("a" * 201, None),
    ],
)
def test_only_member_paths_are_params(param, path):
    """Anything else in ``param`` would be an echo."""
    assert path == member(param)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("messages.1.content: Field required", "messages[1].content"),
        ("max_tokens: 5 > 4", "max_tokens"),
        ("Invalid value: foo", None),
        ("no member here", None),
        ("model:x", None),
    ],
)
def test_a_member_before_the_text_is_found(text, path):
    """Anthropic has no ``param`` and writes it in front."""
    assert path == leading_member(text)
