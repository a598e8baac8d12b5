#!/bin/sh
# Installs the package for Debian into a bare root, uses every verb there as a user without rights, and removes the package.
# usage: check_deb.sh DEB [ROOT]   (ROOT: a bare Debian, which is kept; where none is, one is made, which takes some minutes)
set -eu
deb=$1
tests=$(cd "$(dirname "$0")" && pwd)
if [ "$(id -u)" != 0 ]; then
    echo "check-deb: this needs root, to make a bare Debian and to change into it" >&2
    exit 1
fi
place=$(mktemp -d)
root=${2:-$place/root}
clean() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf "$place"
}
trap clean EXIT
if [ ! -e "$root/etc/debian_version" ]; then
    if ! command -v debootstrap >/dev/null; then
        echo "check-deb: debootstrap is needed: apt-get install debootstrap" >&2
        exit 1
    fi
    debootstrap --variant=minbase --include=python3 bookworm "$root" >"$place/log" 2>&1 || { tail "$place/log"; exit 1; }
fi
mount -t proc proc "$root/proc"
cp "$deb" "$root/usr/local/gamehost.deb"
cp "$tests/check_installed.py" "$root/usr/local/check_installed.py"
chroot "$root" dpkg --install /usr/local/gamehost.deb
chroot "$root" setpriv --reuid=65534 --regid=65534 --clear-groups python3 /usr/local/check_installed.py /usr/bin/gamehost
# There is no server in a bare Debian, but the driver is there and looks for one.
words=$(chroot "$root" gamehost journal list --store=postgresql://127.0.0.1:1/none 2>&1 || true)
case $words in
*"there is no connection to the database"*) ;;
*) echo "check-deb: the package brings no driver for PostgreSQL: $words" >&2; exit 1 ;;
esac
chroot "$root" dpkg --remove gamehost
chroot "$root" test ! -e /usr/lib/gamehost
chroot "$root" dpkg --purge gamehost
chroot "$root" test ! -e /etc/gamehost.toml
rm "$root/usr/local/gamehost.deb" "$root/usr/local/check_installed.py"
echo "check-deb: installed, used and removed on $(cat "$root/etc/debian_version")"
