// SPDX-License-Identifier: Apache-2.0
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Load SECONDS: garbage, locks, threads that end and exceptions; exits with 1
 * if any result is wrong. */
public class Load {
	static final AtomicLong wrong = new AtomicLong();
	static long end;

	static boolean isTime() {
		return System.nanoTime() - end < 0;
	}

	static long garbage() {
		Map<Integer, String> map = new HashMap<>();
		long sum = 0;

		for (int i = 0; i < 2000; i++)
			map.put(i, "entry " + i);
		for (String s : map.values())
			sum += s.length();
		return sum;
	}

	static void work() {
		try {
			while (isTime()) {
				if (garbage() != 2000 * 6 + 10 + 180 + 2700 + 4000)
					wrong.incrementAndGet();
				Thread.sleep(3);
				try {
					throw new IllegalStateException("x");
				} catch (IllegalStateException e) {
					if (e.getStackTrace().length == 0)
						wrong.incrementAndGet();
				}
			}
		} catch (InterruptedException e) {
			wrong.incrementAndGet();
		}
	}

	static void threads() {
		try {
			while (isTime()) {
				long[] got = new long[1];
				Thread t = new Thread(() -> got[0] = 7);

				t.start();
				t.join();
				if (got[0] != 7)
					wrong.incrementAndGet();
				Thread.sleep(5);
			}
		} catch (InterruptedException e) {
			wrong.incrementAndGet();
		}
	}

	public static void main(String[] args) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(4);

		end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
		Future<?>[] all = { pool.submit(Load::work), pool.submit(Load::work),
			pool.submit(Load::threads) };
		for (Future<?> one : all)
			one.get();
		pool.shutdown();
		System.out.println("wrong: " + (wrong.get() == 0 ? "nothing" : wrong));
		System.exit(wrong.get() == 0 ? 0 : 1);
	}
}
