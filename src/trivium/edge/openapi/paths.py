"""Every operation served now, one row each: the part of the description that routes must match.

The rows of a shape stand beside its schemas, in the module of its name. Here are those of no shape.
"""

import importlib
from types import ModuleType
from typing import Final

from trivium.edge.openapi.row import OperationRow, operations
from trivium.wire.operation import PUBLIC_SHAPES, TABLE, Shape

SHAPES: Final[dict[Shape, ModuleType]] = {
    shape: importlib.import_module(f"trivium.edge.openapi.{shape.value}") for shape in PUBLIC_SHAPES
}
"""What describes each shape: ``ABOUT`` it in a sentence, its ``OPERATIONS`` and ``SCHEMAS``."""

_BESIDES: Final = operations("""
gateway
GET /v1/models listModels "Models this key may ask for, as the caller's client family reads them:
  the way the key is presented and a version header decide." tag=models
  answer=ModelList|MessagesModelList|GenerateModelList
GET /v1/models/{model} retrieveModel "One model, as the caller's client family reads it." tag=models
  answer=Model|MessagesModel|GenerateModel parameters=model
GET /vendorc/v1beta/models listGenerateModels "Models this key may ask for." tag=models
  answer=GenerateModelList parameters=pageSize|pageToken keys=generate
GET /vendorc/v1beta/models/{model} retrieveGenerateModel "One model." tag=models
  answer=GenerateModel parameters=model keys=generate
POST /api/explain explainRequest "What would become of a request: channels, bodies, what would be
  lost. Nobody is called and nothing is charged." request=ExplainRequest answer=Explanation keys=any
GET /healthz getHealth "Whether the process runs." answer=Health
GET /readyz getReadiness "Whether a priced call can be answered now; 503 when not. Names what is
  missing." answer=Readiness
GET /metrics getMetrics "Numbers for Prometheus, where the operator has switched them on."
  files=text/plain
GET /openapi.json getDescription "This description." answer=Description
""")
"""Operations of no shape."""


def _rows() -> tuple[OperationRow, ...]:
    """The rows of all shapes, in the order of the table of operations, and those of none."""
    shapes = dict.fromkeys(row.shape for row in TABLE.values() if row.paths)
    return (*(row for shape in shapes for row in SHAPES[shape].OPERATIONS), *_BESIDES)


OPERATIONS: Final = _rows()
"""In the order of the document."""
