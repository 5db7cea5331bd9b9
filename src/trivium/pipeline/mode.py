"""What is read of an answer, once its head has said what it is."""

from enum import Enum, auto, unique


@unique
class Mode(Enum):
    """How the body of a vendor's answer is taken."""

    WAITING = auto()
    """The head has not come."""
    WHOLE = auto()
    STREAM = auto()
    REFUSAL = auto()
