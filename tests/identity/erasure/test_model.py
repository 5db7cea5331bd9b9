"""What an erased account is called."""

import pytest

from trivium.identity.accounts import names
from trivium.identity.accounts.errors import AccountError
from trivium.identity.erasure.model import erased_name


def test_nobody_signs_up_under_that_name():
    """So that it says what happened."""
    assert "erased:17" == erased_name(17)
    with pytest.raises(AccountError):
        names.name(erased_name(17))
