// SPDX-License-Identifier: Apache-2.0
#include "agent/seccomp.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static int filter(unsigned int call, unsigned int action)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { sizeof(f) / sizeof(*f), f };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p);
}

/* What it says in a child with a filter; -1: the child did not survive. */
static int checked(unsigned int call, unsigned int action)
{
	struct op_err err = { 0 };
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(filter(call, action) ? 99 : op_seccomp_check(&err) != 0);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST(without_a_filter)
{
	struct op_err err = { 0 };

	CHECK_EQ(op_seccomp_check(&err), OP_OK);
}

TEST(a_filter_that_refuses)
{
	const unsigned int no = SECCOMP_RET_ERRNO | 1;

	if (checked(SYS_personality, no) == 99)
		TEST_SKIP("no filters here");
	CHECK_EQ(checked(SYS_personality, no), 0);
	CHECK_EQ(checked(SYS_process_vm_readv, no), 0);
}

TEST(a_filter_that_kills)
{
	static const unsigned int needed[] = {
		SYS_process_vm_readv, SYS_execve,     SYS_rt_tgsigqueueinfo,
		SYS_memfd_create,     SYS_socketpair, SYS_setsid,
	};

	if (checked(SYS_personality, SECCOMP_RET_KILL_PROCESS) == 99)
		TEST_SKIP("no filters here");
	CHECK_EQ(checked(SYS_personality, SECCOMP_RET_KILL_PROCESS), 0);
	for (size_t i = 0; i < op_countof(needed); i++) {
		CHECK_EQ(checked(needed[i], SECCOMP_RET_KILL_PROCESS), 1);
		CHECK_EQ(checked(needed[i], SECCOMP_RET_TRAP), 1);
	}
}

TEST_MAIN(without_a_filter, a_filter_that_refuses, a_filter_that_kills)
