package io.holdfast.faults.simulation;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Answer;
import io.holdfast.internal.lease.Asking;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Looks at leases and commands without touching them. Users have no need for it: to
 * them a lease whose deadline has passed ends when they look at it.
 */
public final class LeaseLook {
    private LeaseLook() {}

    /** As {@link Lease#remaining()}, but nothing is ended by it, and nothing is sent. */
    public static Duration remaining(Lease lease) {
        Handle handle = part(lease, "handle", Handle.class);
        return handle.hasLeft() ? Duration.ZERO : handle.hold.peek();
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
        return outcome.whenComplete((answer, failure) -> request.withdraw()).thenApply(LeaseLook::attemptOf);
    }

    private static Attempt attemptOf(Answer<Attempt> answer) {
        try {
            Method method = DistributedLock.class.getDeclaredMethod("attemptOf", Answer.class);
            method.setAccessible(true);
            return (Attempt) method.invoke(null, answer);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static <T> T part(Object of, String name, Class<T> type) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return type.cast(field.get(of));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
