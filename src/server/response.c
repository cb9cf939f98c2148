// SPDX-License-Identifier: Apache-2.0
/* server/response.c: the head of replies, and replies that are errors. */
#include "pb/json_write.h"
#include "server/http1.h"

/* A page may use only what this server serves, runs no script that is written
 * into it, is not shown inside of others, and tells nobody its address. */
static const char safe[] =
	"Content-Security-Policy: default-src 'none'; script-src 'self'; "
	"style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n"
	"X-Content-Type-Options: nosniff\r\n"
	"X-Frame-Options: DENY\r\n"
	"Referrer-Policy: no-referrer\r\n"
	"Cache-Control: no-store\r\n"
	"Cross-Origin-Opener-Policy: same-origin\r\n"
	"Cross-Origin-Resource-Policy: same-origin\r\n";

static const struct {
	int status;
	const char *text;
} statuses[] = {
	{ 200, "OK" },
	{ 308, "Permanent Redirect" },
	{ 400, "Bad Request" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 408, "Request Timeout" },
	{ 413, "Payload Too Large" },
	{ 414, "URI Too Long" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 503, "Service Unavailable" },
	{ 505, "HTTP Version Not Supported" },
};

const char *op_status_text(int status)
{
	for (size_t i = 0; i < op_countof(statuses); i++)
		if (statuses[i].status == status)
			return statuses[i].text;
	return "Unknown";
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || strchr("._-+", c);
}

/* The name of a file may be anything. */
static void attachment(struct op_buf *out, const char *name)
{
	op_buf_z(out, "Content-Disposition: attachment; filename=\"");
	for (; *name; name++)
		op_buf_byte(out, is_plain(*name) ? *name : '_');
	op_buf_z(out, "\"\r\n");
}

/* Headers are ASCII, and end with the line. */
static void note(struct op_buf *out, const char *text)
{
	op_buf_z(out, "Otprof-Note: ");
	for (; *text; text++)
		op_buf_byte(out, *text >= ' ' && *text <= '~' ? *text : '?');
	op_buf_z(out, "\r\n");
}

void op_response_head(struct op_buf *out, const struct op_response *r,
		      unsigned int how)
{
	op_buf_printf(out, "HTTP/1.1 %d %s\r\n", r->status,
		      op_status_text(r->status));
	if (r->type)
		op_buf_printf(out, "Content-Type: %s\r\n", r->type);
	if (!(how & OP_HTTP1_STREAMS))
		op_buf_printf(out, "Content-Length: %zu\r\n", r->body.n);
	if (r->file_name[0])
		attachment(out, r->file_name);
	if (r->note[0])
		note(out, r->note);
	if (r->location[0])
		op_buf_printf(out, "Location: %s\r\n", r->location);
	if (r->status == 405)
		op_buf_z(out, "Allow: GET, HEAD, POST\r\n");
	if (how)
		op_buf_z(out, "Connection: close\r\n");
	op_buf_z(out, safe);
	op_buf_z(out, "\r\n");
}

void op_response_error(struct op_response *r, int status, const char *text)
{
	struct op_json w = { .out = &r->body };

	r->status = status;
	r->type = "application/json";
	r->file_name[0] = 0;
	r->note[0] = 0;
	r->body.n = 0;
	op_json_open(&w, '{');
	op_json_key(&w, "error");
	op_json_z(&w, text);
	op_json_close(&w, '}');
}
