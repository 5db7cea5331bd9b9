"""HashiCorp Vault and OpenBao, by ``hvac``: the key-value stores of version 1 and 2.

A path is what ``vault kv get`` takes, without the ``data/`` of version 2; which version a mount has
is asked as the command line of Vault does. Address and credentials are the variables that it knows:
``VAULT_ADDR``, ``VAULT_TOKEN``, ``VAULT_NAMESPACE``, ``VAULT_CACERT``; without a token an AppRole
(``VAULT_ROLE_ID``, ``VAULT_SECRET_ID``) or the service account of a pod
(``VAULT_KUBERNETES_ROLE``) logs in, once for each reading. With none of them Vault is asked without
a token, for an agent that adds its own.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from trivium.settings.secret_stores.store import (
    CONNECT_S,
    TIMEOUT_S,
    Document,
    StoreError,
    missing_library,
    read_within_bounds,
    told,
)

POD_FILE: Final = "/var/run/secrets/kubernetes.io/serviceaccount/token"


def open_store(environ: Mapping[str, str]) -> "VaultStore":
    """Vault as the environment names it. Raises StoreError."""
    return VaultStore(environ)


class VaultStore:
    """One Vault, with a token of ours."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        try:
            import hvac
        except ImportError:
            raise missing_library("hvac", "vault") from None
        address = environ.get("VAULT_ADDR", "").strip()
        self._address = _shown(address)
        if not self._address:
            raise StoreError(
                "cannot be looked up: VAULT_ADDR must be the address of Vault, for example "
                "https://vault.example:8200",
                whole=True,
            )
        self._environ = environ
        self._logged_in = False
        self._pod_token: str | None = None
        self._errors: Any = hvac.exceptions
        self._client: Any = hvac.Client(
            url=address,
            token=environ.get("VAULT_TOKEN", "").strip(),
            namespace=environ.get("VAULT_NAMESPACE") or None,
            verify=environ.get("VAULT_CACERT") or True,
            timeout=(CONNECT_S, TIMEOUT_S),
            allow_redirects=False,
        )
        hooks = self._client.adapter.session.hooks["response"]
        hooks += [self._refuse_redirect, read_within_bounds]

    def read(self, name: str) -> Document:
        """The members of one secret. Raises StoreError."""
        if not self._logged_in:
            self._ask(self._log_in, whole=True)
            self._logged_in = True
        found: Mapping[str, Any] = self._ask(lambda: self._read(name))
        return found

    def _ask(self, call: Any, *, whole: bool = False) -> Any:
        """Call Vault, and say in our words what it or the network says."""
        errors = self._errors
        try:
            return call()
        except errors.InvalidPath:
            raise StoreError(f"is not in Vault at {self._address}", whole=whole) from None
        except (errors.Forbidden, errors.Unauthorized, errors.InvalidRequest) as exc:
            said = self._said(exc.errors) or type(exc).__name__
            raise StoreError(f"Vault at {self._address} refuses: {said}", whole=whole) from None
        except errors.VaultError as exc:
            kind = type(exc).__name__
            raise StoreError(f"Vault at {self._address} cannot give: {kind}", whole=True) from None
        except OSError as exc:  # of the network, which all errors of requests are
            kind = type(exc).__name__
            raise StoreError(f"Vault at {self._address} cannot give: {kind}", whole=True) from None
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
            raise StoreError(f"what answers at {self._address} is no Vault", whole=True) from None

    def _said(self, errors: object) -> str:
        """What Vault gives as its reason, without a credential of ours that is repeated in it."""
        texts = errors if isinstance(errors, list) else [errors]
        said = ", ".join(each for each in texts if isinstance(each, str))
        own = {self._client.token, self._environ.get("VAULT_SECRET_ID"), self._pod_token}
        for secret in own - {None, ""}:
            said = said.replace(secret, "***")
        return told(said)

    def _refuse_redirect(self, answer: Any, *_: Any, **__: Any) -> None:
        """Raise StoreError for an answer that sends on: the token was meant for one address, and
        another, perhaps one without TLS, would get it.
        """
        if 300 <= answer.status_code < 400:
            answer.close()
            to = told(_shown(answer.headers.get("location", ""))) or "elsewhere"
            raise StoreError(
                f"Vault at {self._address} sends on to {to}, which is not followed: set VAULT_ADDR "
                "to the address that answers itself",
                whole=True,
            )

    def _log_in(self) -> None:
        environ, auth = self._environ, self._client.auth
        mount = environ.get("VAULT_AUTH_MOUNT")
        if self._client.token:
            return
        if role := environ.get("VAULT_ROLE_ID"):
            secret = environ.get("VAULT_SECRET_ID")
            answer = auth.approle.login(role, secret_id=secret, mount_point=mount or "approle")
        elif role := environ.get("VAULT_KUBERNETES_ROLE"):
            file = Path(environ.get("VAULT_KUBERNETES_TOKEN_FILE") or POD_FILE)
            try:
                token = file.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as exc:
                why = getattr(exc, "strerror", None) or type(exc).__name__
                raise StoreError(f"cannot be looked up: {file}: {why}", whole=True) from None
            self._pod_token = token
            answer = auth.kubernetes.login(role, token, mount_point=mount or "kubernetes")
        else:
            return
        if not isinstance(answer["auth"]["client_token"], str):
            raise TypeError

    def _read(self, path: str) -> Mapping[str, Any]:
        mount, version = self._mount(path)
        rest = path.removeprefix(f"{mount}/")
        kv = self._client.secrets.kv
        if version == "2":
            answer = kv.v2.read_secret_version(
                path=rest, mount_point=mount, raise_on_deleted_version=True
            )["data"]
        else:
            answer = kv.v1.read_secret(path=rest, mount_point=mount)
        document = answer["data"]
        if not isinstance(document, dict):
            raise TypeError
        return document

    def _mount(self, path: str) -> tuple[str, str]:
        """The mount that a path lies in, and the version of its key-value store."""
        try:
            answer = self._client.adapter.get(f"/v1/sys/internal/ui/mounts/{quote(path)}")
        except self._errors.InvalidPath:  # Vault before 0.10, which knows one version only
            return path.partition("/")[0], "1"
        mount = answer["data"]
        kind, at = mount["type"], mount["path"]
        if not isinstance(kind, str) or not isinstance(at, str):
            raise TypeError
        if kind not in ("kv", "generic"):
            raise StoreError(f"lies in a mount of type {told(kind)}, and only kv is read")
        version = (mount.get("options") or {}).get("version", "1")
        if version not in ("1", "2"):
            raise StoreError("lies in a mount of a version of kv that is not known")
        return at.strip("/"), version


def _shown(address: str) -> str:
    """Scheme, host and port of an address, without what may be a password; empty: it is none."""
    try:
        split = urlsplit(address)
        split.port  # noqa: B018 - raises ValueError for one that is none
    except ValueError:
        return ""
    if split.scheme not in ("http", "https") or not split.hostname:
        return ""
    return f"{split.scheme}://{split.netloc.rpartition('@')[2]}"
