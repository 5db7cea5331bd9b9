#!/usr/bin/env python
"""Writes what pages of docs show of the files in deploy/."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from deploy.pages import pages, written  # noqa: E402 - found by the line above

for page in pages():
    page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
