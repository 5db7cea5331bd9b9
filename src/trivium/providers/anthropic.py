"""Anthropic: the messages shape at its source.

Forwarded from the caller: ``anthropic-version`` and ``anthropic-beta``, which decide how the body
is read (dropping them silently turns features off), and ``anthropic-user-profile-id``, which
attributes the request when it is made for another party. The edge maps their ``vendor-``
spellings first. Not forwarded, each for its reason:

* ``x-claude-code-session-id``: it changes nothing in the answer and would let the vendor link
  one person's requests across the operator's account. It stays in the request record.
* ``anthropic-workspace-id``: it chooses a part of the operator's account; an operator sets it as
  a header of the channel.

Nothing of the answer's headers is returned: ``anthropic-ratelimit-*`` and
``anthropic-organization-id`` describe the operator's account, which all callers share.
``retry-after`` reaches callers through the fault it belongs to, ``request-id`` is the gateway's.

Source: anthropic-sdk-python 2.11.0 and the versions page of the API, read 2026-11-21. The vendor
takes the key as ``x-api-key`` and as a bearer token; the former is what it documents for curl.
"""

from typing import Final

from trivium.providers.base import Capabilities, Provider
from trivium.providers.credential import STATIC
from trivium.providers.failure import default_failure
from trivium.wire.operation import Operation

PROVIDER: Final = Provider(
    name="anthropic",
    title="Anthropic",
    base_url="https://api.anthropic.com",
    credential=STATIC["x-api-key"],
    key_variables=("ANTHROPIC_API_KEY",),
    paths={
        Operation.MESSAGES: "/v1/messages",
        Operation.MESSAGES_COUNT: "/v1/messages/count_tokens",
    },
    capabilities=Capabilities(
        tools=True,
        images=True,
        documents=True,
        reasoning=True,
        structured_output=True,
        prompt_cache=True,
    ),
    forwards=frozenset({"anthropic-version", "anthropic-beta", "anthropic-user-profile-id"}),
    # the older of the two live versions: what a body without the header has always meant
    headers={"anthropic-version": "2023-06-01"},
    failure=default_failure,
    source="https://github.com/anthropics/anthropic-sdk-python (2.11.0), read 2026-11-21",
)
