// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// content is a message as text: every id is replaced by what it stands for,
// samples of one identity are one line, and the lines of a profile are sorted.
type content struct {
	lines []string
	ids   []string // one a profile
	dict  pprofile.ProfilesDictionary
	stack map[int32]string
	frame map[int32]string
}

func contentOf(p pprofile.Profiles) *content {
	c := &content{
		dict:  p.Dictionary(),
		stack: map[int32]string{},
		frame: map[int32]string{},
	}
	for r, rp := range p.ResourceProfiles().All() {
		c.add("resource %d url=%q dropped=%d %s", r, rp.SchemaUrl(),
			rp.Resource().DroppedAttributesCount(),
			mapText(rp.Resource().Attributes()))
		for s, sp := range rp.ScopeProfiles().All() {
			scope := sp.Scope()
			c.add("scope %d.%d url=%q name=%q version=%q dropped=%d %s",
				r, s, sp.SchemaUrl(), scope.Name(), scope.Version(),
				scope.DroppedAttributesCount(), mapText(scope.Attributes()))
			for i, profile := range sp.Profiles().All() {
				c.profile(fmt.Sprintf("profile %d.%d.%d", r, s, i), profile)
			}
		}
	}
	return c
}

func (c *content) add(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

func (c *content) compare(other *content) error {
	if len(c.ids) != len(other.ids) || len(c.lines) != len(other.lines) {
		return fmt.Errorf("%d profiles and %d lines against %d and %d",
			len(c.ids), len(c.lines), len(other.ids), len(other.lines))
	}
	for i, id := range c.ids {
		if id != "" && id != other.ids[i] {
			return fmt.Errorf("profile id %s against %s", id, other.ids[i])
		}
	}
	for i, line := range c.lines {
		if line != other.lines[i] {
			return fmt.Errorf("first  %.1500s\nsecond %.1500s", line, other.lines[i])
		}
	}
	return nil
}

func (c *content) profile(at string, p pprofile.Profile) {
	id := p.ProfileID()
	if id.IsEmpty() {
		c.ids = append(c.ids, "")
	} else {
		c.ids = append(c.ids, hex.EncodeToString(id[:]))
	}
	c.add("%s type=%s time=%d duration=%d period=%d %s dropped=%d payload=%q:%x %s",
		at, c.valueType(p.SampleType()), p.Time(), p.DurationNano(), p.Period(),
		c.valueType(p.PeriodType()), p.DroppedAttributesCount(),
		p.OriginalPayloadFormat(), p.OriginalPayload().AsRaw(),
		c.attributes(p.AttributeIndices()))
	c.samples(at, p.Samples())
}

// observations of one identity: with times they are a list, without a sum.
type observations struct {
	sum   int64
	times []string
}

func (c *content) samples(at string, samples pprofile.SampleSlice) {
	of := map[string]*observations{}
	for _, s := range samples.All() {
		key := c.attributes(s.AttributeIndices()) + " " + c.link(s.LinkIndex()) +
			" " + c.stackText(s.StackIndex())
		o := of[key]
		if o == nil {
			o = &observations{}
			of[key] = o
		}
		for i, when := range s.TimestampsUnixNano().All() {
			value := "-"
			if s.Values().Len() > 0 {
				value = strconv.FormatInt(s.Values().At(i), 10)
			}
			o.times = append(o.times, fmt.Sprintf("%020d=%s", when, value))
		}
		if s.TimestampsUnixNano().Len() == 0 {
			for _, v := range s.Values().All() {
				o.sum += v
			}
		}
	}
	lines := make([]string, 0, len(of))
	for key, o := range of {
		sort.Strings(o.times)
		lines = append(lines, fmt.Sprintf("%s sample %d %v %s", at, o.sum, o.times, key))
	}
	sort.Strings(lines)
	c.lines = append(c.lines, lines...)
}

func (c *content) str(i int32) string { return strconv.Quote(c.dict.StringTable().At(int(i))) }

func (c *content) valueType(v pprofile.ValueType) string {
	return c.str(v.TypeStrindex()) + "/" + c.str(v.UnitStrindex())
}

// link gives all zero ids for index 0, whichever way they are written there.
func (c *content) link(i int32) string {
	l := c.dict.LinkTable().At(int(i))
	trace, span := l.TraceID(), l.SpanID()
	return hex.EncodeToString(trace[:]) + ":" + hex.EncodeToString(span[:])
}

func (c *content) attributes(indices pcommon.Int32Slice) string {
	texts := make([]string, 0, indices.Len())
	for _, i := range indices.All() {
		a := c.dict.AttributeTable().At(int(i))
		texts = append(texts, c.str(a.KeyStrindex())+"="+valueText(a.Value())+
			c.str(a.UnitStrindex()))
	}
	sort.Strings(texts)
	return "{" + strings.Join(texts, " ") + "}"
}

func (c *content) stackText(i int32) string {
	text, known := c.stack[i]
	if !known {
		var frames []string
		for _, location := range c.dict.StackTable().At(int(i)).LocationIndices().All() {
			frames = append(frames, c.frameText(location))
		}
		text = strings.Join(frames, " ; ")
		c.stack[i] = text
	}
	return text
}

func (c *content) frameText(i int32) string {
	text, known := c.frame[i]
	if known {
		return text
	}
	l := c.dict.LocationTable().At(int(i))
	m := c.dict.MappingTable().At(int(l.MappingIndex()))
	var b strings.Builder
	for _, line := range l.Lines().All() {
		f := c.dict.FunctionTable().At(int(line.FunctionIndex()))
		fmt.Fprintf(&b, "%s/%s %s^%d:%d:%d < ", c.str(f.NameStrindex()),
			c.str(f.SystemNameStrindex()), c.str(f.FilenameStrindex()),
			f.StartLine(), line.Line(), line.Column())
	}
	fmt.Fprintf(&b, "@%x %s[%x-%x+%x]%s %s", l.Address(), c.str(m.FilenameStrindex()),
		m.MemoryStart(), m.MemoryLimit(), m.FileOffset(),
		c.attributes(m.AttributeIndices()), c.attributes(l.AttributeIndices()))
	c.frame[i] = b.String()
	return c.frame[i]
}

func mapText(m pcommon.Map) string {
	texts := make([]string, 0, m.Len())
	for key, value := range m.All() {
		texts = append(texts, strconv.Quote(key)+"="+valueText(value))
	}
	sort.Strings(texts)
	return "{" + strings.Join(texts, " ") + "}"
}

// valueText names the type of what could be taken for another one.
func valueText(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return strconv.Quote(v.Str())
	case pcommon.ValueTypeDouble:
		return "d" + strconv.FormatFloat(v.Double(), 'g', -1, 64)
	case pcommon.ValueTypeBytes:
		return "0x" + hex.EncodeToString(v.Bytes().AsRaw())
	case pcommon.ValueTypeMap:
		return mapText(v.Map())
	case pcommon.ValueTypeSlice:
		var texts []string
		for _, element := range v.Slice().All() {
			texts = append(texts, valueText(element))
		}
		return "[" + strings.Join(texts, " ") + "]"
	}
	return v.Type().String() + ":" + v.AsString()
}
