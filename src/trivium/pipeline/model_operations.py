"""What a model itself does, of what the providers of its channels serve.

A provider serves chats, pictures and sounds at one address and does not say which of its models
does what. Names, classes and prices do.
"""

from typing import Final

from trivium.pipeline import images
from trivium.providers import audio
from trivium.routing.model import Model
from trivium.wire.generate.path import METHODS
from trivium.wire.operation import (
    EMBEDDING_OPERATIONS,
    GENERATES_TEXT,
    IMAGE_OPERATIONS,
    PRODUCT,
    TOKEN_COUNTS,
    Operation,
    Product,
)

_GENERATE: Final = frozenset(METHODS.values())
_CONVERSING: Final = _GENERATE & (GENERATES_TEXT | TOKEN_COUNTS)
_EMBEDDING: Final = _GENERATE & EMBEDDING_OPERATIONS


def operations_of(model: Model) -> frozenset[Operation]:
    """The operations that callers can ask the model for.

    One that only draws holds no conversation. Of a priced one the latest prices tell: who converses
    has a price of output, who embeds one of input; films, sounds and pictures have others.
    """
    found = model.operations()
    if images.class_of(model) is not None and not any(b.draws for b in model.bindings):
        return found & IMAGE_OPERATIONS
    if not model.free and model.prices:
        kinds = model.prices[-1].price.keys()
        if "per_request" not in kinds and "output" not in kinds:
            found -= _CONVERSING
            if "input" not in kinds:
                found -= _EMBEDDING
    return found


_BY_KIND: Final = {
    "output": Product.TEXT,
    "per_request": Product.TEXT,
    "per_second": Product.VIDEO,
    "per_character": Product.SPEECH,
    "per_search": Product.RANKING,
    "per_image": Product.IMAGES,
}
"""What is made by a model that has a price of this kind."""
_SOUNDS: Final = {"speech": Product.SPEECH, "transcript": Product.TRANSCRIPT}


def products_of(model: Model) -> frozenset[Product]:
    """What the model makes, for people who choose one: text, vectors, pictures and so on.

    Empty when none of its channels is switched on.
    """
    served = frozenset(PRODUCT[each] for each in operations_of(model)) - {Product.TOKEN_COUNT}
    drawn = frozenset({Product.IMAGES} if any(b.draws for b in model.bindings) else ())
    sounds = frozenset(_SOUNDS[kind] for kind in _SOUNDS if _is_named(model, kind)) & served
    if sounds:
        return sounds
    if model.free or not model.prices:
        return (frozenset({Product.TEXT}) & served or served) | drawn
    row = model.prices[-1]
    made = {_BY_KIND[kind] for kind in row.price if kind in _BY_KIND}
    if "input" in row.price and Product.TEXT not in made:
        made.add(Product.VECTORS)
    if row.images:
        made.add(Product.IMAGES)
    if row.videos:
        made.add(Product.VIDEO)
    return (served & made or served) | drawn


def _is_named(model: Model, kind: str) -> bool:
    """Whether a binding is said, or known by its name, to be a model of this kind of sound."""
    return any(
        audio.is_known(kind, binding.channel.provider.name, binding.model, binding.audio)
        for binding in model.bindings
    )
