"""Google Vertex AI: Gemini in the generate-content shape, Claude in the messages shape, and models
of others in the chat shape, each a provider of its own because a model speaks one of them.

The base URL holds host, version, project and location, as everything is below them::

    https://europe-west4-aiplatform.googleapis.com/v1/projects/acme-prod/locations/europe-west4

Hosts are regional (``{location}-aiplatform.googleapis.com``), global (``aiplatform.googleapis.com``
with the location ``global``) or of several regions (``aiplatform.eu.rep.googleapis.com`` with
``eu``). A host of Google's and a location that do not belong together are refused: the answer would
be a 404 that says so to nobody.

Nothing is forwarded from the caller but Claude's ``anthropic-beta``: ``x-goog-user-project`` would
choose whose quota pays. Nothing of the answer's headers is returned, as with the Gemini API.

Sources: google-genai 3.3.0 (``_api_client.py``: hosts and paths), anthropic-sdk-python 2.8.0
(``lib/vertex``), https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations,
https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview; read 2026-11-28.
"""

import re
from typing import Final

from trivium.providers.base import Capabilities, Provider
from trivium.providers.credential import STATIC, CredentialChoice, Renewed, Static
from trivium.providers.failure import default_failure
from trivium.providers.identities import google
from trivium.providers.quirks import VERTEX_GENERATE
from trivium.providers.wrapping import VERTEX_COUNT, VERTEX_MESSAGES
from trivium.wire.operation import Operation

BASE_FORM: Final = (
    "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}"
)
_EXAMPLE: Final = "/v1/projects/acme-prod/locations/europe-west4"
_PLACE: Final = re.compile(
    r"(?P<version>/v\d+(?:(?:alpha|beta)\d*)?)?/projects/(?P<project>[^/]+)"
    r"/locations/(?P<location>[^/]+)(?P<rest>/.*)?"
)
_PROJECT: Final = re.compile(r"(?:[a-z0-9.\-]+:)?[a-z0-9][a-z0-9\-]{0,62}")
_LOCATION: Final = re.compile(r"[a-z]{2,20}(?:-[a-z]{2,20}\d{1,2})?")
_HOST: Final = re.compile(
    r"(?:(?P<region>[a-z0-9\-]+)-)?aiplatform(?:\.mtls)?\.googleapis\.com"
    r"|aiplatform\.(?P<several>[a-z0-9\-]+)\.rep\.googleapis\.com"
)
_BELOW: Final = ("/publishers/", "/endpoints/")
"""Where the paths of calls begin, which people paste with the rest."""

_IDENTITY: Final = Renewed(finder=google.FINDER, parts=(), optional=google.NAMES)
_KEY: Final[Static] = Static("x-goog-api-key")
_CREDENTIAL: Final = CredentialChoice(key=_KEY, otherwise=_IDENTITY)
_GEMINI: Final = "/publishers/google/models/{model}"
_STREAM: Final = f"{_GEMINI}:streamGenerateContent"
_CLAUDE: Final = "/publishers/anthropic/models/{model}"
_SOURCE: Final = (
    "https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations, read 2026-11-28"
)


def place(host: str, path: str) -> str:
    """The path of a base URL as the calls' own are appended to it.

    Raises ``ValueError`` with what would be right: without a project or a location, for names that
    none can have, and for a host of Google's that is another location's.
    """
    found = _PLACE.fullmatch(path)
    if found is None:
        raise ValueError(
            f"its path must name project and location, as {_EXAMPLE}; there is "
            f"{path[:100] or 'none'}"
        )
    project, location, rest = found["project"], found["location"], found["rest"] or ""
    if not _PROJECT.fullmatch(project):
        raise ValueError(f"{project[:100]!r} is no project's id or number, as acme-prod")
    if not _LOCATION.fullmatch(location):
        raise ValueError(f"{location[:100]!r} is no location: europe-west4, us and global are some")
    if rest and not rest.startswith(_BELOW):
        raise ValueError(f"its path ends with the location; {rest[:100]} is too much")
    theirs = _HOST.fullmatch(host)
    if theirs is not None:
        meant = theirs["region"] or theirs["several"] or "global"
        if meant != location:
            raise ValueError(
                f"its host is of {meant} and its path of {location}; for {location} it begins "
                f"with https://{host_of(location)}"
            )
    return f"{found['version'] or '/v1'}/projects/{project}/locations/{location}"


def host_of(location: str) -> str:
    """The host of Google's that serves a location."""
    if location == "global":
        return "aiplatform.googleapis.com"
    if "-" not in location:
        return f"aiplatform.{location}.rep.googleapis.com"
    return f"{location}-aiplatform.googleapis.com"


VERTEX: Final = Provider(
    name="vertex",
    title="Vertex AI",
    base_url=None,
    base_form=BASE_FORM,
    place=place,
    credential=_CREDENTIAL,
    paths={
        Operation.GENERATE: f"{_GEMINI}:generateContent",
        Operation.GENERATE_STREAM: _STREAM,
        Operation.GENERATE_COUNT: f"{_GEMINI}:countTokens",
        Operation.GENERATE_PREDICT: f"{_GEMINI}:predict",
        Operation.GENERATE_VIDEO: f"{_GEMINI}:predictLongRunning",
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
    quirks=frozenset({VERTEX_GENERATE}),
    failure=default_failure,
    source=_SOURCE,
)

EXPRESS: Final = Provider(
    name="vertex-express",
    title="Vertex AI (express mode)",
    base_url="https://aiplatform.googleapis.com/v1",
    credential=STATIC["x-goog-api-key"],
    paths=VERTEX.paths,
    stream_paths=VERTEX.stream_paths,
    capabilities=VERTEX.capabilities,
    quirks=VERTEX.quirks,
    failure=default_failure,
    source=(
        "https://cloud.google.com/vertex-ai/generative-ai/docs/start/express-mode/overview, "
        "read 2026-11-28"
    ),
)

EMBED: Final = Provider(
    name="vertex-embed",
    title="Vertex AI (embeddings by embedContent)",
    base_url=None,
    base_form=BASE_FORM,
    place=place,
    credential=_CREDENTIAL,
    paths={Operation.GENERATE_EMBED: f"{_GEMINI}:embedContent"},
    quirks=frozenset({VERTEX_GENERATE}),
    failure=default_failure,
    source=(
        "https://github.com/googleapis/python-genai (3.4.0, t_is_vertex_embed_content_model), "
        "read 2026-11-28"
    ),
)

CLAUDE: Final = Provider(
    name="vertex-claude",
    title="Claude on Vertex AI",
    base_url=None,
    base_form=BASE_FORM,
    place=place,
    credential=_CREDENTIAL,
    paths={
        Operation.MESSAGES: f"{_CLAUDE}:rawPredict",
        Operation.MESSAGES_COUNT: "/publishers/anthropic/models/count-tokens:rawPredict",
    },
    stream_paths={Operation.MESSAGES: f"{_CLAUDE}:streamRawPredict"},
    wrappings={
        Operation.MESSAGES: VERTEX_MESSAGES,
        Operation.MESSAGES_COUNT: VERTEX_COUNT,
    },
    capabilities=Capabilities(
        tools=True,
        images=True,
        documents=True,
        reasoning=True,
        prompt_cache=True,
    ),
    forwards=frozenset({"anthropic-beta"}),
    failure=default_failure,
    source=(
        "https://github.com/anthropics/anthropic-sdk-python (2.8.0, lib/vertex), read 2026-11-28"
    ),
)

OPEN: Final = Provider(
    name="vertex-open",
    title="Vertex AI (models of others)",
    base_url=None,
    base_form=BASE_FORM,
    place=place,
    credential=_CREDENTIAL,
    paths={Operation.CHAT: "/endpoints/openapi/chat/completions"},
    capabilities=Capabilities(stream_usage=True, tools=True),
    failure=default_failure,
    source=(
        "https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview, "
        "read 2026-11-28"
    ),
)
