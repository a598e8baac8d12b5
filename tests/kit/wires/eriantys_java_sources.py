"""The listed Java classes as Java sources, made from the tables: what a Java virtual machine needs to speak the wire."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from gamehost.wires.eriantys_java.classes import (
    CLASSES,
    ENUMERATION,
    ENUMERATIONS,
    SERIALIZABLE,
    JavaClass,
    JavaField,
)
from tests.kit.sources import ROOT

PROGRAM = ROOT / "tests" / "java" / "JavaClient.java"

_PRIMITIVE = {"I": "int", "Z": "boolean", "F": "float"}
#: Options that make a short run of a Java program start quickly.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


def _java_type(field: JavaField) -> str:
    if field.signature in _PRIMITIVE:
        return _PRIMITIVE[field.signature]
    array = "[]" if field.signature.startswith("[") else ""
    return field.signature.lstrip("[")[1:-1].replace("/", ".") + array


def _source(java: JavaClass) -> str:
    package, _, name = java.name.rpartition(".")
    if java.flags == ENUMERATION:
        constants = ", ".join(one.name for one in ENUMERATIONS[java.name])
        return f"package {package};\npublic enum {name} {{ {constants} }}\n"
    over = f"extends {java.parent.name} " if java.parent is not None else ""
    fields = "".join(f"    public {_java_type(field)} {field.name};\n" for field in java.fields)
    uid = f"    private static final long serialVersionUID = 0x{java.uid.hex()}L;\n"
    return f"package {package};\npublic class {name} {over}implements java.io.Serializable {{\n{uid}{fields}}}\n"


def _sources() -> Iterator[tuple[Path, str]]:
    for name, java in CLASSES.items():
        if name.startswith("it.") and java.flags in (SERIALIZABLE, ENUMERATION):
            yield Path(*name.split(".")).with_suffix(".java"), _source(java)


def compiled(folder: Path) -> Path:
    """Write the sources into a folder and compile them and the program. Gives the folder with the classes."""
    paths = []
    for path, text in _sources():
        target = folder / "sources" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        paths.append(str(target))
    classes = folder / "classes"
    command = ["javac", *(f"-J{option}" for option in QUICK), "-nowarn", "-d", str(classes), *paths, str(PROGRAM)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    return classes


def run(classes: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Run the program with these arguments and this input. Gives what it writes."""
    command = ["java", *QUICK, "-cp", str(classes), "JavaClient", *arguments]
    return subprocess.run(command, input=given, check=True, timeout=120, capture_output=True).stdout
