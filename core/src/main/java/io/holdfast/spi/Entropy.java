package io.holdfast.spi;

import java.security.SecureRandom;

/** A source of random bytes, for owner ids, values of plain locks and random pauses. */
@FunctionalInterface
public interface Entropy {
    /** Returns {@code count} new bytes that cannot be guessed. */
    byte[] bytes(int count);

    /** Returns a source that uses {@link SecureRandom}. */
    static Entropy system() {
        SecureRandom random = new SecureRandom();
        return count -> {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            return bytes;
        };
    }
}
