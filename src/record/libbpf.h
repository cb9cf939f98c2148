// SPDX-License-Identifier: Apache-2.0
/* record/libbpf.h: libbpf, which is loaded when a recording begins.
 *
 * Most commands do not record, and would pay for loading it. */
#ifndef OP_RECORD_LIBBPF_H
#define OP_RECORD_LIBBPF_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"

#define OP_LIBBPF_FUNCTIONS(X)              \
	X(bpf_map__fd)                      \
	X(bpf_map__set_initial_value)       \
	X(bpf_map__set_max_entries)         \
	X(bpf_map_create)                   \
	X(bpf_map_delete_elem)              \
	X(bpf_map_lookup_elem)              \
	X(bpf_map_update_elem)              \
	X(bpf_obj_get_info_by_fd)           \
	X(bpf_enable_stats)                 \
	X(bpf_object__close)                \
	X(bpf_object__find_map_by_name)     \
	X(bpf_object__find_program_by_name) \
	X(bpf_object__load)                 \
	X(bpf_object__open_mem)             \
	X(bpf_link__destroy)                \
	X(bpf_program__attach)              \
	X(bpf_program__fd)                  \
	X(bpf_program__set_autoload)        \
	X(libbpf_num_possible_cpus)         \
	X(libbpf_set_print)                 \
	X(ring_buffer__consume)             \
	X(ring_buffer__epoll_fd)            \
	X(ring_buffer__free)                \
	X(ring_buffer__new)

struct op_libbpf {
#define X(name) __typeof__(name) *name;
	OP_LIBBPF_FUNCTIONS(X)
#undef X
};

/* Fails if the library is missing or too old. */
int op_libbpf_load(struct op_libbpf *l, struct op_err *err);

#endif
