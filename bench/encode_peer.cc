// SPDX-License-Identifier: Apache-2.0
/* bench/encode_peer.cc: fields as protobuf's lite runtime writes them through
 * a CodedOutputStream: sizes first, then bytes. */
#include "encode_peer.h"

#include <string>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::ArrayOutputStream;
using google::protobuf::io::CodedOutputStream;

namespace {

void len_begin(CodedOutputStream *out, size_t n)
{
	WireFormatLite::WriteTag(
		FIELD, WireFormatLite::WIRETYPE_LENGTH_DELIMITED, out);
	out->WriteVarint32(static_cast<uint32_t>(n));
}

void write_string(const struct work *w, CodedOutputStream *out)
{
	/* Generated code for proto3 checks what it writes. */
	WireFormatLite::VerifyUtf8String(
		w->text, static_cast<int>(w->text_bytes),
		WireFormatLite::SERIALIZE, "text");
	len_begin(out, w->text_bytes);
	out->WriteRaw(w->text, static_cast<int>(w->text_bytes));
}

/* Three numbers, as in Line or Function. */
void write_nested(const struct work *w, CodedOutputStream *out)
{
	size_t n = 3;

	for (int i = 0; i < 3; i++)
		n += CodedOutputStream::VarintSize64(w->run[i]);
	len_begin(out, n);
	for (int i = 0; i < 3; i++)
		WireFormatLite::WriteUInt64(i + 1, w->run[i], out);
}

void write_packed(const struct work *w, CodedOutputStream *out)
{
	size_t n = 0;

	for (size_t i = 0; i < w->nr_run; i++)
		n += CodedOutputStream::VarintSize32(w->run[i]);
	len_begin(out, n);
	for (size_t i = 0; i < w->nr_run; i++)
		out->WriteVarint32(w->run[i]);
}

void write_one(const struct work *w, CodedOutputStream *out)
{
	switch (w->kind) {
	case WORK_VARINT:
		WireFormatLite::WriteUInt64(FIELD, w->v, out);
		break;
	case WORK_FIXED64:
		WireFormatLite::WriteFixed64(FIELD, w->v, out);
		break;
	case WORK_STRING:
		write_string(w, out);
		break;
	case WORK_NESTED:
		write_nested(w, out);
		break;
	case WORK_PACKED_VARINT:
		write_packed(w, out);
		break;
	case WORK_PACKED_FIXED64:
		len_begin(out, w->nr_run * sizeof(w->wide[0]));
		out->WriteRaw(w->wide, static_cast<int>(
			w->nr_run * sizeof(w->wide[0])));
		break;
	}
}

} // namespace

size_t peer_write(struct work *w)
{
	ArrayOutputStream array(w->out, static_cast<int>(w->out_cap));
	CodedOutputStream out(&array);

	for (unsigned int i = 0; i < w->times; i++)
		write_one(w, &out);
	out.Trim();
	return static_cast<size_t>(array.ByteCount());
}
