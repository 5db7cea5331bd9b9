"""A Vault on loopback that checks what it is asked: tokens, paths, versions, logins.

with VaultDouble({"secret": ("2", {"openai": {"api_key": "sk-1"}})}) as vault:
    environ = {"VAULT_ADDR": vault.address, "VAULT_TOKEN": vault.token}
"""

import contextlib
import http.server
import json
import socketserver
import threading
import time

TOKEN = "hvs.root-0123456789"
ROLE, SECRET_ID = "role-7", "secret-id-7"
POD_TOKEN = "pod.jwt.sig"


class VaultDouble:
    """Its mounts may be changed while it runs, and it may be told to fail."""

    def __init__(self, mounts, port=0):
        self.mounts = mounts
        self.token = TOKEN
        self.tokens = {TOKEN}
        self.requests = []
        self.fails = 0
        """A status that everything is answered with."""
        self.waits_s = 0.0
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", port), type("Bound", (_Handler,), {"vault": self})
        )
        self.server.daemon_threads = True

    @property
    def port(self):
        return self.server.server_port

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def environ(self):
        return {"VAULT_ADDR": self.address, "VAULT_TOKEN": TOKEN}

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def mount_of(self, path):
        """The longest mount that a path lies in, and what is left of the path."""
        found = [name for name in self.mounts if path.startswith(f"{name}/")]
        name = max(found, key=len, default=None)
        return name, path[len(name) + 1 :] if name else path

    def log_in(self, path, body):
        """A new token for whoever is known at a login's path."""
        good = {
            "auth/approle/login": {"role_id": ROLE, "secret_id": SECRET_ID},
            "auth/pods/login": {"role": "gateway", "jwt": POD_TOKEN},
        }.get(path)
        if good != body:
            return 400, {"errors": ["invalid role or secret ID"]}
        token = f"hvs.login-{len(self.tokens)}"
        self.tokens.add(token)
        return 200, {"auth": {"client_token": token, "lease_duration": 60}}

    def answer(self, method, path, headers, body):
        """Status and document, as Vault's HTTP interface has them."""
        assert "true" == headers["x-vault-request"]
        if self.fails:
            return self.fails, {"errors": ["told to fail"]}
        if method == "POST":
            return self.log_in(path, json.loads(body))
        if headers.get("x-vault-token") not in self.tokens:
            return 403, {"errors": ["permission denied"]}
        if path.startswith("sys/internal/ui/mounts/"):
            name, _ = self.mount_of(path.removeprefix("sys/internal/ui/mounts/"))
            if name is None:
                return 403, {"errors": ["preflight capability check returned 403"]}
            version = self.mounts[name][0]
            kind = "kv" if version else "database"
            options = {"version": version} if version == "2" else None
            return 200, {"data": {"path": f"{name}/", "type": kind, "options": options}}
        name, rest = self.mount_of(path)
        version, secrets = self.mounts.get(name, ("1", {}))
        if version == "2":
            if not rest.startswith("data/"):
                return 404, {"errors": [], "warnings": ["Invalid path for a versioned K/V"]}
            rest = rest.removeprefix("data/")
        if rest not in secrets:
            return 404, {"errors": []}
        if secrets[rest] is None:  # deleted
            return 404, {"data": {"data": None, "metadata": {"deletion_time": "2026-11-01"}}}
        found = secrets[rest]
        return 200, {"data": {"data": found, "metadata": {}} if version == "2" else found}


class _Handler(http.server.BaseHTTPRequestHandler):
    vault: VaultDouble

    def _serve(self):
        path = self.path.partition("?")[0].removeprefix("/v1/")
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.vault.requests.append((self.command, path))
        time.sleep(self.vault.waits_s)
        status, document = self.vault.answer(self.command, path, self.headers, body)
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = _serve

    def log_message(self, *args):
        pass


@contextlib.contextmanager
def served(raw):
    """The address of somebody who answers every request with these bytes, and hangs up."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.recv(65_536)
            self.request.sendall(raw)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
