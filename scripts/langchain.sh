#!/usr/bin/env bash
# Installs LangChain's clients, which tests/langchain drives, into an environment of their own: its
# package for Google holds an older google-genai than the one the other tests drive.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${TRIVIUM_WITHOUT_LANGCHAIN:-}" = 1 ]; then
  echo "TRIVIUM_WITHOUT_LANGCHAIN=1: the tests with LangChain are left out" >&2
  exit 0
fi
scripts/environment.sh dev
folder=tests/langchain/.venv
stamp=$(cat requirements/langchain.txt .venv/pyvenv.cfg | cksum)
[ "$(cat "$folder/.stamp" 2>/dev/null)" = "$stamp" ] && exit
echo "installing the clients locked in requirements/langchain.txt" >&2
rm -rf "$folder"
.venv/bin/python -m venv --without-pip "$folder"
UV_PYTHON_DOWNLOADS=never .venv/bin/uv pip install --quiet --python "$folder/bin/python" \
  --only-binary :all: --require-hashes -r requirements/langchain.txt || {
  echo "make: LangChain could not be installed (the reason is above)." >&2
  echo "To go on without its tests: TRIVIUM_WITHOUT_LANGCHAIN=1 make …" >&2
  exit 1
}
echo "$stamp" >"$folder/.stamp"
