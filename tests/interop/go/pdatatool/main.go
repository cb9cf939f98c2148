// SPDX-License-Identifier: Apache-2.0

// pdatatool reads and writes OTLP profiles with the Collector's own code.
package main

import (
	"bytes"
	"fmt"
	"os"

	gopprof "github.com/google/pprof/profile"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/pprof"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

const usage = `usage: pdatatool COMMAND
  proto IN OUT        write IN as protobuf
  json IN OUT         write IN as one line of JSON
  dump FILE           print the content, without ids of the dictionary
  equal A B           is the content the same? A profile id that A lacks may be in B
  from-pprof IN OUT   pprof to OTLP protobuf with the Collector's translator
  to-pprof IN OUT     and back
IN, A and B are protobuf or JSON, whichever they look like.
`

// load takes what starts with a brace for JSON: as protobuf it would be an
// end-group tag, which no message begins with.
func load(path string) (pprofile.Profiles, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return pprofile.NewProfiles(), err
	}
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '{' {
		return (&pprofile.JSONUnmarshaler{}).UnmarshalProfiles(text)
	}
	return (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(data)
}

func save(path string, p pprofile.Profiles, json bool) error {
	var data []byte
	var err error
	if json {
		data, err = (&pprofile.JSONMarshaler{}).MarshalProfiles(p)
		data = append(data, '\n')
	} else {
		data, err = (&pprofile.ProtoMarshaler{}).MarshalProfiles(p)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func rewrite(in, out string, json bool) error {
	p, err := load(in)
	if err != nil {
		return err
	}
	return save(out, p, json)
}

func dump(path string) error {
	p, err := load(path)
	if err != nil {
		return err
	}
	for _, line := range contentOf(p).lines {
		fmt.Println(line)
	}
	return nil
}

func equal(a, b string) error {
	one, err := load(a)
	if err != nil {
		return fmt.Errorf("%s: %w", a, err)
	}
	two, err := load(b)
	if err != nil {
		return fmt.Errorf("%s: %w", b, err)
	}
	return contentOf(one).compare(contentOf(two))
}

func fromPprof(in, out string) error {
	f, err := os.Open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	src, err := gopprof.Parse(f)
	if err != nil {
		return err
	}
	p, err := pprof.ConvertPprofToProfiles(src)
	if err != nil {
		return err
	}
	return save(out, *p, false)
}

func toPprof(in, out string) error {
	p, err := load(in)
	if err != nil {
		return err
	}
	result, err := pprof.ConvertPprofileToPprof(&p)
	if err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := result.Write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "dump":
		return dump(args[1])
	case len(args) != 3:
	case args[0] == "proto":
		return rewrite(args[1], args[2], false)
	case args[0] == "json":
		return rewrite(args[1], args[2], true)
	case args[0] == "equal":
		return equal(args[1], args[2])
	case args[0] == "from-pprof":
		return fromPprof(args[1], args[2])
	case args[0] == "to-pprof":
		return toPprof(args[1], args[2])
	}
	fmt.Fprint(os.Stderr, usage)
	os.Exit(2)
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pdatatool:", err)
		os.Exit(1)
	}
}
