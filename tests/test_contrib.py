"""What stands in `contrib`: the unit for systemd is sandboxed and fits the host's limits, the image runs as nobody special."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost.config import Options
from gamehost.limits import Limits
from gamehost.ops.watchdog import OTHER_FILES, STANDSTILL
from gamehost.plugins import WIRES

CONTRIB = Path(__file__).parents[1] / "contrib"
CHECKS = [Path(__file__).with_name(name) for name in ("check_dist.sh", "check_deb.sh")]
ANALYZE = shutil.which("systemd-analyze")


def directives() -> dict[str, list[str]]:
    """Every directive of the unit, with all its values."""
    found: dict[str, list[str]] = {}
    for line in (CONTRIB / "gamehost.service").read_text("utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


class UnitTests(SynchronousTestCase):
    """`gamehost.service`."""

    def test_sandbox(self) -> None:
        """Nothing is gained, written or seen beyond what a host needs."""
        unit = directives()
        for name in (
            *(
                "NoNewPrivileges",
                "ProtectHome",
                "PrivateTmp",
                "PrivateDevices",
                "ProtectKernelTunables",
                "ProtectClock",
            ),
            *("ProtectKernelModules", "ProtectKernelLogs", "RestrictNamespaces", "LockPersonality", "DynamicUser"),
            "MemoryDenyWriteExecute",
        ):
            self.assertEqual(unit[name], ["yes"], name)
        for name, value in {
            "ProtectSystem": "strict",
            "ProtectProc": "invisible",
            "CapabilityBoundingSet": "",
            "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
            "SystemCallArchitectures": "native",
            "UMask": "0077",
            "StateDirectory": "gamehost",
        }.items():
            self.assertEqual(unit[name], [value], name)
        self.assertEqual(unit["SystemCallFilter"], ["@system-service", "~@privileged @resources"])

    def test_limits_fit_the_hosts(self) -> None:
        """Files for every connection that is allowed; a watchdog that waits longer than a standstill; no endless restarts."""
        unit = directives()
        self.assertGreaterEqual(int(unit["LimitNOFILE"][0]), Limits().connections + OTHER_FILES)
        self.assertGreater(float(unit["WatchdogSec"][0]), 5 * STANDSTILL)
        self.assertEqual((unit["Type"], unit["Restart"]), (["notify"], ["on-failure"]))
        self.assertEqual((unit["StartLimitBurst"], unit["StartLimitIntervalSec"]), (["5"], ["60"]))
        self.assertIn("MemoryMax", unit)

    def test_command(self) -> None:
        """The options are the host's."""
        [command] = directives()["ExecStart"]
        _, verb, *options = command.split()
        self.assertEqual(verb, "run")
        known = Options().longOpt
        for option in options:
            self.assertIn(re.match(r"--([a-z-]+=)", option)[1], known)  # type: ignore[index]

    def analyze(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """What systemd says of the unit; the command, which is not installed here, is exchanged."""
        if ANALYZE is None:
            raise SkipTest("no systemd here")
        path = Path(self.mktemp()).absolute()
        path.mkdir()
        unit = path / "gamehost.service"
        text = (CONTRIB / "gamehost.service").read_text("utf-8")
        unit.write_text(re.sub("/opt/gamehost/bin/gamehost", shutil.which("true") or "/bin/true", text))
        command: Sequence[str] = [ANALYZE, *arguments, str(unit)]
        environment = {**os.environ, "SYSTEMD_COLORS": "0", "SYSTEMD_EMOJI": "0"}
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)

    def test_systemd_understands_it(self) -> None:
        """No unknown directive, and no word too many."""
        done = self.analyze("verify", "--man=no")
        self.assertNotIn("gamehost.service:", done.stderr)

    def test_exposure(self) -> None:
        """systemd's own figure, from 0 (best) to 10, is 2.0 at most."""
        done = self.analyze("security", "--offline=true")
        found = re.search(r"Overall exposure level for gamehost\.service: ([0-9.]+)", done.stdout)
        if found is None:
            raise SkipTest(f"this systemd cannot say: {done.stderr[:200]}")
        self.assertLessEqual(float(found[1]), 2.0)


class ImageTests(SynchronousTestCase):
    """`Dockerfile`."""

    def test_image(self) -> None:
        """Not root, slim, with the store on a volume, and every wire on."""
        text = (CONTRIB / "Dockerfile").read_text("utf-8")
        lines = text.splitlines()
        self.assertIn("USER gamehost", lines)
        self.assertIn("VOLUME /var/lib/gamehost", lines)
        self.assertTrue(all("slim" in line for line in lines if line.startswith("FROM")))
        for wire in WIRES:
            port = wire.endpoint.split(":")[1]
            self.assertIn(f'"--{wire.name}=tcp:{port}"', text)

    def test_command(self) -> None:
        """The host understands the options of the image, and every port that it listens on is exposed."""
        text = (CONTRIB / "Dockerfile").read_text("utf-8")
        program, verb, *options = json.loads(re.findall(r"^ENTRYPOINT (.*)$", text, re.M)[0])
        self.assertEqual((program, verb), ("/opt/gamehost/bin/gamehost", "run"))
        parsed = Options()
        parsed.parseOptions([*options, *json.loads(re.findall(r"^CMD (.*)$", text, re.M)[0])])
        exposed: set[int] = set()
        for word in re.findall(r"^EXPOSE (.*)$", text, re.M)[0].split():
            first, _, last = word.partition("-")
            exposed.update(range(int(first), int(last or first) + 1))
        ports = {
            int(endpoint.split(":")[1]) for name in ("web", *(wire.name for wire in WIRES)) for endpoint in parsed[name]
        }
        self.assertEqual(ports - exposed, set())


class PackageTests(SynchronousTestCase):
    """The package for Debian; `make check-deb` builds and uses it."""

    def test_scripts(self) -> None:
        """The shell can read them, and what the package installs is there."""
        folder = CONTRIB / "debian"
        for script in (*(folder / name for name in ("build.sh", "gamehost", "postinst", "prerm")), *CHECKS):
            subprocess.run(["sh", "-n", str(script)], check=True, timeout=60)
        with (folder / "gamehost.toml").open("rb") as file:
            self.assertEqual(tomllib.load(file), {})

    def test_unit(self) -> None:
        """The path of the command is changed in the unit, as the script for the package does it."""
        [command] = directives()["ExecStart"]
        script = (CONTRIB / "debian" / "build.sh").read_text("utf-8")
        pattern, path = re.findall(r"'s,=(\S+),=(\S+),'", script)[0]
        self.assertTrue(command.startswith(pattern + " run --config=/etc/gamehost.toml "))
        self.assertEqual(path, "/usr/bin/gamehost")
        kill, reload = directives()["ExecReload"]
        self.assertTrue(kill.startswith("kill -HUP"))
        store = command.partition("--store=")[2]
        self.assertEqual(reload, f"{pattern} admin --store={store} reload")
