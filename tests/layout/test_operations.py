"""Every operation is in every table, whatever the table is derived from.

An operation that is forgotten somewhere must not become a failure of the gateway, a free request or
one billed as something else, so each test below walks all of them and names the one that is missing.
"""

import subprocess
import sys
from decimal import Decimal

import msgspec
import pytest

from trivium.admission import tokens
from trivium.cli.dry_run import explain_offline
from trivium.conversation.usage import Usage
from trivium.edge import explain as explaining
from trivium.edge import routes
from trivium.edge.openapi.assemble import OPERATIONS as DESCRIBED
from trivium.faults import Fault, Kind
from trivium.ledger.cost import tariff_of
from trivium.ledger.model import FREE
from trivium.ledger.quote import quote
from trivium.pipeline.structs import Route
from trivium.providers.registry import PROVIDERS
from trivium.routing.explain import explain
from trivium.routing.model import Binding, Catalogue, Channel, Model, PriceRow, TimeLimits
from trivium.routing.router import Router
from trivium.settings.prices import KINDS
from trivium.wire import errors
from trivium.wire.operation import (
    ASYNC_JOBS,
    EXPLAINED,
    FORM_ONLY,
    FORM_OR_JSON,
    HEDGED,
    NAMED_BY_PATH,
    PRODUCT,
    SHAPE,
    STREAMED_AS,
    TABLE,
    TALKS,
    TOKEN_COUNTS,
    TRANSLATABLE,
    UPSTREAM_ONLY,
    Operation,
    Product,
)
from trivium.wire.passage import RequestFacts
from trivium.wire.registry import PASSAGES

ALL = pytest.mark.parametrize("operation", list(Operation), ids=lambda one: one.value)
EVERY_PRICE = PriceRow(price=dict.fromkeys(KINDS, Decimal(1)))
ENOUGH = {
    Product.TEXT: {"input", "output"},
    Product.VECTORS: {"input"},
    Product.VERDICTS: {"input"},
    Product.IMAGES: {"per_image"},
    Product.SPEECH: {"per_character"},
    Product.TRANSCRIPT: {"per_second"},
    Product.VIDEO: {"per_second"},
    Product.RANKING: {"per_search"},
}
"""The kinds of price that serve each product; a product that is not here is free."""

OWN = msgspec.structs.replace(
    PROVIDERS["openai"], name="own", paths={Operation.VENDOR: "/converse"}, own=None
)
"""A provider with a shape of its own, as a package brings one: the gateway ships none."""


def model(price=None, *, without=None):
    """A model at every provider, or at all that lack an operation of their own."""
    limits = TimeLimits(connect=1, first_byte=1, idle=1, total=1)
    bindings = tuple(
        Binding(
            channel=Channel(
                name=name,
                provider=provider,
                base_url="https://u.example/a/b/v1",
                credentials=(),
                headers={},
                limits=limits,
            ),
            model="up",
        )
        for name, provider in {**PROVIDERS, "own": OWN}.items()
        if without not in provider.paths
    )
    return Model(name="m", bindings=bindings, free=price is None, prices=(price,) if price else ())


def facts(operation):
    """What a request says of itself that is small."""
    if PRODUCT[operation] is Product.RANKING:
        return RequestFacts(model="m", known=Usage(fresh=10, searches=1), output_max=0)
    known = Usage(characters=10, seconds=3.0)
    return RequestFacts(model="m", seconds=4, size="1280x720", known=known, output_max=9)


def router(found):
    """Plans for one model."""
    return Router(Catalogue(models={"m": found}, channels={}), lambda: 0.5)


@ALL
def test_it_has_a_passage_unless_jobs_are_made_of_it(operation):
    """What is not read cannot be relayed. A shape that no caller speaks is always translated."""
    assert (operation in PASSAGES) is (operation not in ASYNC_JOBS | UPSTREAM_ONLY)


@ALL
def test_its_addresses_lead_to_it_and_are_described(operation):
    """And errors there are written in its shape."""
    described = {row.path for row in DESCRIBED if row.method == "POST"}
    for path in TABLE[operation].paths:
        assert path in described
        raw = path.replace("{model}", "m").encode()
        found = routes.resolve("POST", raw, b"alt=sse")
        if operation in ASYNC_JOBS:
            assert "create" == found.action
        else:
            assert Route(operation=operation, model="m" if "{" in path else "") == found
        assert SHAPE[operation] is routes.shape_of(raw)
        is_form = operation in FORM_ONLY | FORM_OR_JSON
        assert is_form is (routes.form_limits(found) is not None)


@ALL
def test_the_description_streams_what_is_watched(operation):
    """An answer that is not watched would not be billed."""
    if operation in ASYNC_JOBS | UPSTREAM_ONLY:
        return
    rows = [row for row in DESCRIBED if row.path in TABLE[operation].paths and row.method == "POST"]
    # this method answers whole, and is asked for a stream by another name
    watched = PASSAGES[operation].watch is not None and operation is not Operation.GENERATE
    assert [watched] * len(TABLE[operation].paths) == [row.event is not None for row in rows]


@ALL
def test_it_has_the_price_of_what_it_makes(operation):
    """With that it is served, without any other price it is not, and nothing is free by mistake."""
    product = PRODUCT[operation]
    everything = tariff_of("m", EVERY_PRICE)
    found = quote(everything, model(EVERY_PRICE), operation, facts(operation), 100)
    if product not in ENOUGH:
        assert (operation in TOKEN_COUNTS, FREE) == (True, found)
        return
    assert 0 < found.amount_nanos
    row = _priced(ENOUGH[product])
    assert 0 < quote(tariff_of("m", row), model(row), operation, facts(operation), 100).amount_nanos
    row = _priced(set(KINDS) - _serving(product))
    with pytest.raises(Fault) as caught:
        quote(tariff_of("m", row), model(row), operation, facts(operation), 100)
    assert Kind.NOT_PERMITTED is caught.value.kind


def _priced(kinds):
    """A price list of these kinds alone."""
    return PriceRow(price=dict.fromkeys(kinds, Decimal(1)))


def _serving(product):
    """Every kind of price by which a product may be charged."""
    more = {
        Product.SPEECH: {"per_second", "output"},
        Product.TRANSCRIPT: {"input"},
        Product.IMAGES: {"input", "output"},
        Product.RANKING: {"input"},
    }
    return ENOUGH[product] | more.get(product, set()) | {"per_request"}


@ALL
def test_its_tokens_are_foreseen(operation):
    """Limits count them; those of a count itself are not used."""
    into, out = tokens.foreseen(operation, facts(operation), b"x" * 100)
    assert (operation not in TOKEN_COUNTS) is (into > 0)
    assert 0 <= out


@ALL
def test_a_model_without_it_says_so(operation):
    """In words that callers know, not as a failure of the gateway."""
    lacking = model(without=operation)
    if operation in lacking.operations():
        return  # everybody serves it through a translation
    told = explain(router(lacking), operation, "m")
    assert 400 == told["refused"]["status"]
    assert f"does not serve {TABLE[operation].title}" in told["refused"]["message"]
    whys = [skip["why"] for skip in told["skipped"]]
    assert len(lacking.bindings) == len(whys)
    assert all(why.endswith(f" does not serve {TABLE[operation].title}") for why in whys)


@ALL
def test_some_vendor_serves_it_and_its_plan_is_explained(operation):
    """An operation that nobody serves is none."""
    told = explain(router(model()), operation, "m")
    assert TABLE[operation].title == told["asked_for"]
    assert None is told["refused"]
    assert told["steps"]


@ALL
def test_it_is_rehearsed(operation):
    """`trivium explain` and `/api/explain` take every operation; what is wrong is told, not raised."""
    told = explain_offline(router(model()), operation, b"{}", "m", strict=False)
    assert operation.value == told["operation"]
    assert 400 == told["refused"]["status"] if told["refused"] else told["steps"]
    assert (operation in UPSTREAM_ONLY) is (
        "Only upstreams" in (told["refused"] or {"message": ""})["message"]
    )


@ALL
def test_it_can_be_asked_about(operation):
    """All that callers ask for, but counts and what only an address tells apart."""
    by_address = SHAPE[operation] in NAMED_BY_PATH and operation not in STREAMED_AS
    expected = operation not in TOKEN_COUNTS | UPSTREAM_ONLY and not by_address
    assert expected is (operation in EXPLAINED)
    question = msgspec.json.encode({"shape": operation.value, "model": "m", "body": {}})
    if expected:
        assert operation is explaining.read(question, {}).operation
        return
    with pytest.raises(Fault, match=f"Invalid enum value '{operation.value}'"):
        explaining.read(question, {})


@ALL
def test_its_errors_have_the_shape_of_their_path(operation):
    """Every shape has a way to say that something is wrong."""
    told = errors.body(Fault(Kind.INTERNAL, "no"), "req_1", SHAPE[operation])
    assert told.startswith(b'{"error":{')


@ALL
def test_what_is_told_of_it_holds_together(operation):
    """One row does not contradict itself."""
    row = TABLE[operation]
    if operation in HEDGED:
        assert operation not in ASYNC_JOBS | TOKEN_COUNTS | FORM_ONLY | FORM_OR_JSON
    if operation in TRANSLATABLE:
        assert Product.TEXT is row.product
        assert operation in TALKS
    assert operation not in row.stand_ins
    assert all(TABLE[other].product for other in row.stand_ins)


LACKS_A_ROW = """
import pathlib, sys
from trivium.wire import operation
source = pathlib.Path(operation.__file__).with_name("operation.py").read_text()
marked = '    Operation.MODERATIONS: OperationSpec('
assert marked in source
exec(compile(source.replace(marked, '    Operation.EMBEDDINGS: OperationSpec('), "table", "exec"), {"__name__": "table"})
"""
LACKS_A_PRICE = """
from trivium.wire import operation
operation.PRODUCT[operation.Operation.IMAGES] = "sculptures"
import trivium.ledger.quote
"""


@pytest.mark.parametrize(
    ("mistake", "named"), [(LACKS_A_ROW, "MODERATIONS"), (LACKS_A_PRICE, "sculptures")]
)
def test_what_lacks_a_row_or_a_price_does_not_start(mistake, named):
    """And says which it is."""
    ended = subprocess.run(
        [sys.executable, "-c", mistake], capture_output=True, text=True, timeout=60, check=False
    )
    assert 1 == ended.returncode
    assert "KeyError" in ended.stderr.splitlines()[-1]
    assert named in ended.stderr.splitlines()[-1]
