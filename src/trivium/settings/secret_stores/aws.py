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
    missing_library,
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
        except ImportError:
            raise missing_library("botocore", "aws-secrets") from None
        self._errors: Any = botocore.exceptions
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
                self._clients[region] = self._session.create_client(
                    "secretsmanager", region_name=region, config=self._config
                )
            answer = self._clients[region].get_secret_value(SecretId=name)
        except errors.ClientError as exc:
            code = str(exc.response.get("Error", {}).get("Code", "an error"))
            status = exc.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            raise StoreError(
                f"AWS Secrets Manager does not give: {code:.80}", whole=status >= 500
            ) from None
        except (errors.BotoCoreError, OSError) as exc:
            raise StoreError(
                f"AWS Secrets Manager cannot give: {type(exc).__name__}", whole=True
            ) from None
        except (AttributeError, LookupError, TypeError, ValueError):  # of its parser
            raise StoreError("what answers is no AWS Secrets Manager", whole=True) from None
        text = answer.get("SecretString")
        try:
            return str(answer["SecretBinary"], "utf-8") if text is None else str(text)
        except (KeyError, UnicodeDecodeError):
            raise StoreError("is no text in AWS Secrets Manager") from None
