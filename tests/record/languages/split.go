// SPDX-License-Identifier: Apache-2.0

// Spends CPU time in a known way: 60, 30 and 10 % in three functions.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

var sink uint64

//go:noinline
func work(n uint64) {
	sum := sink
	for i := uint64(0); i < n; i++ {
		sum = sum*31 + (i ^ sum>>7)
	}
	sink = sum
}

//go:noinline
func sixty() {
	work(600000)
	sink++
}

//go:noinline
func thirty() {
	work(300000)
	sink++
}

//go:noinline
func ten() {
	work(100000)
	sink++
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	fmt.Println("ready")
	end := time.Now().Add(time.Duration(seconds * 1e9))
	for time.Now().Before(end) {
		sixty()
		thirty()
		ten()
	}
}
