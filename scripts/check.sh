#!/usr/bin/env bash
# Runs every check, goes on after a failure, and ends with one summary.
# TRIVIUM_COVERAGE=1 measures what the tests reach, which takes about twice as long.
set -uo pipefail
cd "$(dirname "$0")/.."
scripts/environment.sh dev || exit
# where it is set, each of the hundreds of processes that tests start would compile everything anew
unset PYTHONDONTWRITEBYTECODE

marks="not slow"
if [ "${TRIVIUM_WITHOUT_NODE:-}" = 1 ]; then
  marks="$marks and not node"
fi
if [ "${TRIVIUM_WITHOUT_ENGINE:-}" = 1 ]; then
  marks="$marks and not engine"
fi
if [ "${TRIVIUM_WITHOUT_SPEECH:-}" = 1 ]; then
  marks="$marks and not speech"
fi
if [ "${TRIVIUM_WITHOUT_LANGCHAIN:-}" = 1 ]; then
  marks="$marks and not langchain"
fi
# accessibility is checked by a package of the Node clients' lock
if [ "${TRIVIUM_WITHOUT_BROWSER:-}" = 1 ]; then
  marks="$marks and not browser"
elif [ "${TRIVIUM_WITHOUT_NODE:-}" = 1 ]; then
  marks="$marks and not (browser and node)"
fi
summary=()
failed=0

step() {
  local name=$1 began=$SECONDS result=passed
  shift
  printf '\n== %s\n' "$name"
  "$@" || result=FAILED
  [ "$result" = passed ] || failed=1
  summary+=("$(printf '%-14s %-8s %4d s' "$name" "$result" $((SECONDS - began)))")
}

types() {
  local result=0
  wait "$typing" || result=$?
  cat "$scratch/types"
  return "$result"
}

# a folder of its own: another pytest on this machine closes the shared one to PostgreSQL's user
scratch=$(mktemp -d -t trivium-check-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
bin=.venv/bin
step format "$bin/ruff" format --check .
step lint "$bin/ruff" check .
step dependencies "$bin/deptry" src
# types are looked at beside the rules of the house
"$bin/mypy" >"$scratch/types" 2>&1 &
typing=$!
step layout "$bin/python" -m pytest tests/layout -m "not slow" -n "${TRIVIUM_TEST_PROCESSES:-2}" --dist worksteal
step types types
# compiles the tests once, while the steps below wait for downloads, and not in each process of pytest
"$bin/python" -m pytest --collect-only -m "$marks" --ignore tests/layout >/dev/null 2>&1 &
compiling=$!
[ "${TRIVIUM_WITHOUT_ENGINE:-}" = 1 ] || step engine scripts/environment.sh engine
[ "${TRIVIUM_WITHOUT_SPEECH:-}" = 1 ] || step speech scripts/environment.sh speech
step node scripts/node.sh
step langchain scripts/langchain.sh
step release scripts/release.sh environment
step browser scripts/browser.sh
wait "$compiling"
# twice as many as processors: tests/parallel.py has one half wait while the other computes
step tests "$bin/python" -m pytest -n "${TRIVIUM_TEST_PROCESSES:-4}" --dist loadfile \
  --no-loadscope-reorder -m "$marks" --ignore tests/layout --basetemp "$scratch/tests" \
  ${TRIVIUM_COVERAGE:+--cov --cov-report=term}

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
if [ "$failed" = 0 ]; then
  echo "make check: everything passed"
else
  echo "make check: something FAILED, see above"
fi
exit "$failed"
