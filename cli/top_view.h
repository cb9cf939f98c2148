// SPDX-License-Identifier: Apache-2.0
/* cli/top_view.h: prints one row for each function, thread, ... */
#ifndef OP_CLI_TOP_VIEW_H
#define OP_CLI_TOP_VIEW_H

#include "answer.h"

/* Builds the list for the type that a has chosen, and prints it; percentages
 * are of whole. */
void top_show(struct answer *a, bool by_cum, int64_t whole);

#endif
