package io.holdfast.spi;

import java.security.SecureRandom;

/** A source of random bytes for owner ids. */
@FunctionalInterface
public interface Entropy {
    /** Fresh bytes, {@code count} of them, that cannot be guessed. */
    byte[] bytes(int count);

    /** The operating system's. */
    static Entropy system() {
        SecureRandom random = new SecureRandom();
        return count -> {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            return bytes;
        };
    }
}
