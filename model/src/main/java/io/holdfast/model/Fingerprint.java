package io.holdfast.model;

import java.util.Collection;

/** Sixty-four bits of what it is told, in the order of telling. */
public final class Fingerprint {
    /** What has a part in a state. */
    public interface Part {
        void addTo(Fingerprint print);
    }

    private long bits = 0x9E3779B97F4A7C15L;

    public Fingerprint add(long value) {
        bits = (bits ^ value) * 0xBF58476D1CE4E5B9L;
        bits ^= bits >>> 29;
        return this;
    }

    public Fingerprint add(boolean value) {
        return add(value ? 1 : 2);
    }

    /** By its name, which is the same in each run. */
    public Fingerprint add(Enum<?> value) {
        return add(value.name().hashCode());
    }

    /** Parts, in their order. */
    public Fingerprint add(Collection<? extends Part> parts) {
        for (Part part : parts) {
            part.addTo(this);
        }
        return add(parts.size());
    }

    /** Parts, of which the order means nothing. */
    public Fingerprint addUnordered(Collection<? extends Part> parts) {
        long sum = parts.size();
        for (Part part : parts) {
            Fingerprint own = new Fingerprint();
            part.addTo(own);
            sum += own.get();
        }
        return add(sum);
    }

    public long get() {
        long mixed = (bits ^ (bits >>> 30)) * 0x94D049BB133111EBL;
        mixed ^= mixed >>> 31;
        return mixed == 0 ? 1 : mixed; // none is marked by zero in a table
    }
}
