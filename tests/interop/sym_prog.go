// SPDX-License-Identifier: Apache-2.0

// Methods, closures and generics of Go, whose names are not mangled.
package main

import (
	"fmt"
	"sort"
	"strings"
)

type list[T any] struct{ items []T }

func (l *list[T]) add(t T) { l.items = append(l.items, t) }

func main() {
	l := &list[string]{}
	for i := 0; i < 3; i++ {
		l.add(strings.ToUpper(fmt.Sprint(i)))
	}
	sort.Slice(l.items, func(a, b int) bool { return l.items[a] > l.items[b] })
	fmt.Println(l.items)
}
