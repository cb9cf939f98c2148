# SPDX-License-Identifier: Apache-2.0
"""The version of the package: that of the include/otprof.h it mirrors."""
__version__ = "1.0.0"
