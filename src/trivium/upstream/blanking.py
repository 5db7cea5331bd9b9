"""Takes a channel's credentials out of what its vendor has said."""

from typing import Final

from trivium.routing.model import Channel

BLANK: Final = "[…]"
KEY_CHARS_MIN: Final = 4
"""A shorter value is no credential, and stands in ordinary words."""
HEADER_CHARS_MIN: Final = 8


def blanked(channel: Channel, text: str) -> str:
    """A text without the channel's keys, what belongs to them, and its headers' values: vendors
    echo what they were sent. In whichever form a key is: the channel's very values are looked for.
    """
    keys = {secret.reveal() for secret in (*channel.credentials, *channel.parts.values())}
    headers = {value.strip() for value in channel.headers.values()}
    values = {value for value in keys if len(value) >= KEY_CHARS_MIN}
    values |= {value for value in headers if len(value) >= HEADER_CHARS_MIN}
    # a longer one may have a shorter one in it
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, BLANK)
    return text
