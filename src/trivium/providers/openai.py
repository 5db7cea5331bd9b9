"""OpenAI: the chat, responses, completions, embeddings, moderations and videos shapes at their
source.

Forwarded from the caller: ``openai-beta``, because it switches features of the request itself.
Not forwarded, each for its reason:

* ``idempotency-key``: its name space is the operator's account. Two callers using the same key
  would be given each other's answer.
* ``x-client-request-id``: it lands in the operator's logs at the vendor, where the caller can never
  read it, and a malformed one is a 400.
* ``openai-organization``, ``openai-project``: they choose which of the operator's budgets pays;
  an operator sets them as headers of the channel.

Nothing of the answer's headers is returned. ``x-ratelimit-*``, ``openai-organization``,
``openai-processing-ms`` and ``openai-version`` describe the operator's account and its room left,
which all callers share; a caller's own limits are the gateway's. ``retry-after`` reaches callers
through the fault it belongs to, ``x-request-id`` is the gateway's.

Source: openai-python 3.52.0 (paths below the base URL, headers), read 2026-11-21.
"""

from typing import Final

from trivium.providers.base import Capabilities, Provider
from trivium.providers.credential import BEARER
from trivium.providers.failure import default_failure
from trivium.wire.operation import Operation

PROVIDER: Final = Provider(
    name="openai",
    title="OpenAI",
    base_url="https://api.openai.com/v1",
    credential=BEARER,
    key_variables=("OPENAI_API_KEY",),
    paths={
        Operation.CHAT: "/chat/completions",
        Operation.RESPONSES: "/responses",
        Operation.RESPONSES_COUNT: "/responses/input_tokens",
        Operation.COMPLETIONS: "/completions",
        Operation.EMBEDDINGS: "/embeddings",
        Operation.MODERATIONS: "/moderations",
        Operation.IMAGES: "/images/generations",
        Operation.SPEECH: "/audio/speech",
        Operation.TRANSCRIPTIONS: "/audio/transcriptions",
        Operation.TRANSLATIONS: "/audio/translations",
        Operation.IMAGES_EDIT: "/images/edits",
        Operation.IMAGES_VARY: "/images/variations",
        Operation.VIDEOS: "/videos",
    },
    capabilities=Capabilities(
        stream_usage=True,
        tools=True,
        images=True,
        documents=True,
        audio=True,
        reasoning=True,
        structured_output=True,
        prompt_cache=True,
        stored_responses=True,
    ),
    forwards=frozenset({"openai-beta"}),
    failure=default_failure,
    source="https://github.com/openai/openai-python (3.52.0), read 2026-11-21",
)
