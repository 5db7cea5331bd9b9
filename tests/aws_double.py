"""Amazon's services as doubles: STS, a container's endpoint, IMDSv2, and a Bedrock runtime.

They are as strict as the cloud where it matters here: every signature is worked out again by
botocore from what came over the wire, keys have owners and ends, the metadata service gives nothing
without its token. ``tests/providers/identities/test_aws.py`` shows with boto3 that they are not
stricter either. One server, in threads, so that blocking libraries and our own client may ask.
"""

import contextlib
import json
import re
import threading
import time
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import parse_qs

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

WINDOW_S = 300
"""How far a request's time may be from the service's."""
BEARER = "bedrock-api-key-abc"
"""The API key that the runtime takes in the place of a signature."""
IMDS_TOKEN = "AQAEAmetadata-session-token=="
ECS_TOKEN = "container-authorization-token"
WEB_TOKEN = "eyJhbGciOi.web-identity-token.sig"
ROLE = "arn:aws:iam::123456789012:role/gateway"
EXTERNAL_ID = "external-id-of-a-customer"
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/,\s]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, "
    r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})"
)


class RefusedError(Exception):
    """What a service of Amazon's refuses, in its words."""

    def __init__(self, code, message, status=403):
        super().__init__(message)
        self.code, self.message, self.status = code, message, status


class Aws:
    """All of them at one address."""

    def __init__(self, region="us-east-1"):
        self.region = region
        self.keys = {"AKIDOPERATOR": ("operator-secret/+key", None, None)}
        """Secret, session token and end of life, by key id."""
        self.apart_s = 0.0
        """How far the services' clock is ahead."""
        self.life_s = 3600.0
        """Of keys that are given out."""
        self.delay_s = 0.0
        """Before the metadata service answers."""
        self.token_refused = False
        """Whether the metadata service gives no token, as behind a hop limit of 1."""
        self.is_shut = False
        """Whether whoever asks STS is hung up on."""
        self.asked = []
        """What was asked, as ``service operation``."""
        self.requests = []
        """What the runtime took: method, path, headers, body and key id."""
        self.answers = []
        """What the runtime answers, (status, headers, body) each in turn; then a conversation."""
        self.lock = threading.Lock()
        self.refused = 0
        """Requests that the runtime took for wrongly signed, or for nobody's."""
        self._given = 0

    def give(self, who):
        """New keys of somebody, with an end."""
        with self.lock:
            self._given += 1
            number = self._given
        key_id, secret, token = (
            f"ASIA{who}{number}",
            f"secret-of-{who}-{number}",
            f"session-token-{who}-{number}",
        )
        until = time.time() + self.life_s
        self.keys[key_id] = (secret, token, until)
        text = datetime.fromtimestamp(until, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {
            "AccessKeyId": key_id,
            "SecretAccessKey": secret,
            "Token": token,
            "Expiration": text,
        }

    def verify(self, method, target, headers, body, service):
        """Whose request it is. Raises ``RefusedError``, as Amazon does."""
        text = headers.get("authorization")
        if text is None:
            raise RefusedError(
                "MissingAuthenticationTokenException", "Missing Authentication Token"
            )
        found = _AUTHORIZATION.fullmatch(text)
        when = headers.get("x-amz-date", "")
        if found is None or not re.fullmatch(r"\d{8}T\d{6}Z", when):
            raise RefusedError(
                "IncompleteSignatureException",
                "Authorization header requires 'Credential', 'Signature', 'SignedHeaders' and "
                "existence of either a 'X-Amz-Date' or a 'Date' header.", 400,
            )  # fmt: skip
        key_id, day, region, of, names, signature = found.groups()
        self._check_time(when)
        scope = self._check_scope(day, when, region, of, service)
        names = names.split(";")
        if names != sorted(set(names)):
            raise RefusedError("InvalidSignatureException", "Signed headers are not in order.")
        for name in ("host", *(one for one in headers if one.startswith("x-amz-"))):
            if name not in names:
                raise RefusedError(
                    "InvalidSignatureException",
                    f"'{name}' must be a 'SignedHeader' in the AWS Authorization.",
                )
        secret, token, until = self.keys.get(key_id, (None, None, None))
        if secret is None or token != headers.get("x-amz-security-token"):
            raise RefusedError(
                "UnrecognizedClientException",
                "The security token included in the request is invalid.",
            )
        if until is not None and until <= time.time():
            raise RefusedError(
                "ExpiredTokenException", "The security token included in the request is expired"
            )
        for name in names:
            if name not in headers:
                raise RefusedError("InvalidSignatureException", _MISMATCH)
        asked = AWSRequest(
            method=method, url=f"https://{headers['host']}{target}", data=body,
            headers={name: headers[name] for name in names},
        )  # fmt: skip
        asked.context["timestamp"] = when
        signer = SigV4Auth(Credentials(key_id, secret, token), of, region)
        text = signer.string_to_sign(asked, signer.canonical_request(asked))
        if signer.signature(text, asked) != signature:
            raise RefusedError("InvalidSignatureException", _MISMATCH)
        return key_id, scope

    def _check_time(self, when):
        at = datetime.strptime(when, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
        now = time.time() + self.apart_s
        limit = at - now
        shown = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
        if limit < -WINDOW_S:
            raise RefusedError(
                "InvalidSignatureException",
                f"Signature expired: {when} is now earlier than {shown} ({shown} - 5 min.)",
            )
        if limit > WINDOW_S:
            raise RefusedError(
                "InvalidSignatureException",
                f"Signature not yet current: {when} is still later than {shown} ({shown} + 5 min.)",
            )

    def _check_scope(self, day, when, region, of, service):
        if day != when[:8]:
            raise RefusedError(
                "InvalidSignatureException",
                f"Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                f"from HTTP: '{day}' != '{when[:8]}', from '{when}'.",
            )
        if region != self.region:
            raise RefusedError(
                "InvalidSignatureException",
                f"Credential should be scoped to a valid region, not '{region}'. ",
            )
        if of != service:
            raise RefusedError(
                "InvalidSignatureException",
                f"Credential should be scoped to correct service: '{service}'. ",
            )
        return f"{day}/{region}/{of}"

    # --- the services ---------------------------------------------------------------------------

    def answer(self, method, target, headers, body):
        """(status, headers, body) of any request."""
        path = target.partition("?")[0]
        if path.startswith("/latest/"):
            return self._metadata(method, path, headers)
        if path == "/container":
            self.asked.append("ecs credentials")
            if headers.get("authorization") != ECS_TOKEN:
                return 401, {}, b'{"code":"Unauthorized","message":"no token"}'
            return 200, {}, json.dumps(self.give("container")).encode()
        if path == "/":
            return self._sts(method, target, headers, body)
        try:
            service = "bedrock" if path.startswith(("/model/", "/openai/")) else "bedrock-mantle"
            if headers.get("authorization") == f"Bearer {BEARER}":
                key_id = "bearer"
            else:
                key_id, _ = self.verify(method, target, headers, body, service)
        except RefusedError as refused:
            with self.lock:
                self.refused += 1
            text = json.dumps({"message": refused.message}).encode()
            return (
                refused.status,
                {"x-amzn-ErrorType": f"{refused.code}:http://internal.amazon.com/"},
                text,
            )
        with self.lock:
            self.requests.append(SimpleNamespace(
                method=method, target=target, headers=headers, body=body, key_id=key_id
            ))  # fmt: skip
            return self.answers.pop(0) if self.answers else (200, {}, _said(path))

    def _metadata(self, method, path, headers):
        time.sleep(self.delay_s)
        self.asked.append(f"imds {method} {path.rpartition('/')[2] or 'role'}")
        if path == "/latest/api/token":
            if self.token_refused or method != "PUT":
                return 403, {}, b""
            ttl = headers.get("x-aws-ec2-metadata-token-ttl-seconds", "")
            if not ttl.isdigit() or not 1 <= int(ttl) <= 21_600:
                return 400, {}, b""
            return 200, {"x-aws-ec2-metadata-token-ttl-seconds": ttl}, IMDS_TOKEN.encode()
        if headers.get("x-aws-ec2-metadata-token") != IMDS_TOKEN:
            return 401, {}, b""
        if path == "/latest/meta-data/iam/security-credentials/":
            return 200, {}, b"gateway-role"
        if path == "/latest/meta-data/iam/security-credentials/gateway-role":
            whole = {"Code": "Success", "Type": "AWS-HMAC", **self.give("instance")}
            return 200, {}, json.dumps(whole).encode()
        return 404, {}, b""

    def _sts(self, method, target, headers, body):
        asked = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        action = asked.get("Action", "")
        self.asked.append(f"sts {action}")
        try:
            if action == "AssumeRole":
                self.verify(method, target, headers, body, "sts")
                if asked.get("RoleArn") != ROLE or asked.get("ExternalId") != EXTERNAL_ID:
                    raise RefusedError(
                        "AccessDenied",
                        "User: arn:aws:iam::123456789012:user/operator is not authorized to perform: "
                        f"sts:AssumeRole on resource: {asked.get('RoleArn')}",
                    )
            elif action == "AssumeRoleWithWebIdentity":
                if asked.get("WebIdentityToken") != WEB_TOKEN:
                    raise RefusedError(
                        "InvalidIdentityToken",
                        "No OpenIDConnect provider found in your account",
                        400,
                    )
            else:
                raise RefusedError("InvalidAction", f"Could not find operation {action}", 400)
        except RefusedError as refused:
            text = (
                '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error>'
                f"<Type>Sender</Type><Code>{refused.code}</Code><Message>{refused.message}</Message>"
                "</Error><RequestId>r</RequestId></ErrorResponse>"
            )
            return refused.status, {"content-type": "text/xml"}, text.encode()
        keys = self.give(f"role{asked['RoleSessionName'][:7]}".replace("-", ""))
        text = (
            f'<{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{action}Result>'
            f"<Credentials><AccessKeyId>{keys['AccessKeyId']}</AccessKeyId>"
            f"<SecretAccessKey>{keys['SecretAccessKey']}</SecretAccessKey>"
            f"<SessionToken>{keys['Token']}</SessionToken>"
            f"<Expiration>{keys['Expiration']}</Expiration></Credentials>"
            f"<AssumedRoleUser><AssumedRoleId>AROA:s</AssumedRoleId><Arn>{asked['RoleArn']}/s</Arn>"
            f"</AssumedRoleUser></{action}Result><ResponseMetadata><RequestId>r</RequestId>"
            f"</ResponseMetadata></{action}Response>"
        )
        return 200, {"content-type": "text/xml"}, text.encode()


_MISMATCH = (
    "The request signature we calculated does not match the signature you provided. Check your AWS "
    "Secret Access Key and signing method. Consult the service documentation for details."
)


def _said(path):
    """A short answer, in the shape of the path."""
    if path.endswith("/chat/completions"):
        return json.dumps({
            "id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": "Hi"}}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
        }).encode()  # fmt: skip
    return json.dumps({
        "output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}},
        "stopReason": "end_turn", "metrics": {"latencyMs": 1},
        "usage": {"inputTokens": 3, "outputTokens": 1, "totalTokens": 4},
    }).encode()  # fmt: skip


@contextlib.contextmanager
def running(**more):
    """The services, and where they are: ``aws.url``."""
    aws = Aws(**more)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self):
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            if aws.is_shut and self.path == "/":
                self.close_connection = True
                return
            status, added, text = aws.answer(self.command, self.path, headers, body)
            self.send_response_only(status)
            self.send_header("Date", formatdate(time.time() + aws.apart_s, usegmt=True))
            for name, value in ({"content-type": "application/json"} | added).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_PUT = do_POST = _any

        def log_message(self, *_):
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        aws.port = server.server_address[1]
        aws.url = f"http://127.0.0.1:{aws.port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield aws
        finally:
            server.shutdown()
            thread.join(5)
