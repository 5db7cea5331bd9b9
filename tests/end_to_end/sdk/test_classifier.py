"""A real model that classifies, behind a served gateway, asked by the official SDK."""

import openai as sdk
import pytest

from end_to_end.sdk.classifier import NAME, OTHERS, classifier
from end_to_end.sdk.clients import Wire, openai_at
from end_to_end.sdk.engine import recorded
from end_to_end.sdk.served import command, served

pytestmark = pytest.mark.classifier

KEY = "sk-classifier-0123456789abcdef"
SETTINGS = """
[[channels]]
name = "local"
provider = "openai-compatible"
base_url = "{address}"
api_key = "{key}"

[[models]]
name = "omni-moderation-latest"
price = {{ input = "0.10", per_request = "0.0001" }}
[[models.bindings]]
channel = "local"
model = "{model}"
"""
KIND = "Thank you, have a lovely day."
THREAT = "I will kill you tonight."
INSULT = "You are a fucking idiot."


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    """One for all tests of this file."""
    with classifier(KEY) as address:
        if address is None:
            pytest.skip("no interpreter here has alt-profanity-check")
        told = SETTINGS.format(address=address, key=KEY, model=NAME)
        with served(tmp_path_factory.mktemp("classifier"), told) as running:
            yield running


@pytest.fixture(scope="module")
def openai(gateway):
    """OpenAI's client."""
    with openai_at(f"{gateway.origin}/v1", gateway.key(), Wire()) as client:
        yield client


def test_texts_are_told_apart(openai, gateway):
    """One result a text, in order, every category there; and it is paid for."""
    found = openai.moderations.create(input=[KIND, THREAT, INSULT])
    assert [False, True, True] == [result.flagged for result in found.results]
    scores = [result.category_scores.harassment for result in found.results]
    assert scores[0] < 0.2 < 0.6 < scores[1] < scores[2]
    assert {"harassment", *OTHERS} == set(found.results[0].to_dict()["categories"])
    row = recorded(gateway, found._request_id)
    assert ("moderations", NAME, 200) == (row["operation"], row["upstream_model"], row["status"])
    command(gateway.folder, "ledger", "verify")  # or it fails


def test_one_text_has_one_result(openai):
    """The model's default name is asked for without naming it."""
    (result,) = openai.moderations.create(input=INSULT).results
    assert result.flagged


def test_what_it_does_not_take_is_its_own_refusal(openai):
    """Told in the gateway's words, and not asked again."""
    picture = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    with pytest.raises(sdk.BadRequestError) as caught:
        openai.moderations.create(input=[picture])
    assert "invalid_request_error" == caught.value.type
