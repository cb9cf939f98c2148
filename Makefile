# SPDX-License-Identifier: Apache-2.0
#
# Everything is built under $(BUILD). One set of rules serves all variants:
#
#   make            build/        program and libraries
#   make SAN=1      build/san/    AddressSanitizer and UBSan
#   make SAN=thread build/tsan/   ThreadSanitizer
#   make FUZZ=1     build/fuzz/   clang, libFuzzer and both sanitizers
#
# Useful settings: V=1 shows commands, WERROR=0 lets warnings pass,
# CC=clang-14 BUILD=build/clang builds beside what is there; PCRE2=0, LIBDW=0,
# LZMA=0, IBERTY=0, CURL=0 and SERVER=0 do without that library; PORTABLE=1 does
# without vector instructions; HARDEN=0 turns off the hardening flags;
# COMPLETION=0 does without completion for shells, which the program prints when
# it is built.

VERSION := $(shell sed -n 's/^.define OTPROF_VERSION_M[AI][JN]OR //p; \
	s/^.define OTPROF_VERSION_PATCH //p' include/otprof.h | paste -sd.)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
T ?= 60
SAN ?= 0
FUZZ ?= 0
HARDEN ?= 1
V ?= 0
FUZZ_CC ?= clang-14
CLANG_FORMAT ?= clang-format-14
PKG_CONFIG ?= pkg-config

# Libraries that are linked, and those of which only the headers are used.
LINKED := libdeflate libzstd liblz4
HEADERS := libxxhash

# Libraries without which something is less: 1 if they are there, 0 leaves
# them out. In place of x.c there is then x_none.c. They are for patterns, for
# lines and inlined calls, for symbols in stripped binaries, and for sending.
# A library in HEADERS is loaded when it is first used.
define optional # SWITCH PACKAGE SOURCE LINKED-or-HEADERS
$(1) ?= $$(shell $$(PKG_CONFIG) --exists $(2) && echo 1 || echo 0)
ifeq ($$($(1)),0)
UNUSED += $(3).c
else
UNUSED += $(3)_none.c
$(4) += $(2)
endif
endef
$(eval $(call optional,PCRE2,libpcre2-8,src/base/regex,LINKED))
$(eval $(call optional,LIBDW,libdw,src/sym/lines,LINKED))
$(eval $(call optional,LZMA,liblzma,src/sym/debugdata,LINKED))
$(eval $(call optional,CURL,libcurl,src/rpc/http,HEADERS))
UNUSED += $(if $(filter 0,$(CURL)),src/rpc/curl_load.c)
# Readable names of C++ and Rust. This one has no pkg-config file.
IBERTY ?= $(shell echo '\#include <libiberty/demangle.h>' | \
	$(CC) -E - >/dev/null 2>&1 && echo 1 || echo 0)
ifeq ($(IBERTY),0)
UNUSED += src/sym/demangle.c
else
UNUSED += src/sym/demangle_none.c
UNPACKAGED := -liberty
endif

# Recording with BPF programs, which clang compiles and libbpf, loaded when it is
# needed, brings into the kernel. Without it, recording uses perf events.
BPF_CC ?= $(firstword $(shell for c in clang clang-19 clang-16 clang-14; do \
	command -v $$c; done))
BPF_CFLAGS := -target bpf -O2 -g -Wall -Wextra -D__x86_64__ \
	-I/usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)
BPF ?= $(shell echo '\#include <bpf/bpf_helpers.h>' | \
	$(or $(BPF_CC),false) $(BPF_CFLAGS) -include linux/bpf.h -E - \
	>/dev/null 2>&1 && $(PKG_CONFIG) --exists libbpf && echo 1 || echo 0)
ifeq ($(BPF),0)
UNUSED += src/record/bpf.c src/record/libbpf.c
else
UNUSED += src/record/bpf_none.c
HEADERS += libbpf
endif

# The local server of the page. http-parser has no pkg-config file. Only the
# program needs these, not the library.
SERVER ?= $(shell $(PKG_CONFIG) --exists libevent_core && \
	echo '\#include <http_parser.h>' | $(CC) -E - >/dev/null 2>&1 && \
	echo 1 || echo 0)
ifeq ($(SERVER),0)
UNUSED += $(patsubst %,src/server/%.c,http1 peer server server_conn)
UNUSED += $(patsubst %,tests/%.c,unit/server/http1_test \
	unit/server/server_test fuzz/http1_fuzz)
else
UNUSED += src/server/server_none.c
HEADERS += libevent_core
VIEW_LIBS := $(shell $(PKG_CONFIG) --libs libevent_core) -lhttp_parser
endif

# Vector instructions, which are chosen when the program runs: in files that are
# named for the machine. Without them there is x_none.c too.
PORTABLE ?= $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),0,1)
ifeq ($(PORTABLE),0)
UNUSED += $(wildcard src/*/*_x86_none.c)
else
UNUSED += $(wildcard src/*/*_x86.c)
PORTABLE_DEFS := -DOP_PORTABLE=1
endif

# --- variants ---------------------------------------------------------------

SANITIZE := -fno-sanitize-recover=all -fno-omit-frame-pointer
ifeq ($(FUZZ),1)
O := $(BUILD)/fuzz
override CC := $(FUZZ_CC)
# An empty view is NULL and 0; clang, unlike gcc, minds their sum.
VARIANT := -fsanitize=fuzzer-no-link,address,undefined $(SANITIZE) \
	-fno-sanitize=pointer-overflow
else ifeq ($(SAN),1)
O := $(BUILD)/san
VARIANT := -fsanitize=address,undefined $(SANITIZE)
else ifeq ($(SAN),thread)
O := $(BUILD)/tsan
VARIANT := -fsanitize=thread $(SANITIZE)
else
O := $(BUILD)
SO_LDFLAGS := -Wl,--no-undefined
endif
# gcc's flow warnings see ghosts in instrumented code.
OPT := $(if $(VARIANT),-O1,-O2)
WERROR ?= $(if $(VARIANT),0,1)
TEST_TIMEOUT ?= $(if $(VARIANT),600,120)

# --- flags ------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes
ifneq ($(WERROR),0)
WARN += -Werror
endif
CFLAGS ?= $(OPT) -g
CXXFLAGS ?= $(OPT) -g

# Hardening: what this compiler can do for this machine. _FORTIFY_SOURCE needs
# optimisation, and hides from sanitizers the functions that they watch.
accepts = $(shell $(CC) -Werror -O2 -include stdio.h $(1) -x c -c \
	-o /dev/null /dev/null 2>/dev/null && echo '$(1)')
ifneq ($(HARDEN),0)
HARDEN_CFLAGS := $(foreach f,-fstack-protector-strong -fcf-protection \
	-fstack-clash-protection -mbranch-protection=standard,$(call accepts,$f))
HARDEN_LDFLAGS := -Wl,-z,relro,-z,now,-z,noexecstack
PIE := -pie
ifneq ($(if $(VARIANT),,$(filter-out -O0,$(filter -O%,$(CFLAGS)))),)
fortify = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(1)
HARDEN_CFLAGS += $(or $(call accepts,$(call fortify,3)),$(call fortify,2))
endif
endif

PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LINKED) $(HEADERS) 2>/dev/null)
PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(LINKED) 2>/dev/null)

# The empty values agree with a plain #define in a source file.
DEFS := -D_GNU_SOURCE= -DXXH_INLINE_ALL= -DOTPROF_VERSION='"$(VERSION)"' \
	-DOP_BPF_OBJECT='"$(O)/bpf/sample.bpf.o"' \
	-DOP_UI_FILES='"$(O)/ui_files.h"' $(PORTABLE_DEFS)
ALL_CFLAGS = -std=gnu11 $(WARN) $(CFLAGS) $(HARDEN_CFLAGS) $(VARIANT) -fPIC \
	-fvisibility=hidden -fno-semantic-interposition -pthread \
	-Isrc -Iinclude $(DEFS) $(PKG_CFLAGS) $(CPPFLAGS)
ALL_LDFLAGS = $(VARIANT) -pthread -Wl,--as-needed $(HARDEN_LDFLAGS) $(LDFLAGS)
PROGRAM_LDFLAGS = $(PIE) $(ALL_LDFLAGS)
LIBS = $(PKG_LIBS) $(UNPACKAGED) -ldl -lm $(LDLIBS)

Q := $(if $(filter-out 0,$(V)),,@)
say = @$(if $(Q),printf '  %-5s %s\n' $(1) $(2),:)

# --- sources ----------------------------------------------------------------

LIB_SRCS := $(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c))
LIB_SRCS := $(filter-out %.bpf.c src/agent/agent.c src/agent/bytes_x86_64.c \
	$(UNUSED),$(LIB_SRCS))
# What only the program uses.
VIEW_SRCS := $(filter src/server/%,$(LIB_SRCS))
LIB_SRCS := $(filter-out $(VIEW_SRCS),$(LIB_SRCS))
# What starts the agent in programs that are profiled from inside.
AGENT_SRCS := $(patsubst %,src/agent/%.c,agent bytes_x86_64 context)
CLI_SRCS := $(sort $(wildcard cli/*.c))
EXAMPLE_SRCS := $(sort $(wildcard examples/*.c))

objs = $(patsubst %.c,$(O)/obj/%.o,$(1))
progs = $(patsubst %.c,$(O)/%,$(1))

PROGRAM := $(O)/otprof
STATIC := $(O)/libotprof.a
VIEW := $(O)/libotprof-view.a
SONAME := libotprof.so.$(SOVERSION)
SHARED := $(O)/libotprof.so.$(VERSION)
SOLINKS := $(O)/$(SONAME) $(O)/libotprof.so
AGENT := $(O)/libotprof-agent.so
EXAMPLES := $(call progs,$(EXAMPLE_SRCS))
EXAMPLES_CXX := $(addsuffix -cxx,$(EXAMPLES))
AGENT_SERVER := $(O)/examples/span_server_agent
SAMPLE := $(O)/example.otlp

# --- goals ------------------------------------------------------------------

.DEFAULT_GOAL := all
.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: all lib example style format clean FORCE

all: $(PROGRAM) lib
lib: $(STATIC) $(SHARED) $(SOLINKS) $(AGENT)
example: $(SAMPLE)

style: $(PROGRAM)
	$(Q)rc=0; scripts/check-style || rc=1; \
	CC='$(CC)' CXX='$(CXX)' scripts/check-layers || rc=1; \
	scripts/check-mirrors || rc=1; \
	OTPROF='$(PROGRAM)' scripts/check-docs || rc=1; exit $$rc

format:
	$(Q)find $(wildcard src cli include tests examples bench) \
		-name '*.[ch]' -print0 | xargs -0r $(CLANG_FORMAT) -i

clean:
	rm -rf '$(BUILD)'

# --- rules ------------------------------------------------------------------

# Holds the flags of the last build; a change of compiler or flags rebuilds.
STAMP := $(O)/flags
$(STAMP): FORCE
	@$(PKG_CONFIG) --print-errors --exists $(LINKED) $(HEADERS) || \
		{ echo 'libraries are missing: run scripts/install-deps' >&2; \
		exit 1; }
	@mkdir -p $(@D)
	@printf '%s\n' "$$FLAGS" | cmp -s - $@ || \
		printf '%s\n' "$$FLAGS" >$@
$(STAMP): export FLAGS = $(CC) $(CXX) $(ALL_CFLAGS) $(CXXFLAGS) \
	$(PROGRAM_LDFLAGS)

define compile # MORE FLAGS
$(call say,CC,$<)
@mkdir -p $(@D)
$(Q)$(CC) $(ALL_CFLAGS) $(1) -MMD -MP -c -o $@ $<
endef

$(O)/obj/%.o: %.c $(STAMP)
	$(compile)

# Files are embedded, which the compiler does not tell of.
$(O)/obj/src/fmt/html/page.o $(O)/obj/src/fmt/svg/write.o \
$(O)/counted/src/fmt/html/page.o $(O)/counted/src/fmt/svg/write.o: \
	$(wildcard ui/flame/* ui/lib/*)

# All files of the page, which has a list of them.
UI_FILES := $(wildcard ui/app/* ui/lib/*)
$(O)/ui_files.h: FORCE
	@mkdir -p $(@D)
	@n=0; for f in $(UI_FILES:ui/%=%); do n=$$((n + 1)); \
		echo "UI_FILE($$n, \"$$f\")"; done >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
$(O)/obj/src/server/page.o: $(O)/ui_files.h $(UI_FILES)
$(O)/obj/src/server/page.o: private CPPFLAGS += -iquote .

BPF_OBJECT := $(O)/bpf/sample.bpf.o
$(BPF_OBJECT): src/bpf/sample.bpf.c $(wildcard src/bpf/*.h) \
		src/sym/regs_x86_64.h src/sym/unwind_rule.h
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	$(Q)$(BPF_CC) $(BPF_CFLAGS) -c -o $@ $<
$(O)/obj/src/record/bpf.o $(O)/counted/src/record/bpf.o: $(BPF_OBJECT)

# An archive is made anew, so that no object of a deleted source stays in it.
# The list of members is a file: it changes when a source comes or goes.
define archive
$(1).list: FORCE
	@mkdir -p $$(@D)
	@printf '%s\n' $(2) | cmp -s - $$@ || printf '%s\n' $(2) >$$@
$(1): $(2) $(1).list
	$$(call say,AR,$$@)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $(2)
endef
$(eval $(call archive,$(STATIC),$(call objs,$(LIB_SRCS))))
$(eval $(call archive,$(VIEW),$(call objs,$(VIEW_SRCS))))

$(SHARED): $(call objs,$(LIB_SRCS)) $(STATIC).list src/otprof.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(ALL_LDFLAGS) $(SO_LDFLAGS) -Wl,-soname,$(SONAME) \
		-Wl,--version-script=src/otprof.map -o $@ \
		$(call objs,$(LIB_SRCS)) $(LIBS)

# Where things are installed, for the two that look for the other: they are
# compiled again if that changes.
$(O)/places: FORCE
	@mkdir -p $(@D)
	@echo '$(PREFIX) $(LIBDIR)' | cmp -s - $@ || \
		echo '$(PREFIX) $(LIBDIR)' >$@
$(O)/obj/src/agent/agent.o $(O)/obj/cli/cmd_run.o: $(O)/places
$(O)/obj/src/agent/agent.o: private CPPFLAGS += \
	-DOP_AGENT_PROGRAM='"$(PREFIX)/bin/otprof"'
$(O)/obj/cli/cmd_run.o: private CPPFLAGS += \
	-DOP_AGENT_LIBRARY='"$(LIBDIR)/libotprof-agent.so"'

# It takes what it needs of the library, which is little and needs only libc.
$(AGENT): $(call objs,$(AGENT_SRCS)) $(STATIC) src/agent/agent.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(ALL_LDFLAGS) $(SO_LDFLAGS) -Wl,-soname,$(@F) \
		-Wl,--version-script=src/agent/agent.map -Wl,--gc-sections \
		-Wl,-z,nodelete \
		-o $@ $(call objs,$(AGENT_SRCS)) $(STATIC)

$(SOLINKS): $(SHARED)
	$(Q)ln -sf $(<F) $@

define link # OBJECTS
$(call say,LD,$@)
@mkdir -p $(@D)
$(Q)$(CC) $(PROGRAM_LDFLAGS) -o $@ $(1) $(LIBS)
endef

$(PROGRAM): $(call objs,$(CLI_SRCS)) $(VIEW) $(STATIC)
	$(call link,$^ $(VIEW_LIBS))

# Examples see what a user sees: the public headers and the shared library, or
# for spans none.
EXAMPLE_LIBS = -L$(O) -lotprof -Wl,-rpath,'$$ORIGIN/..'
EXAMPLE_LINK = -Iinclude -pthread $(VARIANT) $(LDFLAGS) $(EXAMPLE_LIBS)
$(O)/examples/span_server $(O)/examples/span_server-cxx: private EXAMPLE_LIBS = \
	-Wl,--export-dynamic-symbol=otel_thread_ctx_v1
$(AGENT_SERVER): private EXAMPLE_LIBS = -L$(O) -Wl,-rpath,'$$ORIGIN/..'
$(EXAMPLES): $(O)/examples/%: examples/%.c $(wildcard include/*.h) $(SOLINKS) \
		$(STAMP)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(WARN) $(CFLAGS) -o $@ $< $(EXAMPLE_LINK)

$(EXAMPLES_CXX): $(O)/examples/%-cxx: examples/%.c $(wildcard include/*.h) \
		$(SOLINKS) $(STAMP)
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=gnu++17 -Wall -Wextra $(CXXFLAGS) -o $@ -x c++ $< \
		-x none $(EXAMPLE_LINK)

# The same server, with the agent linked.
$(AGENT_SERVER): examples/span_server.c $(wildcard include/*.h) $(AGENT) \
		$(STAMP)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(WARN) $(CFLAGS) -DWITH_AGENT -o $@ $< \
		$(EXAMPLE_LINK) -lotprof-agent

AGENT_EXAMPLES := $(filter $(O)/examples/agent_%,$(EXAMPLES) $(EXAMPLES_CXX))
$(AGENT_EXAMPLES): private EXAMPLE_LINK += -lotprof-agent
$(AGENT_EXAMPLES): $(AGENT)

$(SAMPLE): $(O)/examples/build_profile
	$(call say,MAKE,$@)
	$(Q)$< $@

-include $(patsubst %.c,$(O)/obj/%.d,$(LIB_SRCS) $(AGENT_SRCS) $(VIEW_SRCS) $(CLI_SRCS))

include mk/test.mk
include mk/install.mk
include mk/python.mk
