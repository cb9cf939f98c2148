// SPDX-License-Identifier: Apache-2.0
#include "host/resource.h"

#include "proc_tree.h"

static struct op_err err;
static struct op_arena mem;
static struct op_proc proc;
static struct op_resource_attrs attrs;

static void begin(void)
{
	folder_make(&tree);
	proc = (struct op_proc){ .root = tree.path };
	tree_text("stat", "cpu 1 2 3\nbtime 1000000000\nprocesses 7\n");
	tree_text("5/stat", "5 (x)" TREE_STAT);
	tree_text("5/comm", "short\n");
	tree_text("passwd", "root:x:0:0:r:/root:/bin/sh\n"
			    "nobody:x:65534:0::/:/bin/sh\n");
}

static int attrs_read(const struct op_resource_opts *o)
{
	op_arena_free(&mem);
	err = (struct op_err){ 0 };
	mem.err = &err;
	attrs = (struct op_resource_attrs){ .mem = &mem };
	return op_resource_read(&proc, 5, o, &attrs);
}

static void end(void)
{
	op_arena_free(&mem);
	tree_end();
}

static const struct op_any *find(const char *key)
{
	for (size_t i = 0; i < attrs.kvs.n; i++)
		if (op_view_is(attrs.kvs.p[i].key, key))
			return &attrs.kvs.p[i].value;
	return NULL;
}

/* Whether a text attribute is this; NULL: there is none. */
static bool is(const char *key, const char *text)
{
	const struct op_any *v = find(key);

	return text ? v && v->kind == OP_ANY_STRING &&
			       op_view_is(v->bytes, text) :
		      !v;
}

static void put_env(const char *text, size_t n)
{
	tree_put("5/environ", text, n);
}
#define ENV(s) put_env(s, sizeof(s))

TEST(process)
{
	begin();
	tree_link("5/exe", "/usr/bin/prog (deleted)");
	CHECK_EQ(attrs_read(NULL), 0);
	CHECK_EQ(find("process.pid")->num, 5);
	CHECK_EQ(find("process.parent_pid")->num, 1);
	CHECK(is("process.executable.name", "prog"));
	CHECK(is("process.executable.path", "/usr/bin/prog"));
	CHECK(is("service.name", "prog"));
	CHECK(is("process.creation.time", "2001-09-09T01:48:43.450Z"));
	CHECK(is("container.id", NULL));
	CHECK(is("process.command_args", NULL));
	end();
}

/* In the order of the header, and the process cannot claim to be another. */
TEST(service)
{
	begin();
	CHECK_EQ(attrs_read(NULL), 0);
	CHECK(is("service.name", "short"));
	CHECK(is("process.executable.path", NULL));
	tree_text("5/cgroup", "0::/system.slice/my\\x2dweb.service\n");
	CHECK_EQ(attrs_read(NULL), 0);
	CHECK(is("service.name", "my-web"));
	ENV("A=1\0OTEL_RESOURCE_ATTRIBUTES=service.name=a,service.name=b%20c,"
	    "team=x,process.pid=1");
	CHECK_EQ(attrs_read(NULL), 0);
	CHECK(is("service.name", "b c"));
	CHECK(is("team", "x"));
	CHECK_EQ(find("process.pid")->num, 5);
	ENV("OTEL_SERVICE_NAME=top\0OTEL_RESOURCE_ATTRIBUTES=service.name=a");
	CHECK_EQ(attrs_read(NULL), 0);
	CHECK(is("service.name", "top"));
	ENV("OTEL_SERVICE_NAME=\0OTEL_RESOURCE_ATTRIBUTES=no list");
	CHECK_EQ(attrs_read(NULL), 0);
	CHECK(is("service.name", "my-web"));
	end();
}

static void context(void *arg, uint32_t pid, struct op_resource_attrs *out)
{
	CHECK(arg == &proc && pid == 5);
	op_resource_text(out, op_view_z("service.name"), op_view_z("context"));
	op_resource_text(out, op_view_z("container.id"), op_view_z("fake"));
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

TEST(options)
{
	static const char *const names[] = { "REGION", "NONE", "EMPTY", NULL };
	struct op_resource_opts o = { .env = names,
				      .command_args = true,
				      .context = context,
				      .arg = &proc };
	const struct op_any *args;
	char path[300];

	begin();
	snprintf(path, sizeof(path), "%s", folder_path(&tree, "passwd"));
	o.passwd = path;
	tree_text("5/cgroup", "0::/docker/" ID "\n");
	tree_put("5/cmdline", "prog\0a b\0\0\xff", 12);
	ENV("REGIONS=no\0REGION=eu\xff\0EMPTY=");
	CHECK_EQ(attrs_read(&o), 0);
	CHECK(is("process.environment_variable.REGION", "eu\xef\xbf\xbd"));
	CHECK(is("process.environment_variable.NONE", NULL));
	CHECK(is("process.environment_variable.EMPTY", NULL));
	CHECK(is("service.name", "context"));
	CHECK(is("container.id", ID));
	args = find("process.command_args");
	CHECK(args && args->kind == OP_ANY_ARRAY && args->n == 4);
	CHECK(args && op_view_is(args->array[1].bytes, "a b"));
	if (!getuid())
		CHECK(is("process.owner", "root"));
	else
		CHECK(find("process.owner") != NULL);
	end();
}

/* What is cut off by the limit is no variable; what is no text does no harm. */
TEST(large)
{
	enum { N = 300 << 10 };
	char *text = malloc(N);

	CHECK(text != NULL);
	if (!text)
		return;
	begin();
	memset(text, 'x', N);
	memcpy(text, "OTEL_SERVICE_NAME=", 18);
	put_env(text, N);
	CHECK_EQ(attrs_read(NULL), 0);
	CHECK(is("service.name", "short"));
	memset(text, 0, N);
	put_env(text, N);
	tree_put("5/cgroup", text, 1000);
	tree_put("5/comm", text, 0);
	CHECK_EQ(attrs_read(NULL), 0);
	CHECK(is("service.name", NULL));
	end();
	free(text);
}

TEST(gone)
{
	begin();
	unlink(folder_path(&tree, "5/stat"));
	CHECK_EQ(attrs_read(NULL), OP_EIO);
	CHECK_STR(err.text, "process 5 is gone");
	end();
}

TEST(each_alloc_fails)
{
	begin();
	ENV("OTEL_RESOURCE_ATTRIBUTES=service.name=a,b=c");
	EACH_ALLOC_FAILS(k) {
		int code = attrs_read(NULL);

		CHECK_EQ(code, op_alloc_failed() ? OP_ENOMEM : 0);
	}
	end();
}

TEST_MAIN(process, service, options, large, gone, each_alloc_fails)
