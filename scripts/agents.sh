#!/usr/bin/env bash
# Installs the coding agents that tests/agents lets work, from the lock and without install scripts
# (700 MB), and runs them. Claude Code takes part where `claude` is on the path.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in node npm; do
  command -v "$tool" >/dev/null || {
    echo "make: $tool is missing: the agents need Node.js 20 or newer and npm." >&2
    exit 1
  }
done
(
  cd tests/agents
  stamp=$(cat package.json package-lock.json | cksum)
  if [ "$(cat node_modules/.stamp 2>/dev/null)" != "$stamp" ]; then
    echo "installing the agents locked in tests/agents/package-lock.json (700 MB)" >&2
    npm ci --ignore-scripts --no-audit --no-fund --loglevel error
    echo "$stamp" >node_modules/.stamp
  fi
)
exec .venv/bin/python -m pytest tests/agents -m agents "$@"
