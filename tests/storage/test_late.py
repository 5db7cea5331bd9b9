"""A module that is imported at first use."""

import subprocess
import sys

import pytest

from trivium.storage.late import LateModule


def test_it_is_the_module():
    """Whatever it has, and has not."""
    late = LateModule("trivium.storage.structs")
    from trivium.storage import structs

    assert structs.struct_of is late.struct_of
    with pytest.raises(AttributeError, match="nothing_such"):
        _ = late.nothing_such


def test_it_is_imported_by_the_first_use():
    """Not before."""
    script = (
        "import sys; from trivium.storage.late import LateModule\n"
        "late = LateModule('colorsys'); print('colorsys' in sys.modules)\n"
        "late.ONE_THIRD; print('colorsys' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ["False", "True"] == done.stdout.split()
