// SPDX-License-Identifier: Apache-2.0
#include "rpc/sender.h"

#include <stdlib.h>

#include "rpc/spool.h"
#include "test.h"
#include "wait.h"
#include "write/folder.h"

static char log_text[2000];

static void log_add(void *ctx, const char *text)
{
	size_t n = strlen(log_text);

	(void)ctx;
	snprintf(log_text + n, sizeof(log_text) - n, "%s\n", text);
}

/* Whether there is libcurl. No setting is the caller's. */
static bool can_send(void)
{
	struct op_client *c = NULL;
	struct op_err err = { 0 };
	bool can = !op_client_new(&c, &err);

	op_client_free(c);
	clearenv();
	return can;
}

static const struct {
	const char *name, *general, *of_logs;
	const char *profiles_url, *logs_url;
} rows[] = {
	{ "a base serves all", "http://a:1", NULL,
	  "http://a:1/v1development/profiles", "http://a:1/v1/logs" },
	{ "a path is for one signal", "http://a:1/p", NULL, "http://a:1/p",
	  "http://localhost:4318/v1/logs" },
	{ "logs have their own", "http://a:1/p", "http://b:2/l", "http://a:1/p",
	  "http://b:2/l" },
};

TEST(endpoints)
{
	if (!can_send())
		TEST_SKIP("there is no libcurl");
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_sender_opts opts = {
			.rpc.endpoint = rows[i].general,
			.signal = OP_SIGNAL_PROFILES,
			.endpoints[OP_SIGNAL_LOGS] = rows[i].of_logs,
			.when = { OP_SEND_NOW, OP_SEND_NOW },
		};
		struct op_err err = { 0 };
		struct op_sender s;
		int before = test_failed;

		CHECK_EQ(op_sender_open(&s, &opts, &err), OP_OK);
		CHECK_STR(s.to[OP_SIGNAL_PROFILES].url, rows[i].profiles_url);
		CHECK_STR(s.to[OP_SIGNAL_LOGS].url, rows[i].logs_url);
		op_sender_close(&s);
		if (before != test_failed)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

/* Both signals read the variable. */
TEST(a_warning_comes_once)
{
	struct op_sender_opts opts = { .when = { OP_SEND_NOW, OP_SEND_NOW },
				       .exporter.log = log_add };
	struct op_err err = { 0 };
	struct op_sender s;

	if (!can_send())
		TEST_SKIP("there is no libcurl");
	log_text[0] = 0;
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon", 1);
	CHECK_EQ(op_sender_open(&s, &opts, &err), OP_OK);
	op_sender_close(&s);
	unsetenv("OTEL_EXPORTER_OTLP_TIMEOUT");
	CHECK_STR(log_text, "OTEL_EXPORTER_OTLP_TIMEOUT=soon is ignored: "
			    "expected a number of milliseconds\n");
}

static bool has_tried(void *ctx)
{
	struct op_exporter_stats stats = { 0 };
	const struct op_sender *s = ctx;

	op_exporter_stats(s->exporter, &stats);
	return stats.tries;
}

/* A message of a signal that is not sent stays in the spool. */
TEST(what_is_not_sent_stays)
{
	struct op_sender_opts opts = { .when = { OP_SEND_NOW, OP_SEND_NEVER },
				       .exporter.log = log_add };
	struct op_exporter_stats stats = { 0 };
	struct op_err err = { 0 };
	struct op_spool *spool = NULL;
	struct op_sender s;
	struct folder f;
	uint64_t gone = 0;

	if (!can_send())
		TEST_SKIP("there is no libcurl");
	folder_make(&f);
	log_text[0] = 0;
	opts.exporter.spool = f.path;
	CHECK_EQ(op_spool_open(f.path, 1 << 20, &spool, &err), OP_OK);
	CHECK_EQ(op_spool_add(spool, OP_SIGNAL_LOGS, op_view("x", 1), 1, &gone,
			      &err),
		 OP_OK);
	op_spool_close(spool);
	CHECK_EQ(op_sender_open(&s, &opts, &err), OP_OK);
	CHECK(wait_until(has_tried, &s));
	op_exporter_stats(s.exporter, &stats);
	CHECK_EQ(stats.spooled, 1);
	op_sender_close(&s);
	CHECK(strstr(log_text, "the spool has records, which the exporter "
			       "does not send") != NULL);
	folder_remove(&f);
}

TEST_MAIN(endpoints, a_warning_comes_once, what_is_not_sent_stays)
