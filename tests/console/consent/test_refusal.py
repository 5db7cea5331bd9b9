"""Pages that say why an application cannot be let in."""

import pytest

from trivium.console.consent import refusal
from trivium.oauth.errors import Reason


def test_every_reason_has_its_words():
    """And no two the same."""
    assert set(Reason) == set(refusal._TEXTS)
    assert len(set(refusal._TEXTS.values())) == len(Reason)


@pytest.mark.asyncio
async def test_a_page_says_the_reason_and_the_request(asking):
    """For whoever has to find out."""
    answer = await asking.sent(client_id="gwc_nobody")
    assert "app_unknown" in answer.text
    assert "req_test" in answer.text
