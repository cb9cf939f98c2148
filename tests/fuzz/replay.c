// SPDX-License-Identifier: Apache-2.0
/* Runs a fuzz target once over every file it is given, without libFuzzer.
 *
 * Arguments are files and folders; the empty input always comes first. Each
 * input is a heap block of exactly its size, so that ASan sees a read past the
 * end. The name of an input goes to stderr before its run: after a crash, the
 * last line there tells the culprit.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

static int failed;

static void run_file(const char *path, size_t n)
{
	uint8_t *data = malloc(n ? n : 1);
	FILE *f = fopen(path, "rb");

	fprintf(stderr, "%s\n", path);
	if (f && data && fread(data, 1, n, f) == n) {
		LLVMFuzzerTestOneInput(data, n);
	} else {
		fprintf(stderr, "cannot read it\n");
		failed = 1;
	}
	if (f)
		fclose(f);
	free(data);
}

static int visit(const char *path, const struct stat *st, int type,
		 struct FTW *at)
{
	(void)at;
	if (type == FTW_F)
		run_file(path, (size_t)st->st_size);
	return 0;
}

/* "build/tests/fuzz/otlp_fuzz" is the target "otlp". */
static void print_name(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;
	const char *end = strstr(name, "_fuzz");

	printf("ok fuzz-corpus %.*s\n",
	       (int)(end ? (size_t)(end - name) : strlen(name)), name);
}

int main(int argc, char **argv)
{
	uint8_t none = 0;

	LLVMFuzzerTestOneInput(&none, 0);
	for (int i = 1; i < argc; i++) {
		/* A target without a corpus is no error. */
		if (nftw(argv[i], visit, 16, FTW_PHYS))
			fprintf(stderr, "%s: no such corpus\n", argv[i]);
	}
	if (failed)
		return 1;
	print_name(argv[0]);
	return 0;
}
