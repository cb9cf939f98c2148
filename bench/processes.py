# SPDX-License-Identifier: Apache-2.0
"""What a process and its children use, from /proc."""
import os


def read(path):
    """A file's text; empty if the process is gone."""
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


def tree(pid):
    """The process and all its descendants."""
    found = [pid]
    for parent in found:
        for task in names(f"/proc/{parent}/task"):
            text = read(f"/proc/{parent}/task/{task}/children")
            found.extend(int(child) for child in text.split())
    return found


def names(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def cpu_ns(pids):
    """CPU time of all their threads that still run."""
    total = 0
    for pid in pids:
        for task in names(f"/proc/{pid}/task"):
            text = read(f"/proc/{pid}/task/{task}/schedstat").split()
            total += int(text[0]) if text else 0
    return total


def anonymous(pid):
    """Bytes of memory that are its own."""
    for line in read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Anonymous:"):
            return 1024 * int(line.split()[1])
    return 0


def fdinfo(pid):
    """What the kernel says of each open file, as a dictionary."""
    for fd in names(f"/proc/{pid}/fdinfo"):
        lines = read(f"/proc/{pid}/fdinfo/{fd}").splitlines()
        yield dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def bpf_run(pid):
    """Nanoseconds and number of runs of its BPF programs."""
    rows = {row["prog_id"]: row for row in fdinfo(pid) if "run_time_ns" in row}
    return (sum(int(row["run_time_ns"]) for row in rows.values()),
            sum(int(row["run_cnt"]) for row in rows.values()))


def bpf_maps(pid):
    """Bytes of its BPF maps, by what the kernel charges for them."""
    rows = {row["map_id"]: row for row in fdinfo(pid) if "map_type" in row}
    return sum(int(row["memlock"]) for row in rows.values())


def mapped(pid, name, size=0):
    """Bytes of mappings of this name, and of this size if it is given."""
    total = 0
    for line in read(f"/proc/{pid}/maps").splitlines():
        start, end = (int(part, 16) for part in line.split()[0].split("-"))
        if name in line and size in (0, end - start):
            total += end - start
    return total
