"""The browser's modules run by node, without a browser: for the rules that a page knows."""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any
from unittest import SkipTest

import gamehost

STATIC = Path(gamehost.__file__).parent / "web" / "static"
#: The first version that takes a `.js` file for a module without being told so.
_LEAST = (20, 19)
_SECONDS = 60


@cache
def node() -> str:
    """
    The path of node.

    :raises SkipTest: there is none, or it is too old
    """
    path = shutil.which("node")
    if path is None:
        raise SkipTest("there is no node to run the browser's modules with")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True, timeout=_SECONDS).stdout
    if tuple(map(int, version.strip().removeprefix("v").split(".")[:2])) < _LEAST:
        raise SkipTest(f"node {version.strip()} is too old for the browser's modules; expected {_LEAST}")
    return path


def evaluate(module: str, expression: str, data: Any = None) -> Any:
    """
    What an expression gives.

    :param module: a path under `gamehost/web/static`; the expression sees it as `module`
    :param expression: JavaScript; it sees `data`, and its value must be plain data
    :raises SkipTest: there is no node
    """
    script = (
        f"import * as module from {json.dumps((STATIC / module).as_uri())};"
        "let text = ''; for await (const part of process.stdin) text += part;"
        f"const data = JSON.parse(text); process.stdout.write(JSON.stringify({expression}));"
    )
    command = [node(), "--no-warnings", "--input-type=module", "--eval", script]
    done = subprocess.run(
        command, input=json.dumps(data), capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)
