#!/usr/bin/env bash
# Builds the site of documents into site/, from docs/ and the OpenAPI description; every link is
# looked at. The generator lives in an environment of its own, .docs. SITE_URL: where it will be.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/environment.sh dev
stamp=$(cat requirements/docs.txt .venv/pyvenv.cfg | cksum)
if [ "$(cat .docs/.stamp 2>/dev/null)" != "$stamp" ]; then
  echo "installing the generator locked in requirements/docs.txt" >&2
  rm -rf .docs
  .venv/bin/python -m venv --without-pip .docs
  UV_PYTHON_DOWNLOADS=never .venv/bin/uv pip install --quiet --python .docs/bin/python \
    --only-binary :all: --require-hashes -r requirements/docs.txt
  echo "$stamp" >.docs/.stamp
fi
build=build/docs
.venv/bin/python scripts/docs_site.py stage "$build"
.docs/bin/zensical build --clean --strict --config-file "$build/zensical.toml"
.venv/bin/python scripts/docs_site.py finish "$build" "$build/site"
rm -rf site
mv "$build/site" site
echo "site/index.html: $(find site -name '*.html' | wc -l) pages, every link leads somewhere"
