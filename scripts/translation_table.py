#!/usr/bin/env python
"""Writes docs/translation.md from the cases in tests/end_to_end/features."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from end_to_end.features.table import document  # noqa: E402 - found by the line above

(ROOT / "docs" / "translation.md").write_text(document())
