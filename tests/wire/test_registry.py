"""Every operation has its passage, and those of clouds come when they are needed."""

import subprocess
import sys

import pytest

from trivium.wire.codecs import CODECS
from trivium.wire.operation import Operation
from trivium.wire.registry import LATE_CODECS, PASSAGES

SCRIPT = """
import sys
from trivium.wire.operation import Operation
from trivium.wire.registry import prepare
prepare([Operation.CHAT, Operation.VENDOR, *map(Operation, sys.argv[1:])])
print(*(name for name in sys.modules if name.startswith("trivium.wire.co")))
"""


def test_every_row_is_the_passage_of_its_operation():
    """Late ones too: each has what reads a request, and is found again."""
    assert {Operation.CONVERSE, Operation.COHERE_EMBED, Operation.INVOKE_EMBED} <= set(PASSAGES)
    for operation in PASSAGES:
        assert callable(PASSAGES[operation].facts), operation
        assert PASSAGES[operation] is PASSAGES[operation]


def test_late_codecs_are_of_their_shapes():
    assert [] == [shape for shape in LATE_CODECS if CODECS[shape].shape is not shape]


@pytest.mark.parametrize(
    ("operations", "there", "absent"),
    [
        ([], "trivium.wire.completions.passage", "trivium.wire.converse.passage"),
        (["converse"], "trivium.wire.converse.codec", "trivium.wire.cohere.codec"),
        (["cohere_chat"], "trivium.wire.cohere.codec", "trivium.wire.converse.codec"),
    ],
)
def test_a_channels_modules_are_imported_for_it(operations, there, absent):
    """And of another cloud's nothing."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *operations], capture_output=True, text=True, check=True
    )
    names = done.stdout.split()
    assert there in names
    if not operations:
        assert not [name for name in names if ".converse" in name or ".cohere" in name]
    assert absent not in names
