"""What the gateway says about the Python that it runs on."""

import sys
import sysconfig
from typing import Final

SLOW: Final = (
    ", on a Python that was built without optimisation: "
    "each request costs a tenth to a quarter more processor time"
)
"""How the first line of a start ends there."""


def remark() -> str:
    """End the line that says where the gateway listens; empty on a Python as it should be."""
    if sys.base_prefix == "/usr":  # what is read below takes milliseconds
        return ""
    return SLOW if is_unoptimised(sysconfig.get_config_var("CONFIG_ARGS"), sys.base_prefix) else ""


def is_unoptimised(arguments: object, prefix: str) -> bool:
    """Tell by what ``configure`` was given whether a Python was built without a profile.

    Not of a distribution's own: Debian's is optimised by another way, which leaves no trace there.
    Not of one that does not say what it was given.
    """
    return (
        isinstance(arguments, str)
        and prefix != "/usr"
        and "--enable-optimizations" not in arguments
    )
