#!/bin/sh
# make-secrets.sh [FOLDER]: makes the random secrets of compose.yaml, by default in deploy/secrets/. It keeps every file that exists:
# operator-seed must never change, encryption-key opens what the database has, and the database has its passwords from the first start.
set -eu
folder=${1:-$(dirname "$0")/secrets}
umask 022
mkdir -p "$folder"
cd "$folder"

# make NAME COMMAND…: a file appears whole or not at all.
make() {
  name=$1
  shift
  [ ! -e "$name" ] || return 0
  "$@" > "$name.new"
  mv "$name.new" "$name"
}

for name in staff-token metrics-token operator-seed signing-key encryption-key keystore-password mongo-admin-password mongo-password grafana-password; do
  make "$name" openssl rand -hex 32
done
make mongo-keyfile openssl rand -base64 756
make mongodb-uri printf 'mongodb://tideline:%s@mongo-1:27017,mongo-2:27017,mongo-3:27017/?replicaSet=tideline&authSource=tideline\n' \
  "$(cat mongo-password)"
