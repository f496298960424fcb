#!/bin/sh
# prune-packages.sh PACKAGE...: deletes what no program loads from node_modules: all but manifests and licences of packages that none
# of the named ones needs; types, source maps, documents, tests and examples; and fonts other than the regular ones, which
# src/invoices/fonts.ts reads. The Dockerfile and test/deploy/image.full.test.ts run this.
set -eu

needed=
for package; do needed="$needed${needed:+, }[name=\"$package\"], [name=\"$package\"] *"; done
npm query ":root *:not(:is($needed))" | sed -n 's/^ *"location": "\(.*\)",$/\1/p' | while read -r folder; do
  find "$folder" -name node_modules -prune -o -type f ! -path "$folder/package.json" ! -iname 'licen[cs]e*' ! -iname 'notice*' \
    ! -iname 'copying*' -exec rm {} +
done

cd node_modules
find . -depth -type d \( -name test -o -name tests -o -name __tests__ -o -name example -o -name examples -o -name docs -o -name doc \
  -o -name .github -o -name benchmarks \) -exec rm -r {} +

find . -type f ! -iname 'licen[cs]e*' ! -iname 'notice*' ! -iname 'copying*' \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' \
  -o -name '*.map' -o -name '*.flow' -o -name '*.tsbuildinfo' -o -iname '*.md' -o -iname '*.markdown' -o -name '*.c' -o -name '*.tgz' \
  -o -name '*.zip' \) -delete

find @embedpdf -path '*/fonts/*' -type f ! -name '*-Regular.*' -delete

find . -depth -type d -empty -delete
