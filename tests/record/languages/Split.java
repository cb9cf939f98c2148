// SPDX-License-Identifier: Apache-2.0

/** Spends CPU time in a known way: 60, 30 and 10 % in three methods. */
public class Split {
	static long sink, scale = 100;

	static void work(long n) {
		long sum = sink;

		for (long i = 0; i < n; i++)
			sum = sum * 31 + (i ^ sum >> 7);
		sink = sum;
	}

	static void sixty() {
		work(6 * scale);
		sink++;
	}

	static void thirty() {
		work(3 * scale);
		sink++;
	}

	static void ten() {
		work(scale);
		sink++;
	}

	static void round() {
		sixty();
		thirty();
		ten();
		sink++;
	}

	public static void main(String[] args) {
		// So often that no method is compiled again afterwards.
		for (int i = 0; i < 100000; i++)
			round();
		scale = 100000;
		System.out.println("ready");

		long end = System.nanoTime()
			+ (long) (Double.parseDouble(args[0]) * 1e9);

		while (System.nanoTime() < end)
			round();
	}
}
