"""How the answer is to be: limits, sampling, formats, reasoning, accounts. See ``asking.py``."""

from end_to_end.features.asking import (
    CITY,
    WRITTEN,
    Asking,
    config,
    every,
)

SCHEMA = {
    "chat": {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "response", "schema": CITY, "strict": True},
        }
    },
    "responses": {
        "text": {
            "format": {"type": "json_schema", "name": "response", "schema": CITY, "strict": True}
        }
    },
    "messages": {"output_config": {"format": {"type": "json_schema", "schema": CITY}}},
    "generate": config(responseMimeType="application/json", responseJsonSchema=CITY),
    "cohere": {"response_format": {"type": "json_object", "json_schema": CITY}},
}


WISHES = (
    Asking("structured output", every(**SCHEMA)),
    Asking(
        "JSON mode",
        every(
            chat={"response_format": {"type": "json_object"}},
            responses={"text": {"format": {"type": "json_object"}}},
            generate=config(responseMimeType="application/json"),
            cohere={"response_format": {"type": "json_object"}},
        ),
        ("format", "instructions"),
    ),
    Asking(
        "one word of a list",
        every(
            generate=config(
                responseMimeType="text/x.enum",
                responseSchema={"type": "STRING", "enum": ["yes", "no"]},
            )
        ),
    ),
    Asking(
        "temperature",
        every(
            chat={"temperature": 0.5},
            responses={"temperature": 0.5},
            messages={"temperature": 0.5},
            generate=config(temperature=0.5),
            cohere={"temperature": 0.5},
        ),
        ("sampling.temperature",),
    ),
    Asking(
        "temperature above 1",
        every(
            chat={"temperature": 1.5},
            responses={"temperature": 1.5},
            generate=config(temperature=1.5),
        ),
        ("sampling.temperature",),
    ),
    Asking(
        "top_p",
        every(
            chat={"top_p": 0.5},
            responses={"top_p": 0.5},
            messages={"top_p": 0.5},
            generate=config(topP=0.5),
            cohere={"p": 0.5},
        ),
        ("sampling.top_p",),
    ),
    Asking(
        "top_k",
        every(messages={"top_k": 5}, generate=config(topK=5), cohere={"k": 5}),
        ("sampling.top_k",),
    ),
    Asking(
        "frequency penalty",
        every(
            chat={"frequency_penalty": 0.5},
            generate=config(frequencyPenalty=0.5),
            cohere={"frequency_penalty": 0.5},
        ),
        ("sampling.frequency_penalty",),
    ),
    Asking(
        "presence penalty",
        every(
            chat={"presence_penalty": 0.5},
            generate=config(presencePenalty=0.5),
            cohere={"presence_penalty": 0.5},
        ),
        ("sampling.presence_penalty",),
    ),
    Asking(
        "seed",
        every(chat={"seed": 7}, generate=config(seed=7), cohere={"seed": 7}),
        ("sampling.seed",),
    ),
    Asking("logit_bias", every(chat={"logit_bias": {"50256": -100}}), ("sampling.logit_bias",)),
    Asking(
        "log probabilities",
        every(
            chat={"logprobs": True, "top_logprobs": 2},
            responses={"include": ["message.output_text.logprobs"], "top_logprobs": 2},
            generate=config(responseLogprobs=True, logprobs=2),
        ),
        ("logprobs", "top_logprobs"),
    ),
    Asking(
        "log probabilities of what is said alone",
        every(
            chat={"logprobs": True},
            responses={"include": ["message.output_text.logprobs"]},
            generate=config(responseLogprobs=True),
            cohere={"logprobs": True},
        ),
    ),
    Asking("several candidates (n)", every(chat={"n": 2}, generate=config(candidateCount=2))),
    Asking(
        "stop sequences",
        every(
            chat={"stop": ["END"]},
            messages={"stop_sequences": ["END"]},
            generate=config(stopSequences=["END"]),
            cohere={"stop_sequences": ["END"]},
        ),
        ("stop",),
    ),
    Asking(
        "five stop sequences",
        every(
            messages={"stop_sequences": list("ABCDE")},
            generate=config(stopSequences=list("ABCDE")),
            cohere={"stop_sequences": list("ABCDE")},
        ),
        ("stop",),
    ),
    Asking(
        "effort",
        every(
            chat={"reasoning_effort": "high"},
            responses={"reasoning": {"effort": "high"}},
            messages={"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
            generate=config(thinkingConfig={"thinkingLevel": "HIGH"}),
        ),
        ("reasoning",),
    ),
    Asking(
        "least effort",
        every(
            chat={"reasoning_effort": "minimal"},
            responses={"reasoning": {"effort": "minimal"}},
            generate=config(thinkingConfig={"thinkingLevel": "MINIMAL"}),
        ),
        ("reasoning",),
    ),
    Asking(
        "thinking in tokens",
        every(
            messages={
                "max_tokens": 20_000,
                "thinking": {"type": "enabled", "budget_tokens": 8192},
            },
            generate=config(maxOutputTokens=20_000, thinkingConfig={"thinkingBudget": 8192}),
            cohere={
                "max_tokens": 20_000,
                "thinking": {"type": "enabled", "token_budget": 8192},
            },
        ),
        ("reasoning",),
        same={"cohere": ("reasoning.shown",)},
    ),
    Asking(
        "thinking in tokens between two steps",
        every(
            messages={
                "max_tokens": 20_000,
                "thinking": {"type": "enabled", "budget_tokens": 5000},
            },
            generate=config(maxOutputTokens=20_000, thinkingConfig={"thinkingBudget": 5000}),
            cohere={
                "max_tokens": 20_000,
                "thinking": {"type": "enabled", "token_budget": 5000},
            },
        ),
        ("reasoning",),
        same={"cohere": ("reasoning.shown",)},
    ),
    Asking(
        "thinking off",
        every(
            chat={"reasoning_effort": "none"},
            responses={"reasoning": {"effort": "none"}},
            messages={"thinking": {"type": "disabled"}},
            generate=config(thinkingConfig={"thinkingBudget": 0}),
            cohere={"thinking": {"type": "disabled"}},
        ),
        ("reasoning",),
        same={"converse": ("reasoning",)},
    ),
    Asking(
        "thoughts shown",
        every(
            responses={"reasoning": {"effort": "high", "summary": "auto"}},
            messages={"thinking": {"type": "adaptive", "display": "summarized"}},
            generate=config(thinkingConfig={"includeThoughts": True}),
            cohere={"thinking": {"type": "enabled"}},
        ),
        ("reasoning",),
        same={"cohere": ("reasoning",)},
    ),
    Asking(
        "verbosity",
        every(chat={"verbosity": "low"}, responses={"text": {"verbosity": "low"}}),
        ("verbosity",),
    ),
    Asking("images wanted", every(generate=config(responseModalities=["TEXT", "IMAGE"]))),
    Asking(
        "audio wanted",
        every(
            chat={
                "modalities": ["text", "audio"],
                "audio": {"voice": "alloy", "format": "wav"},
            },
            generate=config(responseModalities=["AUDIO"]),
        ),
    ),
    Asking(
        "cache key",
        every(chat={"prompt_cache_key": "k"}, responses={"prompt_cache_key": "k"}),
        ("cache_key",),
    ),
    Asking(
        "cached prompt of a vendor's store", every(generate={"cachedContent": "cachedContents/a1"})
    ),
    Asking(
        "service tier",
        every(
            chat={"service_tier": "flex"},
            responses={"service_tier": "flex"},
            messages={"service_tier": "standard_only"},
            generate={"serviceTier": "FLEX"},
        ),
        ("service_tier",),
        same={"cohere": ("service_tier: 'default'",)},
    ),
    Asking(
        "metadata",
        every(
            chat={"metadata": {"a": "b"}},
            responses={"metadata": {"a": "b"}},
            generate={"labels": {"a": "b"}},
        ),
        ("metadata",),
    ),
    Asking(
        "end user",
        every(
            chat={"user": "u1"}, responses={"user": "u1"}, messages={"metadata": {"user_id": "u1"}}
        ),
        ("user",),
    ),
    Asking(
        "safety identifier",
        every(chat={"safety_identifier": "s1"}, responses={"safety_identifier": "s1"}),
        ("user",),
    ),
    Asking(
        "end user and safety identifier",
        every(
            chat={"user": "u1", "safety_identifier": "s1"},
            responses={"user": "u1", "safety_identifier": "s1"},
        ),
        ("user", "safety_id"),
    ),
    Asking(
        "storing the answer", every(chat={"store": True}, responses={"store": True}), ("store",)
    ),
    Asking(
        "safety settings",
        every(
            generate={
                "safetySettings": [
                    {
                        "category": "HARM_CATEGORY_HARASSMENT",
                        "threshold": "BLOCK_NONE",
                    }
                ]
            }
        ),
        ("extensions",),
    ),
    Asking(
        "a mode of safety and a priority",
        every(cohere={"safety_mode": "STRICT", "priority": 3}),
        ("extensions",),
    ),
    Asking(
        "documents to answer from",
        every(cohere={"documents": ["Köln", {"id": "d1", "data": {"text": "Oslo"}}]}),
        ("turns.0.parts",),
        ("Köln", "Oslo"),
    ),
    Asking(
        "documents that are not to be cited",
        every(cohere={"documents": ["Köln"], "citation_options": {"mode": "OFF"}}),
        ("turns.0.parts",),
        ("Köln",),
        same=dict.fromkeys(("chat", "responses"), ("turns.0.parts",)),
    ),
    Asking(
        "how citations are made",
        every(cohere={"citation_options": {"mode": "FAST"}}),
        ("extensions",),
    ),
    Asking(
        "predicted output",
        every(chat={"prediction": {"type": "content", "content": "Hi"}}),
        ("extensions",),
    ),
    Asking(
        "a member nobody knows",
        every(**{key: {"frobnicate": 1} for key in WRITTEN}),
        ("extensions",),
    ),
)
