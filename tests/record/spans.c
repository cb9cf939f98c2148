// SPDX-License-Identifier: Apache-2.0
/* tests/record/spans.c: spends CPU time in two spans of a trace, 75 and 25 %,
 * and publishes them as OTEP 4719 and 4947 say.
 *
 *	spans SECONDS */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define KEY "threadlocal.schema_version"
#define VALUE "tlsdesc_v1_dev"

struct header {
	char signature[8];
	uint32_t version, payload_bytes;
	volatile uint64_t published_ns;
	uint64_t payload;
};

struct __attribute__((packed)) record {
	uint8_t trace[16], span[8];
	uint8_t valid, flags;
	uint16_t attr_bytes;
};

#define EXPORTED __attribute__((visibility("default")))

EXPORTED __thread struct record *volatile otel_thread_ctx_v1;

static volatile unsigned long sink;
/* Messages: ProcessContext.attributes { key, value { string_value } }. */
static uint8_t payload[128];

static uint8_t *field(uint8_t *to, uint8_t tag, const void *p, size_t n)
{
	*to++ = tag;
	*to++ = (uint8_t)n;
	memcpy(to, p, n);
	return to + n;
}

static size_t payload_make(void)
{
	uint8_t value[64], pair[96];
	size_t n = (size_t)(field(value, 0x0a, VALUE, strlen(VALUE)) - value);
	uint8_t *end = field(pair, 0x0a, KEY, strlen(KEY));

	end = field(end, 0x12, value, n);
	return (size_t)(field(payload, 0x12, pair, (size_t)(end - pair)) -
			payload);
}

static void publish(void)
{
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);
	struct header *h;

	if (fd < 0 || ftruncate(fd, 4096))
		exit(3);
	h = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (h == MAP_FAILED)
		exit(3);
	memcpy(h->signature, "OTEL_CTX", 8);
	h->version = 2;
	h->payload_bytes = (uint32_t)payload_make();
	h->payload = (uintptr_t)payload;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	h->published_ns = 1;
}

APART void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

int main(int argc, char **argv)
{
	static struct record spans[] = {
		{ { 0xab, [15] = 1 }, { [7] = 1 }, 1, 0, 0 },
		{ { 0xab, [15] = 1 }, { [7] = 2 }, 1, 0, 0 },
	};
	long ticks = (argc > 1 ? strtol(argv[1], NULL, 10) : 1) *
		     CLOCKS_PER_SEC;

	publish();
	while (clock() < ticks) {
		otel_thread_ctx_v1 = &spans[0];
		work(300000);
		otel_thread_ctx_v1 = &spans[1];
		work(100000);
	}
	return 0;
}
