// SPDX-License-Identifier: Apache-2.0
/* Lines of every form, and what is wrong with those that have none. */
#include "folded_fixture.h"

TEST(plain)
{
	static const struct row rows[] = {
		{ "a;b;c 12\n", "\ta;b;c 12\n" },
		{ "a;b;c 12", "\ta;b;c 12\n" },
		{ "a;b 1\r\na 2\r\n", "\ta 2\n\ta;b 1\n" },
		{ "a 1\na 2\n", "\ta 3\n" },
		{ "a b;c d 5\n", "\ta b;c d 5\n" },
		{ "a  5  \n", "\ta 5\n" },
		{ "a\t5\n", "\ta 5\n" },
		{ "\n# a 1\n   \n\na 5\n\n", "\ta 5\n" },
		{ "a;#b 5\n", "\ta;#b 5\n" },
		{ " 7\n", "\t- 7\n" },
		{ "a;;b 1\n", "\ta;[unknown];b 1\n" },
		{ "a; 1\n", "\ta;[unknown] 1\n" },
		{ "; 1\n", "\t[unknown];[unknown] 1\n" },
		{ "a_[k];b_[j] 1\n", "\ta_[k];b_[j] 1\n" },
		{ "a%20;b%3Bc 1\n", "\ta%20;b%3Bc 1\n" },
		{ "# \n", "" },
		{ "# otprofile\na%20 1\n", "\ta%20 1\n" },
		{ "a 1\n# otprof type=x\na%20 1\n", "\ta 1\n\ta%20 1\n" },
		{ "a\xff 1\na\xfe 1\n", "\ta\xef\xbf\xbd 2\n" },
	};

	check_rows(rows, op_countof(rows));
}

TEST(counts)
{
	static const struct row rows[] = {
		{ "a 0\n", "\ta 0\n" },
		{ "a -3\n", "\ta -3\n" },
		{ "a 007\n", "\ta 7\n" },
		{ "a 9223372036854775807\n", "\ta 9223372036854775807\n" },
		{ "a -9223372036854775808\n", "\ta -9223372036854775808\n" },
		{ "a 9223372036854775807\na 1\n", "\ta 9223372036854775807\n" },
		{ "a 2.4\n", "\ta 2\n" },
		{ "a 2.5\n", "\ta 3\n" },
		{ "a 2.\n", "\ta 2\n" },
		{ "a -2.5\n", "\ta -3\n" },
		{ "a 0.4999999999999999999999999\n", "\ta 0\n" },
		{ "a 9223372036854775806.9\n", "\ta 9223372036854775807\n" },
		/* Before and after, if all lines have both. */
		{ "a;b 10 12\na 5 3\n", "\ta -2\n\ta;b 2\n" },
		{ "# x\na 1.5 4.4\n", "\ta 2\n" },
		{ "a 1 2\na 1 1687841528000000000\n",
		  "\ta 1687841528000000000\n" },
		{ "a 10 12\nb 3\n", "\ta 10 12\n\tb 3\n" },
		{ "b 3\na 10 12\n", "\ta 10 12\n\tb 3\n" },
		{ "10 12\n", "\t10 12\n" },
	};

	check_rows(rows, op_countof(rows));
}

TEST(annotations)
{
	static const struct row rows[] = {
		{ "a;b 5 k=v\n", "\ta;b 5 k=v\n" },
		{ "a;b 5 k=v,l=w\na;b 1 l=w,k=v\n", "\ta;b 6 k=v l=w\n" },
		{ "a 5 " LINK "\n", "\ta 5 #1\n" },
		{ "a 5 x=y,trace_id=" HEX16 ",span_id=" HEX8 "\n",
		  "\ta 5 x=y #1\n" },
		{ "a 5 trace_id=zz\n", "\ta 5 trace_id=zz\n" },
		{ "a 5 trace_id=0x" HEX8 "\n", "\ta 5 trace_id=0x" HEX8 "\n" },
		{ "a 5 k=v,k=w\n", "\ta 5 k=w\n" },
		{ "a 5 k=\n", "\ta 5 k=\n" },
		{ "a 5 k=a=b\n", "\ta 5 k=a=b\n" },
		{ "a 5 k=%20\n", "\ta 5 k=%20\n" },
		{ "a 2.5 k=v\n", "\ta 3 k=v\n" },
		{ " 5 k=v\n", "\t- 5 k=v\n" },
		/* Times */
		{ "a 5 k=v 1687841528\n", "\ta 5@1687841528000000000 k=v\n" },
		{ "a 1 k=v 1687841528000\na 2 k=v 1687841529000\n",
		  "\ta 1@1687841528000000000 2@1687841529000000000 k=v\n" },
		{ "a 5 1687841528000000\n", "\ta 5@1687841528000000000\n" },
		{ "a 5 1687841528000000001\n", "\ta 5@1687841528000000001\n" },
		/* Names that only look like one. */
		{ "a x=5 12\n", "\ta x=5 12\n" },
		{ "a 3 x=5 12\n", "\ta 3 x=5 12\n" },
		{ "a x=5 1687841528\n", "\ta x=5 1687841528\n" },
		{ "a operator== 12\n", "\ta operator== 12\n" },
		{ "a 5 =v 12\n", "\ta 5 =v 12\n" },
		{ "a 5 b;k=v;c 1687841528\n", "\ta 5 b;k=v;c 1687841528\n" },
		{ "a 5 k=v;c 1687841528\n", "\ta 5 k=v;c 1687841528\n" },
		{ "a 5 k=v,w 1687841528\n", "\ta 5 k=v,w 1687841528\n" },
	};

	check_rows(rows, op_countof(rows));
}

/* Every unit, at the ends of its range. */
TEST(times)
{
	static const struct {
		const char *time;
		unsigned long long ns; /* 0: it is a count */
	} rows[] = {
		{ "631151999", 0 },
		{ "631152000", 631152000000000000u },
		{ "7258118399", 7258118399000000000u },
		{ "7258118400", 0 },
		{ "631151999999", 0 },
		{ "631152000000", 631152000000000000u },
		{ "7258118399999", 7258118399999000000u },
		{ "7258118400000", 0 },
		{ "631151999999999", 0 },
		{ "631152000000000", 631152000000000000u },
		{ "7258118399999999", 7258118399999999000u },
		{ "7258118400000000", 0 },
		{ "631151999999999999", 0 },
		{ "631152000000000000", 631152000000000000u },
		{ "7258118399999999999", 7258118399999999999u },
		{ "7258118400000000000", 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		char text[80], words[80];

		snprintf(text, sizeof(text), "a 5 k=v %s\n", rows[i].time);
		if (rows[i].ns)
			snprintf(words, sizeof(words), "\ta 5@%llu k=v\n",
				 rows[i].ns);
		else
			snprintf(words, sizeof(words), "\ta 5 k=v %s\n",
				 rows[i].time);
		check_rows(&(struct row){ text, words }, 1);
	}
}

TEST(escaped)
{
	says("# otprof\na%3Bb;c%20d%25 1\n%23x 2\n 3\n%0a 4\n", NULL,
	     PLAIN "\t\n 4\n\t#x 2\n\t- 3\n\ta;b;c d% 1\n");
	/* Times are nanoseconds, whatever their size. */
	says("# otprof\na 5 0\na 6 18446744073709551615\n", NULL,
	     PLAIN "\ta 5@0 6@18446744073709551615\n");
	says("# otprof\na 5 k=a%2Cb,%3D=%3D\n", NULL,
	     PLAIN "\ta 5 === k=a,b\n");
	says("# otprof\na 5 %74race_id=" HEX16 "\n", NULL,
	     PLAIN "\ta 5 trace_id=" HEX16 "\n");
	says("# otprof\r\n# a 1\r\na 5 trace_id=" HEX16 ",span_id=" HEX8
	     " 7\r\n",
	     NULL, PLAIN "\ta 5@7 #1\n");
}

static const struct {
	const char *text, *why;
	int at; /* -1: none */
} bad_lines[] = {
	{ "a;b\n", "line 1: does not end in a space and a count", 3 },
	{ "a 1\nb;c\nd\n", "line 2: does not end in a space and a count", 7 },
	{ "12\n", "line 1: does not end in a space and a count", 2 },
	{ "a 1\n\n# x\r\nb x5\nc\n",
	  "line 4: does not end in a space and a count", 14 },
	{ "a 1e5\n", "line 1: does not end in a space and a count", 5 },
	{ "a 1.5.1\n", "line 1: does not end in a space and a count", 7 },
	{ "a -\n", "line 1: does not end in a space and a count", 3 },
	{ "a +1\n", "line 1: does not end in a space and a count", 4 },
	{ "12 k=v\n", "line 1: does not end in a space and a count", 6 },
	{ "a x k=v\n", "line 1: does not end in a space and a count", 7 },
	{ "a 9223372036854775808\n",
	  "line 1: the count does not fit in 64 bits", 2 },
	{ "a -9223372036854775809\n",
	  "line 1: the count does not fit in 64 bits", 2 },
	{ "a 9223372036854775807.5\n",
	  "line 1: the count does not fit in 64 bits", 2 },
	{ "a 99999999999999999999999999 k=v\n",
	  "line 1: the count does not fit in 64 bits", 2 },
	{ "a -9223372036854775808 1\n",
	  "line 1: the count does not fit in 64 bits", 2 },
	{ "# otprof\na\n", "line 2: no count after the stack", 10 },
	{ "# otprof\na b 1\n", "line 2: no count after the stack", 11 },
	{ "# otprof\na%2 1\n", "line 2: a percent sign without two hex digits",
	  10 },
	{ "# otprof\na 1 k%zz=1\n",
	  "line 2: a percent sign without two hex digits", 14 },
	{ "# otprof\na 1 k=%\n",
	  "line 2: a percent sign without two hex digits", 15 },
	{ "# otprof\na 1 k=v,w\n", "line 2: an attribute has no value", 17 },
	{ "# otprof\na 1 x\n",
	  "line 2: the text after the count is neither attributes nor a time",
	  13 },
	{ "# otprof\na 1 5 k=v\n",
	  "line 2: the text after the count is neither attributes nor a time",
	  13 },
	{ "# otprof\na 1 k=v -5\n",
	  "line 2: the text after the count is neither attributes nor a time",
	  17 },
	{ "# otprof\na 1 k=v 18446744073709551616\n",
	  "line 2: the text after the count is neither attributes nor a time",
	  17 },
	{ "# otprof\na 1 k=v 5 6\n",
	  "line 2: text after the stack, count, attributes and time", 19 },
	{ "# otprof\na 9223372036854775808\n",
	  "line 2: the count does not fit in 64 bits", 11 },
	{ "# otprof type=a period=x\n",
	  "line 1: the value of this field is not valid", 16 },
	{ "# otprof time=-1\n", "line 1: the value of this field is not valid",
	  9 },
	{ "# otprof id=12\n", "line 1: the value of this field is not valid",
	  9 },
	{ "# otprof type=%\n", "line 1: a percent sign without two hex digits",
	  14 },
	{ "a 1\n# otprof time=-1\nb\nc\n",
	  "line 3: does not end in a space and a count", 22 },
};

TEST(refused)
{
	for (size_t i = 0; i < op_countof(bad_lines); i++) {
		struct op_err err;
		struct op_model m;

		CHECK_EQ(read_with(&m, op_view_z(bad_lines[i].text), NULL,
				   &err),
			 OP_EFORMAT);
		if (strcmp(err.text, bad_lines[i].why) ||
		    (int)err.at != bad_lines[i].at)
			TEST_FAIL("row %zu: %.100s at %d", i, err.text,
				  (int)err.at);
		CHECK(!m.mem.used);
	}
}

TEST_MAIN(plain, counts, annotations, times, escaped, refused)
