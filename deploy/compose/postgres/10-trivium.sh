#!/bin/bash
# Run by the image once, when the volume is new: the gateways' own role, which is no superuser, and its database.
set -euo pipefail
psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
  --set password="$(cat "${SECRETS:-/run/secrets}/database_password")" <<'SQL'
CREATE ROLE trivium LOGIN PASSWORD :'password';
CREATE DATABASE trivium OWNER trivium;
SQL
