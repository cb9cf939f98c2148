# SPDX-License-Identifier: Apache-2.0
#
# list: values by source line; the text only of files below a directory of the
# user.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp

# Lines 12, 25 and 31 have values.
mkdir src
for ((i = 1; i <= 34; i++)); do
	printf '\tline %d;\n' $i
done >src/app.c

expect_exit 0 list/text -- "$OTPROF" list --no-symbols . example.otlp
check list/text-is-quiet test ! -s err
golden list/text.txt out
expect_exit 0 list/source -- "$OTPROF" list --source-path src . example.otlp
golden list/source.txt out
cd src && "$OTPROF" list . ../example.otlp >../here.txt && cd ..
same list/current-directory-is-the-default out here.txt
"$OTPROF" list --source-path src . <example.otlp >none.txt
same list/no-file-is-stdin out none.txt
expect_exit 0 list/json -- "$OTPROF" list --json --source-path src 'work|inner' \
	example.otlp
golden list/text.json out
if has_tool list/json-is-json python3; then
	check list/json-is-json python3 -m json.tool out
fi
expect_exit 0 list/csv -- "$OTPROF" list --csv . example.otlp
golden list/text.csv out
prints list/unit '20ms  20ms  66.67%    31' \
	-- "$OTPROF" list --no-symbols --unit ms inner example.otlp

# A row past the end of the file, and lines that follow each other.
head -n 26 src/app.c >short.c && mkdir short && mv short.c short/app.c
expect_exit 0 list/short -- "$OTPROF" list --source-path short . example.otlp
check list/short-has-what-there-is grep -q 'line 26;' out
expect_exit 0 list/short-row -- "$OTPROF" list --source-path short inner \
	example.otlp
check list/short-row-is-there grep -qE '^ *2 +2 +66.67% +31$' out

# --- files that a profile names ---

# A file whose function is in the path $1.
with_path()
{
	sed "s|@|$1|" <<-'END'
	{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{
	"sampleType":{"typeStrindex":1,"unitStrindex":2},
	"samples":[{"stackIndex":1,"values":["7"]}]}]}]}],
	"dictionary":{"stringTable":["","cpu","nanoseconds","f","@"],
	"mappingTable":[{}],
	"locationTable":[{},{"lines":[{"functionIndex":1,"line":"1"}]}],
	"functionTable":[{},{"nameStrindex":3,"filenameStrindex":4}],
	"linkTable":[{}],"attributeTable":[{}],
	"stackTable":[{},{"locationIndices":[1]}]}}
	END
}
source_of() # PATH
{
	with_path "$1" >path.json
	"$OTPROF" list --source-path root f path.json 2>&1
}
mkdir -p root/a/b outside
echo 'found below' >root/a/b/x.c
echo 'found at the top' >root/x.c
echo 'secret' >outside/x.c
echo 'secret' >outside/only.c
for path in /build/a/b/x.c a/b/x.c ./a/./b/x.c '../z/a/b/x.c' \
	'C:\\\\src\\\\a\\\\b\\\\x.c' a/../a/b/x.c; do
	source_of "$path" >out
	check "list/path-$path" grep -q 'found below' out
done
for path in /other/x.c x.c "$PWD/outside/x.c" ../outside/x.c; do
	source_of "$path" >out
	check "list/top-$path" grep -q 'found at the top' out
done
ln -s "$PWD/outside/only.c" root/only.c
ln -s ../outside root/way
mkfifo root/pipe.c
truncate -s 17M root/large.c
: >root/empty.c
mkdir root/dir.c
for path in "$PWD/outside/only.c" ../outside/only.c way/only.c /etc/passwd \
	only.c pipe.c large.c empty.c dir.c '' / .. ... /proc/self/environ; do
	source_of "$path" >out
	check_not "list/not-$path" grep -qE 'secret|root:|source' out
	check "list/not-$path-has-lines" grep -qE '7ns +100.00% +1$' out
done
check list/says-what-is-not-found grep -q 'not found below root' out

fails 1 list/no-match "no function matches 'nosuch' \(3 looked at\)$" \
	-- "$OTPROF" list nosuch example.otlp
fails 2 list/no-regex 'expected a REGEX' -- "$OTPROF" list
fails 1 list/no-directory "cannot open 'nowhere'" \
	-- "$OTPROF" list --source-path nowhere . example.otlp
fails 2 list/no-directory-but-a-file "expects a directory" \
	-- "$OTPROF" list --source-path example.otlp . example.otlp
