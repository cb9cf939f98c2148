// SPDX-License-Identifier: Apache-2.0
/* cli/answer.h: what the commands have in common that answer a question about
 * profiles: options, reading, the choice of a type, and the lines around the
 * result.
 *
 *	struct answer a = { .has = ANSWER_BY | ANSWER_CSV };
 *	int first = answer_begin(&a, cmd, own_options, argc, argv, err);
 *
 *	if (first > 0 && !answer_read(&a, argv + first, argc - first)) {
 *		struct table t = answer_table(&a, columns, nr_columns);
 *
 *		answer_head(&a);
 *		table_begin(&t); ... table_end(&t);
 *		answer_tail(&a);
 *		table_free(&t);
 *	}
 *	return answer_end(&a, first);
 *
 * As text the result is between a line about the profiles and one line for each
 * other type that they have; as JSON it is one object; CSV is only the table.
 */
#ifndef OP_CLI_ANSWER_H
#define OP_CLI_ANSWER_H

#include "job.h"
#include "query/group_by.h"
#include "query/type_list.h"
#include "table.h"
#include "units.h"

/* Options that not every command has. All have --json and --unit. */
enum {
	ANSWER_BY = 1,	  /* --by */
	ANSWER_CSV = 2,	  /* --csv */
	ANSWER_ROWS = 4,  /* -n; set nr_rows to the default before */
	ANSWER_PAGER = 8, /* --pager */
	ANSWER_SUMS = 16, /* does not show when something was observed */
};

/* What the profiles of the type are about; 0 is unknown. */
struct answer_facts {
	uint64_t nr_samples;
	uint32_t nr_services, nr_threads;
	struct op_view service; /* if there is one only */
	uint64_t time_ns, duration_ns;
	bool has_date; /* time_ns is since 1970 */
};

struct answer {
	/* Set before: */
	unsigned int has;
	uint64_t nr_rows; /* most that are shown; UINT64_MAX: all */
	bool keeps;	  /* text stays in out instead of being printed */

	struct job job;
	struct op_group_by by; /* "function" if there is no --by */
	bool json, csv, pager;

	/* After answer_read(): */
	struct op_model m;
	const struct op_profile *like; /* of the type that was chosen */
	struct units units;
	struct op_type_list types;
	const struct op_type_row *type;
	struct answer_facts facts;

	struct op_buf out;
	struct op_json w; /* with json: an open object */
	const char *by_text, *unit_text, *types_text;
	OP_VEC(struct op_opt) opts;
	struct op_arena mem;
	struct op_err *err;
};

/* Parses the options: the command's own, those of answers, those of jobs. Gives
 * what job_begin() gives. answer_end() is due whatever the result. */
int answer_begin(struct answer *a, const struct op_cmd *cmd,
		 const struct op_opt *own, int argc, char **argv,
		 struct op_err *err);

/* Reads the files, merged; without one standard input, unless that is a
 * terminal. Chooses the type, and its unit. Fails if --by names a label that
 * the profiles do not have. */
int answer_read(struct answer *a, char **files, int n);

/* The same for a model that is already in a->m. */
int answer_choose(struct answer *a);

/* The same with the type of a profile of the model. */
int answer_use(struct answer *a, const struct op_profile *like);

/* A table in the form that was asked for. */
struct table answer_table(struct answer *a, const struct table_column *columns,
			  uint32_t nr_columns);

/* Whether the result is text. */
op_inline bool answer_is_text(const struct answer *a)
{
	return !a->json && !a->csv;
}

/* What comes before the result, and behind it. Nothing was printed while there
 * is no table, so that a command may still fail between them. */
void answer_head(struct answer *a);
void answer_tail(struct answer *a);

/* Frees everything. Gives the result of the command. */
int answer_end(struct answer *a, int first);

#endif
