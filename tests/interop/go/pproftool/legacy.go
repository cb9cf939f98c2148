// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"regexp"

	"github.com/google/pprof/profile"
)

// bare takes out what another reader of the older formats may do otherwise: names beside addresses (google/pprof
// drops them), the mapping of all memory that google/pprof makes up, and the text of the expressions, for which
// drops stands.
func bare(p *profile.Profile) *profile.Profile {
	p.DropFrames, p.KeepFrames = "", ""
	for _, l := range p.Location {
		if l.Address != 0 {
			l.Line = nil
		}
		if m := l.Mapping; m != nil && m.File == "" && m.Start == 0 && m.Limit == math.MaxUint64 {
			l.Mapping = nil
		}
	}
	return p
}

// Of each name that the expressions of google/pprof know, and some that none knows.
var frameNames = []string{
	"calloc", "cfree", "malloc", "free", "memalign", "do_memalign", "posix_memalign", "__posix_memalign", "pvalloc",
	"valloc", "realloc", "tcmalloc::", "tcmalloc::x", "tc_calloc", "tc_cfree", "tc_malloc", "tc_free", "tc_memalign",
	"tc_posix_memalign", "tc_pvalloc", "tc_valloc", "tc_realloc", "tc_new", "tc_delete", "tc_newarray",
	"tc_deletearray", "tc_new_nothrow", "tc_newarray_nothrow", "malloc_zone_malloc", "malloc_zone_calloc",
	"malloc_zone_valloc", "malloc_zone_realloc", "malloc_zone_memalign", "malloc_zone_free", "runtime.x",
	"runtime.panic", "runtime.panicx", "runtime.reflectcall", "runtime.call", "runtime.call32", "runtime.callx",
	"BaseArena::x", "do_malloc_no_errno", "::do_malloc_no_errno", "do_malloc_pages", "::do_malloc_pages", "do_malloc",
	"::do_malloc", "DoSampledAllocation", "MallocedMemBlock::MallocedMemBlock", "_M_allocate", "__builtin_delete",
	"__builtin_vec_delete", "__builtin_new", "__builtin_vec_new", "__gnu_cxx::new_allocator::allocate",
	"__libc_malloc", "__malloc_alloc_template::allocate", "allocate", "cpp_alloc", "operator new", "operator new[]",
	"simple_alloc::allocate", "ProfileData::Add", "ProfileData::prof_handler", "CpuProfiler::prof_handler",
	"__pthread_sighandler", "__restore", "RecordLockProfileData", "base::RecordLockProfileData",
	"RecordLockProfileDatax", "SubmitMutexProfileData", "base::SubmitMutexProfileDatax", "SubmitSpinLockProfileData",
	"base::SubmitSpinLockProfileDatax", "AwaitCommon", "base::Mutex::AwaitCommonx", "Mutex::AwaitCommon", "Unlock",
	"base::Mutex::Unlock", "Mutex::Unlock", "UnlockSlow", "Mutex::UnlockSlow", "base::Mutex::UnlockSlow",
	"ReaderUnlock", "Mutex::ReaderUnlockx", "base::Mutex::ReaderUnlock", "~MutexLock", "MutexLock::~MutexLock",
	"base::MutexLock::~MutexLock", "SpinLock::Unlock", "SpinLock::SlowUnlock", "SlowUnlock", "~SpinLockHolder",
	"SpinLockHolder::~SpinLockHolder",
	"", "main", "xmalloc", "mallocx", "xfree", "tc_alloc", "tc_delete_nothrow", "tc_do_memalign", "mallocated",
	"malloc_zone_cfree", "malloc_zone_pvalloc", "runtimex", "BaseArena", "do_malloc_", "x::allocate", "operator new[",
	"operator delete", "ProfileData::", "ProfileData", "__restore_rt", "base::Unlock", "x::Unlock", "Lock",
	"base::SpinLock::Unlock", "Mutex::SlowUnlock", "base::~MutexLock", "base::AwaitCommon", "RecordLock",
	"base::SpinLockHolder::~SpinLockHolder",
}

// drops prints which names the expressions of a profile leave out.
func drops(out io.Writer, p *profile.Profile) error {
	drop, err := regexp.Compile("^(?:" + p.DropFrames + ")$")
	if err != nil {
		return err
	}
	keep, err := regexp.Compile("^(?:" + p.KeepFrames + ")$")
	if err != nil {
		return err
	}
	for _, name := range frameNames {
		fmt.Fprintf(out, "%q %t %t\n", name, drop.MatchString(name),
			p.KeepFrames != "" && keep.MatchString(name))
	}
	return nil
}
