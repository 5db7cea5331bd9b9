"""The settings of the gateway that the SDKs talk to: every scene of every vendor as a model.

A scene's public name begins with its vendor's: `gpt-text` is the scene `text` of the OpenAI-like
vendor, `claude-text` of the Anthropic-like one, `gemini-text` of the Google-like one. So every
call also shows that the name is translated on the way.
"""

from end_to_end.sdk.scenes import SCENES
from end_to_end.sdk.vendor import stems
from ports import free_port

VENDORS = {
    "gpt": (
        "openai",
        "/v1",
        ("chat", "responses", "completions", "embeddings", "moderations", "images"),
    ),
    "claude": ("anthropic", "", ("messages",)),
    "gemini": ("gemini", "", ("generate",)),
}
VENDOR_KEY = "sk-vendor-0123456789abcdef"
BODY_MAX = 1_000_000

ODD = {
    "acme/gpt-mini:free": ("gpt", "text"),
    "acme/claude-mini:free": ("claude", "text"),
    "acme/gemini-mini:free": ("gemini", "text"),
}
"""Names that need care on the way, to what they stand for."""


def scenes(prefix):
    """Names of all scenes of one vendor."""
    own = {name[1] if isinstance(name, tuple) else name for name in SCENES}
    shapes = VENDORS[prefix][2]
    return sorted(own.union(*(stems(shape, end) for shape in shapes for end in (".sse", ".json"))))


def settings(vendor):
    """The settings file's text, apart from where to listen."""
    parts = [
        f"body_bytes_max = {BODY_MAX}\n",
        "".join(_channel(provider, vendor.origin + base) for provider, base, _ in VENDORS.values()),
        _channel("closed", f"http://127.0.0.1:{_closed_port()}/v1", provider="openai"),
    ]
    for prefix, (channel, _, _) in VENDORS.items():
        parts += [_model(f"{prefix}-{scene}", channel, scene) for scene in scenes(prefix)]
    parts += [_model(name, VENDORS[prefix][0], scene) for name, (prefix, scene) in ODD.items()]
    parts.append(_model("gpt-away", "closed", "text"))
    return "\n".join(parts)


def _channel(name, base_url, *, provider=None):
    return (
        f'[[channels]]\nname = "{name}"\nprovider = "{provider or name}"\n'
        f'api_key = "{VENDOR_KEY}"\nbase_url = "{base_url}"\n'
    )


def _model(name, channel, scene):
    return (
        f'[[models]]\nname = "{name}"\nfree = true\ncontext_max = 128000\n'
        f'[[models.bindings]]\nchannel = "{channel}"\nmodel = "{scene}"\n'
    )


def _closed_port():
    """A port that nobody listens on."""
    return free_port()
