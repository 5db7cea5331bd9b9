"""Google Cloud Secret Manager, by Google's library over HTTP and JSON.

Credentials are found where Google's own tools find them: ``GOOGLE_APPLICATION_CREDENTIALS``, those
of ``gcloud``, the service account of a pod or a machine. Regional secrets have an address of their
region.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from trivium.settings.secret_stores.store import (
    TIMEOUT_S,
    Document,
    StoreError,
    missing_library,
    read_within_bounds,
)

_REGION: Final = re.compile(r"projects/[^/]+/locations/([a-z0-9-]+)/")


def open_store(environ: Mapping[str, str]) -> "GcpStore":
    """Secret Manager as the machine's configuration names it. Raises StoreError."""
    del environ  # the library reads it
    return GcpStore()


class GcpStore:
    """Secret Manager, with a client for each region."""

    def __init__(self, *, endpoint: str | None = None, credentials: Any = None) -> None:
        """``endpoint`` and ``credentials``: instead of Google's and the machine's."""
        try:
            from google.api_core.exceptions import GoogleAPICallError
            from google.auth.exceptions import GoogleAuthError
            from google.cloud import secretmanager_v1
            from google.protobuf.json_format import Error as FormatError
        except ImportError:
            raise missing_library("google-cloud-secret-manager", "gcp-secrets") from None
        self._call_error, self._auth_error = GoogleAPICallError, GoogleAuthError
        self._format_error: type[Exception] = FormatError
        self._library: Any = secretmanager_v1
        self._endpoint = endpoint
        self._credentials = credentials
        self._clients: dict[str, Any] = {}

    def read(self, name: str) -> Document:
        """The text of one version of a secret. Raises StoreError."""
        try:
            answer = self._client(name).access_secret_version(
                request={"name": name}, timeout=TIMEOUT_S, retry=None
            )
        except self._call_error as exc:
            status = int(exc.code or 0)
            raise StoreError(
                f"Google Secret Manager does not give: {type(exc).__name__}", whole=status >= 500
            ) from None
        except (self._auth_error, self._format_error, OSError) as exc:
            raise StoreError(
                f"Google Secret Manager cannot give: {type(exc).__name__}", whole=True
            ) from None
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
            # of the library, at what is no answer of its vendor's
            raise StoreError("what answers is no Google Secret Manager", whole=True) from None
        try:
            return str(answer.payload.data, "utf-8")
        except UnicodeDecodeError:
            raise StoreError("is no text in Google Secret Manager") from None

    def _client(self, name: str) -> Any:
        region = found[1] if (found := _REGION.match(name)) else ""
        if region not in self._clients:
            address = self._endpoint
            if address is None and region:
                address = f"secretmanager.{region}.rep.googleapis.com"
            client = self._library.SecretManagerServiceClient(
                transport="rest",
                credentials=self._credentials,
                client_options={"api_endpoint": address} if address else None,
            )
            session = client.transport._session  # noqa: SLF001 - it has no other door
            session.hooks["response"].append(read_within_bounds)
            self._clients[region] = client
        return self._clients[region]
