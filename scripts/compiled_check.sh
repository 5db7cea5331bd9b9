#!/usr/bin/env bash
# The tests that drive whole gateways and the codecs, and the worst cases made small, on the gateway in
# .compiled (scripts/compiled.sh dev).
# Left out: what needs the local engine, which is not installed there, and the tests of single parts of
# the relay, which put classes of their own in the place of compiled ones.
# Options go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/node.sh
scratch=$(mktemp -d -t trivium-compiled-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
.compiled/bin/python -c 'import trivium.pipeline.handle as found; assert found.__file__.endswith(".so"), found.__file__'
.compiled/bin/python -m pytest tests/end_to_end tests/wire tests/conversation tests/corpus -n "${TRIVIUM_TEST_PROCESSES:-3}" \
  --dist loadfile -m "not slow and not engine and not speech and not browser and not langchain" \
  --basetemp "$scratch/tests" "$@"
