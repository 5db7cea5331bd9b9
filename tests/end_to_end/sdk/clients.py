"""The official SDKs, made as their documentation makes them, with an eye on what they send."""

import contextlib
import dataclasses
import warnings

import anthropic
import cohere
import httpx
import openai

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of an escape in one of its own docstrings
    from google import genai


@dataclasses.dataclass
class Wire:
    """What an SDK's own HTTP client sent, requests in order."""

    sent: list = dataclasses.field(default_factory=list)

    @property
    def hooks(self):
        """For the SDK's HTTP client."""
        return {"request": [self.sent.append]}


def openai_at(base_url, key, wire, **options):
    """OpenAI's client; a context manager."""
    http = openai.DefaultHttpxClient(event_hooks=wire.hooks)
    return openai.OpenAI(base_url=base_url, api_key=key, http_client=http, **options)


def anthropic_at(base_url, key, wire, **options):
    """Anthropic's client; a context manager."""
    http = anthropic.DefaultHttpxClient(event_hooks=wire.hooks)
    return anthropic.Anthropic(base_url=base_url, api_key=key, http_client=http, **options)


@contextlib.contextmanager
def google_at(base_url, key, wire, **options):
    """Google's client; its HTTP client is not closed with it."""
    options |= {"base_url": base_url, "client_args": {"event_hooks": wire.hooks}}
    with genai.Client(api_key=key, http_options=options) as client:
        yield client


def cohere_at(base_url, key, wire, **options):
    """Cohere's client; a context manager."""
    http = httpx.Client(event_hooks=wire.hooks, timeout=60)
    return cohere.ClientV2(api_key=key, base_url=base_url, httpx_client=http, **options)
