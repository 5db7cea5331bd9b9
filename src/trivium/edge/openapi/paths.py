"""Every operation served now, one row each: the part of the description that routes must match.

The rows of a shape stand beside its schemas, in the module of its name. Here are those of no shape.
"""

import importlib
from types import ModuleType
from typing import Final

from trivium.edge.openapi.row import ANY, GENERATE, OperationRow
from trivium.wire.operation import PUBLIC_SHAPES, TABLE, Shape

_GENERATE: Final = "/vendorc/v1beta/models/{model}"

SHAPES: Final[dict[Shape, ModuleType]] = {
    shape: importlib.import_module(f"trivium.edge.openapi.{shape.value}") for shape in PUBLIC_SHAPES
}
"""What describes each shape: ``ABOUT`` it in a sentence, its ``OPERATIONS`` and ``SCHEMAS``."""

_BESIDES: Final = (
    OperationRow(
        method="GET",
        path="/v1/models",
        name="listModels",
        tag="models",
        about="Models this key may ask for, as the caller's client family reads them: the way the "
        "key is presented and a version header decide.",
        answer=("ModelList", "MessagesModelList", "GenerateModelList"),
        keys=ANY,
    ),
    OperationRow(
        method="GET",
        path="/v1/models/{model}",
        name="retrieveModel",
        tag="models",
        about="One model, as the caller's client family reads it.",
        answer=("Model", "MessagesModel", "GenerateModel"),
        keys=ANY,
        parameters=("model",),
    ),
    OperationRow(
        method="GET",
        path="/vendorc/v1beta/models",
        name="listGenerateModels",
        tag="models",
        about="Models this key may ask for.",
        answer="GenerateModelList",
        keys=GENERATE,
        parameters=("pageSize", "pageToken"),
    ),
    OperationRow(
        method="GET",
        path=_GENERATE,
        name="retrieveGenerateModel",
        tag="models",
        about="One model.",
        answer="GenerateModel",
        keys=GENERATE,
        parameters=("model",),
    ),
    OperationRow(
        method="POST",
        path="/api/explain",
        name="explainRequest",
        tag="gateway",
        about="What would become of a request: channels, bodies, what would be lost. Nobody is "
        "called and nothing is charged.",
        request="ExplainRequest",
        answer="Explanation",
        keys=ANY,
    ),
    OperationRow(
        method="GET",
        path="/healthz",
        name="getHealth",
        tag="gateway",
        about="Whether the process runs.",
        answer="Health",
    ),
    OperationRow(
        method="GET",
        path="/readyz",
        name="getReadiness",
        tag="gateway",
        about="Whether a priced call can be answered now; 503 when not. Names what is missing.",
        answer="Readiness",
    ),
    OperationRow(
        method="GET",
        path="/metrics",
        name="getMetrics",
        tag="gateway",
        about="Numbers for Prometheus, where the operator has switched them on.",
        files=("text/plain",),
    ),
    OperationRow(
        method="GET",
        path="/openapi.json",
        name="getDescription",
        tag="gateway",
        about="This description.",
        answer="Description",
    ),
)
"""Operations of no shape."""


def _rows() -> tuple[OperationRow, ...]:
    """The rows of all shapes, in the order of the table of operations, and those of none."""
    shapes = dict.fromkeys(row.shape for row in TABLE.values() if row.paths)
    return (*(row for shape in shapes for row in SHAPES[shape].OPERATIONS), *_BESIDES)


OPERATIONS: Final = _rows()
"""In the order of the document."""
