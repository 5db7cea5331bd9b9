"""The contract of embeddings between shapes."""

import msgspec
import pytest

from trivium.wire.embeddings.vectors import VECTORS
from trivium.wire.generate.vectors import BATCH, ONE


@pytest.mark.parametrize("codec", [VECTORS, BATCH, ONE])
def test_every_job_is_somebody_s(codec):
    """A caller's side has two, both ends have four."""
    for field in msgspec.structs.fields(codec):
        assert callable(getattr(codec, field.name))
