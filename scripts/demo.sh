#!/usr/bin/env bash
# Installs what serving and the local engine need, then becomes the demo.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/environment.sh run
scripts/environment.sh engine
if [ "${SPEECH:-}" = 1 ]; then
  scripts/environment.sh speech
  set -- --speech "$@"
fi
exec .venv/bin/trivium demo "$@"
