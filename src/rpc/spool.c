// SPDX-License-Identifier: Apache-2.0
/* rpc/spool.c: adds, reads, removes and counts messages.
 *
 * The directory is authoritative; the index is what this process knows of it.
 * Files are written and read without the mutex, which guards the index. */
#include "rpc/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "rpc/spool_dir.h"
#include "rpc/spool_file.h"

_Static_assert(sizeof(((struct op_spooled *)0)->name) == OP_SPOOL_NAME,
	       "a name fits");

struct op_spool {
	int dir;
	int lock; /* file descriptor; -1: another process may send */
	uint64_t max;
	uint32_t who;
	pthread_mutex_t mu;
	/* The mutex guards the rest. */
	struct op_spool_index ix;
	struct op_spool_others others;
	uint64_t nr_foreign_told;
	uint64_t pending; /* bytes of files being written */
	uint64_t last_ns; /* in the name of the last */
	uint64_t looked_ns;
	uint64_t nr_unsynced;
	char after[OP_NR_SIGNALS][OP_SPOOL_NAME]; /* the entry tried last */
};

/* --- open and close --- */

/* Distinguishes the files of this spool from those that another process creates
 * at the same moment. The address is random, and no two spools of a process
 * share it. */
static uint32_t who_am_i(const struct op_spool *s)
{
	struct {
		const void *p;
		long pid;
		struct timespec t;
	} key = { .p = s, .pid = getpid() };

	clock_gettime(CLOCK_REALTIME, &key.t);
	return op_hash32(&key, sizeof(key));
}

int op_spool_open(const char *dir, uint64_t max, struct op_spool **out,
		  struct op_err *err)
{
	struct op_spool *s = op_heap_resize(NULL, sizeof(*s), err);
	int fd;

	if (!s)
		return err->code;
	fd = op_spool_dir_open(dir, err);
	if (fd < 0) {
		op_heap_free(s);
		return err->code;
	}
	*s = (struct op_spool){ .dir = fd, .lock = -1, .max = max };
	s->who = who_am_i(s);
	pthread_mutex_init(&s->mu, NULL);
	if (op_spool_dir_list(fd, false, &s->ix, &s->others, err)) {
		op_spool_close(s);
		return err->code;
	}
	*out = s;
	return OP_OK;
}

void op_spool_close(struct op_spool *s)
{
	if (!s)
		return;
	op_spool_unlock(s);
	op_spool_index_free(&s->ix);
	pthread_mutex_destroy(&s->mu);
	close(s->dir);
	op_heap_free(s);
}

/* --- what is there --- */

/* Keeps what is known about files that still exist. */
static void remember(const struct op_spool_index *old,
		     struct op_spool_index *ix)
{
	size_t o = old->head;

	for (size_t i = 0; i < ix->n; i++) {
		struct op_spool_entry *e = &ix->p[i];

		while (o < old->n && strcmp(old->p[o].name, e->name) < 0)
			o++;
		if (o == old->n)
			return;
		if (strcmp(old->p[o].name, e->name))
			continue;
		if (old->p[o].is_sent)
			op_spool_index_sent(ix, i);
		e->is_busy = old->p[o].is_busy;
		e->is_unsynced = old->p[o].is_unsynced;
	}
}

/* Without memory the old index stays. */
static void look(struct op_spool *s, bool drop_bad)
{
	struct op_spool_index ix = { 0 };
	struct op_spool_others others;
	struct op_err ignored = { 0 };

	if (op_spool_dir_list(s->dir, drop_bad, &ix, &others, &ignored)) {
		op_spool_index_free(&ix);
		return;
	}
	s->others = others;
	remember(&s->ix, &ix);
	op_spool_index_free(&s->ix);
	s->ix = ix;
	s->nr_unsynced = 0;
	for (size_t i = 0; i < ix.n; i++)
		s->nr_unsynced += ix.p[i].is_unsynced;
}

void op_spool_look(struct op_spool *s)
{
	pthread_mutex_lock(&s->mu);
	look(s, false);
	pthread_mutex_unlock(&s->mu);
}

bool op_spool_found_foreign(struct op_spool *s, char *text, size_t n,
			    uint64_t *nr)
{
	bool is_new;

	pthread_mutex_lock(&s->mu);
	is_new = s->others.nr_foreign > s->nr_foreign_told;
	s->nr_foreign_told = *nr = s->others.nr_foreign;
	snprintf(text, n, "%s", s->others.foreign);
	pthread_mutex_unlock(&s->mu);
	return is_new;
}

struct op_spool_size op_spool_size(struct op_spool *s)
{
	struct op_spool_size out = { 0 };

	pthread_mutex_lock(&s->mu);
	out.bytes = s->ix.bytes + s->pending;
	for (int i = 0; i < OP_NR_SIGNALS; i++)
		out.nr += out.nr_signal[i] = s->ix.nr[i];
	pthread_mutex_unlock(&s->mu);
	return out;
}

/* --- adding --- */

static void entry_remove(struct op_spool *s, size_t i)
{
	s->nr_unsynced -= s->ix.p[i].is_unsynced;
	op_spool_index_remove(&s->ix, i);
}

static bool is_full(const struct op_spool *s, uint64_t need)
{
	return s->ix.bytes + s->pending + s->others.bad_bytes + need > s->max;
}

/* Removes the oldest files until there is room. If another process has already
 * removed one, it does not count. */
static uint64_t room_make(struct op_spool *s, uint64_t need, uint64_t wall_ns)
{
	enum { LOOK_NS = 1000000000 };
	uint64_t nr = 0;

	if (is_full(s, need) && wall_ns - s->looked_ns > LOOK_NS) {
		look(s, true);
		s->looked_ns = wall_ns;
	}
	for (size_t i = s->ix.head; i < s->ix.n && is_full(s, need);) {
		if (s->ix.p[i].is_busy) {
			i++;
			continue;
		}
		nr += !unlinkat(s->dir, s->ix.p[i].name, 0);
		entry_remove(s, i);
		i = i < s->ix.head ? s->ix.head : i;
	}
	return nr;
}

/* The name of a new file: sorts after all earlier ones. */
static void name_next(struct op_spool *s, enum op_signal signal,
		      uint64_t wall_ns, char *out)
{
	s->last_ns = wall_ns > s->last_ns ? wall_ns : s->last_ns + 1;
	op_spool_name(out, s->last_ns, s->who, signal);
}

static int write_new(struct op_spool *s, enum op_signal signal,
		     struct op_view message, uint64_t wall_ns,
		     struct op_spool_entry *e, struct op_err *err)
{
	enum { TRIES = 3 };
	struct op_err mine;
	int tries = 0;

	do {
		mine = (struct op_err){ 0 };
		pthread_mutex_lock(&s->mu);
		name_next(s, signal, wall_ns, e->name);
		pthread_mutex_unlock(&s->mu);
		op_spool_file_write(s->dir, e->name, signal, message, &mine);
	} while ((mine.sys == EWOULDBLOCK || mine.sys == ENOENT) &&
		 ++tries < TRIES);
	if (mine.code && !err->code)
		*err = mine;
	return err->code;
}

int op_spool_add(struct op_spool *s, enum op_signal signal,
		 struct op_view message, uint64_t wall_ns, uint64_t *nr_gone,
		 struct op_err *err)
{
	struct op_spool_entry e = { .bytes = message.n + OP_SPOOL_HEADER,
				    .signal = signal,
				    .is_unsynced = true };

	*nr_gone = 0;
	if (e.bytes > s->max)
		return op_fail(err, OP_ELIMIT,
			       "a message of %zu bytes exceeds the limit of "
			       "the spool",
			       message.n);
	pthread_mutex_lock(&s->mu);
	*nr_gone = room_make(s, e.bytes, wall_ns);
	s->pending += e.bytes;
	pthread_mutex_unlock(&s->mu);
	write_new(s, signal, message, wall_ns, &e, err);
	pthread_mutex_lock(&s->mu);
	s->pending -= e.bytes;
	/* Without memory it is found when the directory is read again. */
	if (!err->code && op_spool_index_put(&s->ix, &e))
		s->nr_unsynced++;
	pthread_mutex_unlock(&s->mu);
	return err->code;
}

/* --- sending --- */

bool op_spool_lock(struct op_spool *s, struct op_err *err)
{
	struct op_err why = { 0 };
	int fd;

	if (s->lock >= 0)
		return true;
	fd = op_spool_file_open(s->dir, "lock", O_RDWR | O_CREAT, &why);
	if (fd < 0) {
		op_fail(err, OP_EIO, "the file 'lock' cannot be used: %s",
			why.text);
		err->sys = why.sys;
		return false;
	}
	/* If the file system has no locks, we assume that there is one process.
	 */
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(fd);
		return false;
	}
	s->lock = fd;
	op_spool_look(s);
	return true;
}

void op_spool_unlock(struct op_spool *s)
{
	if (s->lock < 0)
		return;
	/* Releases it also for a child process that inherited the descriptor.
	 */
	flock(s->lock, LOCK_UN);
	close(s->lock);
	s->lock = -1;
}

/* The entry to send next; false: none. */
static bool choose(struct op_spool *s, enum op_signal signal, size_t *out)
{
	struct op_spool_index *ix = &s->ix;
	size_t from = op_spool_index_find(ix, s->after[signal]);
	size_t nr = ix->n - ix->head;

	for (size_t k = 0; k <= nr; k++, from++) {
		if (from >= ix->n)
			from = ix->head;
		if (from >= ix->n)
			return false;
		/* The entry tried last comes last. */
		if (!k && !strcmp(ix->p[from].name, s->after[signal]))
			continue;
		if (ix->p[from].signal == signal && !ix->p[from].is_busy &&
		    !ix->p[from].is_sent) {
			*out = from;
			return true;
		}
	}
	return false;
}

static void forget(struct op_spool *s, const char *name)
{
	size_t i;

	pthread_mutex_lock(&s->mu);
	i = op_spool_index_find(&s->ix, name);
	if (i < s->ix.n && !strcmp(s->ix.p[i].name, name))
		entry_remove(s, i);
	pthread_mutex_unlock(&s->mu);
}

static void set_aside(struct op_spool *s, const char *name, struct op_err *err)
{
	struct op_err why = *err;
	char bad[OP_SPOOL_NAME + 8];
	struct stat st;

	snprintf(bad, sizeof(bad), "%s.bad", name);
	*err = (struct op_err){ 0 };
	if (renameat(s->dir, name, s->dir, bad))
		op_fail(err, OP_EFORMAT,
			"%s in the spool is damaged (%s) and cannot be renamed",
			name, why.text);
	else
		op_fail(err, OP_EFORMAT,
			"%s in the spool is damaged (%s) and was renamed to "
			"%s",
			name, why.text, bad);
	forget(s, name);
	if (fstatat(s->dir, bad, &st, AT_SYMLINK_NOFOLLOW))
		return;
	pthread_mutex_lock(&s->mu);
	s->others.bad_bytes += (uint64_t)st.st_size;
	pthread_mutex_unlock(&s->mu);
}

static bool take_one(struct op_spool *s, enum op_signal signal,
		     struct op_spooled *out)
{
	size_t i;
	bool is;

	pthread_mutex_lock(&s->mu);
	is = choose(s, signal, &i);
	if (is) {
		*out = (struct op_spooled){ .signal = signal };
		memcpy(out->name, s->ix.p[i].name, sizeof(out->name));
		memcpy(s->after[signal], out->name, sizeof(out->name));
		s->ix.p[i].is_busy = true;
	}
	pthread_mutex_unlock(&s->mu);
	return is;
}

bool op_spool_take(struct op_spool *s, enum op_signal signal,
		   struct op_spooled *out, struct op_err *err)
{
	while (take_one(s, signal, out)) {
		struct op_err mine = { 0 };

		if (!op_spool_file_read(s->dir, out->name, signal, &out->mem,
					&out->bytes, &mine))
			return true;
		if (mine.sys == ENOENT) {
			forget(s, out->name);
			continue;
		}
		if (mine.code == OP_EFORMAT)
			set_aside(s, out->name, &mine);
		else
			op_spool_return(s, out);
		if (!err->code)
			*err = mine;
		return false;
	}
	return false;
}

/* The entry is no longer being sent. */
static void unbusy(struct op_spool *s, struct op_spooled *m, bool is_sent)
{
	size_t i;

	op_heap_free(m->mem);
	m->mem = NULL;
	pthread_mutex_lock(&s->mu);
	i = op_spool_index_find(&s->ix, m->name);
	if (i < s->ix.n && !strcmp(s->ix.p[i].name, m->name)) {
		s->ix.p[i].is_busy = false;
		if (is_sent)
			op_spool_index_sent(&s->ix, i);
	}
	pthread_mutex_unlock(&s->mu);
}

void op_spool_done(struct op_spool *s, struct op_spooled *m, struct op_err *err)
{
	bool stays = unlinkat(s->dir, m->name, 0) && errno != ENOENT;

	if (stays)
		op_fail_sys(err, "cannot remove %s from the spool", m->name);
	unbusy(s, m, true);
	if (!stays)
		forget(s, m->name);
}

void op_spool_return(struct op_spool *s, struct op_spooled *m)
{
	unbusy(s, m, false);
}

/* --- syncing --- */

/* The newest file that was not synced; from now on it counts as synced. */
static bool unsynced(struct op_spool *s, char *name)
{
	bool found = false;

	pthread_mutex_lock(&s->mu);
	for (size_t i = s->ix.n; s->nr_unsynced && i-- > s->ix.head;) {
		struct op_spool_entry *e = &s->ix.p[i];

		if (!e->is_unsynced)
			continue;
		memcpy(name, e->name, OP_SPOOL_NAME);
		e->is_unsynced = false;
		s->nr_unsynced--;
		found = true;
		break;
	}
	pthread_mutex_unlock(&s->mu);
	return found;
}

int op_spool_sync(struct op_spool *s, struct op_err *err)
{
	char name[OP_SPOOL_NAME];
	bool any = false;

	while (unsynced(s, name)) {
		op_spool_file_sync(s->dir, name, err);
		any = true;
	}
	if (any && fsync(s->dir))
		op_fail_sys(err, "cannot sync the spool");
	return err->code;
}
