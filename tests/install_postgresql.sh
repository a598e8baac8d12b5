#!/bin/sh
# Installs PostgreSQL's programs for the tests of that store, where that is possible; says what is missing elsewhere.
set -eu
if command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "The tests need PostgreSQL's programs. On Debian: apt-get install postgresql" >&2
    exit 1
fi
# The tests make a server of their own. Debian would start another one.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
apt-get update -q
apt-get install -q --yes --no-install-recommends postgresql
