#!/bin/sh
# Installs a Chromium and a font for the browser tests, where that is possible; says what is missing elsewhere.
set -eu
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then
        exit 0
    fi
done
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "The browser tests need Chromium and a font. On Debian: apt-get install chromium fonts-dejavu-core" >&2
    exit 1
fi
apt-get update -q
apt-get install -q --yes --no-install-recommends chromium fonts-dejavu-core
