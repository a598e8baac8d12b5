#!/bin/sh
# Installs the wheel of a folder into an empty venv and starts the host three ways from an empty folder. Then installs the wheel
# with pipx, with what it requires and nothing else, and uses every verb.
# usage: check_dist.sh PYTHON DIST
set -eu
python=$1
dist=$(cd "$2" && pwd)
tests=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$python" -m venv "$place/venv"
"$place/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$dist"/*.whl
mkdir "$place/empty"
cd "$place/empty"
"$place/venv/bin/python" -c '
from importlib.metadata import files
shipped = {str(path) for path in files("gamehost")}
for needed in ("gamehost/py.typed", "gamehost/testing/wire_contract.py", "gamehost/storage/schema.sql",
    "gamehost/web/static/index.html"):
    assert needed in shipped, f"check-dist: {needed} is not in the wheel"'
for start in "twistd --nodaemon --pidfile= gamehost" "twist gamehost" "python -m twisted gamehost" "gamehost run"; do
    # Each wire on a port of the system's choice.
    options=$("$place/venv/bin/python" -c '
from gamehost.plugins import WIRES
assert WIRES
print("--web=tcp:0:interface=127.0.0.1", *(f"--{wire.name}=tcp:0:interface=127.0.0.1" for wire in WIRES))')
    : >log # what the host before has logged says nothing of this one
    # shellcheck disable=SC2086
    "$place/venv/bin/"$start --store=memory $options >log 2>&1 &
    host=$!
    for _ in $(seq 300); do
        grep -q "gamehost ready" log && break
        sleep 0.1
    done
    if ! grep -q "gamehost ready" log; then
        echo "check-dist: '$start' did not come up:"
        cat log
        exit 1
    fi
    kill -TERM $host
    # The shell reports a process that a signal has ended; here that is what is expected.
    wait $host 2>/dev/null || true
    echo "check-dist: $start: up and down again"
done

"$python" -m venv "$place/tool"
"$place/tool/bin/python" -m pip install --quiet --disable-pip-version-check pipx
export PIPX_HOME="$place/pipx" PIPX_BIN_DIR="$place/bin" PIPX_MAN_DIR="$place/man"
"$place/tool/bin/pipx" install --quiet --python "$("$python" -c 'import sys; print(sys.executable)')" "$dist"/*.whl
"$python" "$tests/check_installed.py" "$place/bin/gamehost"
