package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.testkit.TestHoldfast;

/** Clients that need no server. Only loaded where the testkit is there. */
final class WithoutServer {
    private WithoutServer() {}

    static Holdfast client(HoldfastProperties.Mode mode, HoldfastOptions options) {
        return switch (mode) {
            case MEMORY -> TestHoldfast.inMemory(options);
            case GRANTING -> TestHoldfast.granting(options);
            case REFUSING -> TestHoldfast.refusing(options);
            case FAILING -> TestHoldfast.failing(options);
            case REDIS, EMBEDDED -> throw new IllegalArgumentException(mode + " needs a server");
        };
    }
}
