"""The official SDKs, made as their documentation makes them, with an eye on what they send."""

import contextlib
import dataclasses
import warnings

import anthropic
import boto3
import cohere
import httpx
import openai
import pytest
from botocore.config import Config

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


@contextlib.contextmanager
def bedrock_at(base_url, key, wire, **options):
    """Amazon's client, which takes its key from the environment and from nowhere else.

    It sends a bearer token to an address of https alone. The gateway under test has no certificate,
    so the request is turned to http when it is written and about to be sent.
    """
    options.setdefault("retries", {"total_max_attempts": 1, "mode": "standard"})
    config = Config(connect_timeout=10, read_timeout=60, **options)

    def send(request, **_):
        wire.sent.append(request)
        request.url = request.url.replace("https://", "http://", 1)

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_BEARER_TOKEN_BEDROCK", key)
        environment.setenv("AWS_EC2_METADATA_DISABLED", "true")
        session = boto3.Session(region_name="us-east-1")
        secure = base_url.replace("http://", "https://", 1)
        client = session.client("bedrock-runtime", endpoint_url=secure, config=config)
        client.meta.events.register("before-send.bedrock-runtime", send)
        with contextlib.closing(client):
            yield client


def cohere_at(base_url, key, wire, **options):
    """Cohere's client; a context manager."""
    http = httpx.Client(event_hooks=wire.hooks, timeout=60)
    return cohere.ClientV2(api_key=key, base_url=base_url, httpx_client=http, **options)
