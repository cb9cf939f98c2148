// SPDX-License-Identifier: Apache-2.0
/* A program without spans: a library that it loads has them. It writes what the
 * library says of itself, and waits for the end of its input.
 *
 *	span_host LIBRARY */
#include <dlfcn.h>
#include <unistd.h>

#include "span_part.h"

int main(int argc, char **argv)
{
	void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
	struct span_part part = { 0 };
	span_part_fn *begin = 0;
	char end;

	if (lib)
		*(void **)&begin = dlsym(lib, "span_part_begin");
	if (!begin)
		return 1;
	begin(&part);
	if (write(STDOUT_FILENO, &part, sizeof(part)) < 0)
		return 1;
	while (read(STDIN_FILENO, &end, 1) > 0)
		;
	return 0;
}
