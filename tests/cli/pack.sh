# SPDX-License-Identifier: Apache-2.0
#
# What convert packs, told by the ending of the file.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp

"$OTPROF" convert example.otlp -o plain.otlp
for kind in gzip:gz zstd:zst lz4:lz4; do
	tool=${kind%:*} file=a.otlp.${kind#*:}
	expect_exit 0 "packed/$tool" -- "$OTPROF" convert example.otlp -o "$file"
	expect_exit 0 "packed/$tool-can-be-read" -- "$OTPROF" convert "$file"
	same "packed/$tool-is-the-same" plain.otlp out
	check "packed/$tool-is-packed" bash -c "! cmp -s plain.otlp '$file'"
	if has_tool "packed/$tool-unpacks-it" "$tool"; then
		expect_exit 0 "packed/$tool-unpacks-it" -- "$tool" -dc "$file"
		same "packed/$tool-unpacks-the-same" plain.otlp out
	fi
done

expect_exit 2 packed/without-a-format -- "$OTPROF" convert example.otlp -o x.gz
check packed/without-a-format-says-so grep -q 'no format has the extension' err
expect_exit 0 packed/with-a-format -- \
	"$OTPROF" convert -t otlp example.otlp -o x.gz
expect_exit 0 packed/with-a-format-is-packed -- "$OTPROF" convert x.gz
same packed/with-a-format-is-the-same plain.otlp out
