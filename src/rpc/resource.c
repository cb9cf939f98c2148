// SPDX-License-Identifier: Apache-2.0
/* rpc/resource.c: resource attributes from OTEL_* variables. */
#include "rpc/resource.h"

#include <stdio.h>

static const char list_name[] = "OTEL_RESOURCE_ATTRIBUTES";

static const char *variable(const struct op_rpc_env *env, const char *name)
{
	const char *v = env && env->get ? env->get(env->ctx, name) : NULL;

	return v && *v ? v : NULL;
}

static struct op_pair *find(const struct op_rpc_resource *r, const char *key)
{
	for (size_t i = 0; i < r->attrs.n; i++)
		if (!strcmp(r->attrs.p[i].key, key))
			return &r->attrs.p[i];
	return NULL;
}

static void put(struct op_rpc_resource *r, struct op_pair pair)
{
	struct op_pair *has = find(r, pair.key);

	if (has)
		*has = pair;
	else
		(void)op_vec_push(&r->mem, &r->attrs, pair);
}

static void list_read(struct op_rpc_resource *r, const struct op_rpc_env *env,
		      const char *text)
{
	struct op_err why = { 0 };
	struct op_pairs pairs = { 0 };
	char warning[320];

	op_pairs_read(&pairs, &r->mem, text, &why);
	if (why.code) {
		snprintf(warning, sizeof(warning),
			 "%s is ignored: %s (at byte %llu)", list_name,
			 why.text, (unsigned long long)why.at);
		if (env->warn)
			env->warn(env->ctx, warning);
		return;
	}
	for (size_t i = 0; i < pairs.n; i++)
		put(r, pairs.p[i]);
}

static void service_read(struct op_rpc_resource *r, const char *name)
{
	size_t n = strlen(name) + 1;
	char *copy = op_new_raw(&r->mem, char, n);

	if (!copy)
		return;
	memcpy(copy, name, n);
	put(r, (struct op_pair){ "service.name", copy });
}

int op_rpc_resource_read(struct op_rpc_resource *r,
			 const struct op_rpc_env *env, struct op_err *err)
{
	const char *list = variable(env, list_name);
	const char *service = variable(env, "OTEL_SERVICE_NAME");

	*r = (struct op_rpc_resource){ 0 };
	op_arena_tells(&r->mem, err);
	if (list)
		list_read(r, env, list);
	if (service)
		service_read(r, service);
	return err->code;
}

void op_rpc_resource_free(struct op_rpc_resource *r)
{
	op_arena_free(&r->mem);
	*r = (struct op_rpc_resource){ 0 };
}

/* --- models --- */

static bool has(const struct op_model *m, const struct op_kvs *attrs,
		const char *key)
{
	for (uint32_t i = 0; i < attrs->n; i++)
		if (op_view_is(op_kv_key(m, &attrs->p[i]), key))
			return true;
	return false;
}

static void apply(const struct op_rpc_resource *r, struct op_model *m,
		  struct op_kvs *attrs)
{
	struct op_kvs all = { .n = attrs->n };

	all.p = op_new(&m->mem, struct op_kv, attrs->n + r->attrs.n);
	if (!all.p)
		return;
	if (attrs->n)
		memcpy(all.p, attrs->p, attrs->n * sizeof(*all.p));
	for (size_t i = 0; i < r->attrs.n; i++) {
		struct op_kv *kv = &all.p[all.n];

		if (has(m, attrs, r->attrs.p[i].key))
			continue;
		kv->key = op_view_z(r->attrs.p[i].key);
		kv->value.kind = OP_ANY_STRING;
		kv->value.bytes = op_view_z(r->attrs.p[i].value);
		all.n++;
	}
	*attrs = all;
}

int op_rpc_resource_apply(const struct op_rpc_resource *r, struct op_model *m,
			  struct op_err *err)
{
	op_arena_tells(&m->mem, err);
	for (uint32_t i = 0; r->attrs.n && i < m->nr_resources; i++)
		apply(r, m, &m->resources[i].attrs);
	return err->code;
}
