// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/google/pprof/profile"
)

// gen makes a profile that uses everything the format has. Nothing in it is
// what the package's reader would drop: labels are neither empty nor a zero
// without a unit.
type gen struct {
	*rand.Rand
	p profile.Profile
}

var (
	words   = []string{"main", "süß", "a \"b\"", "ns::f<int>", "x/y.(*T).m", "日本語", "[vdso]", "tab\there", ";", "-"}
	numbers = []int64{1, -1, 127, 128, 1 << 31, 1<<53 + 1, math.MaxInt64, math.MinInt64}
	units   = []string{"", "bytes", "ns", "requests"}
)

func pick[T any](g *gen, from []T) T { return from[g.IntN(len(from))] }

func (g *gen) chance(percent int) bool { return g.IntN(100) < percent }

func (g *gen) word() string { return fmt.Sprintf("%s%d", pick(g, words), g.IntN(9)) }

// maybe is empty now and then.
func (g *gen) maybe() string {
	if g.chance(30) {
		return ""
	}
	return g.word()
}

func (g *gen) head() {
	p := &g.p
	for i := range 1 + g.IntN(4) {
		p.SampleType = append(p.SampleType, &profile.ValueType{
			Type: fmt.Sprintf("type%d", i), Unit: pick(g, units[1:])})
	}
	if g.chance(50) {
		p.DefaultSampleType = pick(g, p.SampleType).Type
	}
	if g.chance(70) {
		p.PeriodType = &profile.ValueType{Type: g.word(), Unit: pick(g, units)}
		p.Period = pick(g, numbers)
	}
	for range g.IntN(3) {
		p.Comments = append(p.Comments, g.word())
	}
	if g.chance(50) {
		p.DropFrames, p.KeepFrames, p.DocURL = g.maybe(), g.maybe(), "https://example.org/"+g.word()
	}
	if g.chance(70) {
		p.TimeNanos, p.DurationNanos = 1.7e18+g.Int64N(1e15), g.Int64N(1e12)
	}
}

func (g *gen) tables(n int) {
	p := &g.p
	for i := range 1 + g.IntN(4) {
		m := &profile.Mapping{ID: uint64(i + 1), File: g.maybe(), BuildID: g.maybe(),
			HasFunctions: g.chance(50), HasFilenames: g.chance(50),
			HasLineNumbers: g.chance(50), HasInlineFrames: g.chance(50)}
		if g.chance(80) {
			m.Start = uint64(i+1) << 32
			m.Limit, m.Offset = m.Start+1<<20, uint64(g.IntN(9)<<12)
		}
		p.Mapping = append(p.Mapping, m)
	}
	for i := range 1 + n {
		p.Function = append(p.Function, &profile.Function{ID: uint64(i + 1), Name: g.word(),
			SystemName: g.maybe(), Filename: g.maybe(), StartLine: g.Int64N(3)})
	}
	for i := range 1 + n {
		l := &profile.Location{ID: uint64(i + 1), IsFolded: g.chance(20)}
		if g.chance(80) {
			l.Mapping = pick(g, p.Mapping)
		}
		if g.chance(80) {
			l.Address = g.Uint64()
		}
		for range g.IntN(4) {
			l.Line = append(l.Line, profile.Line{Function: pick(g, p.Function),
				Line: g.Int64N(5000), Column: g.Int64N(3)})
		}
		p.Location = append(p.Location, l)
	}
}

func (g *gen) labels(s *profile.Sample) {
	for i := range g.IntN(4) {
		key := fmt.Sprintf("key%d.%s", i, pick(g, words))
		n := 1
		if g.chance(20) {
			n = 1 + g.IntN(3)
		}
		for range n {
			if i%2 == 0 {
				s.Label[key] = append(s.Label[key], g.word())
			} else {
				s.NumLabel[key] = append(s.NumLabel[key], pick(g, numbers))
			}
		}
		if i%2 == 1 && g.chance(60) {
			unit := pick(g, units[1:])
			for range n {
				s.NumUnit[key] = append(s.NumUnit[key], unit)
			}
		}
	}
}

func generate(seed uint64, path string) error {
	g := &gen{Rand: rand.New(rand.NewPCG(seed, 1))}
	n := int(seed*7%60) + 1
	g.head()
	g.tables(n)
	for range 2 * n {
		s := &profile.Sample{Label: map[string][]string{}, NumLabel: map[string][]int64{},
			NumUnit: map[string][]string{}}
		for range g.IntN(20) {
			s.Location = append(s.Location, pick(g, g.p.Location))
		}
		for range g.p.SampleType {
			s.Value = append(s.Value, g.Int64N(1e9)-1e6)
		}
		g.labels(s)
		g.p.Sample = append(g.p.Sample, s)
	}
	return store(&g.p, path)
}

// store writes valid profiles only.
func store(p *profile.Profile, path string) error {
	if err := p.CheckValid(); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := p.Write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
