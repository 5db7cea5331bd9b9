"""What Google Cloud's double checks, and how it refuses."""

import hashlib
import hmac
import json
import re
from urllib.parse import parse_qsl, quote, urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

POOL = "//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/pods/providers"
OIDC, AMAZON = f"{POOL}/cluster", f"{POOL}/amazon"
AWS_KEY, AWS_SECRET, AWS_SESSION = (
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG",
    "session-of-a-role",
)
_KEYS = {}


def rsa_key(name):
    """A key of its own for each name; making one takes long, so it is made once."""
    if name not in _KEYS:
        _KEYS[name] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return _KEYS[name]


def pem(name):
    """The private half as PKCS8."""
    return (
        rsa_key(name)
        .private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        .decode()
    )


def refusal(status, canonical, message, *details):
    """An error as Google's APIs write it."""
    error = {"code": status, "message": message, "status": canonical}
    if details:
        error["details"] = list(details)
    return status, {"error": error}


def info(reason, **metadata):
    """The detail that has a reason in it."""
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": metadata,
    }


_GEMINI_ONLY = re.compile(
    rb'"(store|fileSearch|file_search|toolCall|toolResponse|partMetadata|mediaProcessing|enableEnhancedCivicAnswers|includeServerSideToolInvocations)":'
)
_TOP = {
    "contents", "systemInstruction", "system_instruction", "tools", "toolConfig", "tool_config",
    "labels", "safetySettings", "safety_settings", "generationConfig", "generation_config",
    "cachedContent", "cached_content", "modelArmorConfig", "model_armor_config",
}  # fmt: skip


def content_problem(body):
    """What Vertex AI says of a body that it does not take."""
    for name in body:
        if name not in _TOP:
            return refusal(400, "INVALID_ARGUMENT", f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.', {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{"description": f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'}],
            })  # fmt: skip
    if found := _GEMINI_ONLY.search(json.dumps(body, separators=(",", ":")).encode()):
        return refusal(
            400,
            "INVALID_ARGUMENT",
            f'Invalid JSON payload received. Unknown name "{found[1].decode()}": Cannot find field.',
        )
    for content in body.get("contents", ()):
        if content.get("role") not in ("user", "model"):
            return refusal(400, "INVALID_ARGUMENT", "Please use a valid role: user, model.")
    return None


def unauthenticated():
    return refusal(
        401, "UNAUTHENTICATED",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
        info("ACCESS_TOKEN_EXPIRED", service="aiplatform.googleapis.com", method="google.cloud.aiplatform.v1.PredictionService.GenerateContent"),
    )  # fmt: skip


def amazon_problem(text):
    """Work Amazon's signature out again, as its token service does for whoever forwards it."""
    asked = json.loads(text)
    headers = {one["key"].lower(): one["value"] for one in asked["headers"]}
    parts = urlsplit(asked["url"])
    if asked["method"] != "POST" or not re.fullmatch(
        r"sts\.[a-z0-9-]+\.amazonaws\.com", parts.hostname
    ):
        return "Invalid AWS request"
    if headers.get("x-goog-cloud-target-resource") != AMAZON:
        return "The x-goog-cloud-target-resource header does not match the audience"
    if headers.get("x-amz-security-token") != AWS_SESSION:
        return "The security token included in the request is invalid"
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([a-z0-9-]+)/sts/aws4_request, "
        r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})",
        headers["authorization"],
    )
    if found is None or found[1] != AWS_KEY:
        return "Invalid AWS signature"
    query = "&".join(
        sorted(f"{quote(n, '-_.~')}={quote(v, '-_.~')}" for n, v in parse_qsl(parts.query))
    )
    named = "".join(f"{name}:{headers[name]}\n" for name in found[4].split(";"))
    canonical = f"POST\n/\n{query}\n{named}\n{found[4]}\n{hashlib.sha256(b'').hexdigest()}"
    scope = f"{found[2]}/{found[3]}/sts/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{headers['x-amz-date']}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{AWS_SECRET}".encode()
    for word in (found[2], found[3], "sts", "aws4_request", text):
        key = hmac.digest(key, word.encode(), "sha256")
    return None if key.hex() == found[5] else "SignatureDoesNotMatch"
