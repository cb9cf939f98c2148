// SPDX-License-Identifier: Apache-2.0
/* What is in a snap, and where it comes from. */
#include "snap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool snap_read(const struct snap *s, uint64_t at, void *to, size_t n)
{
	for (size_t i = 0; i < s->nr_parts; i++) {
		const struct snap_part *p = &s->parts[i];

		if (at >= p->at && at - p->at <= p->n &&
		    p->n - (at - p->at) >= n) {
			memcpy(to, p->p + (at - p->at), n);
			return true;
		}
	}
	return false;
}

const struct snap_map *snap_map_at(const struct snap *s, uint64_t at)
{
	for (size_t i = 0; i < s->nr_maps; i++)
		if (at >= s->maps[i].start && at < s->maps[i].end)
			return &s->maps[i];
	return NULL;
}

char *file_text(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	size_t cap = 1 << 16, got;
	char *text = malloc(cap + 1);

	*n = 0;
	while (f && text && (got = fread(text + *n, 1, cap - *n, f))) {
		*n += got;
		if (*n == cap)
			text = realloc(text, (cap *= 2) + 1);
	}
	if (f)
		fclose(f);
	if (text)
		text[*n] = 0;
	return text;
}

static bool maps_line(const char *line, struct snap_map *m)
{
	char perms[8];
	int at = 0;

	memset(m, 0, sizeof(*m));
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n",
		   &m->start, &m->end, perms, &m->offset, &at) < 4)
		return false;
	m->is_code = perms[2] == 'x';
	if (at)
		snprintf(m->path, sizeof(m->path), "%s", line + at);
	m->path[strcspn(m->path, "\n")] = 0;
	return true;
}

struct snap_map *maps_parse(const char *text, size_t *nr)
{
	struct snap_map *maps = NULL;
	size_t cap = 0;

	*nr = 0;
	while (*text) {
		const char *end = strchr(text, '\n');
		char line[1024];

		if (!end)
			break;
		if (*nr == cap)
			maps = realloc(maps,
				       (cap = cap * 2 + 64) * sizeof(*maps));
		if (!maps)
			abort();
		snprintf(line, sizeof(line), "%.*s\n", (int)(end - text), text);
		*nr += maps_line(line, &maps[*nr]);
		text = end + 1;
	}
	return maps;
}
