"""Google's Gemini API: the generate-content shape at its source.

Nothing is forwarded from the caller: ``x-goog-user-project`` would choose whose quota pays,
``x-goog-api-client`` and ``x-server-timeout`` describe the caller's own client. Nothing of the
answer's headers is returned: they carry timings and traces of the vendor's front end.

The key travels as ``x-goog-api-key``, never as ``?key=``, which proxies and error texts print.
Callers' ``v1`` requests (google-genai for Python 3) are served by ``v1beta`` too, which knows more
members.

Source: google-genai 3.4.0 (paths, default address), read 2026-11-21.
"""

from typing import Final

from trivium.providers.base import Capabilities, Provider
from trivium.providers.credential import STATIC
from trivium.providers.failure import default_failure
from trivium.wire.operation import Operation

_STREAM: Final = "/v1beta/models/{model}:streamGenerateContent"
"""A JSON array, or with ``alt=sse`` server-sent events."""

PROVIDER: Final = Provider(
    name="gemini",
    title="Google Gemini",
    base_url="https://generativelanguage.googleapis.com",
    credential=STATIC["x-goog-api-key"],
    key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    paths={
        Operation.GENERATE: "/v1beta/models/{model}:generateContent",
        Operation.GENERATE_STREAM: _STREAM,
        Operation.GENERATE_COUNT: "/v1beta/models/{model}:countTokens",
        Operation.GENERATE_EMBED: "/v1beta/models/{model}:embedContent",
        Operation.GENERATE_EMBED_BATCH: "/v1beta/models/{model}:batchEmbedContents",
        Operation.GENERATE_VIDEO: "/v1beta/models/{model}:predictLongRunning",
    },
    stream_paths={
        Operation.GENERATE: f"{_STREAM}?alt=sse",
        Operation.GENERATE_STREAM: f"{_STREAM}?alt=sse",
    },
    capabilities=Capabilities(
        tools=True,
        images=True,
        documents=True,
        audio=True,
        reasoning=True,
        structured_output=True,
        prompt_cache=True,
    ),
    failure=default_failure,
    source="https://github.com/googleapis/python-genai (3.4.0), read 2026-11-21",
)
