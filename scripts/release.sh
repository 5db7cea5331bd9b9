#!/usr/bin/env bash
# Makes the files of a release in dist/: sdist, pure and compiled wheel, SBOM, chart, image, provenance, SHA256SUMS.
#   release.sh [--out FOLDER] [--commit COMMIT] [--without-compiled] [--without-image]
#   release.sh environment   only the tools, locked in requirements/release.txt, and what mypy reads, into .release
# PYTHON names the interpreter to start from: what is compiled is for its version.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/environment.sh run
stamp=$({ cat requirements/run.txt requirements/release.txt; .venv/bin/python -VV; } | cksum)
if [ "$(cat .release/.stamp 2>/dev/null)" != "$stamp" ]; then
  echo "installing what is locked in requirements/release.txt into .release" >&2
  rm -rf .release
  .venv/bin/python -m venv .release
  UV_PYTHON_DOWNLOADS=never .venv/bin/uv pip install --quiet --python .release/bin/python \
    --only-binary :all: --require-hashes -r requirements/run.txt -r requirements/release.txt
  echo "$stamp" >.release/.stamp
fi
[ "${1:-}" = environment ] || exec .release/bin/python scripts/release.py "$@"
