// SPDX-License-Identifier: Apache-2.0
/* server/peer.c: asks the kernel for the socket at the other end. */
#include "server/peer.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <unistd.h>

struct question {
	struct nlmsghdr head;
	struct inet_diag_req_v2 body;
};

/* The other end's own address is the one that the connection came from. */
static bool question_of(int fd, struct question *q)
{
	struct sockaddr_in own, other;
	socklen_t n = sizeof(own), m = sizeof(other);

	if (getsockname(fd, (struct sockaddr *)&own, &n) ||
	    getpeername(fd, (struct sockaddr *)&other, &m))
		return false;
	*q = (struct question){
		.head = { .nlmsg_len = sizeof(*q),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST },
		.body = { .sdiag_family = AF_INET,
			  .sdiag_protocol = IPPROTO_TCP,
			  .id = { .idiag_sport = other.sin_port,
				  .idiag_dport = own.sin_port,
				  .idiag_src = { other.sin_addr.s_addr },
				  .idiag_dst = { own.sin_addr.s_addr },
				  .idiag_cookie = { INET_DIAG_NOCOOKIE,
						    INET_DIAG_NOCOOKIE } } },
	};
	return true;
}

static bool ask(const struct question *q, uid_t *uid)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_msg body;
		char more[512]; /* which does not matter */
	} reply;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (send(fd, q, sizeof(*q), 0) == sizeof(*q))
		n = recv(fd, &reply, sizeof(reply), MSG_DONTWAIT);
	close(fd);
	if (n < (ssize_t)(sizeof(reply.head) + sizeof(reply.body)) ||
	    reply.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return false;
	*uid = reply.body.idiag_uid;
	return true;
}

bool op_peer_is_other(int fd)
{
	struct question q;
	uid_t uid;

	return question_of(fd, &q) && ask(&q, &uid) && uid && uid != geteuid();
}
