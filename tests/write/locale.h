// SPDX-License-Identifier: Apache-2.0
/* tests/write/locale.h: a locale in which numbers look different. */
#ifndef OP_TESTS_WRITE_LOCALE_H
#define OP_TESTS_WRITE_LOCALE_H

#include <stdbool.h>

/* Makes a locale with this decimal point, written as localedef wants it, and
 * sets it for the whole program. False if that is not possible here: localedef
 * needs the charmaps of Debian's package locales. */
bool locale_set(const char *point);

/* Why a test is skipped if it is not. */
#define LOCALE_MISSING "localedef can make no locale here (package locales)"

#endif
