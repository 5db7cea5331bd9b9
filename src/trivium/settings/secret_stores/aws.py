"""AWS Secrets Manager, by ``botocore``.

Credentials, region, profile and endpoint are found where Amazon's own tools find them: in
``AWS_…`` variables, ``~/.aws``, the role of a pod, a task or a machine. A whole ARN brings its own
region.
"""

from collections.abc import Mapping
from typing import Any

from trivium.settings.secret_stores.store import (
    CONNECT_S,
    TIMEOUT_S,
    Document,
    StoreError,
    collected,
    missing_library,
    told,
)


def open_store(environ: Mapping[str, str]) -> "AwsStore":
    """Secrets Manager as the machine's configuration names it. Raises StoreError."""
    del environ  # the library reads it
    return AwsStore()


class AwsStore:
    """Secrets Manager, with a client for each region."""

    def __init__(self) -> None:
        try:
            import botocore.config
            import botocore.exceptions
            import botocore.session
            import urllib3.exceptions
        except ImportError:
            raise missing_library("botocore", "aws-secrets") from None
        self._errors: Any = botocore.exceptions
        self._broken: type[Exception] = urllib3.exceptions.HTTPError
        self._config: Any = botocore.config.Config(
            connect_timeout=CONNECT_S, read_timeout=TIMEOUT_S, retries={"total_max_attempts": 2}
        )
        self._session: Any = botocore.session.get_session()
        self._clients: dict[str | None, Any] = {}

    def read(self, name: str) -> Document:
        """The text of one secret, as it is marked AWSCURRENT. Raises StoreError."""
        errors = self._errors
        region = name.split(":")[3] if name.count(":") >= 6 else None
        try:
            if region not in self._clients:
                self._clients[region] = self._client(region)
            answer = self._clients[region].get_secret_value(SecretId=name)
        except errors.ClientError as exc:
            code = told(exc.response.get("Error", {}).get("Code")) or "an error"
            status = exc.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            raise StoreError(
                f"AWS Secrets Manager does not give: {code}", whole=status >= 500
            ) from None
        except (errors.BotoCoreError, OSError) as exc:
            raise StoreError(
                f"AWS Secrets Manager cannot give: {type(exc).__name__}", whole=True
            ) from None
        except (
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            RecursionError,
        ):  # of its parser
            raise StoreError("what answers is no AWS Secrets Manager", whole=True) from None
        text = answer.get("SecretString")
        try:
            text = str(answer["SecretBinary"], "utf-8") if text is None else text
        except (LookupError, TypeError, UnicodeDecodeError):
            text = None
        if isinstance(text, str):
            return text
        raise StoreError("is no text in AWS Secrets Manager")

    def _client(self, region: str | None) -> Any:
        """A client that reads no more of an answer than a secret may be long."""
        client: Any = self._session.create_client(
            "secretsmanager", region_name=region, config=self._config
        )
        session = client._endpoint.http_session  # noqa: SLF001 - it has no other door

        def send(request: Any, **_: Any) -> Any:
            request.stream_output = True
            answer = session.send(request)
            try:
                answer._content = collected(answer.raw.stream(65_536))  # noqa: SLF001
            except StoreError:
                answer.raw.close()
                raise
            except self._broken as exc:  # as botocore says it of what it reads itself
                raise self._errors.HTTPClientError(request=request, error=exc) from None
            return answer

        client.meta.events.register("before-send.secrets-manager", send)
        return client
