"""What a vendor echoes of a channel's credentials is not told on."""

import pytest

from trivium.secret import Secret
from trivium.upstream.blanking import BLANK, blanked
from upstream.lately import channel


class Nowhere:
    """A vendor that is not called."""

    port = 9


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Incorrect key: hunter2-and-more!", f"Incorrect key: {BLANK}!"),
        ("hunter2 hunter2", f"{BLANK} {BLANK}"),
        (
            "the part p4rt-of-it and the header canary-header",
            f"the part {BLANK} and the header {BLANK}",
        ),
        ("ab json says nothing", "ab json says nothing"),
        ("", ""),
    ],
)
def test_a_channels_own_values_are_taken_out(text, told):
    """The longer first, whatever their form; not what is too short to be one."""
    found = channel(
        Nowhere,
        None,
        credentials=(Secret("hunter2"), Secret("hunter2-and-more"), Secret("ab")),
        parts={"secret": Secret("p4rt-of-it")},
        headers={"x-own": " canary-header ", "accept": "json"},
    )
    assert told == blanked(found, text)
