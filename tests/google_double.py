"""Google Cloud on loopback, as strict as it is documented: who asks for a token must have a right
to it, and a model answers to a token that lives.

with GoogleDouble() as google:
    key = google.key_file("gateway")             # a service account's JSON
    ...                                           # POST {google.address}/v1/projects/…

Checked of a grant: signature, ``kid``, ``iss``, ``aud``, ``iat``, ``exp``, ``scope``. Of an
exchange: the pool's audience, token types, the subject's signature and claims; of Amazon's the
whole signed request, worked out again. Of an impersonation: a live token of somebody who may. Of
the metadata server: its header, and that nothing forwarded the request.

Sources: https://developers.google.com/identity/protocols/oauth2/service-account,
https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token,
https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken,
https://cloud.google.com/compute/docs/metadata/querying-metadata,
https://cloud.google.com/apis/design/errors; google-auth 2.62.2, google-genai 3.3.0; read 2026-11-28.
"""

import hashlib
import http.server
import json
import re
import threading
import time
from urllib.parse import parse_qs, parse_qsl, unquote, urlsplit

import jwt

from google_checks import (
    AMAZON,
    OIDC,
    amazon_problem,
    content_problem,
    info,
    pem,
    refusal,
    rsa_key,
    unauthenticated,
)  # fmt: skip

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
IAM = "https://www.googleapis.com/auth/iam"
PROJECT, LOCATION = "acme-prod", "europe-west4"
DOMAIN = f"{PROJECT}.iam.gserviceaccount.com"
ISSUER = "https://idp.example"
AUDIENCE = "https://oauth2.googleapis.com/token"
"""Of every grant, wherever the token service is reached."""
_JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_ACCESS = "urn:ietf:params:oauth:token-type:access_token"
_SUBJECT = "urn:ietf:params:oauth:token-type:jwt"
_AWS_SUBJECT = "urn:ietf:params:aws:token-type:aws4_request"
_MODEL = re.compile(
    r"/(?:v1|v1beta1)/projects/(?P<project>[a-z0-9-]+)/locations/(?P<location>[a-z0-9-]+)"
    r"/(?:publishers/(?P<publisher>[a-z0-9-]+)/models/(?P<model>[\w.@-]+):(?P<verb>\w+)"
    r"|endpoints/openapi/(?P<openapi>chat/completions))"
)


class GoogleDouble:
    """Every service in one: they are told apart by their paths."""

    def __init__(self, *, life_s=5):
        self.life_s = life_s
        self.live = {}
        """Token -> (who, until)."""
        self.accounts = {}
        """Service accounts by e-mail: the names of their keys."""
        self.tokens_given = 0
        self.requests = []
        """(method, path) of everything."""
        self.models = []
        """(path, body, who) of every call of a model."""
        self.answers = {}
        """By the verb of a call: (status, document), or a function of (match, body)."""
        self.fails = 0
        """A status that every token service answers with."""
        self.may_impersonate = {}
        """Who -> e-mails."""
        self.waits_s = 0.0
        self.is_shut = False
        """Whether whoever asks for a token is hung up on."""
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Bound", (_Handler,), {"google": self})
        )
        self.server.daemon_threads = True

    @property
    def port(self):
        return self.server.server_port

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def base_url(self, project=PROJECT, location=LOCATION):
        """What a channel's ``base_url`` says."""
        return f"{self.address}/v1/projects/{project}/locations/{location}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    # --- what an operator is given ---------------------------------------------------------------

    def key_file(self, name="gateway"):
        """The JSON that the console gives for a new key."""
        email = f"{name}@{DOMAIN}"
        self.accounts[email] = name
        return {
            "type": "service_account",
            "project_id": PROJECT,
            "private_key_id": f"kid-{name}",
            "private_key": pem(name),
            "client_email": email,
            "client_id": "109876543210987654321",
            "token_uri": f"{self.address}/token",
            "universe_domain": "googleapis.com",
        }

    def user_file(self):
        """What ``gcloud auth application-default login`` leaves."""
        return {
            "type": "authorized_user",
            "client_id": "764086051850.apps.googleusercontent.com",
            "client_secret": "d-installed-app",
            "refresh_token": "1//refresh-of-a-person",
            "token_uri": f"{self.address}/token",
        }

    def federation(self, source, *, audience=OIDC, kind=_SUBJECT, impersonate=None):
        """What ``gcloud iam workload-identity-pools create-cred-config`` writes."""
        found = {
            "type": "external_account",
            "audience": audience,
            "subject_token_type": kind,
            "token_url": f"{self.address}/v1/token",
            "credential_source": source,
        }
        if impersonate:
            found["service_account_impersonation_url"] = self.impersonation_url(impersonate)
        return found

    def amazon(self, **more):
        """The same for a gateway that runs at Amazon."""
        source = {
            "environment_id": "aws1",
            "regional_cred_verification_url": (
                "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"
            ),
        }
        return self.federation(source, audience=AMAZON, kind=_AWS_SUBJECT, **more)

    def impersonation_url(self, email):
        return f"{self.address}/v1/projects/-/serviceAccounts/{email}:generateAccessToken"

    def subject(self, **claims):
        """A pod's token, as a cluster signs it."""
        now = int(time.time())
        told = {"iss": ISSUER, "aud": OIDC, "sub": "system:serviceaccount:ai:trivium"}
        told |= {"iat": now, "exp": now + 600} | claims
        return jwt.encode(told, pem("idp"), algorithm="RS256", headers={"kid": "kid-idp"})

    # --- tokens ----------------------------------------------------------------------------------

    def issue(self, who):
        """A token that lives for ``life_s``."""
        self.tokens_given += 1
        token = f"ya29.{who.partition('@')[0]}-{self.tokens_given:04d}-{hashlib.sha256(who.encode()).hexdigest()[:24]}"
        self.live[token] = (who, time.monotonic() + self.life_s)
        return token

    def who(self, headers):
        """Whose token a request carries; ``None``: nobody's, or one that has ended."""
        word, _, token = (headers.get("authorization") or "").partition(" ")
        who, until = self.live.get(token, (None, 0.0))
        return who if word == "Bearer" and time.monotonic() < until else None

    def revoke(self):
        """End every token there is."""
        self.live.clear()

    def token(self, form):
        """https://oauth2.googleapis.com/token"""
        grant = form.get("grant_type")
        if grant == "refresh_token":
            known = self.user_file()
            if {n: form.get(n) for n in ("client_id", "client_secret", "refresh_token")} != {
                n: known[n] for n in ("client_id", "client_secret", "refresh_token")
            }:
                return 400, {"error": "invalid_grant", "error_description": "Bad Request"}
            return self._given("ada@example.com")
        if grant != _JWT_BEARER:
            return 400, {
                "error": "unsupported_grant_type",
                "error_description": f"Invalid grant_type: {grant}",
            }
        try:
            head = jwt.get_unverified_header(form["assertion"])
            email = jwt.decode(form["assertion"], options={"verify_signature": False})["iss"]
            name = self.accounts[email]
            claims = jwt.decode(
                form["assertion"], rsa_key(name).public_key(), algorithms=["RS256"],
                audience=AUDIENCE, leeway=10,
                options={"require": ["iss", "aud", "iat", "exp", "scope"]},
            )  # fmt: skip
        except KeyError:
            return 400, {
                "error": "invalid_grant",
                "error_description": "Invalid grant: account not found",
            }
        except jwt.InvalidTokenError as error:
            return 400, {"error": "invalid_grant", "error_description": f"Invalid JWT: {error}"}
        if head.get("kid") != f"kid-{name}":
            return 400, {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}
        if claims["exp"] - claims["iat"] > 3600:
            return 400, {
                "error": "invalid_grant",
                "error_description": "Invalid JWT: Token must be a short-lived token (60 minutes)",
            }
        if not {SCOPE, IAM}.intersection(claims["scope"].split()):
            return 400, {
                "error": "invalid_scope",
                "error_description": "Invalid OAuth scope or ID token audience provided.",
            }
        return self._given(email)

    def _given(self, who):
        return 200, {
            "access_token": self.issue(who),
            "expires_in": self.life_s,
            "token_type": "Bearer",
        }

    def exchange(self, form):
        """https://sts.googleapis.com/v1/token"""
        wanted = {"grant_type": _EXCHANGE, "requested_token_type": _ACCESS}
        for name, value in wanted.items():
            if form.get(name) != value:
                return 400, {
                    "error": "invalid_request",
                    "error_description": f"Invalid value for {name}",
                }
        if not {SCOPE, IAM}.intersection(form.get("scope", "").split()):
            return 400, {"error": "invalid_scope", "error_description": "The scope is not valid."}
        audience, kind = form.get("audience"), form.get("subject_token_type")
        if (audience, kind) == (OIDC, _SUBJECT):
            try:
                claims = jwt.decode(
                    form["subject_token"], rsa_key("idp").public_key(), algorithms=["RS256"],
                    audience=OIDC, issuer=ISSUER, options={"require": ["exp", "iat", "sub"]},
                )  # fmt: skip
            except jwt.InvalidTokenError as error:
                return 400, {
                    "error": "invalid_grant",
                    "error_description": f"The given credential is rejected by the attribute condition or is invalid: {error}",
                }
            who = f"principal:{claims['sub']}"
        elif (audience, kind) == (AMAZON, _AWS_SUBJECT):
            problem = amazon_problem(unquote(form["subject_token"]))
            if problem:
                return 400, {"error": "invalid_grant", "error_description": problem}
            who = "principal:arn:aws:sts::1:assumed-role/gateway"
        else:
            return 400, {
                "error": "invalid_target",
                "error_description": 'The target service indicated by the "audience" parameters is invalid. This might either be because the pool or provider is disabled or deleted or because it doesn\'t exist.',
            }
        status, found = self._given(who)
        return status, {**found, "issued_token_type": _ACCESS}

    def impersonate(self, email, headers, body):
        """https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/…:generateAccessToken"""
        who = self.who(headers)
        if who is None:
            return unauthenticated()
        if email not in self.may_impersonate.get(who, ()):
            return refusal(
                403, "PERMISSION_DENIED",
                "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).",
                {**info("IAM_PERMISSION_DENIED", permission="iam.serviceAccounts.getAccessToken"), "domain": "iam.googleapis.com"},
            )  # fmt: skip
        if SCOPE not in body.get("scope", ()):
            return refusal(400, "INVALID_ARGUMENT", "Scope is required.")
        if (
            not re.fullmatch(r"\d{1,4}s", body.get("lifetime", ""))
            or int(body["lifetime"][:-1]) > 3600
        ):
            return refusal(400, "INVALID_ARGUMENT", "The lifetime must be at most 3600s.")
        until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.life_s + 1))
        return 200, {"accessToken": self.issue(email), "expireTime": until}

    def metadata(self, path, query, headers):
        """http://metadata.google.internal/computeMetadata/v1/…: document or text."""
        if headers.get("metadata-flavor") != "Google" or headers.get("x-forwarded-for"):
            return (
                403,
                "Your client does not have permission to get this URL: Missing Metadata-Flavor:Google header.",
            )
        account = f"node@{DOMAIN}"
        found = {
            "project/project-id": PROJECT,
            "instance/service-accounts/default/email": account,
            "universe/universe-domain": "googleapis.com",
        }.get(path)
        if found is not None:
            return 200, found
        known = re.fullmatch(
            rf"instance/service-accounts/(default|{re.escape(account)})/(token)?", path
        )
        if known is None:
            return 404, "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>"
        if known[2]:
            status, given = self._given(account)
            return status, given
        if query.get("recursive") == "true":
            return 200, {"aliases": ["default"], "email": account, "scopes": [SCOPE]}
        return 200, "aliases\nemail\nscopes\ntoken\n"

    # --- models ----------------------------------------------------------------------------------

    def model(self, path, found, headers, body):
        """…-aiplatform.googleapis.com"""
        who = self.who(headers)
        if who is None:
            return unauthenticated()
        self.models.append((path, body, who))
        if found["project"] != PROJECT:
            return refusal(
                403, "PERMISSION_DENIED",
                f"Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/{found['project']}/locations/{found['location']}' (or it may not exist).",
                {**info("IAM_PERMISSION_DENIED", permission="aiplatform.endpoints.predict"), "domain": "aiplatform.googleapis.com"},
            )  # fmt: skip
        if found["publisher"] == "google" and "enerateContent" in found["verb"]:
            problem = content_problem(body)
            if problem:
                return problem
        answer = self.answers.get(found["verb"] or "chat")
        if answer is None:
            return refusal(
                404, "NOT_FOUND",
                f"Publisher Model `projects/{found['project']}/locations/{found['location']}/publishers/{found['publisher']}/models/{found['model']}` was not found or your project does not have access to it. Please ensure you are using a valid model version.",
            )  # fmt: skip
        return answer(found, body) if callable(answer) else answer

    def answer(self, method, target, headers, data):
        """Status and document."""
        parts = urlsplit(target)
        path, query = parts.path, dict(parse_qsl(parts.query))
        self.requests.append((method, path))
        if self.waits_s:
            time.sleep(self.waits_s)
        kind = (headers.get("content-type") or "").partition(";")[0]
        if path in ("/token", "/v1/token"):
            if self.fails:
                return self.fails, {
                    "error": "internal_failure",
                    "error_description": "told to fail",
                }
            if method != "POST" or kind != "application/x-www-form-urlencoded":
                return 400, {
                    "error": "invalid_request",
                    "error_description": "Required parameter is missing: grant_type",
                }
            form = {name: values[0] for name, values in parse_qs(data.decode()).items()}
            return self.token(form) if path == "/token" else self.exchange(form)
        if found := re.fullmatch(
            r"/v1/projects/-/serviceAccounts/([^/:]+):generateAccessToken", path
        ):
            return self.impersonate(unquote(found[1]), headers, json.loads(data))
        if path == "/" or path.startswith("/computeMetadata/v1/"):
            if path == "/":
                return 200, "computeMetadata/\n"
            if self.fails:
                return self.fails, "told to fail"
            return self.metadata(path.removeprefix("/computeMetadata/v1/"), query, headers)
        if found := _MODEL.fullmatch(path):
            if method != "POST" or kind != "application/json":
                return refusal(400, "INVALID_ARGUMENT", "Invalid JSON payload received.")
            return self.model(path, found, headers, json.loads(data))
        return 404, "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>"


class _Handler(http.server.BaseHTTPRequestHandler):
    google: GoogleDouble
    protocol_version = "HTTP/1.1"

    def _serve(self):
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.google.is_shut and self.path in ("/token", "/v1/token"):
            self.close_connection = True
            return
        status, document = self.google.answer(self.command, self.path, self.headers, data)
        kind = "application/json; charset=UTF-8"
        if isinstance(document, list) and "alt=sse" in self.path:
            out = b"".join(b"data: " + json.dumps(one).encode() + b"\r\n\r\n" for one in document)
            kind = "text/event-stream"
        elif isinstance(document, bytes):
            out, kind = document, "text/event-stream"
        elif isinstance(document, str):
            out, kind = document.encode(), "application/text"
        else:
            out = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(out)))
        if self.path == "/" or self.path.startswith("/computeMetadata/"):
            self.send_header("metadata-flavor", "Google")
        self.end_headers()
        self.wfile.write(out)

    do_GET = do_POST = _serve

    def log_message(self, *args):
        """Say nothing."""
