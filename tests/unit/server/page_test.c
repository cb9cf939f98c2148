// SPDX-License-Identifier: Apache-2.0
#include "server/page.h"

#include <dirent.h>
#include <stdlib.h>

#include "test.h"

/* How many files there are in a directory of ui, all of which must be found. */
static size_t files_in(const char *folder)
{
	const char *top = getenv("TOP");
	char path[4096], known[300];
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/ui/%s", top ? top : ".", folder);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		struct op_page_file file;

		if (e->d_name[0] == '.')
			continue;
		n++;
		snprintf(known, sizeof(known), "%s/%s", folder, e->d_name);
		if (!op_page_find(op_view_z(op_page_address(known)), &file))
			TEST_FAIL("%.100s is not embedded", known);
	}
	if (d)
		closedir(d);
	return n;
}

TEST(all_files)
{
	size_t n = files_in("app") + files_in("lib");

	for (const char *const *p = op_page_paths(); *p; p++, n--) {
		struct op_page_file file = { 0 };

		CHECK(op_page_find(op_view_z(op_page_address(*p)), &file));
		CHECK(file.bytes.n);
		CHECK(file.type &&
		      strcmp(file.type, "application/octet-stream"));
	}
	CHECK_EQ(n, 0);
}

TEST(addresses)
{
	struct op_page_file file;

	CHECK_STR(op_page_address("app/index.html"), "");
	CHECK_STR(op_page_address("app/main.js"), "main.js");
	CHECK_STR(op_page_address("lib/app.js"), "lib/app.js");
	CHECK(!op_page_find(op_view_z("app/index.html"), &file));
	CHECK(!op_page_find(op_view_z("../ui/lib/app.js"), &file));
	CHECK(!op_page_find(op_view_z("lib/"), &file));
	CHECK(!op_page_find(op_view_z("none.js"), &file));
}

TEST_MAIN(all_files, addresses)
