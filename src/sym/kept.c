// SPDX-License-Identifier: Apache-2.0
/* sym/kept.c: open files of binaries that their names do not lead to. */
#include "sym/kept.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "base/arena.h"

enum { HASH_DIGITS = 32 };

struct row {
	char hash[HASH_DIGITS];
	int fd;
	uint32_t nr_users; /* binaries that are mapped */
	uint64_t window;   /* in which the last of them was gone */
};

struct op_kept {
	pthread_mutex_t mu;
	uint32_t nr;
	uint64_t window;
	struct row rows[OP_KEPT_MAX];
};

struct op_kept *op_kept_new(struct op_err *err)
{
	struct op_kept *k = op_heap_resize(NULL, sizeof(*k), err);

	if (!k)
		return NULL;
	k->nr = 0;
	k->window = 0;
	pthread_mutex_init(&k->mu, NULL);
	return k;
}

void op_kept_free(struct op_kept *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; i < k->nr; i++)
		close(k->rows[i].fd);
	pthread_mutex_destroy(&k->mu);
	op_heap_free(k);
}

static struct row *find(struct op_kept *k, struct op_view hash)
{
	for (uint32_t i = 0; i < k->nr && hash.n == HASH_DIGITS; i++)
		if (!memcmp(k->rows[i].hash, hash.p, HASH_DIGITS))
			return &k->rows[i];
	return NULL;
}

static void drop(struct op_kept *k, uint32_t i)
{
	close(k->rows[i].fd);
	k->rows[i] = k->rows[--k->nr];
}

/* Drops the file that nobody has mapped for the longest time. */
static bool make_room(struct op_kept *k)
{
	uint32_t old = OP_KEPT_MAX;

	if (k->nr < OP_KEPT_MAX)
		return true;
	for (uint32_t i = 0; i < k->nr; i++)
		if (!k->rows[i].nr_users &&
		    (old == OP_KEPT_MAX ||
		     k->rows[i].window < k->rows[old].window))
			old = i;
	if (old == OP_KEPT_MAX)
		return false;
	drop(k, old);
	return true;
}

bool op_kept_put(struct op_kept *k, struct op_view htlhash, int fd)
{
	struct row *r;
	bool ok = true;

	pthread_mutex_lock(&k->mu);
	r = find(k, htlhash);
	if (r) {
		r->nr_users++;
		close(fd);
	} else if (htlhash.n == HASH_DIGITS && make_room(k)) {
		r = &k->rows[k->nr++];
		*r = (struct row){ .fd = fd, .nr_users = 1 };
		memcpy(r->hash, htlhash.p, HASH_DIGITS);
	} else {
		close(fd);
		ok = false;
	}
	pthread_mutex_unlock(&k->mu);
	return ok;
}

void op_kept_gone(struct op_kept *k, struct op_view htlhash)
{
	struct row *r;

	pthread_mutex_lock(&k->mu);
	r = find(k, htlhash);
	if (r && r->nr_users && !--r->nr_users)
		r->window = k->window;
	pthread_mutex_unlock(&k->mu);
}

void op_kept_window(struct op_kept *k)
{
	pthread_mutex_lock(&k->mu);
	for (uint32_t i = k->nr; i-- > 0;)
		if (!k->rows[i].nr_users && k->rows[i].window < k->window)
			drop(k, i);
	k->window++;
	pthread_mutex_unlock(&k->mu);
}

int op_kept_open(struct op_kept *k, struct op_view htlhash)
{
	struct row *r;
	int fd = -1;

	pthread_mutex_lock(&k->mu);
	r = find(k, htlhash);
	if (r)
		fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&k->mu);
	return fd;
}

uint32_t op_kept_nr(struct op_kept *k)
{
	uint32_t nr;

	pthread_mutex_lock(&k->mu);
	nr = k->nr;
	pthread_mutex_unlock(&k->mu);
	return nr;
}
