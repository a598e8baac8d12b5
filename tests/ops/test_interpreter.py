"""What a Python says about its own build."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.ops.interpreter import is_plain

#: The compiler's flag, which configure writes down whether it is used or not.
FLAG = {"PGO_PROF_USE_FLAG": "-fprofile-use -fprofile-correction"}
#: Variables of a build: as pyenv compiles by default; with the option; Debian's; of a Python that says nothing.
BUILDS: tuple[tuple[dict[str, str], bool], ...] = (
    ({**FLAG, "CONFIG_ARGS": "'--prefix=/opt' '--enable-shared'"}, True),
    ({**FLAG, "CONFIG_ARGS": "'--enable-optimizations' '--with-lto'"}, False),
    ({"PGO_PROF_USE_FLAG": "", "CONFIG_ARGS": "'--prefix=/usr' '--with-computed-gotos'"}, False),
    ({}, False),
)


class InterpreterTests(SynchronousTestCase):
    def test_builds(self) -> None:
        for variables, plain in BUILDS:
            self.assertEqual(is_plain(variables.get), plain, variables)
