#!/usr/bin/env bash
# Compares two commits: what a request costs with the second one, where the first one's is 1.
#   bench/compare.sh OLD NEW [options of bench.py]        bench/compare.sh main HEAD --rounds 5
# Both run at once on one core and are asked in turn, a second or two each, so that a busy neighbour
# hits both. The sources as they are, priced models, SQLite; the dependencies are this checkout's.
# Rough: what is closer to 1 than the rounds are to each other (--json FILE has them) is nothing.
set -euo pipefail
if [ $# -lt 2 ]; then
  sed -n '2,6s/^# //p' "$0" >&2
  exit 2
fi
old=$1 new=$2
shift 2
cd "$(dirname "$0")/.."
for tool in gcc wrk taskset; do
  if ! command -v "$tool" >/dev/null; then
    echo "bench: $tool is missing. On Debian: apt-get install gcc libc6-dev wrk util-linux" >&2
    exit 1
  fi
done
scripts/environment.sh dev
bin=$PWD/.venv/bin
folder=$(mktemp -d -t trivium-compare-XXXXXX)
trap 'rm -rf "$folder"; git worktree prune' EXIT
export BENCH_VENDOR_KEY=sk-bench
arguments=()
for name in old new; do
  commit=${!name}
  git worktree add --quiet --detach "$folder/$name" "$commit"
  mkdir "$folder/$name.data"
  port=$([ $name = old ] && echo 9181 || echo 9182)
  sed "s#@folder@#$folder/$name.data#" bench/compare.toml >"$folder/$name.toml"
  run() { PYTHONPATH="$folder/$name/src" "$bin/trivium" "$@" --config "$folder/$name.toml"; }
  run user create bench --email b@example.org --credit 1000000 >/dev/null
  arguments+=(--key "$name=$(run key create --user bench)")
  arguments+=(--start "$name=$port=env PYTHONPATH=$folder/$name/src $bin/trivium serve --config $folder/$name.toml --listen 127.0.0.1:$port")
done
"$bin/python" bench/bench.py --no-nginx --base old "${arguments[@]}" \
  --case chat:json --case chat:json@c1 --case chat:json@400k@c8 --case chat:stream \
  --case messages:json:to-chat --case messages:stream:to-chat "$@"
