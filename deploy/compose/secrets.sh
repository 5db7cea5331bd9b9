#!/bin/sh
# Makes what compose.yaml hands over as secrets, one file each in ./secrets; what is there already stays as it is.
# The vendor's key comes from OPENAI_API_KEY, or is asked for.
#
# Compose mounts these files as they are, so the containers' users have to be able to read them (0444); the folder keeps
# everybody else on this machine out (0700).
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
chmod 700 secrets

keep() { # NAME VALUE
  [ -s "secrets/$1" ] && return
  printf '%s\n' "$2" >"secrets/.$1"
  chmod 444 "secrets/.$1"
  mv "secrets/.$1" "secrets/$1"
  echo "made secrets/$1" >&2
}

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

given() {
  [ -s secrets/openai_api_key ] && return
  if [ -z "${OPENAI_API_KEY:-}" ] && [ -t 0 ]; then
    printf 'Key of your account at OpenAI (not shown): ' >&2
    trap 'stty echo' EXIT INT TERM
    stty -echo
    read -r OPENAI_API_KEY
    stty echo
    echo >&2
  fi
  if [ -z "${OPENAI_API_KEY:-}" ]; then
    echo "secrets.sh: there is no key of a vendor's: set OPENAI_API_KEY, or write it to secrets/openai_api_key (mode 0444)" >&2
    exit 1
  fi
  keep openai_api_key "$OPENAI_API_KEY"
}

keep trivium_secret "$(random)"
keep postgres_password "$(random)"
keep database_password "$(random)"
keep database_url "postgresql://trivium:$(cat secrets/database_password)@postgres:5432/trivium"
keep valkey_auth "requirepass $(random)"
keep valkey_url "valkey://:$(sed 's/^requirepass //' secrets/valkey_auth)@valkey:6379/0"
given
