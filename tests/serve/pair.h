// SPDX-License-Identifier: Apache-2.0
/* One server that answers as a script says, and one client that is led to it by
 * variables of the environment. */
#ifndef OP_TESTS_PAIR_H
#define OP_TESTS_PAIR_H

#include "test.h"
#include "rpc/client.h"
#include "serve/serve.h"
#include "write/env.h"

struct pair {
	struct serve *s;
	struct op_client *c;
	struct op_rpc_config to;
	struct env env;
	char vars[8][300];
	struct op_rpc_env e;
};

/* vars are separated by spaces, each without its OTEL_EXPORTER_OTLP_. */
static inline void pair_open(struct pair *p, const char *script,
			     const char *vars, enum op_signal signal)
{
	struct op_err err = { 0 };
	size_t nr = 1;

	memset(p, 0, sizeof(*p));
	p->s = serve_start(script, NULL);
	snprintf(p->vars[0], sizeof(p->vars[0]),
		 "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:%d",
		 serve_port(p->s));
	for (; *vars; nr++) {
		size_t n = strcspn(vars, " ");

		snprintf(p->vars[nr], sizeof(p->vars[nr]),
			 "OTEL_EXPORTER_OTLP_%.*s", (int)n, vars);
		vars += n + (vars[n] == ' ');
	}
	for (size_t i = 0; i < nr; i++)
		p->env.vars[i] = p->vars[i];
	p->e = env_of(&p->env);
	op_rpc_config_read(&p->to, signal, NULL, &p->e, &err);
	op_client_new(&p->c, &err);
	CHECK_STR(err.text, "");
	CHECK_STR(p->env.warnings, "");
}

static inline void pair_close(struct pair *p)
{
	op_client_free(p->c);
	serve_stop(p->s);
	op_rpc_config_free(&p->to);
}

static inline struct op_answer pair_send(struct pair *p, struct op_view message)
{
	struct op_answer a;

	op_client_send(p->c, &p->to, message, &a);
	return a;
}

/* --- what this build can do --- */

static inline bool can_send(void)
{
	struct op_client *c = NULL;
	struct op_err err = { 0 };

	op_client_new(&c, &err);
	op_client_free(c);
	return !err.code;
}

#define NEEDS_HTTP                                          \
	do {                                                \
		if (!can_send())                            \
			TEST_SKIP("built without libcurl"); \
	} while (0)

#define NEEDS_HTTP2                                          \
	do {                                                 \
		NEEDS_HTTP;                                  \
		if (!serve_has_http2())                      \
			TEST_SKIP("there is no libnghttp2"); \
	} while (0)

#endif
