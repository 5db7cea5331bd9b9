#!/usr/bin/env bash
# Measures this checkout, its hot path compiled (make compiled), beside nginx: channels to the
# stand-in vendor, a user and a key; one model that is asked in the caller's own shape, and one for each
# shape that others are translated to.
# Every shape and every pair, whole and streamed. Options go to bench.py: bench/run.sh --seconds 2
# Words before the options: "plain" measures the sources as they are, not compiled; "free" gives models
# no price, so that nothing is held, noted or booked; "table" prints what is to be reached and what is
# (options go to table.py then).
set -euo pipefail
price='price = { input = "1.25", cache_read = "0.125", output = "10" }'
build=compiled
table=
while [[ ${1:-} == free || ${1:-} == plain || ${1:-} == table ]]; do
  case $1 in
    free) price='free = true' ;;
    plain) build=plain ;;
    table) table=yes ;;
  esac
  shift
done
cd "$(dirname "$0")/.."
for tool in gcc wrk nginx taskset; do
  if ! command -v "$tool" >/dev/null; then
    echo "bench: $tool is missing. On Debian: apt-get install gcc libc6-dev wrk nginx-light util-linux" >&2
    exit 1
  fi
done
trivium=$PWD/.venv/bin/trivium
if [[ $build == compiled ]]; then
  scripts/compiled.sh
  trivium=$PWD/.compiled/bin/trivium
fi
folder=$(mktemp -d -t trivium-bench-XXXXXX)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/trivium.toml" <<TOML
[storage]
url = "sqlite:///$folder/bench.db"
journal = "$folder/journal/"

[logs]
level = "warning"

[[channels]]
name = "openai"
provider = "openai"
api_key = "env:BENCH_VENDOR_KEY"
base_url = "http://127.0.0.1:9100/v1"

[[channels]]
name = "anthropic"
provider = "anthropic"
api_key = "env:BENCH_VENDOR_KEY"
base_url = "http://127.0.0.1:9100"

[[channels]]
name = "gemini"
provider = "gemini"
api_key = "env:BENCH_VENDOR_KEY"
base_url = "http://127.0.0.1:9100"

[[channels]]
name = "delayed"
provider = "openai"
api_key = "env:BENCH_VENDOR_KEY"
base_url = "http://127.0.0.1:9101/v1"

[[models]]
name = "delayed"
$price
bindings = [{ channel = "delayed", model = "bench-model", shape = "chat" }]

[[channels]]
name = "signed"
provider = "bedrock-openai"
credential = { key_id = "AKIDBENCH", secret = "env:BENCH_VENDOR_KEY", region = "us-east-1" }
base_url = "http://127.0.0.1:9100/v1"

[[channels]]
name = "keyed"
provider = "bedrock-openai"
api_key = "env:BENCH_VENDOR_KEY"
base_url = "http://127.0.0.1:9100/v1"

[[models]]
name = "keyed"
$price
bindings = [{ channel = "keyed", model = "bench-model" }]

[[models]]
name = "signed"
$price
bindings = [{ channel = "signed", model = "bench-model" }]

[[models]]
name = "bench-model"
$price
bindings = [{ channel = "openai" }, { channel = "anthropic" }, { channel = "gemini" }]
TOML
for pair in chat=openai responses=openai messages=anthropic generate=gemini; do
  cat >>"$folder/trivium.toml" <<TOML

[[models]]
name = "to-${pair%=*}"
$price
bindings = [{ channel = "${pair#*=}", model = "bench-model", shape = "${pair%=*}" }]
TOML
done

export BENCH_VENDOR_KEY=sk-bench
"$trivium" user create bench --email b@example.org --credit 1000000 --config "$folder/trivium.toml"
key=$("$trivium" key create --user bench --config "$folder/trivium.toml")
shapes=(chat messages responses generate)
cases=()
for shape in "${shapes[@]}"; do
  cases+=(--case "$shape:json" --case "$shape:stream")
done
cases+=(--case chat:json:keyed --case chat:json:signed)
for shape in "${shapes[@]}"; do
  for other in "${shapes[@]}"; do
    if [[ $shape != "$other" ]]; then
      cases+=(--case "$shape:json:to-$other" --case "$shape:stream:to-$other")
    fi
  done
done
start=(--start "trivium=9181=$trivium serve --config $folder/trivium.toml --listen 127.0.0.1:9181")
if [[ $table ]]; then
  .venv/bin/python bench/table.py --header "Authorization: Bearer $key" "${start[@]}" "$@"
  exit
fi
.venv/bin/python bench/bench.py --header "Authorization: Bearer $key" "${cases[@]}" --case embeddings:json \
  "${start[@]}" "$@"
