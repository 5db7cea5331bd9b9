"""Entra ID, Azure's identity endpoints and Azure OpenAI on loopback, as strict as documented.

with EntraDouble(folder) as azure:
    azure.authority            # https, with the authority of azure.ca_file
    azure.machine              # http: IMDS, App Service, and the models

Checked of a client: its tenant, id and secret; or the assertion's signature, thumbprint, ``aud``,
``iss``, ``sub``, ``exp``, ``iat`` and that its ``jti`` is new; or the subject of a federated token.
Of a machine: ``Metadata: true`` and that nothing forwarded the request, or the endpoint's own
secret. Of a call: a key, or a token for the right audience that lives.

Sources: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow,
https://learn.microsoft.com/entra/identity-platform/certificate-credentials,
https://learn.microsoft.com/entra/identity-platform/reference-error-codes,
https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token,
https://learn.microsoft.com/azure/app-service/overview-managed-identity; azure-identity 1.27.0, msal
1.39.0; read 2026-11-28.
"""

import http.server
import json
import re
import threading
import time
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives import hashes

from entra_checks import entra_refusal, private_pem, rsa_key, server_context, thumbprint

TENANT = "11111111-2222-3333-4444-555555555555"
CLIENT = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
SECRET = "Ent8Q~client-secret-of-the-gateway_0123456"
API_KEY = "0123456789abcdef0123456789abcdef"
IDENTITY_HEADER = "853b9a84-5bfa-4b22-a3f3-0b9a43d9ad8a"
USER_ASSIGNED = "99999999-8888-7777-6666-555555555555"
COGNITIVE, FOUNDRY = "https://cognitiveservices.azure.com", "https://ai.azure.com"
CLUSTER = "https://cluster.example/oidc"
SUBJECT = "system:serviceaccount:ai:trivium"
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_ACTION = "Microsoft.CognitiveServices/accounts/OpenAI/deployments/chat/completions/action"


class EntraDouble:
    """Two servers: Entra over TLS, and the machine's own endpoints with the models over HTTP."""

    def __init__(self, folder, *, life_s=5):
        self.life_s = life_s
        self.live = {}
        """Token -> (audience, who, until)."""
        self.tokens_given = 0
        self.requests = []
        """(method, path) of everything."""
        self.models = []
        """(path, query, headers, body) of every call of a model."""
        self.answers = {}
        """By the end of a path: (status, document)."""
        self.certificates = []
        """Those of the application."""
        self.assertions = set()
        """``jti`` that were presented."""
        self.fails = 0
        """A status that everything that gives tokens answers with."""
        self.waits_s = 0.0
        self.is_shut = False
        """Whether whoever asks for a token is hung up on."""
        self.lacks_role = False
        self.ca_file = str(folder / "entra-ca.pem")
        bound = type("Bound", (_Handler,), {"azure": self})
        self._servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), bound) for _ in "ab"]
        self._servers[0].socket = server_context(folder, self.ca_file).wrap_socket(
            self._servers[0].socket, server_side=True
        )

    @property
    def authority(self):
        """What ``credential.authority`` says."""
        return f"https://127.0.0.1:{self._servers[0].server_port}"

    @property
    def machine(self):
        return f"http://127.0.0.1:{self._servers[1].server_port}"

    @property
    def port(self):
        """Of the models."""
        return self._servers[1].server_port

    @property
    def app_service(self):
        """The variables of an App Service."""
        return {
            "IDENTITY_ENDPOINT": f"{self.machine}/msi/token",
            "IDENTITY_HEADER": IDENTITY_HEADER,
        }

    @property
    def virtual_machine(self):
        """Has azure-identity ask here instead of at 169.254.169.254."""
        return {"AZURE_POD_IDENTITY_AUTHORITY_HOST": self.machine}

    def __enter__(self):
        for server in self._servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        for server in self._servers:
            server.shutdown()
            server.server_close()

    # --- tokens ----------------------------------------------------------------------------------

    def issue(self, audience, who):
        """A token that lives for ``life_s``."""
        self.tokens_given += 1
        now = int(time.time())
        claims = {"aud": audience, "oid": who, "tid": TENANT, "iat": now, "exp": now + self.life_s}
        claims["uti"] = f"{self.tokens_given}"
        token = jwt.encode(claims, private_pem(rsa_key("entra")), algorithm="RS256")
        self.live[token] = (audience, who, time.monotonic() + self.life_s)
        return token

    def revoke(self):
        """End every token there is."""
        self.live.clear()

    def federated(self, **claims):
        """A pod's token, as a cluster signs it."""
        now = int(time.time())
        told = {"iss": CLUSTER, "aud": "api://AzureADTokenExchange", "sub": SUBJECT}
        told |= {"iat": now, "exp": now + 600} | claims
        key = private_pem(rsa_key("cluster"))
        return jwt.encode(told, key, algorithm="RS256", headers={"kid": "cluster"})

    def token(self, tenant, form):
        """https://login.microsoftonline.com/TENANT/oauth2/v2.0/token"""
        if tenant != TENANT:
            return entra_refusal(
                400,
                "invalid_request",
                90002,
                f"Tenant '{tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud.",
            )
        if form.get("grant_type") != "client_credentials":
            return entra_refusal(
                400,
                "unsupported_grant_type",
                70003,
                f"The app requested an unsupported grant type '{form.get('grant_type')}'.",
            )
        if form.get("client_id") != CLIENT:
            return entra_refusal(
                400,
                "unauthorized_client",
                700016,
                f"Application with identifier '{form.get('client_id')}' was not found in the directory 'Acme'.",
            )
        problem = self._client_problem(form)
        if problem is not None:
            return problem
        resource, slash, default = form.get("scope", "").rpartition("/")
        if default.split()[:1] != [".default"] or not slash:
            return entra_refusal(
                400,
                "invalid_scope",
                1002012,
                f"The provided value for scope {form.get('scope')} is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier (application ID URI).",
            )
        if resource not in (COGNITIVE, FOUNDRY):
            return entra_refusal(
                400,
                "invalid_resource",
                500011,
                f"The resource principal named {resource} was not found in the tenant named Acme.",
            )
        token = self.issue(resource, CLIENT)
        return 200, {
            "token_type": "Bearer",
            "expires_in": self.life_s,
            "ext_expires_in": self.life_s,
            "access_token": token,
        }

    def _client_problem(self, form):
        """Why a client is not who it says; ``None``: it is."""
        if "client_assertion" not in form:
            if form.get("client_secret") == SECRET:
                return None
            return entra_refusal(
                401,
                "invalid_client",
                7000215,
                f"Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '{CLIENT}'.",
            )
        if form.get("client_assertion_type") != _ASSERTION:
            return entra_refusal(
                400,
                "invalid_request",
                900144,
                "The request body must contain the following parameter: 'client_assertion_type'.",
            )
        assertion = form["client_assertion"]
        head = jwt.get_unverified_header(assertion)
        if "x5t" in head or "x5t#S256" in head:
            return self._certificate_problem(assertion, head)
        try:
            jwt.decode(
                assertion, rsa_key("cluster").public_key(), algorithms=["RS256"],
                audience="api://AzureADTokenExchange", issuer=CLUSTER,
                options={"require": ["exp", "sub", "iss", "aud"]},
            )  # fmt: skip
        except jwt.InvalidTokenError as error:
            return entra_refusal(
                401,
                "invalid_client",
                700211,
                f"No matching federated identity record found for presented assertion: {error}.",
            )
        if jwt.decode(assertion, options={"verify_signature": False})["sub"] != SUBJECT:
            return entra_refusal(
                401,
                "invalid_client",
                700213,
                "No matching federated identity record found for presented assertion subject.",
            )
        return None

    def _certificate_problem(self, assertion, head):
        known = {}
        for one in self.certificates:
            known[thumbprint(one, hashes.SHA1())] = known[thumbprint(one, hashes.SHA256())] = one
        found = known.get((head.get("x5t#S256") or head["x5t"]).rstrip("="))
        if found is None:
            return entra_refusal(
                401,
                "invalid_client",
                700027,
                "The certificate with identifier used to sign the client assertion is not registered on application. [Reason - The key was not found.]",
            )
        try:
            claims = jwt.decode(
                assertion, found.public_key(), algorithms=["RS256", "PS256"],
                audience=f"{self.authority}/{TENANT}/oauth2/v2.0/token", issuer=CLIENT,
                options={"require": ["aud", "iss", "sub", "exp", "iat", "jti"]},
            )  # fmt: skip
        except jwt.InvalidAudienceError:
            return entra_refusal(
                401,
                "invalid_client",
                700023,
                "Client assertion audience claim does not match Realm issuer.",
            )
        except jwt.InvalidTokenError as error:
            return entra_refusal(
                401,
                "invalid_client",
                50013,
                f"Assertion failed signature validation. [Reason - {error}]",
            )
        if claims["sub"] != CLIENT or claims["jti"] in self.assertions:
            return entra_refusal(
                401,
                "invalid_client",
                700021,
                "Client assertion application identifier doesn't match 'client_id' parameter.",
            )
        self.assertions.add(claims["jti"])
        return None

    def machine_token(self, path, query, headers):
        """http://169.254.169.254/metadata/identity/oauth2/token, or that of an App Service."""
        if self.fails:
            return self.fails, {"error": "unknown_error", "error_description": "told to fail"}
        virtual = path.startswith("/metadata/")
        if virtual:
            if headers.get("metadata") != "true" or headers.get("x-forwarded-for"):
                return 400, {
                    "error": "invalid_request",
                    "error_description": "Required metadata header not specified",
                }
            if query.get("api-version") != "2018-02-01":
                return 400, {"error": "invalid_request", "error_description": "Invalid api-version"}
        elif headers.get("x-identity-header") != IDENTITY_HEADER:
            return 401, {"statusCode": 401, "message": "Unauthorized"}
        elif query.get("api-version") != "2019-08-01":
            return 400, {"statusCode": 400, "message": "Invalid api-version"}
        if query.get("client_id") not in (None, USER_ASSIGNED):
            if virtual:
                return 400, {"error": "invalid_request", "error_description": "Identity not found"}
            return 400, {
                "statusCode": 400,
                "message": "No User Assigned or Delegated Managed Identity found for specified ClientId/ResourceId/PrincipalId.",
            }
        if query.get("resource") not in (COGNITIVE, FOUNDRY):
            return 400, {
                "error": "invalid_resource",
                "error_description": f"AADSTS500011: The resource principal named {query.get('resource')} was not found.",
            }
        who = query.get("client_id") or "system"
        token = self.issue(query["resource"], who)
        until = int(time.time()) + self.life_s
        found = {
            "access_token": token,
            "resource": query["resource"],
            "token_type": "Bearer",
            "client_id": who,
        }
        if virtual:
            found |= {
                "expires_in": str(self.life_s),
                "expires_on": str(until),
                "not_before": str(until - 90),
            }
        else:
            found |= {"expires_on": str(until + 1)}
        return 200, found

    # --- models ----------------------------------------------------------------------------------

    def model(self, path, query, headers, data):
        """https://RESOURCE.openai.azure.com and https://RESOURCE.services.ai.azure.com"""
        refused = self._caller_problem(path, headers)
        if refused is not None:
            return refused
        if path.startswith("/openai/deployments/") and not re.fullmatch(
            r"\d{4}-\d\d-\d\d(-preview)?", query.get("api-version", "")
        ):
            return 404, {"error": {"code": "404", "message": "Resource not found"}}
        body = json.loads(data)
        self.models.append((path, query, dict(headers), body))
        if path.startswith("/anthropic/") and not headers.get("anthropic-version"):
            return 400, {
                "type": "error",
                "error": {
                    "type": "invalid_request_error",
                    "message": "anthropic-version: header is required",
                },
            }
        for end, answer in self.answers.items():
            if path.endswith(end):
                return answer(body) if callable(answer) else answer
        return 404, {
            "error": {
                "code": "DeploymentNotFound",
                "message": "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
            }
        }

    def _caller_problem(self, path, headers):
        key = headers.get("api-key") or headers.get("x-api-key")
        word, _, token = (headers.get("authorization") or "").partition(" ")
        if key and not token:
            if key == API_KEY:
                return None
            return 401, {
                "error": {
                    "code": "401",
                    "message": "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
                }
            }
        audience, who, until = self.live.get(token, (None, None, 0.0))
        allowed = (COGNITIVE, FOUNDRY) if path.startswith("/anthropic/") else (COGNITIVE,)
        if word != "Bearer" or audience not in allowed or time.monotonic() >= until:
            return 401, {
                "statusCode": 401,
                "message": "Unauthorized. Access token is missing, invalid, audience is incorrect (https://cognitiveservices.azure.com), or have expired.",
            }
        if self.lacks_role:
            return 401, {
                "error": {
                    "code": "PermissionDenied",
                    "message": f"The principal `{who}` lacks the required data action `{_ACTION}` to perform `POST {path}` operation.",
                }
            }
        return None

    def answer(self, method, target, headers, data):
        """Status and document."""
        parts = urlsplit(target)
        path, query = parts.path, dict(parse_qsl(parts.query))
        self.requests.append((method, path))
        if self.waits_s:
            time.sleep(self.waits_s)
        if found := re.fullmatch(r"/([^/]+)/v2\.0/\.well-known/openid-configuration", path):
            base = f"{self.authority}/{found[1]}"
            if found[1] != TENANT:
                return entra_refusal(
                    400, "invalid_tenant", 90002, f"Tenant '{found[1]}' not found."
                )
            return 200, {
                "issuer": f"{base}/v2.0",
                "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
                "token_endpoint": f"{base}/oauth2/v2.0/token",
            }
        if found := re.fullmatch(r"/([^/]+)/oauth2/v2\.0/token", path):
            if self.fails:
                return self.fails, {
                    "error": "temporarily_unavailable",
                    "error_description": "AADSTS90033: A transient error has occurred. Please try again.",
                }
            form = {name: values[0] for name, values in parse_qs(data.decode()).items()}
            return self.token(found[1], form)
        if path in ("/metadata/identity/oauth2/token", "/msi/token"):
            return self.machine_token(path, query, headers)
        if path.startswith(("/openai/", "/anthropic/")):
            return self.model(path, query, headers, data)
        return 404, {"error": {"code": "404", "message": "Resource not found"}}


class _Handler(http.server.BaseHTTPRequestHandler):
    azure: EntraDouble
    protocol_version = "HTTP/1.1"

    def _serve(self):
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.azure.is_shut and self.path.endswith("/oauth2/v2.0/token"):
            self.close_connection = True
            return
        status, document = self.azure.answer(self.command, self.path, self.headers, data)
        is_stream = isinstance(document, bytes)
        out = document if is_stream else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
        self.send_header("content-length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    do_GET = do_POST = _serve

    def log_message(self, *args):
        """Say nothing."""
