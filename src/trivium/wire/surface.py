"""How a request of a public shape is addressed: as the shape itself has it, or as a cloud does.

A cloud puts the model into the path, and some put the answer into frames or objects of their own.
The operation is the same, and whoever serves it never learns of the difference: what came is made
a request of the shape before it is read, and what it is answered is put into the cloud's words on
its way out (``pipeline/surface.py``).
"""

from enum import Enum, unique


@unique
class Surface(Enum):
    """Where the model stands, and what is around the answer."""

    OWN = "own"
    """As the shape has it."""
    DEPLOYMENT = "deployment"
    """Azure OpenAI, and Vertex's models of others: the model is in the path."""
    INVOKE = "invoke"
    """Amazon Bedrock's InvokeModel."""
    INVOKE_STREAM = "invoke_stream"
    """The same, answered in frames."""
    INVOKE_COUNT = "invoke_count"
    """Its CountTokens."""
    PREDICT = "predict"
    """Vertex AI's rawPredict."""
    PREDICT_STREAM = "predict_stream"
    """The same, answered in events."""
    PREDICT_COUNT = "predict_count"
    """Its count of tokens, whose body names the model."""
    PREDICT_VECTORS = "predict_vectors"
    """Its predict, of texts to be embedded."""

    __hash__ = object.__hash__  # docs/decisions/0022-hot-marks.md says why


FRAMED = frozenset({Surface.INVOKE, Surface.INVOKE_STREAM, Surface.INVOKE_COUNT})
"""Surfaces of Amazon Bedrock, whose errors are in its own words."""
