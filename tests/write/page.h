// SPDX-License-Identifier: Apache-2.0
/* tests/write/page.h: what the formats for looking at write, in parts. */
#ifndef OP_TESTS_WRITE_PAGE_H
#define OP_TESTS_WRITE_PAGE_H

#include "fmt/format.h"

/* Appends what a format writes to out, whose err is set; settings end in NULL
 * or are NULL. */
int page_write(const struct op_model *m, const struct op_format *f,
	       const char *const *settings, struct op_buf *out);

/* The JSON of a page: up to the first < behind its beginning, which must begin
 * the end of the script. Empty if it is not so. */
struct op_view page_data(struct op_view page);

/* Whether a text is XML as far as this can tell: characters that XML has,
 * elements that are closed, attributes in quotes, known entities only. */
bool page_is_xml(struct op_view text);

#endif
