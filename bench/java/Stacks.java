// SPDX-License-Identifier: Apache-2.0

/**
 * Allocates in stacks of one depth, of so many kinds.
 *
 * <p>usage: Stacks MILLISECONDS DEPTH KINDS
 */
final class Stacks {
    private static volatile Object sink;

    private Stacks() {
    }

    /** Which of four methods is next depends on the kind. */
    private static long down(long kind, int depth) {
        long next = kind * 6364136223846793005L + 1442695040888963407L;

        if (depth == 0) {
            sink = new byte[2000];
            return kind;
        }
        switch ((int) (next >>> 62)) {
            case 0:
                return north(next, depth - 1);
            case 1:
                return east(next, depth - 1);
            case 2:
                return south(next, depth - 1);
            default:
                return west(next, depth - 1);
        }
    }

    private static long north(long kind, int depth) {
        return down(kind, depth) + 1;
    }

    private static long east(long kind, int depth) {
        return down(kind, depth) + 2;
    }

    private static long south(long kind, int depth) {
        return down(kind, depth) + 3;
    }

    private static long west(long kind, int depth) {
        return down(kind, depth) + 4;
    }

    public static void main(String[] args) {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000L;
        int depth = Integer.parseInt(args[1]) / 2;
        int kinds = Integer.parseInt(args[2]);

        for (long i = 0; System.nanoTime() < end; i++) {
            down(i % kinds + 1, depth);
        }
    }
}
