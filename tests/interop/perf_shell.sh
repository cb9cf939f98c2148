# Starts programs that start others.
for i in 1 2 3 4 5 6; do
	find /usr/lib -name '*.so' 2>/dev/null | sort | gzip -9 | wc -c
done >/dev/null
