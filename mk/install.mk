# SPDX-License-Identifier: Apache-2.0
#
# What users get: install, uninstall, completion for shells, the manual pages
# of the C API, and the archive of the sources.

.PHONY: install uninstall man dist

# Scripts that complete command lines. The program prints them, so that it must
# run here: COMPLETION=0 does without, for a build for another machine.
COMPLETION ?= 1
ifneq ($(COMPLETION),0)
SHELLS := bash zsh fish
endif

# What is installed, each kind with its directory, mode and files. Both goals
# go by this table.
KINDS := program header library pkgconfig man1 man3 $(SHELLS)

program_dir = $(PREFIX)/bin
program_mode = 755
program_files = $(PROGRAM)

header_dir = $(PREFIX)/include
header_files = include/otprof.h include/otprof_span.h \
	include/otprof_context.h

library_dir = $(LIBDIR)
library_files = $(STATIC) $(SHARED) $(AGENT)

pkgconfig_dir = $(LIBDIR)/pkgconfig
pkgconfig_files = $(O)/otprof.pc

man1_dir = $(PREFIX)/share/man/man1
man1_files = $(sort $(wildcard docs/man/*.1))

man3_dir = $(PREFIX)/share/man/man3
man3_files = $(sort $(wildcard docs/man/man3/*.3))

bash_dir = $(PREFIX)/share/bash-completion/completions
bash_files = $(O)/completion/otprof

zsh_dir = $(PREFIX)/share/zsh/site-functions
zsh_files = $(O)/completion/_otprof

fish_dir = $(PREFIX)/share/fish/vendor_completions.d
fish_files = $(O)/completion/otprof.fish

all: $(foreach s,$(SHELLS),$($s_files))

$(foreach s,$(SHELLS),$(eval $($s_files): COMPLETED := $s))
$(O)/completion/%: $(PROGRAM)
	$(call say,MAKE,$@)
	@mkdir -p $(@D)
	$(Q)$(PROGRAM) help --completion $(COMPLETED) >$@

$(O)/otprof.pc: FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|' \
		-e 's|@LINKED@|$(LINKED)|' -e 's|@UNPACKAGED@|$(UNPACKAGED)|' \
		src/otprof.pc.in >$@

# Pages of the C API, from the comments of its header.
man:
	$(Q)scripts/make-man3

define newline


endef

define install_kind # KIND
install -d '$(DESTDIR)$($(1)_dir)'
install -m $(or $($(1)_mode),644) $($(1)_files) '$(DESTDIR)$($(1)_dir)/'
endef

# Directories stay: others may have files there.
define uninstall_kind # KIND
rm -f $(foreach f,$(notdir $($(1)_files)),'$(DESTDIR)$($(1)_dir)/$f')
endef

install: all $(foreach k,$(KINDS),$($k_files))
	$(foreach k,$(KINDS),$(call install_kind,$k)$(newline))
	ln -sf $(notdir $(SHARED)) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/libotprof.so'

uninstall:
	$(foreach k,$(KINDS),$(call uninstall_kind,$k)$(newline))
	rm -f '$(DESTDIR)$(LIBDIR)/$(SONAME)' '$(DESTDIR)$(LIBDIR)/libotprof.so'

# --- archive of the sources -------------------------------------------------

# The same commit gives the same bytes: git takes times from the commit, and
# gzip stores no name or time.
DIST := $(BUILD)/otprof-$(VERSION).tar

dist:
	@git rev-parse -q --verify HEAD >/dev/null 2>&1 || \
		{ echo 'make dist: this is not a git repository' >&2; exit 1; }
	@git diff --quiet HEAD || \
		echo 'make dist: leaves out changes that are not committed' >&2
	$(call say,TAR,$(DIST).gz)
	@mkdir -p '$(BUILD)'
	$(Q)git -c tar.umask=0022 archive --prefix=otprof-$(VERSION)/ \
		-o '$(DIST)' HEAD
	$(Q)gzip -9nf '$(DIST)'
