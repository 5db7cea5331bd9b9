#!/usr/bin/env bash
# Installs what serving and the local engine need, then becomes the demo.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/environment.sh run
scripts/environment.sh engine
exec .venv/bin/trivium demo "$@"
