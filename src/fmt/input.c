// SPDX-License-Identifier: Apache-2.0
/* fmt/input.c: opens files, unpacks them and finds their format. */
#include "fmt/input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/vec.h"
#include "fmt/unpack.h"
#include "fmt/unsupported.h"
#include "model/merge.h"

#define DEFAULT_MAX ((size_t)4 << 30)

size_t op_input_max(const struct op_input_opts *opts)
{
	return opts && opts->max_bytes ? opts->max_bytes : DEFAULT_MAX;
}

static int read_all(struct op_input *in, size_t hint, size_t max,
		    struct op_err *err)
{
	struct op_buf buf = { .limit = max, .err = err };
	uint8_t more;

	op_buf_reserve(&buf, hint < max ? hint + 1 : max);
	op_heap_hint(buf.p, buf.cap);
	while (!err->code) {
		size_t free_bytes = buf.cap - buf.n;
		size_t allowed = max - buf.n;
		size_t room = free_bytes < allowed ? free_bytes : allowed;
		uint8_t *to = room ? buf.p + buf.n : &more;
		ssize_t got = read(in->fd, to, room ? room : 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			op_fail_sys(err, "cannot read");
		if (got <= 0)
			break;
		op_budget_input((uint64_t)got);
		if (room)
			buf.n += (size_t)got;
		else
			op_buf_byte(&buf, more);
	}
	if (err->code) {
		op_buf_free(&buf);
		return err->code;
	}
	in->heap = buf.p;
	in->bytes = op_view(buf.p, buf.n);
	return OP_OK;
}

/* The format of a file of which no more than its head needs to be read now;
 * NULL if all of it does. */
static const struct op_format *read_in_parts(struct op_view head,
					     const struct op_input_opts *opts)
{
	for (const struct op_format *const *f = op_formats; *f; f++)
		if ((*f)->read_parts &&
		    (!opts || !opts->format || opts->format == *f) &&
		    (*f)->sniff(head) == 100)
			return *f;
	return NULL;
}

/* The first bytes of a file that is being opened. */
static struct op_view head_read(int fd, uint8_t room[OP_SNIFF_HEAD])
{
	ssize_t got = pread(fd, room, OP_SNIFF_HEAD, 0);

	return op_view(room, got > 0 ? (size_t)got : 0);
}

static int load(struct op_input *in, const struct op_input_opts *opts,
		struct op_err *err)
{
	uint8_t room[OP_SNIFF_HEAD];
	size_t max = op_input_max(opts);
	struct stat st;
	size_t n;

	if (fstat(in->fd, &st))
		return op_fail_sys(err, "cannot stat");
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return op_fail_sys(err, "cannot read");
	}
	n = S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
	if (n > max)
		return op_fail(err, OP_ELIMIT,
			       "%zu bytes exceed the limit of %zu", n, max);
	/* Of standard input nobody knows where it stands. */
	if (n && in->is_open)
		in->format = read_in_parts(head_read(in->fd, room), opts);
	if (!in->format)
		return read_all(in, n, max, err);
	in->bytes.n = in->file_bytes = n;
	op_budget_input(n);
	return OP_OK;
}

static void buf_free(void *p, size_t n)
{
	(void)n;
	op_heap_free(p);
}

static void file_close(struct op_input *in)
{
	if (in->is_open)
		close(in->fd);
	in->is_open = false;
}

void op_input_close(struct op_input *in)
{
	op_heap_free(in->heap);
	file_close(in);
	*in = (struct op_input){ 0 };
}

int op_input_load(struct op_input *in, struct op_err *err)
{
	struct op_source file = { .n = in->bytes.n, .fd = in->fd };
	struct op_buf room = { 0 };

	if (in->bytes.p)
		return OP_OK;
	in->bytes = op_source_part(&file, 0, file.n, &room, err);
	in->heap = room.p;
	if (err->code)
		op_input_close(in);
	else
		file_close(in);
	return err->code;
}

/* What the bytes look like. */
static const struct op_format *detect(struct op_view in, struct op_err *err)
{
	const char *kind = op_unsupported_kind(in);
	const struct op_format *f = kind ? NULL : op_format_sniff(in);

	if (kind)
		op_fail(err, OP_EFORMAT, "%s: not supported", kind);
	else if (!f)
		op_fail_at(err, OP_EFORMAT, 0,
			   "not a profile in any known format");
	return f;
}

/* The byte order mark of UTF-8 means nothing. */
static struct op_view without_mark(struct op_view in)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t n = sizeof(mark) - 1;

	if (in.n < n || memcmp(in.p, mark, n))
		return in;
	return op_view(in.p + n, in.n - n);
}

/* Unpacks one layer. What comes out is work that goes in was not: it is to be
 * unpacked and read. */
static int unpack(struct op_view in, size_t max, struct op_buf *out)
{
	enum { STEPS_A_BYTE = 4 };
	uint64_t allowed = op_work_left() / STEPS_A_BYTE;

	out->limit = allowed < max ? (size_t)allowed : max;
	if (op_unpack(in, out) == OP_ELIMIT && allowed < max) {
		*out->err = (struct op_err){ 0 };
		return op_work(op_work_left() + 1, out->err);
	}
	return op_work((uint64_t)out->n * STEPS_A_BYTE, out->err);
}

/* Unpacks, layer by layer, and finds the format. */
static int prepare(struct op_input *in, const struct op_input_opts *opts,
		   struct op_err *err)
{
	enum { MAX_LAYERS = 4 };
	int layers = 0;

	in->file_bytes = in->bytes.n;
	while (!err->code && op_packing(in->bytes)) {
		struct op_buf out = { .err = err };
		const char *packing = op_packing(in->bytes);
		struct op_input outer = *in;

		if (layers++ == MAX_LAYERS)
			return op_fail(err, OP_ELIMIT,
				       "more than %d layers of compression",
				       MAX_LAYERS);
		if (unpack(in->bytes, op_input_max(opts), &out)) {
			op_buf_free(&out);
			return err->code;
		}
		*in = (struct op_input){ .packing = packing,
					 .file_bytes = outer.file_bytes,
					 .heap = out.p,
					 .bytes = op_view(out.p, out.n) };
		op_input_close(&outer);
	}
	in->bytes = without_mark(in->bytes);
	if (!in->bytes.n)
		return op_fail(err, OP_EFORMAT, "is empty");
	in->format = opts && opts->format ? opts->format :
					    detect(in->bytes, err);
	if (err->code)
		return err->code;
	if (!in->format->read)
		return op_fail(err, OP_EUSAGE,
			       "%s can be written, but not read",
			       in->format->name);
	return err->code;
}

int op_input_open(struct op_input *in, const char *path,
		  const struct op_input_opts *opts, struct op_err *err)
{
	bool is_stdin = !strcmp(path, "-");

	*in = (struct op_input){ .is_open = !is_stdin };
	in->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0) {
		*in = (struct op_input){ 0 };
		return op_fail_sys(err, "cannot open");
	}
	if (load(in, opts, err) || (!in->format && prepare(in, opts, err)))
		op_input_close(in);
	else if (in->bytes.p)
		file_close(in);
	return err->code;
}

int op_input_buffer(struct op_input *in, struct op_buf *buf,
		    const struct op_input_opts *opts, struct op_err *err)
{
	*in = (struct op_input){ .bytes = op_view(buf->p, buf->n),
				 .heap = buf->p };
	*buf = (struct op_buf){ 0 };
	op_budget_input(in->bytes.n);
	if (prepare(in, opts, err))
		op_input_close(in);
	return err->code;
}

int op_input_memory(struct op_input *in, struct op_view v,
		    const struct op_input_opts *opts, struct op_err *err)
{
	*in = (struct op_input){ .bytes = v };
	op_budget_input(v.n);
	if (prepare(in, opts, err))
		op_input_close(in);
	return err->code;
}

/* --- reading --- */

struct collected {
	struct op_arena mem;
	OP_VEC(struct op_model *) models;
};

static int collect(void *ctx, struct op_model *m, struct op_err *err)
{
	struct collected *c = ctx;
	struct op_model *keep = op_new(&c->mem, struct op_model, 1);

	if (!keep || !op_vec_push(&c->mem, &c->models, keep)) {
		op_model_free(m);
		return err->code;
	}
	*keep = *m;
	return OP_OK;
}

/* Hands the input's memory to the model that has views of it. */
static int hand_over(struct op_input *in, struct op_model *m,
		     struct op_err *err)
{
	if (in->format->copies)
		return OP_OK;
	if (in->heap && op_model_own(m, buf_free, in->heap, 0, err))
		return err->code;
	in->heap = NULL;
	return OP_OK;
}

int op_input_each(const struct op_input *in, const struct op_read_opts *opts,
		  op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_source file = { .n = in->bytes.n, .fd = in->fd };

	if (in->bytes.p)
		return in->format->read(in->bytes, opts, fn, ctx, err);
	return in->format->read_parts(&file, opts, fn, ctx, err);
}

int op_input_read(struct op_input *in, const struct op_read_opts *opts,
		  struct op_model *out, struct op_err *err)
{
	struct collected c = { .mem.err = err };

	op_input_each(in, opts, collect, &c, err);
	if (c.models.n > 1 && opts && opts->unchecked)
		op_fail(err, OP_EUSAGE,
			"only one message can be read unchecked, not %zu",
			c.models.n);
	if (!err->code && c.models.n == 1) {
		*out = *c.models.p[0];
		c.models.n = 0;
		if (hand_over(in, out, err))
			op_model_free(out);
	} else if (!err->code) {
		*out = (struct op_model){ .mem.quota = opts ? opts->mem_quota :
							      0 };
		if (op_concat(c.models.p, c.models.n, out, err))
			op_model_free(out);
	}
	for (size_t i = 0; i < c.models.n; i++)
		op_model_free(c.models.p[i]);
	op_arena_free(&c.mem);
	op_input_close(in);
	if (!err->code && !op_model_has_samples(out))
		op_note(opts, "no samples");
	return err->code;
}
