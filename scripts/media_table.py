#!/usr/bin/env python
"""Writes docs/media.md from the endpoints in tests/end_to_end/media."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from end_to_end.media.table import document  # noqa: E402 - found by the line above

(ROOT / "docs" / "media.md").write_text(document())
