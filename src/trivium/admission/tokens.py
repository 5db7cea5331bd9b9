"""How many tokens a request is taken for until its answer says. Pure.

Written rule. Input: a token for every four bytes of the body, as the ledger estimates. Output: the
request's own limit, but no more than 1,024 for every answer asked for, which is more than most
answers have: the rest counts once it is known. Reserving what agents ask for (32,000 and more)
would leave a limit mostly idle. Where the input alone exceeds a limit, files inside the body count
as 1,024 tokens each, whatever their size; if it still does, the request can never run.
"""

import re
from typing import Final

from trivium.ledger import unreported_usage
from trivium.wire.operation import INPUT_ONLY, TOKEN_COUNTS, Operation
from trivium.wire.passage import RequestFacts

OUTPUT_TOKENS: Final = 1_024
"""Reserved for one answer at most."""
FILE_TOKENS: Final = 1_024
"""About what a picture comes to at the vendors."""
_FILE: Final = re.compile(rb"[A-Za-z0-9+/_-]{4096,}={0,2}")


def foreseen(operation: Operation, facts: RequestFacts, body: bytes) -> tuple[int, int]:
    """Tokens of the input and of the output."""
    if operation in TOKEN_COUNTS:
        return 0, 0  # they are counted, not used
    if operation in INPUT_ONLY:
        return unreported_usage.tokens(len(body)), 0
    most = OUTPUT_TOKENS * facts.choices
    return unreported_usage.tokens(len(body)), min(facts.output_max or most, most)


def without_files(body: bytes) -> int:
    """Tokens of the input when files in base64 are not taken for text."""
    files = [len(found[0]) for found in _FILE.finditer(body)]
    return unreported_usage.tokens(len(body) - sum(files)) + FILE_TOKENS * len(files)
