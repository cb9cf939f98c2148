# SPDX-License-Identifier: Apache-2.0
"""Profiles: opening, walking, deriving, writing.

Profiles.close() only gives up its own handle: others may still have views.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import byref
from typing import (TYPE_CHECKING, Any, BinaryIO, Iterable, Iterator, Optional,
                    Sequence, Union, overload)

from . import _library as c
from ._errors import (Error, Notes, OnNote, Settings, c_settings, c_string,
                      check, u32, u64)
from ._library import lib
from ._rows import (Columns, Frame, Handle, Link, Mapping, Resource, Scope,
                    Series, SeriesRow, Top, TopRow, Total, Totals, Tree,
                    TreeNode, view)
from ._values import (NO_ATTRIBUTES, Attributes, attributes_of, bytes_of,
                      text_of)

if TYPE_CHECKING:
    import pandas  # type: ignore
    import pyarrow  # type: ignore

Path = Union[str, "os.PathLike[str]"]
Bytes = Union[bytes, bytearray, memoryview]


class Sample:
    """A stack with its attributes, link, and values or observations."""

    __slots__ = ("profile", "index", "stack_id", "attributes_id", "link_id",
                 "values", "times")

    def __init__(self, profile: Profile, index: int, ids: tuple[int, int, int],
                 values: tuple[int, ...], times: tuple[int, ...]):
        self.profile = profile
        self.index = index
        self.stack_id, self.attributes_id, self.link_id = ids
        self.values = values
        """One value per time; without times one value, the total."""
        self.times = times
        """Nanoseconds since 1970; empty if the sample is a total."""

    @property
    def value(self) -> int:
        """The sum of all values."""
        return sum(self.values)

    @property
    def stack(self) -> tuple[Frame, ...]:
        """The frames, leaf first."""
        return self.profile.profiles.stack(self.stack_id)

    @property
    def attributes(self) -> Attributes:
        return self.profile.profiles.attributes(self.attributes_id)

    @property
    def link(self) -> Optional[Link]:
        """Trace and span, or None."""
        return self.profile.link(self.link_id, self.index)

    def __repr__(self) -> str:
        names = ";".join(str(f) for f in reversed(self.stack))
        return f"<otprof.Sample {names} {self.value}>"


class Profile:
    """One profile: samples of one type. Iterating gives a Sample each."""

    __slots__ = ("profiles", "index", "_head", "_keep")

    def __init__(self, profiles: Profiles, index: int):
        self.profiles = profiles
        """The object that the profile is of."""
        self.index = index
        self._head = c.Profile()
        self._keep = profiles._handle
        err = c.Err()
        lib.profile(self._keep, index, byref(self._head), byref(err))
        check(err)

    @property
    def type(self) -> str:
        """Type of the values, such as "cpu" or "alloc_space"."""
        return self._text("type")

    @property
    def unit(self) -> str:
        """Unit of the values, such as "nanoseconds" or "bytes"."""
        return self._text("unit")

    @property
    def period_type(self) -> str:
        return self._text("period_type")

    @property
    def period_unit(self) -> str:
        return self._text("period_unit")

    @property
    def period(self) -> int:
        return int(self._head.period)

    @property
    def time_unix_nano(self) -> int:
        return int(self._head.time_unix_nano)

    @property
    def duration_nano(self) -> int:
        return int(self._head.duration_nano)

    @property
    def id(self) -> Optional[bytes]:
        """16 bytes, or None."""
        self.profiles._handle
        return ctypes.string_at(self._head.id, 16) if self._head.id else None

    @property
    def total(self) -> int:
        """Sum of all values; saturates at 64 bits."""
        return int(self._head.total)

    @property
    def attributes(self) -> Attributes:
        return self.profiles.attributes(self._head.attrs)

    @property
    def resource(self) -> Resource:
        return self.profiles._resource(self._head.resource)

    @property
    def scope(self) -> Scope:
        handle = self.profiles._handle
        walk = lib.scope_attrs(handle, self._head.resource, self._head.scope)
        return Scope(self._text("scope_name"), self._text("scope_version"),
                     attributes_of(walk))

    @property
    def payload(self) -> bytes:
        """The original payload; empty if there is none."""
        self.profiles._handle
        return bytes_of(self._head.payload)

    @property
    def payload_format(self) -> str:
        """Format of the payload: "pprof", "jfr", ..."""
        return self._text("payload_format")

    def _text(self, member: str) -> str:
        self.profiles._handle
        return text_of(getattr(self._head, member))

    def __len__(self) -> int:
        """Number of samples."""
        return int(self._head.nr_samples)

    def __iter__(self) -> Iterator[Sample]:
        return self.samples()

    def columns(self) -> Columns:
        """All samples as arrays, without copying."""
        handle = self.profiles._handle
        out, err = c.Columns(), c.Err()
        lib.columns(handle, self.index, byref(out), byref(err))
        check(err)

        def ends(address: Optional[int]) -> Optional[memoryview]:
            if not address:
                return None
            return view(handle, address, out.nr + 1, "I")

        value_at, time_at = ends(out.value_at), ends(out.time_at)
        return Columns(
            view(handle, out.stacks, out.nr, "I"),
            view(handle, out.attrs, out.nr, "I"),
            view(handle, out.links, out.nr, "I"),
            value_at,
            view(handle, out.values, value_at[-1] if value_at else 0, "q"),
            time_at,
            view(handle, out.times, time_at[-1] if time_at else 0, "Q"))

    def samples(self) -> Iterator[Sample]:
        """All samples in order."""
        cols = self.columns()
        ids = zip(cols.stacks, cols.attributes, cols.links)
        for i, three in enumerate(ids):
            times = tuple(_part(cols.times, cols.time_at, i))
            values = tuple(_part(cols.values, cols.value_at, i))
            yield Sample(self, i, three, values or (1,) * len(times), times)

    def link(self, link_id: int, sample: Optional[int] = None
             ) -> Optional[Link]:
        """Trace and span of a link of this profile's samples; None for 0.
        sample is the index of a sample with this link, if it is known."""
        if not link_id:
            return None
        if sample is None:
            links = self.columns().links.tolist()
            if link_id not in links:
                raise Error(f"no sample of profile {self.index} has link "
                            f"{link_id}")
            sample = links.index(link_id)
        out, err = c.Sample(), c.Err()
        handle = self.profiles._handle
        lib.sample(handle, self.index, sample, byref(out), byref(err))
        check(err)
        return Link(ctypes.string_at(out.trace_id, 16) if out.trace_id
                    else b"",
                    ctypes.string_at(out.span_id, 8) if out.span_id else b"")

    def __repr__(self) -> str:
        return (f"<otprof.Profile {self.index} {self.type}/{self.unit}, "
                f"{len(self)} samples, total {self.total}>")


def _structs(struct: Any, address: Optional[int], n: int) -> Iterator[Any]:
    """The elements of an array of structs that begin with their size."""
    if not address or not n:
        return
    step = ctypes.c_size_t.from_address(address).value
    for i in range(n):
        yield struct.from_address(address + i * step)


def _labels(labels: Any, n: int) -> tuple[str, ...]:
    return tuple(text_of(labels[k]) for k in range(n))


def _part(column: memoryview, at: Optional[memoryview], i: int) -> memoryview:
    return column[at[i]:at[i + 1]] if at is not None else column[:0]


# --- objects ---

class Profiles(Sequence[Profile]):
    """Any number of profiles and the tables that they share.

    A sequence of Profile that never changes; any number of threads may use it.
    As a context manager, or with close(), it can be given up early: its memory
    is freed as soon as no Profile, Sample or view of it is in use any more.
    """

    def __init__(self, handle: Handle):
        """Not for users: see open(), Builder.take() and merge()."""
        self._owned: Optional[Handle] = handle
        self._locations: dict[int, tuple[Frame, ...]] = {}
        self._stacks: dict[int, tuple[Frame, ...]] = {}
        self._sets: dict[int, Attributes] = {0: NO_ATTRIBUTES}
        self._resources: dict[int, Resource] = {}

    @property
    def _handle(self) -> Handle:
        if self._owned is None:
            raise ValueError("the profiles are closed")
        return self._owned

    def close(self) -> None:
        """Gives up the object, which cannot be used any more."""
        self._owned = None

    @property
    def closed(self) -> bool:
        return self._owned is None

    def __enter__(self) -> Profiles:
        self._handle
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<otprof.Profiles, closed>"
        return f"<otprof.Profiles, {len(self)} profiles>"

    # --- walking ---

    def __len__(self) -> int:
        return int(lib.nr_profiles(self._handle))

    @overload
    def __getitem__(self, index: int) -> Profile: ...

    @overload
    def __getitem__(self, index: slice) -> list[Profile]: ...

    def __getitem__(self, index: Union[int, slice]) -> Any:
        n = len(self)
        if isinstance(index, slice):
            return [Profile(self, i) for i in range(n)[index]]
        if not -n <= index < n:
            raise IndexError(f"no profile {index} of {n}")
        return Profile(self, index % n)

    def stack(self, stack_id: int) -> tuple[Frame, ...]:
        """The frames of a stack, leaf first; none for an unknown id."""
        frames = self._stacks.get(stack_id)
        if frames is None:
            handle = self._handle
            ids = lib.stack(handle, u32(stack_id, "stack"))
            rows = ctypes.string_at(ids.p, 4 * ids.n) if ids.n else b""
            frames = tuple(f for row in memoryview(rows).cast("I")
                           for f in self.location(row))
            self._stacks[stack_id] = frames
        return frames

    def location(self, location_id: int) -> tuple[Frame, ...]:
        """The frames of a location, innermost first; none for an unknown id.
        """
        frames = self._locations.get(location_id)
        if frames is None:
            frames = tuple(self._frames(u32(location_id, "location")))
            self._locations[location_id] = frames
        return frames

    def _frames(self, location_id: int) -> Iterator[Frame]:
        handle = self._handle
        walk, out = lib.location_frames(handle, location_id), c.Frame()
        while lib.frame_next(byref(walk), byref(out)):
            yield Frame(text_of(out.function), text_of(out.file), out.line,
                        out.column, text_of(out.system_name), out.address,
                        text_of(out.mapping), self.attributes(out.attrs),
                        bool(out.is_inlined), out.location_id,
                        out.function_id, out.mapping_id)

    def attributes(self, attributes_id: int) -> Attributes:
        """An attribute set; empty for an unknown id."""
        found = self._sets.get(attributes_id)
        if found is None:
            handle = self._handle
            found = attributes_of(lib.attrs(handle, u32(attributes_id, "set")))
            self._sets[attributes_id] = found
        return found

    def mapping(self, mapping_id: int) -> Mapping:
        """A mapping by id, as Frame.mapping_id has it."""
        out, err = c.Mapping(), c.Err()
        handle = self._handle
        lib.mapping(handle, u32(mapping_id, "mapping"), byref(out), byref(err))
        check(err)
        return Mapping(text_of(out.file), out.start, out.limit, out.offset,
                       text_of(out.build_id), self.attributes(out.attrs))

    @property
    def mappings(self) -> tuple[Mapping, ...]:
        """All mappings, without row 0, which stands for none."""
        n = self.nr_rows["mappings"]
        return tuple(self.mapping(i) for i in range(1, n))

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The resources that have profiles."""
        indexes = sorted({p._head.resource for p in self})
        return tuple(self._resource(i) for i in indexes)

    def _resource(self, index: int) -> Resource:
        found = self._resources.get(index)
        if found is None:
            handle = self._handle
            walk = lib.resource_attrs(handle, index)
            found = Resource(index, attributes_of(walk))
            self._resources[index] = found
        return found

    @property
    def nr_rows(self) -> dict[str, int]:
        """Rows of each table. Ids are below; row 0 stands for none."""
        tables = ("mappings", "locations", "functions", "links", "stacks",
                  "attributes")
        return {name: int(lib.nr_rows(self._handle, table))
                for table, name in enumerate(tables)}

    # --- deriving ---

    def normalize(self) -> Profiles:
        """Without duplicate and unused rows; samples of equal stack,
        attributes and link are joined."""
        return made(lib.normalize, self._handle)

    def filter(self, types: Union[str, Iterable[str], None] = None, *,
               focus: Optional[str] = None, ignore: Optional[str] = None,
               where: Optional[str] = None, hide: Optional[str] = None,
               show_from: Optional[str] = None,
               collapse_recursion: bool = False,
               from_unix_nano: int = 0, to_unix_nano: int = 0,
               aggregate: bool = False, drop_payloads: bool = False,
               on_note: Optional[OnNote] = None) -> Profiles:
        """The selected part.

        types: only profiles of these types: "cpu", "alloc_space/bytes".
        focus, ignore: regular expressions for names of functions, files and
        mappings: keep samples with a frame that matches, drop those with one.
        where: conditions on labels: 'service.name="api", thread=~"worker"'.
        hide: remove frames that match. show_from: keep samples with a frame
        that matches, without the callers of the outermost one.
        collapse_recursion: make one frame of a function that calls itself.
        from_unix_nano, to_unix_nano: keep observations from this time on and
        before that one. 0: no limit.
        aggregate: replace times by one value per sample.
        """
        if types is not None and not isinstance(types, str):
            types = ",".join(types)
        notes = Notes(on_note)
        opts = c.FilterOpts(
            types=c_string(types, "types"), focus=c_string(focus, "focus"),
            ignore=c_string(ignore, "ignore"),
            from_unix_nano=u64(from_unix_nano, "time"),
            to_unix_nano=u64(to_unix_nano, "time"), aggregate=aggregate,
            drop_payloads=drop_payloads, on_note=notes.c,
            where=c_string(where, "where"), hide=c_string(hide, "hide"),
            show_from=c_string(show_from, "show_from"),
            collapse_recursion=collapse_recursion)
        return made(lib.filter, self._handle, byref(opts), notes=notes)

    def top(self, by: str = "function", *, type: Optional[str] = None,
            by_cum: bool = False) -> Top:
        """What has the most: one row per function, or per what by names:
        "line", "module", "thread", "thread,function", "http.route".

        type: a sample type; by default CPU time if there is any.
        by_cum: sort by the value of all stacks that have the frame.
        """
        opts = c.TopOpts(type=c_string(type, "type"), by=c_string(by, "by"),
                         by_cum=by_cum)
        out, err, info = ctypes.c_void_p(), c.Err(), c.TopInfo()
        lib.top_new(self._handle, byref(opts), byref(out), byref(err))
        check(err)
        handle = Handle(out.value, lib.top_free, self._handle)
        lib.top_info(handle, byref(info), byref(err))
        check(err)
        rows = [TopRow(text_of(r.name), _labels(r.labels, info.nr_labels),
                       r.flat, r.cum)
                for r in info.rows[:info.nr_rows]]
        return Top(text_of(info.type), text_of(info.unit), info.total, rows)

    def tree(self, by: str = "function", *, type: Optional[str] = None,
             inverted: bool = False) -> Tree:
        """The call tree. Labels of samples in by are its outermost nodes.

        inverted: callers are the children of the functions they call.
        """
        opts = c.ViewOpts(type=c_string(type, "type"), by=c_string(by, "by"),
                          inverted=inverted)
        info = c.TreeInfo()
        keep = self._view("tree", opts, info)
        nodes = [TreeNode(text_of(n.name), n.parent, n.depth, n.flat, n.cum)
                 for n in _structs(c.TreeNode, info.nodes, info.nr_nodes)]
        return Tree(text_of(info.type), text_of(info.unit), info.total, nodes)

    def totals(self, by: Optional[str] = None, *,
               type: Optional[str] = None) -> Totals:
        """What samples add up to by label: "thread", "service,http.route".
        None: all of them."""
        opts = c.ViewOpts(type=c_string(type, "type"), by=c_string(by, "by"))
        info = c.TotalsInfo()
        keep = self._view("totals", opts, info)
        rows = [Total(_labels(r.labels, info.nr_labels), r.value,
                      r.nr_samples, r.nr_observations, r.from_unix_nano,
                      r.to_unix_nano)
                for r in _structs(c.Total, info.rows, info.nr_rows)]
        return Totals(text_of(info.type), text_of(info.unit), info.total,
                      rows)

    def series(self, by: Optional[str] = None, *, type: Optional[str] = None,
               step_nano: int = 0, buckets: int = 0, from_unix_nano: int = 0,
               to_unix_nano: int = 0, max_rows: int = 0) -> Series:
        """Values over time, by label or of all samples.

        step_nano: the length of a bucket; or buckets: how many there are.
        from_unix_nano, to_unix_nano: the range; by default that of the
        observations.
        max_rows: groups beyond that share one row.
        """
        opts = c.ViewOpts(
            type=c_string(type, "type"), by=c_string(by, "by"),
            step_nano=u64(step_nano, "step"), nr_steps=u32(buckets, "buckets"),
            from_unix_nano=u64(from_unix_nano, "time"),
            to_unix_nano=u64(to_unix_nano, "time"),
            max_rows=u32(max_rows, "max_rows"))
        info = c.SeriesInfo()
        keep = self._view("series", opts, info)
        rows = []
        for r in _structs(c.SeriesRow, info.rows, info.nr_rows):
            cells = r.cells[:info.nr_buckets]
            rows.append(SeriesRow(
                _labels(r.labels, info.nr_labels) if r.labels else None,
                r.value, [x.value for x in cells],
                [x.nr_observations for x in cells]))
        return Series(text_of(info.type), text_of(info.unit), info.total,
                      info.from_unix_nano, info.to_unix_nano, info.step_nano,
                      rows, info.nr_untimed, info.nr_outside)

    def _view(self, name: str, opts: c.ViewOpts, info: Any) -> Handle:
        """Fills info, whose memory lives as long as what this returns."""
        out, err = ctypes.c_void_p(), c.Err()
        getattr(lib, name + "_new")(self._handle, byref(opts), byref(out),
                                    byref(err))
        check(err)
        handle = Handle(out.value, getattr(lib, name + "_free"), self._handle)
        getattr(lib, name + "_info")(handle, byref(info), byref(err))
        check(err)
        return handle

    def symbolize(self, *, root: Optional[Path] = None,
                  path: Union[Path, Iterable[Path], None] = None,
                  program: Optional[Path] = None,
                  on_note: Optional[OnNote] = None) -> Profiles:
        """Adds function names, files and lines to addresses that have none,
        from binaries of the same build on this host.

        root: directory below which the binaries are that the profile names.
        path: further directories with binaries and debug files.
        program: the otprof program, which then reads the binaries in a process
        with limits on time and memory.
        """
        if path is not None and not isinstance(path, (str, os.PathLike)):
            path = ":".join(os.fspath(p) for p in path)
        notes = Notes(on_note)
        opts = c.SymbolizeOpts(
            root=c_string(root, "root"), path=c_string(path, "path"),
            program=c_string(program, "program"), on_note=notes.c)
        return made(lib.symbolize, self._handle, byref(opts), notes=notes)

    def diff(self, after: Profiles, *, exact: bool = False,
             normalize: bool = False) -> Profiles:
        """The change to after: see otprof.diff()."""
        return diff(self, after, exact=exact, normalize=normalize)

    # --- writing ---

    def write(self, path: Path, *, format: Optional[str] = None,
              settings: Optional[Settings] = None, pack: Optional[str] = None,
              on_note: Optional[OnNote] = None) -> None:
        """Writes a file atomically: it appears whole or not at all.

        format: by name, as `otprof help formats` lists them; None: by the file
        name, else "otlp".
        settings: options of the format, {"name": value}.
        pack: "none", "gzip", "zstd" or "lz4"; None: by the file name, else as
        is usual for the format.
        on_note: called with each diagnostic about what the format cannot hold;
        None: a ProfileWarning is issued.
        """
        notes, err = Notes(on_note), c.Err()
        opts = _write_opts(format, settings, pack, notes)
        lib.write_file(self._handle, c_string(path, "path"), byref(opts),
                       byref(err))
        notes.finish(err)

    def to_bytes(self, format: Optional[str] = None, *,
                 settings: Optional[Settings] = None,
                 pack: Optional[str] = None,
                 on_note: Optional[OnNote] = None) -> bytes:
        """The same as write(), into memory; by default in OTLP."""
        notes, err = Notes(on_note), c.Err()
        opts = _write_opts(format, settings, pack, notes)
        out, n = ctypes.c_void_p(), ctypes.c_size_t()
        lib.write_memory(self._handle, byref(opts), byref(out), byref(n),
                         byref(err))
        try:
            notes.finish(err)
            return ctypes.string_at(out, n.value) if n.value else b""
        finally:
            lib.bytes_free(out)

    # --- tables for other packages ---

    def to_pandas(self, per: str = "observation",
                  stack: str = "list") -> pandas.DataFrame:
        """A DataFrame with one row per "observation" or per "sample".

        The columns are:

        profile     index of the profile
        type, unit  of the value
        value       int64; of a sample the sum of its observations
        time        datetime64[ns, UTC]; NaT if there is none. Of a sample the
                    time of its first observation
        stack       function names, leaf first, as a list; with stack="str" one
                    string, root first, separated by ";"
        thread_id, thread_name, process_id
                    attributes thread.id, thread.name and process.pid of the
                    sample; the process also of the resource
        service     attribute service.name of the resource
        trace_id, span_id
                    hexadecimal; None if there is no link
        attributes  dict of all attributes of the sample
        """
        from ._tables import to_pandas
        return to_pandas(self, per, stack)

    def to_arrow(self, per: str = "observation",
                 stack: str = "list") -> pyarrow.Table:
        """A pyarrow Table with the columns of to_pandas(). attributes is a
        map of strings: values that are no strings are JSON."""
        from ._tables import to_arrow
        return to_arrow(self, per, stack)


def made(function: Any, *args: Any, keep: object = None,
         notes: Optional[Notes] = None, level: int = 4) -> Profiles:
    """Calls a function that makes an object."""
    out, err = ctypes.c_void_p(), c.Err()
    function(*args, byref(out), byref(err))
    profiles = Profiles(Handle(out.value, lib.free, keep))
    if notes:
        notes.finish(err, level)
    check(err)
    return profiles


def _write_opts(format: Optional[str], settings: Optional[Settings],
                pack: Optional[str], notes: Notes) -> c.WriteOpts:
    return c.WriteOpts(format=c_string(format, "format"),
                       settings=c_settings(settings),
                       pack=c_string(pack, "pack"), on_note=notes.c)


def open_opts(notes: Notes, format: Optional[str] = None,
              settings: Optional[Settings] = None,
              root: Optional[Path] = None, strict: bool = False,
              threads: int = 1, max_bytes: int = 0, mem_quota: int = 0,
              budget: Optional[int] = 1) -> c.OpenOpts:
    """The options of open() for C."""
    return c.OpenOpts(
        format=c_string(format, "format"), settings=c_settings(settings),
        root=c_string(root, "root"), strict=strict,
        threads=u32(threads, "threads"), max_bytes=u64(max_bytes, "max_bytes"),
        mem_quota=u64(mem_quota, "mem_quota"),
        budget=c.NO_BUDGET if budget is None else u32(budget, "budget"),
        on_note=notes.c)


def bytes_or_path(source: Any) -> Union[bytes, str, "os.PathLike[str]"]:
    if isinstance(source, (str, os.PathLike, bytes)):
        return source
    if isinstance(source, (bytearray, memoryview)):
        return bytes(source)
    if not hasattr(source, "read"):
        raise TypeError("expected a path, bytes or a binary file, not "
                        f"{type(source).__name__}")
    data = source.read()
    if not isinstance(data, bytes):
        raise TypeError("the file must be opened in binary mode")
    return data


def open(source: Union[Path, Bytes, BinaryIO], *,
         format: Optional[str] = None, settings: Optional[Settings] = None,
         root: Optional[Path] = None, strict: bool = False, threads: int = 1,
         max_bytes: int = 0, mem_quota: int = 0, budget: Optional[int] = 1,
         on_note: Optional[OnNote] = None) -> Profiles:
    """Reads profiles in any format that `otprof help formats` lists, which may
    be packed with gzip, zstd or lz4.

    source: a path ("-" is standard input), the bytes themselves, or a file
    that is opened in binary mode, which is read to its end.
    format: by name; None: auto-detected.
    settings: options of the format, {"name": value}, as its page in
    docs/formats lists them.
    root: open binaries that the input names, below this directory.
    strict: reject input of which a part has to be skipped.
    threads: that may read at the same time.
    max_bytes: limit of the input and of what it unpacks to; 0: 4 GiB.
    mem_quota: bytes that the object may take; 0: no limit.
    budget: limit of memory and work as a multiple of what is usual for the
    size of the input; None: no limit.
    on_note: called with each diagnostic about the input, from any thread;
    None: a ProfileWarning is issued.
    """
    notes = Notes(on_note)
    opts = open_opts(notes, format, settings, root, strict, threads, max_bytes,
                     mem_quota, budget)
    what = bytes_or_path(source)
    if isinstance(what, bytes):
        return made(lib.open_memory, what, len(what), byref(opts), keep=what,
                    notes=notes)
    return made(lib.open_file, c_string(what, "path"), byref(opts),
                notes=notes)


def merge(profiles: Iterable[Profiles]) -> Profiles:
    """Joins profiles of equal resource, scope, type, period and attributes;
    others stay separate."""
    handles = [p._handle for p in profiles]
    array = (ctypes.c_void_p * len(handles))(
        *(h._as_parameter_.value for h in handles))
    return made(lib.merge, array, len(handles))


def diff(before: Profiles, after: Profiles, *, exact: bool = False,
         normalize: bool = False) -> Profiles:
    """The change: one profile per type and unit, with the values of after
    minus those of before.

    exact: compare all of a frame, not only function names.
    normalize: scale the values to equal totals first.
    """
    opts = c.DiffOpts(exact=exact, normalize=normalize)
    return made(lib.diff, before._handle, after._handle, byref(opts))
