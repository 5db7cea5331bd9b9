"""Which settings file a command reads, and reading it.

``--config``, else ``TRIVIUM_CONFIG``, else ``trivium.toml`` in the working directory if it is
there, else the built-in defaults.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from trivium.cli.output import note
from trivium.settings.load import Loaded, environment, load_with_source
from trivium.settings.model import Settings

DEFAULT: Final = Path("trivium.toml")
DEFAULTS: Final = "no settings file: using the defaults (see --config)"

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Settings file. Default: $TRIVIUM_CONFIG, then ./trivium.toml, then the defaults.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ListenOption = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="Listen here instead of server.listen.")
]


def locate(config: Path | None, environ: Mapping[str, str]) -> Path | None:
    """The settings file to read; ``None`` for the built-in defaults."""
    if config is not None:
        return config
    if named := environ.get("TRIVIUM_CONFIG"):
        return Path(named)
    return DEFAULT if DEFAULT.exists() else None


def settings_of(config: Path | None) -> Settings:
    """The settings as ``read`` has them. Raises SettingsError."""
    return read(config)[0].settings


def read(
    config: Path | None, *, flags: Mapping[str, str | None] | None = None, quiet: bool = False
) -> tuple[Loaded, Path | None]:
    """The settings and the file they came from. Raises SettingsError.

    ``flags`` are settings given on the command line, ``None`` where the option was left out.
    ``quiet``: not to say that there is no file.
    """
    environ = environment()
    path = locate(config, environ)
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    loaded = load_with_source(path, environ, flags=given)
    if path is None and not quiet:
        note(DEFAULTS)
    return loaded, path
