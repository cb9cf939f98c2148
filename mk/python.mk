# SPDX-License-Identifier: Apache-2.0
#
# The Python package in bindings/python.
#
#   make python         the wheel, in build/python
#   make check-python   its tests, with the library in build/

.PHONY: python check-python

PYTHON_DIR := bindings/python
# Python to build and to test with: the first that has a module. python3 may be
# another than the distribution's, for which scripts/install-deps installs.
python_with = $(or $(PYTHON),$(firstword $(foreach p,/usr/bin/python3 python3,\
	$(shell $(p) -c 'import $(1)' 2>/dev/null && echo $(p))) python3))

# In a copy, since setuptools writes into the source directory.
python:
	$(call say,WHEEL,$(O)/python)
	@rm -rf '$(O)/python'
	@mkdir -p '$(O)/python'
	@cp -R $(PYTHON_DIR)/otprof $(PYTHON_DIR)/pyproject.toml \
		$(PYTHON_DIR)/README.md '$(O)/python/'
	$(Q)$(call python_with,wheel) -m pip -q wheel \
		--no-deps --no-index --no-build-isolation \
		--disable-pip-version-check -w '$(O)/python' '$(O)/python'

check-python: lib $(SAMPLE)
	$(Q)cd $(PYTHON_DIR) && OTPROF_LIBRARY='$(abspath $(O))/$(SONAME)' \
		OTPROF_SAMPLE='$(abspath $(SAMPLE))' PYTHONPATH=. \
		PYTHONDONTWRITEBYTECODE=1 \
		$(call python_with,pytest) -m pytest -q -p no:cacheprovider
