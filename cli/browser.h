// SPDX-License-Identifier: Apache-2.0
/* cli/browser.h: opens an address in the user's browser. */
#ifndef OP_CLI_BROWSER_H
#define OP_CLI_BROWSER_H

#include <stdbool.h>

/* With $BROWSER, else with xdg-open if there is a screen. false: with neither.
 * Whether the browser then comes up is not known. */
bool browser_open(const char *url);

#endif
