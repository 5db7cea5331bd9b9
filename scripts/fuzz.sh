#!/usr/bin/env bash
# Fuzzes every target, or those that TARGETS names, SECONDS each (60): fuzz/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ ! -x .fuzz/bin/python ]; then
  .venv/bin/python -m venv .fuzz
  .fuzz/bin/python -m pip install --disable-pip-version-check --no-input --quiet --only-binary :all: --require-hashes -r requirements/dev.txt
  .fuzz/bin/python -m pip install --disable-pip-version-check --no-input --quiet --only-binary :all: --require-hashes -r requirements/fuzz.txt
fi
export PYTHONPATH=src:tests
all=$(.fuzz/bin/python -c 'from fuzz.targets import targets; print(*sorted(targets()))')
for target in ${TARGETS:-$all}; do
  echo "== $target"
  .fuzz/bin/python fuzz/run.py "$target" "${SECONDS_EACH:-60}" 2>&1 | tail -n 12
done
