// SPDX-License-Identifier: Apache-2.0
/* rpc/sender.c: combines configuration, client and exporter. */
#include "rpc/sender.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "rpc/endpoint.h"
#include "rpc/signal_ops.h"
#include "rpc/split_send.h"

static void warn(void *ctx, const char *text)
{
	struct op_sender *s = ctx;
	uint32_t hash = op_hash32(text, strlen(text));

	/* A variable that several signals use is reported once. */
	for (size_t i = 0; i < s->nr_warned; i++)
		if (s->warned[i] == hash)
			return;
	if (s->nr_warned < op_countof(s->warned))
		s->warned[s->nr_warned++] = hash;
	if (s->opts.exporter.log)
		s->opts.exporter.log(s->opts.exporter.log_ctx, text);
}

static const char *env_value(void *ctx, const char *name)
{
	(void)ctx;
	return getenv(name);
}

/* --- settings --- */

/* An endpoint with the path of one signal cannot be used for another. */
static const char *endpoint_of(const struct op_sender_opts *o,
			       enum op_signal signal)
{
	const char *general = o->rpc.endpoint;

	if (o->endpoints[signal])
		return o->endpoints[signal];
	if (signal == o->signal || !general || !op_endpoint_has_path(general))
		return general;
	return NULL;
}

static int config_read(struct op_sender *s, enum op_signal signal,
		       struct op_err *err)
{
	struct op_rpc_opts opts = s->opts.rpc;

	if (s->has_to[signal])
		return OP_OK;
	if (s->opts.when[signal] == OP_SEND_NEVER)
		return op_fail(err, OP_EUSAGE,
			       "the spool has %s, which the exporter does not "
			       "send",
			       op_signals[signal].rows);
	opts.endpoint = endpoint_of(&s->opts, signal);
	opts.is_splunk = s->opts.is_splunk && signal == OP_SIGNAL_LOGS;
	if (op_rpc_config_read(&s->to[signal], signal, &opts, &s->env, err))
		op_rpc_config_free(&s->to[signal]);
	else
		s->has_to[signal] = true;
	return err->code;
}

static int configs_read(struct op_sender *s, struct op_err *err)
{
	for (int i = 0; i < OP_NR_SIGNALS; i++)
		if (s->opts.when[i] == OP_SEND_NOW &&
		    config_read(s, (enum op_signal)i, err))
			return err->code;
	return op_rpc_resource_read(&s->resource, &s->env, err);
}

size_t op_sender_max(const struct op_sender *s, enum op_signal signal)
{
	return op_rpc_config_max(&s->to[signal]);
}

/* --- for the exporter --- */

static void send_one(void *ctx, enum op_signal signal, struct op_view message,
		     struct op_answer *a)
{
	struct op_sender *s = ctx;
	struct op_err err = { 0 };

	if (!config_read(s, signal, &err)) {
		op_split_send(s->client, &s->to[signal], message, a);
		return;
	}
	*a = (struct op_answer){ .verdict = OP_VERDICT_RETRY };
	snprintf(a->text, sizeof(a->text), "not sent: %.200s", err.text);
}

static void stop(void *ctx)
{
	op_client_stop(((struct op_sender *)ctx)->client);
}

/* --- open and close --- */

int op_sender_open(struct op_sender *s, const struct op_sender_opts *opts,
		   struct op_err *err)
{
	struct op_exporter_opts e = opts->exporter;

	*s = (struct op_sender){ .opts = *opts, .env = { env_value, warn, s } };
	if (configs_read(s, err) || op_client_new(&s->client, err))
		return err->code;
	e.send = send_one;
	e.stop = stop;
	e.send_ctx = s;
	if (opts->queue_requests)
		e.queue_bytes = opts->queue_requests *
				s->to[opts->signal].max_request;
	return op_exporter_new(&e, &s->exporter, err);
}

void op_sender_close(struct op_sender *s)
{
	op_exporter_free(s->exporter);
	op_client_free(s->client);
	op_rpc_resource_free(&s->resource);
	for (int i = 0; i < OP_NR_SIGNALS; i++)
		if (s->has_to[i])
			op_rpc_config_free(&s->to[i]);
}
