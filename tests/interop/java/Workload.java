// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Does a little of everything a recording tells of, for a given time.
 *
 *   java Workload.java MILLISECONDS [CHUNKS]
 *
 * CHUNKS is into how many chunks a recording of this run shall be cut: each start of another recording ends one.
 */
public class Workload {
    static volatile long sink;
    static volatile boolean done;
    static final Object lock = new Object();
    static final Object bell = new Object();
    static final ReentrantLock gate = new ReentrantLock();

    interface Body {
        void once(Random random) throws Exception;
    }

    // --- work on the processor: two graphs of calls that go into each other

    static long even(int n, long x) {
        return n == 0 ? leaf(x) : odd(n - 1, x * 31 + n);
    }

    static long odd(int n, long x) {
        return (x & 3) == 0 ? even(n - 1 < 0 ? 0 : n - 1, x + 7) : n == 0 ? x : even(n - 1, x ^ n);
    }

    static long leaf(long x) {
        for (int i = 0; i < 3000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    static long tree(int depth, long x) {
        return depth == 0 ? leaf(x) : tree(depth - 1, x * 2) + tree(depth - 1, x * 2 + 1);
    }

    static void compute(Random random) {
        sink += even(random.nextInt(60), random.nextLong());
        sink += tree(4, random.nextLong());
        List<Long> list = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            list.add(random.nextLong());
        }
        list.sort((a, b) -> Long.compare(leafOf(a), leafOf(b)));
    }

    static long leafOf(long x) {
        return x ^ (x >>> 17);
    }

    // --- allocation: small, of several classes, and too large for a thread's own buffer

    static final Object[] kept = new Object[64];

    static void allocate(Random random) throws Exception {
        for (int i = 0; i < 40; i++) {
            Object[] made = {new byte[random.nextInt(4000)], new long[10], new String[3][5], new StringBuilder("Zoë")};
            kept[random.nextInt(kept.length)] = made;
        }
        kept[random.nextInt(kept.length)] = new int[random.nextInt(200_000)];
        Thread.sleep(1);
    }

    // --- waiting

    static void contend(Random random) throws Exception {
        synchronized (lock) {
            sink += tree(2, random.nextLong());
            Thread.sleep(1 + random.nextInt(3));
        }
    }

    static void pass(Random random) throws Exception {
        gate.lock();
        try {
            Thread.sleep(2);
        } finally {
            gate.unlock();
        }
    }

    static void ring(Random random) throws Exception {
        Thread.sleep(5 + random.nextInt(20));
        synchronized (bell) {
            bell.notifyAll();
        }
    }

    static void waitForBell(Random random) throws Exception {
        synchronized (bell) {
            bell.wait(random.nextBoolean() ? 0 : 7);
        }
    }

    static void park(Random random) throws Exception {
        Thread other = Thread.currentThread();
        Thread waker = new Thread(() -> {
            nap(3);
            LockSupport.unpark(other);
        }, "waker");
        waker.start();
        LockSupport.park(bell);
        LockSupport.parkNanos(lock, 2_000_000);
        LockSupport.parkUntil(System.currentTimeMillis() + 3);
        waker.join();
    }

    static void nap(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            done = true;
        }
    }

    // --- files, sockets, exceptions

    static void files(Random random) throws Exception {
        Path path = Files.createTempFile("workload", ".tmp");
        try (OutputStream out = new java.io.FileOutputStream(path.toFile())) {
            out.write(new byte[1 + random.nextInt(300_000)]);
        }
        try (InputStream in = new java.io.FileInputStream(path.toFile())) {
            sink += in.read(new byte[200_000]);
        } finally {
            Files.delete(path);
        }
        Thread.sleep(10);
    }

    static void sockets(Random random) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread sender = new Thread(() -> send(server), "sender");
            sender.start();
            try (Socket socket = server.accept()) {
                InputStream in = socket.getInputStream();
                while (in.read() >= 0) {
                    sink++;
                }
            }
            sender.join();
        }
    }

    static void send(ServerSocket server) {
        try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
            for (int i = 0; i < 3; i++) {
                nap(4);
                socket.getOutputStream().write(new byte[i]);
            }
        } catch (IOException e) {
            done = true;
        }
    }

    static class Refused extends Exception {
        Refused(String why) {
            super(why);
        }
    }

    static void refuse(int depth) throws Refused {
        if (depth == 0) {
            throw new Refused("no");
        }
        refuse(depth - 1);
    }

    static void exceptions(Random random) throws Exception {
        try {
            refuse(random.nextInt(5));
        } catch (Refused e) {
            sink++;
        }
        try {
            throw random.nextBoolean() ? new AssertionError("made") : new StackOverflowError();
        } catch (Error e) {
            sink++;
        }
        Thread.sleep(20);
    }

    // A stack that is deeper than what is kept of it.
    static long deep(int n, long x) {
        return n == 0 ? tree(5, x) : deep(n - 1, x + n) + 1;
    }

    static void deepWork(Random random) throws Exception {
        sink += deep(150, random.nextLong());
        Thread.sleep(2);
    }

    // --- threads

    static Runnable looping(Body body, int seed) {
        return () -> {
            Random random = new Random(seed);
            try {
                while (!done) {
                    body.once(random);
                }
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        };
    }

    /** Virtual threads where there are some; this must compile for those that came before. */
    static void virtual(Runnable run) throws Exception {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run);
        } catch (NoSuchMethodException e) {
            sink++;
        }
    }

    static void start(List<Thread> threads, String name, Body body) {
        Thread thread = new Thread(looping(body, threads.size()), name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    static void cut(int chunks, long ms) throws Exception {
        for (int i = 1; i < chunks; i++) {
            Thread.sleep(ms / chunks);
            try (jdk.jfr.Recording other = new jdk.jfr.Recording()) {
                other.start();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long ms = Long.parseLong(args[0]);
        int chunks = args.length > 1 ? Integer.parseInt(args[1]) : 1;
        long end = System.nanoTime() + ms * 1_000_000;
        List<Thread> threads = new ArrayList<>();
        start(threads, "compute", Workload::compute);
        start(threads, "deep", Workload::deepWork);
        start(threads, "alloc \"q\"", Workload::allocate);
        start(threads, "lock-a", Workload::contend);
        start(threads, "lock-b", Workload::contend);
        start(threads, "gate-a", Workload::pass);
        start(threads, "gate-b", Workload::pass);
        start(threads, "ring", Workload::ring);
        start(threads, "wait", Workload::waitForBell);
        start(threads, "park-ü€", Workload::park);
        start(threads, "files", Workload::files);
        start(threads, "sockets", Workload::sockets);
        start(threads, "throw", Workload::exceptions);
        for (int i = 0; i < 4; i++) {
            virtual(looping(i < 2 ? Workload::contend : Workload::allocate, 100 + i));
        }
        cut(chunks, ms);
        Thread.sleep(Math.max(1, (end - System.nanoTime()) / 1_000_000));
        done = true;
        synchronized (bell) {
            bell.notifyAll();
        }
        for (Thread thread : threads) {
            thread.join(500);
        }
    }
}
