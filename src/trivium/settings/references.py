"""Values that look like references to secrets kept elsewhere, written as other programs write them.

Nothing here looks such a reference up: it would travel to the vendor as the key itself, and be
refused there long after ``trivium check`` was content. Two schemes are registered, ``env:`` and
``file:``. A value that really begins so is put into a variable or a file.
"""

import re
from typing import Final

REGISTERED: Final = ("env:", "file:")
"""What ``secrets.py`` can look up, as it is written."""

_MANAGERS: Final = re.compile(
    r"(?i)(?:vault|openbao|bao|op|1password|bitwarden|bws|doppler|infisical|akeyless|conjur|sops|"
    r"age|gpg|pass|keyring|keychain|keepass|secret|secrets|secretsmanager|awssm|awsssm|aws|ssm|arn|"
    r"gcp|gcpsm|gsm|sm|azure|azurekv|akv|keyvault|k8s|kubernetes|docker|environ|environment|envvar|"
    r"var|variable|ref|valuefrom|path|base64|b64|cmd|exec|command|env|file)\s*:"
)
"""Names under which password managers and other programs' settings know secrets; ``env`` and
``file`` in other letters, or with a blank, are these as well."""
_FORMS: Final = re.compile(
    r"(?i)(?:(?:process\.|os\.)?env(?:iron)?[./\[(]|os\.getenv\b|getenv\(|"
    r"\$\{|\$\(|\$[a-z_][a-z0-9_]*\Z|%[a-z_][a-z0-9_]*%\Z|\{\{|<[a-z][^<>]*>\Z|!(?:secret|env|vault)\b|"
    r"@(?:file|env)\b)"
)
"""Variables as programs and shells write them, and places to be filled in."""
_PATH_LIKE: Final = re.compile(
    r"(?!https?:)[A-Za-z][A-Za-z._+-]{1,20}:(?:[^\s:]*[/#]|[A-Z][A-Z0-9_]*\Z)"
)
"""A word, a colon, and a path or the name of a variable."""
SHOWN_MAX: Final = 256
"""A reference is no longer than this."""


def unregistered(value: str) -> str | None:
    """What is wrong with a text that was to be a secret or its reference; ``None``: nothing.

    Never holds the value: it may be a secret all the same.
    """
    if value.startswith(REGISTERED) or len(value) > SHOWN_MAX:
        return None
    if not any(found.match(value.strip()) for found in (_MANAGERS, _FORMS, _PATH_LIKE)):
        return None
    return (
        "looks like a reference to a secret that is kept elsewhere, and only env:NAME and "
        "file:PATH are looked up; a secret that really begins so goes into one of these"
    )


def foreign(value: str) -> str | None:
    """Do as ``unregistered`` for the value of a header, which may well be a word, a colon and a
    path.
    """
    if value.startswith(REGISTERED) or not _FORMS.match(value.strip()):
        return None
    return unregistered(value)
