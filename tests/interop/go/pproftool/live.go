// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"time"
)

var kept [][]byte // lives on, for the heap profile

// work makes something of every kind: time on the processor under labels,
// memory, a lock that others wait for, a channel that blocks.
func work() {
	var group sync.WaitGroup
	var lock sync.Mutex
	values := make(chan []byte)
	end := time.Now().Add(time.Second)
	for i := range 4 {
		labels := pprof.Labels("worker", strconv.Itoa(i), "name", "a \"quoted\" ü")
		group.Go(func() {
			pprof.Do(context.Background(), labels, func(context.Context) {
				for time.Now().Before(end) {
					data := make([]byte, 64<<10)
					lock.Lock()
					crc32.ChecksumIEEE(data)
					lock.Unlock()
					values <- data[:10:10]
				}
			})
		})
	}
	go func() {
		group.Wait()
		close(values)
	}()
	for v := range values {
		kept = append(kept, append(make([]byte, 0, 4096), v...))
	}
}

func live(dir string) error {
	runtime.MemProfileRate = 4096
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	cpu, err := os.Create(filepath.Join(dir, "cpu.pprof"))
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return err
	}
	work()
	pprof.StopCPUProfile()
	if err := cpu.Close(); err != nil {
		return err
	}
	runtime.GC()
	for _, name := range []string{"heap", "allocs", "goroutine", "mutex", "block", "threadcreate"} {
		for debug, ending := range []string{".pprof", ".text"} {
			f, err := os.Create(filepath.Join(dir, name+ending))
			if err != nil {
				return err
			}
			if err := pprof.Lookup(name).WriteTo(f, debug); err != nil {
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}
