# SPDX-License-Identifier: Apache-2.0
"""Loading the library, and what the package exports."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import otprof

PACKAGE = pathlib.Path(otprof.__file__).parents[1]


def import_with(library):
    env = {**os.environ, "OTPROF_LIBRARY": str(library),
           "PYTHONPATH": str(PACKAGE)}
    return subprocess.run(
        [sys.executable, "-c", "import otprof"], env=env, text=True,
        capture_output=True).stderr.strip().splitlines()[-1:]


def build_library(tmp_path, text):
    cc = shutil.which("cc") or shutil.which("gcc")
    if not cc:
        pytest.skip("there is no C compiler")
    (tmp_path / "fake.c").write_text(text)
    library = tmp_path / "fake.so"
    subprocess.run([cc, "-shared", "-fPIC", "-o", library,
                    tmp_path / "fake.c"], check=True)
    return library


def test_library_is_missing():
    [line] = import_with("/nonexistent/libotprof.so.1")
    assert line.startswith("ImportError: cannot load the otprof library: "
                           "/nonexistent/libotprof.so.1")
    assert "set OTPROF_LIBRARY" in line


def test_library_of_another_version(tmp_path):
    library = build_library(
        tmp_path, 'const char *otprof_version(void) { return "2.1.0"; }')
    assert import_with(library) == [
        f"ImportError: {library} is version 2.1.0 of libotprof; this package "
        "needs version 1"]


def test_library_without_a_function(tmp_path):
    library = build_library(
        tmp_path, 'const char *otprof_version(void) { return "1.0.0"; }')
    assert import_with(library) == [
        f"ImportError: {library} is not a version 1 of libotprof: it has no "
        "function otprof_open_file"]


def test_library_is_something_else(tmp_path):
    library = build_library(tmp_path, "int nothing;")
    assert "has no function otprof_version" in import_with(library)[0]


def test_exports():
    assert all(hasattr(otprof, name) for name in otprof.__all__)
    assert (PACKAGE / "otprof" / "py.typed").exists()


@pytest.mark.parametrize("name", otprof.__all__)
def test_docstrings(name):
    thing = getattr(otprof, name)
    if isinstance(thing, str):
        return
    assert thing.__doc__
    if isinstance(thing, type):
        missing = [m for m, f in vars(thing).items()
                   if not m.startswith("_") and callable(f) and not f.__doc__]
        assert not missing
