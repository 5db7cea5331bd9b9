"""What the answers of a shape have a place for, so that the loss of anything else is reported.

Each shape declares its ``ShapeCapabilities``; one ``Placing`` (``answer_losses.py``) goes through
an answer.
"""

from collections.abc import Callable
from enum import Enum, auto, unique

import msgspec

from trivium.conversation.finish import Unified
from trivium.conversation.items import Part
from trivium.conversation.parts import Citation, ReasoningForm


@unique
class Loss(Enum):
    """What happens to something in an answer that its reader does not know."""

    UNKNOWN = auto()  # it is left out
    NOTED = auto()  # it is left out, and changes nothing for the caller
    WORDED = auto()  # its words are told as text


def linked(citation: Citation) -> bool:
    """Whether a citation has an address, which is all that most shapes can say about a source."""
    return citation.url is not None


class ShapeCapabilities(msgspec.Struct, frozen=True, kw_only=True):
    """Which parts and members the answers of one shape have a place for."""

    shape: str
    """Its name, which also tells its own blocks, calls and citations."""
    shows: Callable[[Part], bool]
    """Whether media or a search result is told as what it is."""
    words: Callable[[Part], bool]
    """Whether plain words stand for what is not."""
    refusals: bool = False
    reasoning: bool = True
    calls: bool = True
    cut_calls: frozenset[Unified] = frozenset()
    """Ends at which a call whose arguments are no object is left out."""
    ends: frozenset[Unified]
    """Reasons that it has a word for."""
    stop_sequence: bool = False
    category: bool = False
    explanation: bool = False
    form: ReasoningForm | None = None
    """The one form in which its readers take reasoning; ``None``: it tells them apart."""
    transcripts: bool = False
    """Whether sound comes with its words."""
    candidates: bool = False
    logprobs: bool = False
    rivals: bool = True
    """Whether the likeliest other tokens are told with each."""
    namespaces: bool = False
    signed_texts: bool = True
    queries: bool = False
    """Whether it says what was searched for."""
    blocks_cited: bool = False
    """Whether the citations of its streams cover a whole text, whatever they say."""
    cites: Callable[[Citation], bool] = linked
    counters: tuple[str, ...] = ()
    """Counters of ``Usage`` that it has no place for, in the order of the alphabet."""
    tiers: frozenset[str] = frozenset()
    """Names, in OpenAI's words, of tiers that it has one for; empty: all."""
