// SPDX-License-Identifier: Apache-2.0
/* host/container.c: containers and systemd units in the paths of cgroups. */
#include "host/container.h"

/* Takes the last component off a path. */
static struct op_view last_part(struct op_view *path)
{
	const uint8_t *slash = path->n ? memrchr(path->p, '/', path->n) : NULL;
	struct op_view part = *path;

	if (slash) {
		part = op_view(slash + 1,
			       path->n - (size_t)(slash + 1 - path->p));
		path->n = (size_t)(slash - path->p);
	} else {
		path->n = 0;
	}
	return part;
}

static bool is_hex(struct op_view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (!(v.p[i] >= '0' && v.p[i] <= '9') &&
		    !(v.p[i] >= 'a' && v.p[i] <= 'f'))
			return false;
	return v.n;
}

static bool is_decimal(struct op_view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] < '0' || v.p[i] > '9')
			return false;
	return v.n;
}

static struct op_view without(struct op_view v, const char *end)
{
	if (op_view_ends(v, end))
		v.n -= strlen(end);
	return v;
}

/* What is behind the last '-' or ':', which may follow the name of a runtime;
 * an id of ECS has a '-' of its own. */
static struct op_view id_in(struct op_view part)
{
	enum { ID = 64, ECS_ID = 32 };
	struct op_view v = without(part, ".scope");
	size_t at = v.n;

	if (v.n > ECS_ID + 1 && v.p[ECS_ID] == '-' &&
	    is_hex(op_view_first(v, ECS_ID)) &&
	    is_decimal(op_view(v.p + ECS_ID + 1, v.n - ECS_ID - 1)))
		return v;
	while (at && v.p[at - 1] != '-' && v.p[at - 1] != ':')
		at--;
	/* The process that watches over a container is not in it. */
	if (op_view_holds(op_view_first(v, at), "conmon"))
		return (struct op_view){ 0 };
	v = op_view(v.p + at, v.n - at);
	return v.n == ID && is_hex(v) ? v : (struct op_view){ 0 };
}

struct op_view op_container_id(struct op_view path)
{
	while (path.n) {
		struct op_view id = id_in(last_part(&path));

		if (id.n)
			return id;
	}
	return (struct op_view){ 0 };
}

/* That of a user's session says nothing of the programs in it. */
static bool is_session(struct op_view unit)
{
	return unit.n >= 5 && !memcmp(unit.p, "user@", 5);
}

struct op_view op_systemd_service(struct op_view path)
{
	static const char end[] = ".service";

	while (path.n) {
		struct op_view part = last_part(&path);

		if (op_view_ends(part, end) && part.n >= sizeof(end))
			return is_session(part) ? (struct op_view){ 0 } :
						  without(part, end);
	}
	return (struct op_view){ 0 };
}

/* Lines "0::/path" of version 2 and "4:cpu,cpuacct:/path" of version 1. */
struct op_view op_cgroup_path(struct op_view text)
{
	struct op_view best = { 0 };

	while (text.n) {
		const uint8_t *end = memchr(text.p, '\n', text.n);
		size_t n = end ? (size_t)(end - text.p) : text.n;
		const uint8_t *p = memchr(text.p, ':', n);

		p = p ? memchr(p + 1, ':', n - (size_t)(p + 1 - text.p)) : NULL;
		if (p) {
			struct op_view path = op_view(
				p + 1, n - (size_t)(p + 1 - text.p));

			if (path.n > best.n)
				best = path;
		}
		n += end != NULL;
		text = op_view(text.p + n, text.n - n);
	}
	return best;
}
