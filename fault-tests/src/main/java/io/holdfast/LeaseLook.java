package io.holdfast;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

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

    /** Whether a script, named by its text or its SHA-1, is the one that releases by name, whoever holds. */
    public static boolean isRevoke(String script) {
        return script.equals(Script.REVOKE.sha1()) || script.equals(Script.REVOKE.text());
    }

    /**
     * Asks as a thread does that waits, and is interrupted in the moment of the answer: the request is withdrawn, and nobody
     * looks at the answer.
     */
    public static CompletableFuture<Attempt> interruptedAttempt(DistributedLock lock, Wait wait) {
        Asking<Attempt> request = part(lock, "engine", Engine.class)
                .newRequest(Demand.of(
                        part(lock, "keys", Keys.class),
                        lock.options(),
                        wait,
                        false,
                        part(lock, "actor", String.class)));
        CompletableFuture<Answer<Attempt>> outcome = request.start();
        return outcome.whenComplete((answer, failure) -> request.withdraw()).thenApply(DistributedLock::attemptOf);
    }

    private static <T> T part(DistributedLock lock, String name, Class<T> type) {
        try {
            Field field = DistributedLock.class.getDeclaredField(name);
            field.setAccessible(true);
            return type.cast(field.get(lock));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
