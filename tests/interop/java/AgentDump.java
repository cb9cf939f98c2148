// SPDX-License-Identifier: Apache-2.0
//
// usage: java -cp async-profiler.jar AgentDump.java LIBRARY ARGUMENTS PREFIX
//
// Profiles itself with async-profiler and, when that has stopped, dumps what it holds twice: as OTLP and as collapsed
// stacks, to PREFIX.otlp and PREFIX.collapsed.
import java.util.concurrent.locks.LockSupport;
import one.profiler.AsyncProfiler;

public class AgentDump {
    static final Object lock = new Object();
    static volatile Object sink;
    static volatile long sum;

    static long spin(int depth, long n) {
        if (depth > 0) {
            return spin(depth - 1, n) + 1;
        }
        long s = 0;
        for (long i = 0; i < n; i++) {
            s += i * i % 7;
        }
        return s;
    }

    static void allocate(int n) {
        for (int i = 0; i < n; i++) {
            sink = new byte[4096];
        }
    }

    static void contend() {
        synchronized (lock) {
            LockSupport.parkNanos(200_000);
        }
    }

    static void work(long until) {
        for (int i = 0; System.nanoTime() < until; i++) {
            sum += spin(i % 20, 20_000);
            allocate(50);
            if (i % 50 == 0) {
                contend();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AsyncProfiler profiler = AsyncProfiler.getInstance(args[0]);
        profiler.execute("start," + args[1]);
        long until = System.nanoTime() + 1_000_000_000L;
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> work(until), "worker-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        profiler.execute("stop");
        profiler.execute("dump,otlp," + args[1] + ",file=" + args[2] + ".otlp");
        profiler.execute("dump,collapsed," + args[1] + ",file=" + args[2] + ".collapsed");
    }
}
