// SPDX-License-Identifier: Apache-2.0
#include "fmt/otlp_json/schema.h"

#include <ctype.h>

#include "test.h"

/* stackIndex as stack_index. */
static void to_snake(const char *name, char *out)
{
	for (; *name; name++) {
		if (isupper((unsigned char)*name))
			*out++ = '_';
		*out++ = (char)tolower((unsigned char)*name);
	}
	*out = 0;
}

/* Every key of every message is found in both spellings, wherever the search
 * begins, and leads to a field of some release. */
TEST(every_key)
{
	for (int kind = DATA; kind < NR_KINDS; kind++) {
		const struct op_json_message *m = &op_json_messages[kind];

		CHECK(m->nr && m->nr <= 32);
		for (unsigned int i = 0; i < m->nr; i++) {
			const struct op_json_field *f = &m->fields[i];
			unsigned int any = 0;
			char snake[64];

			CHECK(strlen(f->name) < sizeof(f->name));
			to_snake(f->name, snake);
			for (unsigned int hint = 0; hint <= m->nr; hint++) {
				CHECK_EQ(op_json_field_find(
						 m, op_view_z(f->name), hint),
					 i);
				CHECK_EQ(op_json_field_find(m, op_view_z(snake),
							    hint),
					 i);
			}
			for (int k = 0; k < OP_JSON_NR_LAYOUTS; k++)
				any |= f->num[k];
			CHECK(any && any < 32);
			CHECK(f->kind < NR_KINDS);
		}
	}
}

/* Two keys of one release are two fields, but for other names of one. */
TEST(numbers_differ)
{
	for (int kind = DATA; kind < NR_KINDS; kind++) {
		const struct op_json_message *m = &op_json_messages[kind];

		for (int k = 0; k < OP_JSON_NR_LAYOUTS; k++) {
			unsigned int seen = 0;

			for (unsigned int i = 0; i < m->nr; i++) {
				const struct op_json_field *f = &m->fields[i];
				unsigned int bit = f->num[k] ? 1u << f->num[k] :
							       0;
				bool other = !strcmp(f->name, "sample") ||
					     (kind == LOCATION &&
					      !strcmp(f->name, "line")) ||
					     (kind == VALUE_TYPE &&
					      strlen(f->name) == 4) ||
					     (kind == LOG_SCOPE &&
					      !strcmp(f->name, "logs")) ||
					     strstr(f->name, "instrumentation");

				CHECK(!(seen & bit) || other);
				seen |= bit;
			}
		}
	}
}

TEST(unknown_keys)
{
	static const char *const rows[] = { "",
					    "_",
					    "stackindex",
					    "StackIndex",
					    "stack__index",
					    "stackIndex_",
					    "_stackIndex",
					    "stack_Index",
					    "stackInde",
					    "stackIndexx",
					    "a name longer than all" };

	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_EQ(op_json_field_find(&op_json_messages[SAMPLE],
					    op_view_z(rows[i]), 0),
			 -1);
}

TEST_MAIN(every_key, numbers_differ, unknown_keys)
