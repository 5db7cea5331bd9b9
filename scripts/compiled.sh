#!/usr/bin/env bash
# Builds the wheel with its hot path compiled (hatch_build.py) and installs it, with what is locked
# in requirements/run.txt, into .compiled. Skips what is already there. See docs/decisions/0021.
#   compiled.sh        .compiled/bin/trivium
#   compiled.sh dev    the same, and what the tests need
# PYTHON names the interpreter to start from, as for scripts/environment.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/environment.sh "${1:-run}"

fail() {
  printf '%s\n' "" "make: $1" "${@:2}" >&2
  exit 1
}

in_compiled() {
  .compiled/bin/python -m pip install --disable-pip-version-check --no-input --quiet "$@"
}

# what decides what is in there
stamp() {
  {
    find src/trivium -type f ! -name '*.pyc' -print0 | sort -z | xargs -0 cat
    cat hatch_build.py pyproject.toml requirements/run.txt requirements/compile.txt
    .venv/bin/python -VV
  } | .venv/bin/python -c \
    'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'
}

compile() {
  command -v "${CC:-gcc}" >/dev/null ||
    fail "a C compiler is missing." "On Debian and Ubuntu: apt-get install gcc python3-dev"
  local header
  header=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h
  [ -f "$header" ] || fail "Python's headers are missing: $header" \
    "On Debian and Ubuntu: apt-get install python3-dev (for a Python of your own choice: pythonX.Y-dev)"
  echo "compiling the hot path into .compiled: two to four minutes" >&2
  rm -rf .compiled
  .venv/bin/python -m venv .compiled
  in_compiled --only-binary :all: --require-hashes -r requirements/run.txt
  in_compiled --only-binary :all: --require-hashes -r requirements/compile.txt
  if ! HATCH_BUILD_HOOK_ENABLE_CUSTOM=true .compiled/bin/python -m hatchling build -t wheel \
    -d .compiled/dist >.compiled/build.log 2>&1; then
    tail -n 30 .compiled/build.log >&2
    fail "compiling failed; its last words are above, all of them in .compiled/build.log"
  fi
  in_compiled --no-deps --force-reinstall .compiled/dist/*.whl
  echo "$1" >.compiled/stamp
}

wanted=$(stamp)
[ "$(cat .compiled/stamp 2>/dev/null)" = "$wanted" ] || compile "$wanted"
if [ "${1:-run}" = dev ] && ! cmp -s requirements/dev.txt .compiled/dev.txt; then
  # --no-deps: the lock has all of them, and pip before 24 wants the pin of an extra beside its own
  in_compiled --only-binary :all: --require-hashes --no-deps -r requirements/dev.txt
  cp requirements/dev.txt .compiled/dev.txt
fi
