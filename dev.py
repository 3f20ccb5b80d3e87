#!/usr/bin/env python3
"""One command for each habit; it needs nothing but Python.

python3 dev.py demo     label two example files and write a report on them
python3 dev.py test     run the tests and the examples in the docstrings
python3 dev.py check    lint, formatting, types and layers
python3 dev.py docs     build the documentation, warnings being errors
python3 dev.py bench    measure speed beside the rivals

What follows the command goes to the tool behind it: ``python3 dev.py test -m slow``.

The first run makes a virtual environment in .venv (or where the environment variable
UNCLUSTERED_VENV says) and installs what the command needs; later runs start at once. Caches and the
built documentation live in there too, so deleting that one folder leaves no trace.
"""

# Only syntax that Python 3.6 reads: an old Python must get as far as the message about its age.

import hashlib
import importlib.util
import json
import os
import subprocess
import sys

OLDEST = (3, 11)
CHECKOUT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.abspath(os.environ.get("UNCLUSTERED_VENV") or os.path.join(CHECKOUT, ".venv"))
BIN = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(BIN, "python.exe" if os.name == "nt" else "python")
STAMP = os.path.join(VENV, "unclustered-dev.json")


class SetupError(Exception):
    """The environment cannot be made; the message says what to do."""


def demo(arguments):
    """Make two example files, label them and write a report, all in the virtual environment."""
    folder = os.path.relpath(os.path.join(VENV, "demo"), CHECKOUT)
    return [["unclustered", "demo", folder, *arguments]]


def test(arguments):
    """Run pytest."""
    return [["pytest", *arguments]]


def check(arguments):
    """Run every static check, also after one has failed."""
    if arguments:
        raise SetupError("check takes no arguments, got: " + " ".join(arguments))
    return [
        ["ruff", "check"],
        ["ruff", "format", "--check"],
        ["mypy"],
        ["lint-imports", "--no-cache"],
    ]


def docs(arguments):
    """Build the documentation into the virtual environment."""
    target = os.path.join(VENV, "docs")
    trees = os.path.join(VENV, "cache", "doctrees")
    return [["sphinx-build", "-W", "--keep-going", "-q", "-d", trees, *arguments, "docs", target]]


def bench(arguments):
    """Run the benchmarks."""
    return [["python", "-m", "benchmarks", *arguments]]


# Each command, and the extras of pyproject.toml that it needs.
COMMANDS = {
    "demo": (demo, ["cli"]),
    "test": (test, ["test"]),
    "check": (check, ["cli", "plot", "lint"]),
    "docs": (docs, ["docs"]),
    "bench": (bench, ["bench"]),
}


def main(argv):
    if sys.version_info < OLDEST:
        raise SetupError(
            "unclustered needs Python %d.%d or newer; this is Python %s. Run dev.py with a newer "
            "one, for example: python3.12 dev.py test" % (*OLDEST, sys.version.split()[0])
        )
    if not argv or argv[0] not in COMMANDS:
        print(__doc__.strip())
        return 0 if argv and argv[0] in ("-h", "--help", "help") else 2
    prepare, extras = COMMANDS[argv[0]]
    commands = prepare(argv[1:])
    install(extras)
    return max([run(command) for command in commands], key=abs)


def run(command):
    """Run a command of the virtual environment, having shown it."""
    print("$ " + " ".join(command), flush=True)
    return subprocess.call(
        [os.path.join(BIN, command[0]), *command[1:]], cwd=CHECKOUT, env=environment()
    )


def environment():
    """Variables that keep every cache inside the virtual environment."""
    cache = os.path.join(VENV, "cache")
    variables = dict(os.environ)
    variables["PATH"] = BIN + os.pathsep + variables.get("PATH", "")
    variables["VIRTUAL_ENV"] = VENV
    variables.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    variables.setdefault("NUMBA_CACHE_DIR", os.path.join(cache, "numba"))
    variables.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(cache, "hypothesis"))
    variables.setdefault("MYPY_CACHE_DIR", os.path.join(cache, "mypy"))
    variables.setdefault("RUFF_CACHE_DIR", os.path.join(cache, "ruff"))
    variables.setdefault("MPLCONFIGDIR", os.path.join(cache, "matplotlib"))
    return variables


def install(extras):
    """Make the virtual environment hold these extras, with as little work as possible."""
    wanted = {"checkout": CHECKOUT, "python": sys.version, "requirements": requirements()}
    stamp = read_stamp()
    same = all(stamp.get(key) == value for key, value in wanted.items())
    installed = set(stamp.get("extras", ())) if same else set()
    if installed.issuperset(extras) and os.path.exists(PYTHON):
        return
    if stamp.get("python") != sys.version or not os.path.exists(PYTHON):
        make_venv(clear=bool(stamp))
    everything = sorted(installed.union(extras))
    print("Installing unclustered[%s]: a minute or so, once ..." % ",".join(extras), flush=True)
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    run_quietly([*pip, "--editable", ".[%s]" % ",".join(everything)], "pip could not install it")
    with open(STAMP + ".new", "w") as file:
        json.dump(dict(wanted, extras=everything), file)
    os.replace(STAMP + ".new", STAMP)


def make_venv(clear):
    """Make the virtual environment; only one that dev.py made itself is ever cleared."""
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            raise SetupError(
                "this Python comes without the module %r, so no virtual environment can be made. "
                "On Debian and Ubuntu: apt-get install python3-venv" % module
            )
    print("Making a virtual environment in %s ..." % VENV, flush=True)
    command = [sys.executable, "-m", "venv", *(["--clear"] if clear else []), VENV]
    run_quietly(command, "the virtual environment could not be made")


def run_quietly(command, complaint):
    """Run a command and show what it printed only when it fails."""
    done = subprocess.run(command, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        said = done.stdout.decode(errors="replace").strip()
        raise SetupError("%s:\n%s\n\nThe command was: %s" % (complaint, said, " ".join(command)))


def requirements():
    """Fingerprint of the file that says what there is to install."""
    with open(os.path.join(CHECKOUT, "pyproject.toml"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read_stamp():
    """What the last run of dev.py installed here."""
    try:
        with open(STAMP) as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        sys.exit("dev.py: %s" % error)
    except KeyboardInterrupt:
        sys.exit(130)
