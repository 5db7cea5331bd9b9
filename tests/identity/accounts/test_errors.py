"""A refusal says why, and when again."""

from trivium.identity.accounts.errors import AccountError, AccountRefusal


def test_an_error_carries_its_reason():
    """Pages put it into words."""
    error = AccountError(AccountRefusal.TOO_MANY_TRIES, 30)
    assert (AccountRefusal.TOO_MANY_TRIES, 30, "too_many_tries") == (
        error.why,
        error.retry_after_s,
        str(error),
    )
