// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/google/pprof/profile"
)

// valueType takes a type without a name for none: Go writes one for the other.
func valueType(v *profile.ValueType) string {
	if v == nil || v.Type == "" && v.Unit == "" {
		return "-"
	}
	return fmt.Sprintf("%q/%q", v.Type, v.Unit)
}

func mappingText(m *profile.Mapping) string {
	if m == nil {
		return "-"
	}
	return fmt.Sprintf("%q %q %x-%x+%x %t %t %t %t", m.File, m.BuildID, m.Start,
		m.Limit, m.Offset, m.HasFunctions, m.HasFilenames, m.HasLineNumbers,
		m.HasInlineFrames)
}

func frameText(l *profile.Location) string {
	var b strings.Builder
	for _, line := range l.Line {
		if f := line.Function; f != nil {
			fmt.Fprintf(&b, "%q/%q %q^%d", f.Name, f.SystemName, f.Filename,
				f.StartLine)
		}
		fmt.Fprintf(&b, ":%d:%d < ", line.Line, line.Column)
	}
	fmt.Fprintf(&b, "@%x folded=%t (%s)", l.Address, l.IsFolded, mappingText(l.Mapping))
	return b.String()
}

// labelText has the keys in order; the values of a key stay in theirs.
func labelText(s *profile.Sample) string {
	var texts []string
	for key, values := range s.Label {
		texts = append(texts, fmt.Sprintf("%q=%q", key, values))
	}
	for key, values := range s.NumLabel {
		units := s.NumUnit[key]
		if !slices.ContainsFunc(units, func(u string) bool { return u != "" }) {
			units = nil
		}
		texts = append(texts, fmt.Sprintf("%q=%d%q", key, values, units))
	}
	sort.Strings(texts)
	return "{" + strings.Join(texts, " ") + "}"
}

func canon(out io.Writer, p *profile.Profile) {
	types := make([]string, 0, len(p.SampleType))
	for _, t := range p.SampleType {
		types = append(types, valueType(t))
	}
	fmt.Fprintf(out, "types %v default %q\n", types, p.DefaultSampleType)
	fmt.Fprintf(out, "time %d duration %d period %d %s\n", p.TimeNanos,
		p.DurationNanos, p.Period, valueType(p.PeriodType))
	fmt.Fprintf(out, "comments %q drop %q keep %q doc %q\n", p.Comments,
		p.DropFrames, p.KeepFrames, p.DocURL)

	frames := map[*profile.Location]string{}
	for _, l := range p.Location {
		frames[l] = frameText(l)
	}
	sums := map[string][]int64{}
	for _, s := range p.Sample {
		texts := make([]string, 0, len(s.Location))
		for _, l := range s.Location {
			texts = append(texts, frames[l])
		}
		key := labelText(s) + " " + strings.Join(texts, " ; ")
		sum := sums[key]
		if sum == nil {
			sum = make([]int64, len(s.Value))
			sums[key] = sum
		}
		for i, v := range s.Value {
			sum[i] += v
		}
	}
	lines := make([]string, 0, len(sums))
	for key, sum := range sums {
		lines = append(lines, fmt.Sprintf("sample %d %s", sum, key))
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
}

// totals prints each sample type with the sum of its values.
func totals(out io.Writer, p *profile.Profile) {
	sums := make([]int64, len(p.SampleType))
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sums[i] += v
		}
	}
	for i, t := range p.SampleType {
		fmt.Fprintf(out, "%s %s %d\n", t.Type, t.Unit, sums[i])
	}
}
