#!/bin/sh
# Makes a package for Debian: the wheel of a folder with everything that it requires in /usr/lib/gamehost, the command, and the unit.
# usage: build.sh PYTHON DIST   (PYTHON: of the same minor version as the python3 of the Debian release)
set -eu
python=$1
dist=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v dpkg-deb >/dev/null; then
    echo "build.sh: dpkg-deb is needed; it is on every Debian system" >&2
    exit 1
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
wheel=$(ls "$dist"/gamehost-*.whl)
version=$(basename "$wheel" | cut -d- -f2)
minor=$("$python" -c 'import sys; print(sys.version_info.minor)')
architecture=$(dpkg --print-architecture)
chmod 755 "$root"
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/lib" "$root/lib/systemd/system" "$root/etc" "$root/usr/share/doc/gamehost"
"$python" -m pip install --quiet --disable-pip-version-check --no-compile --target "$root/usr/lib/gamehost" "${wheel}[metrics,postgresql,tls]"
rm -rf "$root/usr/lib/gamehost/bin"
install -m 755 "$here/gamehost" "$root/usr/bin/gamehost"
install -m 644 "$here/gamehost.toml" "$root/etc/gamehost.toml"
sed 's,=/opt/gamehost/bin/gamehost,=/usr/bin/gamehost,' "$here/../gamehost.service" \
    >"$root/lib/systemd/system/gamehost.service"
install -m 644 "$here/../../LICENSE" "$root/usr/share/doc/gamehost/copyright"
install -m 755 "$here/postinst" "$here/prerm" "$root/DEBIAN"
echo /etc/gamehost.toml >"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/control" <<END
Package: gamehost
Version: $version
Architecture: $architecture
Maintainer: the owner of this host <root@localhost>
Section: games
Priority: optional
Depends: python3 (>= 3.$minor), python3 (<< 3.$((minor + 1))), libc6
Suggests: systemd, postgresql
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Description: host for documented game protocols
 Several games and wire formats, one lobby, no lost move. The package has everything that the host requires, but Python.
 A store can be a file, or a PostgreSQL database: its driver (psycopg) is in the package, and its server is not.
END
chmod -R u+w,go-w,a+rX "$root"
dpkg-deb --root-owner-group --build "$root" "$dist/gamehost_${version}_${architecture}.deb"
