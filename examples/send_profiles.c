// SPDX-License-Identifier: Apache-2.0
/* examples/send_profiles.c: sends a file of profiles to an OTLP server.
 *
 *	send_profiles IN.otlp [SPOOL]
 *
 * Where to is up to the OTEL_EXPORTER_OTLP_* variables. What the server does
 * not take within a second stays in the spool, if there is one, and is sent by
 * the next that uses it. */
#include <otprof.h>

#include <stdio.h>
#include <string.h>

static void say(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "send_profiles: %s\n", text);
}

static int fail(const struct otprof_err *err)
{
	fprintf(stderr, "send_profiles: %s\n", err->text);
	return 1;
}

/* Says how it went; whether nothing was refused. */
static int report(struct otprof_exporter *e)
{
	struct otprof_exporter_stats s;

	OTPROF_INIT(&s);
	otprof_exporter_stats(e, &s);
	printf("%llu sent, %llu refused, %llu waiting, %llu of them in the "
	       "spool\n",
	       (unsigned long long)s.sent, (unsigned long long)s.refused,
	       (unsigned long long)s.waiting, (unsigned long long)s.spooled);
	return !s.refused && !s.rejected;
}

int main(int argc, char **argv)
{
	struct otprof_exporter_opts opts;
	struct otprof_exporter *e;
	struct otprof_err err = { 0 };
	struct otprof *p;
	int ok;

	if (argc < 2) {
		fprintf(stderr, "usage: send_profiles IN.otlp [SPOOL]\n");
		return 2;
	}
	if (otprof_open_file(argv[1], NULL, &p, &err))
		return fail(&err);
	OTPROF_INIT(&opts);
	opts.spool = argc > 2 ? argv[2] : NULL;
	opts.on_log = say;
	if (otprof_exporter_new(&opts, &e, &err)) {
		otprof_free(p);
		return fail(&err);
	}
	ok = !otprof_exporter_send(e, p, &err);
	otprof_free(p);
	otprof_exporter_flush(e, 1000);
	if (!ok)
		fail(&err);
	ok = report(e) && ok;
	otprof_exporter_free(e, 0);
	return !ok;
}
