# SPDX-License-Identifier: Apache-2.0
#
# Tests, fuzz targets and benchmarks: their sources, goals and rules.

.PHONY: check check-build check-san check-tsan fuzz fuzz-build soak bench \
	browser interop kernels

# --- sources ----------------------------------------------------------------

# The server that tests talk to; its HTTP/2 is of a library for tests only.
NGHTTP2 ?= $(shell $(PKG_CONFIG) --exists libnghttp2 && echo 1 || echo 0)
ifeq ($(NGHTTP2),0)
UNUSED += tests/serve/http2.c
else
UNUSED += tests/serve/http2_none.c
SERVE_LIBS := $(shell $(PKG_CONFIG) --libs libnghttp2)
endif
AID_SRCS := $(sort $(wildcard tests/*.c tests/write/*.c tests/serve/*.c))
AID_SRCS := $(filter-out tests/serve/main.c $(UNUSED),$(AID_SRCS))
UNIT_SRCS := $(sort $(wildcard tests/unit/*_test.c tests/unit/*/*_test.c \
	tests/unit/*/*/*_test.c))
UNIT_SRCS := $(filter-out $(UNUSED),$(UNIT_SRCS))
# Those that count what is run: a sanitizer would count with them.
ifeq ($(SAN)$(FUZZ),00)
COUNT_SRCS := $(sort $(wildcard tests/count/*_test.c))
endif
FUZZ_SRCS := $(sort $(wildcard tests/fuzz/*_fuzz.c))
FUZZ_SRCS := $(filter-out $(UNUSED),$(FUZZ_SRCS))

counted = $(patsubst %.c,$(O)/counted/%.o,$(1))
AIDS := $(O)/libtestaid.a
UNITS := $(call progs,$(UNIT_SRCS))
COUNTED := $(O)/libcounted.a
COUNTERS := $(call progs,$(COUNT_SRCS))
SERVE := $(O)/tests/serve/serve
FUZZERS := $(call progs,$(FUZZ_SRCS))

# Programs and libraries with a thread-local variable, one per way to access it:
# the source and flags of each.
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine)),)
tls_small := -DPADDING=9 -DNAME=otel_thread_ctx_v1
tls_big := -DPADDING=65536 -DNAME=otel_thread_ctx_v1
tls_local := -DPADDING=9 -DNAME=tls_alias
tls_ie := tls_model.c -DMODEL='"initial-exec"'
tls_gd := tls_model.c -DMODEL='"global-dynamic"'
tls_ie.so := $(tls_ie) $(tls_small)
tls_ie_local.so := $(tls_ie) $(tls_local)
tls_gd.so := $(tls_gd) $(tls_small)
tls_gd_big.so := $(tls_gd) $(tls_big)
tls_gd_local.so := $(tls_gd) $(tls_local)
tls_gd_sysv.so := $(tls_gd.so) -Wl,--hash-style=sysv
tls_desc.so := tls_desc.c $(tls_small)
tls_desc_big.so := tls_desc.c $(tls_big)
tls_desc_local.so := tls_desc.c $(tls_local)
tls_variable.so := tls_variable.c
tls_reference.so := tls_reference.c
tls_export := -Wl,--export-dynamic-symbol=otel_thread_ctx_v1
tls_pie := tls_program.c -fPIE -pie $(tls_export)
tls_exec := tls_program.c -fno-pie -no-pie $(tls_export)
TLS_AIDS := $(addprefix $(O)/tests/unit/host/,tls_pie tls_exec $(filter \
	tls_%.so,$(.VARIABLES)))
endif

# Programs and libraries with spans, for the test of otprof_span.h.
span_part := tests/unit/span_part.c -fPIC -shared
span_gd.so := $(CC) $(span_part)
span_ie.so := $(CC) $(span_part) -ftls-model=initial-exec
span_desc.so := $(CC) $(span_part) $(call accepts,-mtls-dialect=gnu2)
span_throw.so := $(CXX) tests/unit/span_throw.cc -std=c++11 -fPIC -shared
span_host := $(CC) tests/unit/span_host.c -ldl
SPAN_AIDS := $(addprefix $(O)/tests/unit/,span_host $(filter span_%.so,\
	$(.VARIABLES)))

# --- goals ------------------------------------------------------------------

check-build: all $(UNITS) $(COUNTERS) $(SERVE) $(FUZZERS) $(EXAMPLES) \
	$(EXAMPLES_CXX) $(AGENT_SERVER)

check: check-build
	$(Q)BUILD='$(O)' TEST_TIMEOUT='$(TEST_TIMEOUT)' tests/run

check-san:
	$(Q)$(MAKE) --no-print-directory SAN=1 check

# What runs in threads, by the names that tests/run knows. Not the handler of the
# agent: ThreadSanitizer holds signals back from code that calls nothing.
THREAD_TESTS := unit/agent/helper unit/agent/loads unit/agent/ring \
	unit/agent/threads unit/host unit/rpc/ unit/otprof_ unit/fmt/jfr/ cli/jfr \
	cli/send
ifeq ($(SAN),thread)
check-tsan: all $(SERVE) $(filter $(patsubst %,$(O)/tests/%%,$(THREAD_TESTS)),\
		$(UNITS))
	$(Q)BUILD='$(O)' TEST_TIMEOUT='$(TEST_TIMEOUT)' tests/run \
		$(THREAD_TESTS)
else
check-tsan:
	$(Q)$(MAKE) --no-print-directory SAN=thread $@
endif

ifeq ($(FUZZ),1)
fuzz-build: $(FUZZERS)

fuzz: fuzz-build
	$(Q)BUILD='$(O)' tests/fuzz/run '$(T)'
else
fuzz fuzz-build:
	$(Q)$(MAKE) --no-print-directory FUZZ=1 $@
endif

soak: all $(SERVE)
	$(Q)$(MAKE) --no-print-directory fuzz T=600
	$(Q)BUILD='$(O)' tests/record/run 30
	$(Q)BUILD='$(O)' CXX='$(CXX)' tests/record/languages/run 30
	$(Q)BUILD='$(O)' CC='$(CC)' CXX='$(CXX)' BPF_CC='$(BPF_CC)' \
		tests/record/oracle/run 1000
	$(Q)BUILD='$(O)' CC='$(CC)' tests/record/peer/run 10
	$(Q)BUILD='$(O)' CC='$(CC)' tests/record/storms
	$(Q)BUILD='$(O)' CC='$(CC)' tests/agent/run 60
	$(Q)$(MAKE) --no-print-directory SAN=1 all
	$(Q)$(MAKE) --no-print-directory SAN=thread all
	$(Q)BUILD='$(O)' CC='$(CC)' tests/agent/soak 30

# Recordings on another kernel, in a virtual machine.
kernels: $(PROGRAM)
	$(Q)BUILD='$(O)' CC='$(CC)' tests/record/kernel

bench: all
	$(Q)BUILD='$(O)' CC='$(CC)' CXX='$(CXX)' bench/run

browser: all
	$(Q)BUILD='$(O)' tests/browser/run

interop: all $(SAMPLE)
	$(Q)BUILD='$(O)' CC='$(CC)' CXX='$(CXX)' tests/interop/run

# --- rules ------------------------------------------------------------------

# The library once more, counting the blocks of code that it runs.
$(O)/counted/%.o: %.c $(STAMP)
	$(call compile,-fsanitize-coverage=trace-pc)

$(O)/obj/tests/%.o: private CPPFLAGS += -Itests
$(O)/obj/bench/%.o: private CPPFLAGS += -Itests

$(eval $(call archive,$(AIDS),$(call objs,$(AID_SRCS))))
$(eval $(call archive,$(COUNTED),$(call counted,$(LIB_SRCS))))

$(UNITS): $(O)/tests/unit/%: $(O)/obj/tests/unit/%.o $(AIDS) $(VIEW) $(STATIC)
	$(call link,$^ $(SERVE_LIBS) $(VIEW_LIBS))

$(O)/tests/unit/host/thread_context_test: | $(TLS_AIDS)

$(TLS_AIDS): mk/test.mk $(wildcard tests/unit/host/tls_*.c) $(STAMP)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -Wall -Wextra -O1 -fPIC \
		$(if $(filter %.so,$@),-shared) -o $@ tests/unit/host/$($(@F))

# The variable of the test must be found, and libraries must share its state.
$(O)/tests/unit/otprof_span_test: $(O)/obj/tests/unit/span_part.o | $(SPAN_AIDS)
$(O)/tests/unit/otprof_span_test: private LDFLAGS += -rdynamic

$(SPAN_AIDS): mk/test.mk $(wildcard tests/unit/span_*) \
		$(wildcard include/otprof_*.h) $(STAMP)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$($(@F)) -D_GNU_SOURCE -Wall -Wextra -Wconversion -O1 -Iinclude \
		-o $@

$(SERVE): $(O)/obj/tests/serve/main.o $(AIDS) $(STATIC)
	$(call link,$^ $(SERVE_LIBS))

$(COUNTERS): $(O)/tests/count/%: $(O)/obj/tests/count/%.o $(COUNTED)
	$(call link,$^)

# With FUZZ=1 libFuzzer has the main(); without, it replays the corpus.
ifeq ($(FUZZ),1)
FUZZ_MAIN := -fsanitize=fuzzer
else
FUZZ_MAIN := $(O)/obj/tests/fuzz/replay.o
$(FUZZERS): $(FUZZ_MAIN)
endif
$(FUZZERS): $(O)/tests/fuzz/%: $(O)/obj/tests/fuzz/%.o $(AIDS) $(VIEW) $(STATIC)
	$(call link,$< $(FUZZ_MAIN) $(AIDS) $(VIEW) $(STATIC) $(VIEW_LIBS))

-include $(patsubst %.c,$(O)/obj/%.d,$(AID_SRCS) $(UNIT_SRCS) $(COUNT_SRCS) \
	$(FUZZ_SRCS) tests/unit/span_part.c tests/fuzz/replay.c tests/serve/main.c)
-include $(patsubst %.c,$(O)/counted/%.d,$(LIB_SRCS))
