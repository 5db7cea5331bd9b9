"""References are read to the letter, and fields are texts."""

import pytest

from trivium.settings.secret_stores.reference import (
    PREFIXES,
    SCHEMES,
    StoredReference,
    field_of,
    parse,
)

ARN = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/openai-AbCdEf"


@pytest.mark.parametrize(
    ("text", "name", "field"),
    [
        ("vault:secret/openai#api_key", "secret/openai", "api_key"),
        ("vault:deep/kv/a b#x".replace(" ", "-"), "deep/kv/a-b", "x"),
        ("aws-sm:prod/openai", "prod/openai", ""),
        ("aws-sm:prod/openai#api_key", "prod/openai", "api_key"),
        (f"aws-sm:{ARN}#k", ARN, "k"),
        ("gcp-sm:projects/p/secrets/s/versions/latest", "projects/p/secrets/s/versions/latest", ""),
        (
            "gcp-sm:projects/p/locations/europe-west3/secrets/s/versions/7#k",
            "projects/p/locations/europe-west3/secrets/s/versions/7",
            "k",
        ),
    ],
)
def test_a_reference_is_a_name_and_a_field(text, name, field):
    """As each vendor writes names."""
    assert StoredReference(text.partition(":")[0], name, field) == parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "vault:secret/openai", "vault:secret/openai#", "vault:openai#k", "vault:#k", "vault:",
        "vault:secret//x#k", "vault:/secret/x#k", "vault:a/b?c#k", "vault:a/../b#k", "vault:./a/b#k", "aws-sm:", "aws-sm:#k", "aws-sm:a b",
        "aws-sm:x#", "gcp-sm:s", "gcp-sm:projects/../secrets/s/versions/1", "gcp-sm:projects/a\x1bb/secrets/s/versions/1", "gcp-sm:projects/p/secrets/s", "gcp-sm:projects/p/secrets/s/versions/",
    ],
)  # fmt: skip
def test_what_is_none_says_how_it_is_written(text):
    """With the form of its own scheme."""
    with pytest.raises(ValueError, match="is no reference") as caught:
        parse(text)
    assert SCHEMES[text.partition(":")[0]] in str(caught.value)
    assert text.startswith(PREFIXES)


def test_a_field_is_taken_out_of_either_form():
    """Members by name, or JSON that holds them."""
    assert "v" == field_of({"k": "v"}, "k") == field_of('{"k":"v"}', "k") == field_of("v", "")


@pytest.mark.parametrize(
    ("document", "field", "why"),
    [
        ({"a": "v-secret", "b": "w"}, "", "name one with #FIELD"),
        ("v-secret", "k", "is no JSON object"),
        ('["v-secret"]', "k", "is no JSON object"),
        ("[" * 100_000, "k", "is no JSON object"),
        ({"a": "v-secret"}, "k", "has no field k"),
        ({"k": 7}, "k", "has no text as k"),
        ({"k": {"v-secret": 1}}, "k", "has no text as k"),
    ],
)
def test_what_is_no_text_is_told_without_it(document, field, why):
    """A value never reaches a message."""
    with pytest.raises(ValueError, match=why) as caught:
        field_of(document, field)
    assert "v-secret" not in str(caught.value)
