package io.holdfast;

import java.time.Duration;

/**
 * Looks at leases and commands without touching them. It stands in the package of the engine, since users have no need for it: to them a
 * lease whose deadline has passed ends when they look at it.
 */
public final class LeaseLook {
    private LeaseLook() {}

    /** As {@link Lease#remaining()}, but nothing is ended by it, and nothing is sent. */
    public static Duration remaining(Lease lease) {
        return lease.peek();
    }

    /** Whether a script, named by its text or its SHA-1, is the one that writes a quorum's token back. */
    public static boolean isWriteBack(String script) {
        return script.equals(Script.QUORUM_RAISE.sha1()) || script.equals(Script.QUORUM_RAISE.text());
    }

    /** Whether a script, named by its text or its SHA-1, is the one that releases. */
    public static boolean isRelease(String script) {
        return script.equals(Script.RELEASE.sha1()) || script.equals(Script.RELEASE.text());
    }
}
