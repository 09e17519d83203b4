package io.holdfast.model;

/** Sixty-four bits of what it is told, in the order of telling. */
public final class Fingerprint {
    private long bits = 0x9E3779B97F4A7C15L;

    public Fingerprint add(long value) {
        bits = (bits ^ value) * 0xBF58476D1CE4E5B9L;
        bits ^= bits >>> 29;
        return this;
    }

    public Fingerprint add(boolean value) {
        return add(value ? 1 : 2);
    }

    public long get() {
        long mixed = (bits ^ (bits >>> 30)) * 0x94D049BB133111EBL;
        mixed ^= mixed >>> 31;
        return mixed == 0 ? 1 : mixed; // none is marked by zero in a table
    }
}
