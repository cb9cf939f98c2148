// SPDX-License-Identifier: Apache-2.0
/* agent/helper_code.h: the code of the profiled program: maps and tables that
 * it unwinds with, and from its addresses to binaries. */
#ifndef OP_AGENT_HELPER_CODE_H
#define OP_AGENT_HELPER_CODE_H

#include "agent/channel.h"
#include "host/host.h"
#include "host/proc.h"
#include "record/binary.h"

struct op_agent_helper_code {
	uint32_t pid;
	struct op_channel *channel;
	int tables_fd;
	struct op_arena mem;
	struct op_host host;
	struct op_proc proc;
	struct op_rec_tables tables;
	struct op_binaries binaries;
	bool is_cut; /* the map does not have all of the code */
};

/* Its storage is the caller's and must not move. */
int op_agent_helper_code_init(struct op_agent_helper_code *c,
			      struct op_err *err);
void op_agent_helper_code_fini(struct op_agent_helper_code *c);

/* Reads what the program has mapped and publishes it. False if that cannot be
 * done now: a sample is still taken with the map whose place is needed, or the
 * program is gone. */
bool op_agent_helper_code_read(struct op_agent_helper_code *c);

/* The mapping of an address, with its base; NULL: none. */
struct op_host_map *op_agent_helper_code_find(struct op_agent_helper_code *c,
					      uint64_t address);

#endif
