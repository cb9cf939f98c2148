// SPDX-License-Identifier: Apache-2.0

// gobench does one piece of work with the Go peers and tells what it took:
// the time on the processor, that of the collector of garbage included, and
// the most memory. See bench/README.md.
package main

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

const usage = `usage: gobench WORK
  read FILE          nothing but reading: what starting costs
  pprof IN OUT       parse a pprof file and write it, without gzip
  merge OUT IN...    parse pprof files and write their merge, without gzip
  to-json IN OUT     OTLP protobuf to JSON with the Collector's pdata
  from-json IN OUT   and back
`

func parse(path string) (*profile.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return profile.Parse(f)
}

func write(p *profile.Profile, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := p.WriteUncompressed(f); err != nil {
		return err
	}
	return f.Close()
}

func merge(out string, in []string) error {
	var all []*profile.Profile
	for _, path := range in {
		p, err := parse(path)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	p, err := profile.Merge(all)
	if err != nil {
		return err
	}
	return write(p, out)
}

func recode(in, out string, from pprofile.Unmarshaler, to pprofile.Marshaler) error {
	data, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	p, err := from.UnmarshalProfiles(data)
	if err != nil {
		return err
	}
	if data, err = to.MarshalProfiles(p); err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o644)
}

func work(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "read":
		f, err := os.Open(args[1])
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, f)
		return err
	case len(args) == 3 && args[0] == "pprof":
		p, err := parse(args[1])
		if err != nil {
			return err
		}
		return write(p, args[2])
	case len(args) > 2 && args[0] == "merge":
		return merge(args[1], args[2:])
	case len(args) == 3 && args[0] == "to-json":
		return recode(args[1], args[2], &pprofile.ProtoUnmarshaler{}, &pprofile.JSONMarshaler{})
	case len(args) == 3 && args[0] == "from-json":
		return recode(args[1], args[2], &pprofile.JSONUnmarshaler{}, &pprofile.ProtoMarshaler{})
	}
	fmt.Fprint(os.Stderr, usage)
	os.Exit(2)
	return nil
}

func main() {
	if err := work(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gobench:", err)
		os.Exit(1)
	}
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		fmt.Fprintln(os.Stderr, "gobench:", err)
		os.Exit(1)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	fmt.Printf("cpu %.6f s, at most %d KB\n", seconds(use.Utime)+seconds(use.Stime), use.Maxrss)
}
