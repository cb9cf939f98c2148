// SPDX-License-Identifier: Apache-2.0
/* record/kernel.c: the kernel as a binary.
 *
 * With the build ID and the address at which it begins, whoever looks up names
 * knows that the addresses are of this boot. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "record/recorder_int.h"

static void take_build_id(char *out, size_t room)
{
	uint8_t notes[4096];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));
	struct op_view id;

	if (fd >= 0)
		close(fd);
	if (n > 0 &&
	    op_elf_note_in(op_view(notes, (size_t)n), 4, "GNU", NT_GNU_BUILD_ID,
			   &id) &&
	    2 * id.n < room)
		op_hex_text(out, id);
}

/* 0: the kernel hides it. */
static uint64_t first_address(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long at = 0;
	char line[512], name[256], type;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c %255s", &at, &type, name) != 3)
			at = 0;
		else if (!strcmp(name, "_text") || !strcmp(name, "_stext"))
			break;
		at = 0;
	}
	if (f)
		fclose(f);
	return at;
}

uint32_t op_rec_kernel(struct op_recorder *r)
{
	char build_id[2 * 64 + 1] = "";
	struct op_live_binary b = { .name = op_view_z("[kernel.kallsyms]"),
				    .limit = UINT64_MAX,
				    .start = first_address() };

	if (!b.start)
		b.start = (uint64_t)1 << 63;
	take_build_id(build_id, sizeof(build_id));
	b.build_id = op_view_z(build_id);
	return op_live_binary(&r->live, &b);
}
