"""Puts a Go toolchain into a folder: the module golang.org/toolchain from GOPROXY, known by its sum.

  go_fetch.py FOLDER       prints the path of its go
"""
import base64
import hashlib
import os
import platform
import shutil
import sys
import urllib.request
import zipfile

VERSION = "1.26.8"
SUMS = {  # as in Go's checksum database
    "amd64": "h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=",
    "arm64": "h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=",
}


def proxy():
    first = os.environ.get("GOPROXY", "").replace("|", ",").split(",")[0]
    return (first if first.startswith("https://") else "https://proxy.golang.org").rstrip("/")


def sum_of(z):
    """The hash of a list of the hashes of the files."""
    lines = []
    for name in sorted(z.namelist()):
        lines.append("%s  %s\n" % (hashlib.sha256(z.read(name)).hexdigest(), name))
    return "h1:" + base64.b64encode(hashlib.sha256("".join(lines).encode()).digest()).decode()


def unpack(z, prefix, folder):
    """A module's zip has no modes: what stands in bin and pkg/tool is made executable."""
    for info in z.infolist():
        name = info.filename[len(prefix):]
        if name.startswith(("test/", "api/")):
            continue
        target = os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with z.open(info) as source, open(target, "wb") as out:
            shutil.copyfileobj(source, out)
        if name.startswith(("bin/", "pkg/tool/")):
            os.chmod(target, 0o755)


def fetch(version, want, archive, folder):
    url = "%s/golang.org/toolchain/@v/%s.zip" % (proxy(), version)
    with urllib.request.urlopen(url, timeout=60) as reply, open(archive, "wb") as out:
        shutil.copyfileobj(reply, out, 1 << 20)
    with zipfile.ZipFile(archive) as z:
        if sum_of(z) != want:
            raise OSError("it has another sum")
        unpack(z, "golang.org/toolchain@%s/" % version, folder)


def main():
    folder = sys.argv[1]
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine())
    if sys.platform != "linux" or arch is None:
        sys.exit("no Go for this machine")
    archive = folder + ".zip"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        os.makedirs(folder)
        fetch("v0.0.1-go%s.linux-%s" % (VERSION, arch), SUMS[arch], archive, folder)
    except (OSError, zipfile.BadZipFile) as e:
        shutil.rmtree(folder, ignore_errors=True)
        sys.exit("Go %s cannot be fetched: %s" % (VERSION, e))
    finally:
        if os.path.exists(archive):
            os.unlink(archive)
    print(os.path.join(folder, "bin", "go"))


if __name__ == "__main__":
    main()
