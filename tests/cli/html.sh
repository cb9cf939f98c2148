# SPDX-License-Identifier: Apache-2.0
#
# Pages and pictures through the program.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp

# --- html ---

expect_exit 0 html/write -- "$OTPROF" convert --no-symbols example.otlp -o a.html
check html/is-quiet test ! -s err
check html/begins grep -q '^<!DOCTYPE html>' a.html
check html/ends grep -q '^</html>' a.html
check html/has-both-types grep -q '"type":"inuse_space"' a.html
check_not html/nothing-from-elsewhere grep -qE 'https?:| src=' a.html
expect_exit 0 html/htm -- "$OTPROF" convert example.otlp -o b.htm
same html/the-same-each-time a.html b.htm
expect_exit 0 html/packed -- "$OTPROF" convert example.otlp -o a.html.gz
gzip -dc a.html.gz >c.html
same html/unpacked a.html c.html
expect_exit 0 html/title -- \
	"$OTPROF" convert example.otlp --title 'a <b>' --threads -o t.html
check html/title-text grep -q '<title>a &lt;b&gt;</title>' t.html
printf '</script><script>alert(1);b 3\n' >evil.folded
expect_exit 0 html/evil -- "$OTPROF" convert evil.folded -o evil.html
check html/evil-is-escaped grep -qF \
	'"\u003c/script>\u003cscript>alert(1)"' evil.html
check_not html/evil-is-not-there grep -qF '<script>alert' evil.html

# Totals are those of show.
total=$("$OTPROF" show --tree --json example.otlp |
	grep -o '"total":[0-9]*' | head -n 1)
check html/total grep -qF "$total," a.html

fails 2 html/min-width '--min-width takes a percentage below 100' -- \
	"$OTPROF" convert --no-symbols --min-width wide example.otlp -o x.html
check html/min-width-leaves-nothing test ! -e x.html
fails 2 html/settings-of-others '--title does not apply to these formats' -- \
	"$OTPROF" convert --title x example.otlp -o x.pprof
expect_exit 2 html/is-not-read -- "$OTPROF" show -f html a.html
check html/is-not-read-text grep -q 'html can be written, but not read' err
expect_exit 1 html/is-no-profile -- "$OTPROF" show a.html
check html/is-no-profile-text grep -q 'an HTML page: not supported' err
expect_exit 0 html/help -- "$OTPROF" help formats
check html/help-text grep -q '^  html .*(write only)' out

# With times it has the views of time.
for times in yes no; do
	expect_exit 0 "html/times-$times" -- "$OTPROF" convert --times $times \
		"$TOP/tests/fuzz/corpus/folded/times" -o "$times.html"
done
check html/times-are-there grep -q 'class HeatmapView' yes.html
check_not html/times-are-not-there grep -q 'class HeatmapView' no.html
fails 2 html/times '--times takes yes or no' -- \
	"$OTPROF" convert --no-symbols --times maybe example.otlp -o x.html

# What changed.
printf 'main;a 10\nmain;b 5\n' >before.folded
printf 'main;a 4\nmain;b 9\n' >after.folded
expect_exit 0 html/diff -- "$OTPROF" diff before.folded after.folded -o d.html
check html/diff-says-so grep -q '"diff":true' d.html
check html/diff-values grep -q '"nodes":\[0,1,0,0,2,4,1,3,-6\]' d.html

# --- svg ---

expect_exit 0 svg/write -- "$OTPROF" convert example.otlp -o a.svg
check svg/names-the-other grep -qF \
	'warning: inuse_space/bytes is left out: an image holds one profile' err
expect_exit 0 svg/type -- \
	"$OTPROF" convert --no-symbols --type inuse_space example.otlp -o b.svg
check svg/type-is-quiet test ! -s err
check svg/type-text grep -q 'inuse_space' b.svg
expect_exit 0 svg/evil -- "$OTPROF" convert evil.folded -o evil.svg
expect_exit 0 svg/diff -- "$OTPROF" diff before.folded after.folded -o d.svg
check svg/diff-text grep -q 'net change -2' d.svg
printf 'x\001\377&<>"y;%s 4\n' ']]>' >odd.folded
expect_exit 0 svg/odd -- "$OTPROF" convert -f folded odd.folded --title '<&>' -o odd.svg
if command -v python3 >/dev/null; then
	for f in a b evil d odd; do
		check "svg/$f-is-xml" python3 -c \
			'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' \
			"$f.svg"
	done
else
	skip svg/is-xml "no python3"
fi
