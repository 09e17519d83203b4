package io.holdfast.faults.simulation;

import java.util.List;

/**
 * Numbers that follow from a seed and from what they are for. Parts of a simulation never share one: what one part draws
 * then stays the same when another is left out.
 */
final class Draw {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final long key;
    private long drawn;

    Draw(long seed, long... purpose) {
        long mixed = mix(seed + GOLDEN);
        for (long word : purpose) {
            mixed = mix(mixed ^ mix(word + GOLDEN));
        }
        this.key = mixed;
    }

    /** The finisher of SplitMix64. */
    private static long mix(long number) {
        long a = (number ^ (number >>> 30)) * 0xBF58476D1CE4E5B9L;
        long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return b ^ (b >>> 31);
    }

    /** For one purpose more, without a change of what is drawn here. */
    Draw beside(long purpose) {
        return new Draw(key, purpose);
    }

    long next() {
        return mix(key + ++drawn * GOLDEN);
    }

    int below(int bound) {
        return (int) Long.remainderUnsigned(next(), bound);
    }

    /** Both ends included. */
    long between(long least, long most) {
        return least + Long.remainderUnsigned(next(), most - least + 1);
    }

    boolean percent(int chance) {
        return below(100) < chance;
    }

    <T> T oneOf(List<T> values) {
        return values.get(below(values.size()));
    }

    byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) next();
        }
        return bytes;
    }
}
