// SPDX-License-Identifier: Apache-2.0

// pproftool shows what google/pprof makes of a profile, and makes live ones.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/google/pprof/profile"
)

const usage = `usage: pproftool COMMAND
  kind FILE        pprof (protobuf), legacy (another format it reads) or bad
  raw FILE         what "pprof -raw" prints
  canon FILE       the content, without ids and order, equal samples added up
  bare FILE        the same without names of addresses, for files of the older formats
  drops FILE       which of many names its expressions leave out of stacks
  totals FILE      name, unit and sum of each sample type
  live DIR         profiles of this process, one file a kind, and as text
  write FILE OUT   read any format, write pprof
  gen SEED OUT     a made-up profile with everything in it
`

// unzip gives data as it is if it is not gzip.
func unzip(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func kind(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if plain, err := unzip(data); err == nil {
		if p, err := profile.ParseUncompressed(plain); err == nil && p.CheckValid() == nil {
			return "pprof", nil
		}
	}
	if _, err := profile.ParseData(data); err == nil {
		return "legacy", nil
	}
	return "bad", nil
}

func load(path string) (*profile.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return profile.Parse(f)
}

func produce(command, from, out string) error {
	if command == "gen" {
		seed, err := strconv.ParseUint(from, 10, 64)
		if err != nil {
			return err
		}
		return generate(seed, out)
	}
	p, err := load(from)
	if err != nil {
		return err
	}
	return store(p, out)
}

func run(command, path string) error {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	switch command {
	case "kind":
		name, err := kind(path)
		fmt.Fprintln(out, name)
		return err
	case "live":
		return live(path)
	case "raw", "canon", "bare", "drops", "totals":
		p, err := load(path)
		if err != nil {
			return err
		}
		switch command {
		case "raw":
			fmt.Fprint(out, p)
		case "canon":
			canon(out, p)
		case "bare":
			canon(out, bare(p))
		case "drops":
			return drops(out, p)
		case "totals":
			totals(out, p)
		}
		return nil
	}
	return fmt.Errorf("no command %q", command)
}

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 2:
		err = run(args[0], args[1])
	case len(args) == 3 && (args[0] == "gen" || args[0] == "write"):
		err = produce(args[0], args[1], args[2])
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pproftool:", err)
		os.Exit(1)
	}
}
