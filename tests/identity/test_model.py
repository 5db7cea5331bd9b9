"""Whose key may use which model."""

import pytest

from trivium.identity.model import Caller, left_to_others


@pytest.mark.parametrize(
    ("models", "prefixes", "model", "may"),
    [
        ([], [], "anything", True),
        (["gpt-5"], [], "gpt-5", True),
        (["gpt-5"], [], "gpt-5-mini", False),
        (["gpt-5"], [], "", False),
        ([], ["gpt-"], "gpt-5", True),
        ([], ["gpt-"], "gpt-", True),
        ([], ["gpt-"], "claude", False),
        (["claude"], ["gpt-"], "claude", True),
        (["claude"], ["gpt-"], "gpt-5", True),
        (["claude"], ["gpt-"], "gemini", False),
        ([], [""], "anything", True),
    ],
)
def test_an_allow_list_allows_what_it_lists(models, prefixes, model, may):
    """Exact names, prefixes, and everything when it is empty."""
    caller = Caller(
        key_id=1,
        user_id=1,
        payer_id=1,
        unlimited=False,
        disabled=False,
        expires_at=float("inf"),
        models=frozenset(models),
        prefixes=tuple(prefixes),
    )
    assert may == caller.may_use(model)


@pytest.mark.asyncio
async def test_without_a_snapshot_there_is_nothing_to_do():
    """The command line changes keys and ends."""
    assert await left_to_others() is None
