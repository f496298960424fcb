#!/bin/sh
# prune-packages.sh NODE_MODULES: deletes what no program loads from installed packages: types, source maps, documents,
# tests and examples. Licences stay. The Dockerfile runs this, and so does test/deploy/image.long.test.ts.
set -eu
cd "$1"

find . -depth -type d \( -name test -o -name tests -o -name __tests__ -o -name example -o -name examples -o -name docs -o -name doc \
  -o -name .github -o -name benchmarks \) -exec rm -r {} +

find . -type f ! -iname 'licen[cs]e*' ! -iname 'notice*' ! -iname 'copying*' \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' \
  -o -name '*.map' -o -name '*.flow' -o -name '*.tsbuildinfo' -o -iname '*.md' -o -iname '*.markdown' -o -name '*.c' -o -name '*.tgz' \
  -o -name '*.zip' \) -delete

find . -depth -type d -empty -delete
