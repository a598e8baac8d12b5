"""What a start imports: what nobody asked for stays out of the process."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.started import Started, started

#: Packages and modules, with everything below them, that the default options do not ask for.
NOT_ASKED_FOR = (
    *("gamehost.checker", "gamehost.cluster", "gamehost.client", "gamehost.metrics.site", "gamehost.testing"),
    *("gamehost.storage.postgresql.opening", "gamehost.storage.postgresql.registry", "gamehost.net.tls"),
    *("OpenSSL", "cryptography", "service_identity", "psycopg", "prometheus_client", "hypothesis"),
)


def found(host: Started, *wanted: str) -> list[str]:
    """Which of these modules, or of those below them, a host has imported."""
    return sorted(name for name in host.modules if any(f"{name}.".startswith(f"{one}.") for one in wanted))


class StartTests(SynchronousTestCase):
    def started(self, *options: str) -> Started:
        folder = Path(self.mktemp())
        folder.mkdir()
        return started(folder, *options)

    def test_a_default_start_imports_nothing_that_nobody_asked_for(self) -> None:
        self.assertEqual(found(self.started("--house=0"), *NOT_ASKED_FOR), [])

    def test_a_host_without_a_socket_for_its_operator_has_no_verbs_for_one(self) -> None:
        host = self.started("--house=0", "--store=memory")
        self.assertEqual(found(host, "gamehost.admin.server", "gamehost.admin.people"), [])

    def test_who_asks_for_tls_gets_it(self) -> None:
        for shortened in ("--config", "--conf"):
            with self.subTest(shortened):
                folder = Path(self.mktemp())
                folder.mkdir()
                (folder / "host.toml").write_text('# tls: or not\ngrace = "60"\n', "utf-8")
                host = started(folder, "--house=0", "--store=memory", shortened, "host.toml")
                self.assertNotEqual(found(host, "OpenSSL"), [])
                (folder / "host.toml").write_text('grace = "60"\n', "utf-8")
                host = started(folder, "--house=0", "--store=memory", f"{shortened}=host.toml")
                self.assertEqual(found(host, "OpenSSL"), [])
