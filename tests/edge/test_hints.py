"""What a caller is told whose base URL is wrong, or who asks for what another gateway serves."""

import pytest

from trivium.edge.routes import resolve
from trivium.faults import Fault, Kind

SLASH = "Leave the trailing slash out."
TWICE = "The base URL ends in /v1 twice: leave one out."
OPENAI = "OpenAI clients take a base URL that ends in /v1."
ANTHROPIC = (
    "The path is /v1/messages: let the base URL end in /v1, or without it for Anthropic's own "
    "SDKs, which add it."
)
OLLAMA = "Ollama's own API is not served: use the client's OpenAI mode, with a base URL that ends in /v1."
VERTEX = (
    "Of Vertex AI are served, below …/publishers/{publisher}/models/{model}: :generateContent, "
    ":streamGenerateContent, :countTokens, :embedContent, :predict for texts, :rawPredict and "
    ":streamRawPredict, besides …/endpoints/openapi/chat/completions."
)
COMPACT = "Compaction is not served: send the conversation to POST /v1/responses, shortened by the client."
VIDEOS = (
    "Videos are made by POST /v1/videos and changed by POST /v1/videos/{id}/remix; characters, "
    "edits and extensions are not served."
)
REALTIME = "Realtime sessions are not served: POST to /v1/responses."
GOOGLE = "Google clients add the version themselves: the base URL ends before it, or in /gemini."
AZURE = (
    "Of Azure OpenAI are served /openai/deployments/{model}/… for chat/completions, completions, "
    "embeddings, images and audio, and /openai/v1/… for what is at /v1/…."
)
BEDROCK = (
    "Of Amazon Bedrock are served, below /model/{model}/: converse, converse-stream, invoke, "
    "invoke-with-response-stream and count-tokens."
)
ENGINES = (
    "Engines are models now: POST to /v1/completions, /v1/chat/completions or /v1/embeddings, with "
    "the name as `model` in the body."
)
THERE = "It is served at {}: end the base URL so that it comes out."
OTHER = "GET /openapi.json lists what is served."
VERSION = "The path needs a version: /v1beta/models/…"
DOUBLE = "The path begins with two slashes: end the base URL without one."

HINTS = {
    b"/v1/chat/completions/": SLASH,
    b"/v1/models/": SLASH,
    b"/v1/v1/messages": TWICE,
    b"/v1/v1/chat/completions": TWICE,
    b"/chat/completions": OPENAI,
    b"/responses": OPENAI,
    b"/completions": OPENAI,
    b"/embeddings": OPENAI,
    b"/moderations": OPENAI,
    b"/messages": ANTHROPIC,
    b"/messages/count_tokens": ANTHROPIC,
    b"/vendorc/models/g:generateContent": VERSION,
    b"/gemini/models/g:generateContent": VERSION,
    b"/v1/v1beta/models/g:generateContent": GOOGLE,
    b"/vendorc/v1beta/v1beta/models/g:generateContent": GOOGLE,
    b"//v1/chat/completions": DOUBLE,
    b"/v1/chat/completions/chat/completions": OPENAI,
    b"/gemini/chat/completions": OPENAI,
    b"/v1beta/openai/chat/completions": OPENAI,
    b"/openai/deployments/gpt-5/responses": AZURE,
    b"/openai/deployments": AZURE,
    b"/openai/files": AZURE,
    b"/model/m/invoke-with-bidirectional-stream": BEDROCK,
    b"/model/m": BEDROCK,
    b"/v1/engines": ENGINES,
    b"/v1/engines/davinci/completions": ENGINES,
    b"/engines/ada/embeddings": ENGINES,
    b"/v1/messages/v1/messages": THERE.format("/v1/messages"),
    b"/anthropic/v1/messages": THERE.format("/v1/messages"),
    b"/api/v1/chat/completions": THERE.format("/v1/chat/completions"),
    b"/api/v1/models": THERE.format("/v1/models"),
    b"/V1/models": THERE.format("/v1/models"),
    b"/V1/Chat/Completions": THERE.format("/v1/chat/completions"),
    b"/api/chat": OLLAMA,
    b"/api/generate": OLLAMA,
    b"/api/embed": OLLAMA,
    b"/v1/projects/p/locations/l/publishers/google/models/g:predictLongRunning": VERTEX,
    b"/v1beta1/projects/p/locations/l/cachedContents": VERTEX,
    b"/gemini/v1beta1/publishers/google/models/g:fly": VERTEX,
    b"/v1/projects/p/locations/l/endpoints/1:predict": VERTEX,
    b"/v1/responses/compact": COMPACT,
    b"/v1/videos/characters": VIDEOS,
    b"/v1/videos/characters/char_1": VIDEOS,
    b"/v1/videos/edits": VIDEOS,
    b"/v1/realtime": REALTIME,
    b"/v1/realtime/client_secrets": REALTIME,
    b"/v1": OTHER,
    b"/v1/files": OTHER,
    b"/v1/messages/batches": OTHER,
    b"/docs": OTHER,
}


@pytest.mark.parametrize("path", HINTS)
def test_a_wrong_base_url_is_told_what_is_wrong_with_it(path):
    """The mistakes people make with three families of clients."""
    with pytest.raises(Fault) as caught:
        resolve("POST", path, b"")
    assert Kind.PATH_UNKNOWN is caught.value.kind
    assert f"There is nothing at {path.decode()}. {HINTS[path]}" == caught.value.message
