"""Fetches real profiles out of Go modules: those in pprof_files.txt, each known by its SHA-256.

  pprof_fetch.py GO FOLDER       prints one path a line; what cannot be had is told on stderr
"""
import hashlib
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def rows():
    with open(os.path.join(HERE, "pprof_files.txt")) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                module, path, digest = line.split()
                yield module, path, digest


def folder_of(go, module):
    """Where a module is unpacked; "goroot" is Go itself. Files are known by their hashes: no sums are asked for."""
    if module == "goroot":
        return subprocess.run([go, "env", "GOROOT"], capture_output=True, text=True).stdout.strip()
    done = subprocess.run([go, "mod", "download", "-json", module], capture_output=True, text=True, cwd="/",
                          env=dict(os.environ, GOSUMDB="off", GOFLAGS="-modcacherw"))
    try:
        return json.loads(done.stdout).get("Dir")
    except ValueError:
        return None


def main():
    go, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    folders = {}
    for module, path, digest in rows():
        name = "%s-%s" % (module.split("@")[0].replace("/", "-"), path.replace("/", "-"))
        target = os.path.join(out, name)
        if not os.path.exists(target):
            if module not in folders:
                folders[module] = folder_of(go, module)
            source = folders[module] and os.path.join(folders[module], path)
            if not source or not os.path.exists(source):
                print("no %s in %s" % (path, module), file=sys.stderr)
                continue
            with open(source, "rb") as f:
                data = f.read()
            if digest != "-" and hashlib.sha256(data).hexdigest() != digest:
                print("%s of %s is another file" % (path, module), file=sys.stderr)
                continue
            # Another process may fetch it too, or read it.
            with open("%s.%d" % (target, os.getpid()), "wb") as f:
                f.write(data)
            os.replace(f.name, target)
        print(target)


if __name__ == "__main__":
    main()
