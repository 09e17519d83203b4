package io.holdfast.faults.simulation;

import io.holdfast.Attempt;
import io.holdfast.Candidacy;
import io.holdfast.DistributedLock;
import io.holdfast.Leadership;
import io.holdfast.Lease;
import io.holdfast.LeaseFunction;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.Command;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks at leases and commands without touching them. Users have no need for it: to
 * them a lease whose deadline has passed ends when they look at it.
 */
public final class LeaseLook {
    private static final Field ELECTED = field(Candidacy.class, "elected"); // looked at after every step
    private static final Method RUN_LIMITED = runLimited();

    private LeaseLook() {}

    private static Method runLimited() {
        try {
            Class<?> limit = Class.forName("io.holdfast.BodyLimit", true, Lease.class.getClassLoader());
            Method method = limit.getDeclaredMethod("run", Lease.class, Duration.class, LeaseFunction.class);
            method.setAccessible(true);
            return method;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** As {@link Lease#remaining()}, but nothing is ended by it, and nothing is sent. */
    public static Duration remaining(Lease lease) {
        Handle handle = part(lease, "handle", Handle.class);
        return handle.hasLeft() ? Duration.ZERO : handle.hold.peek();
    }

    /** Whether its caller has released it. */
    static boolean hasLeft(Lease lease) {
        return part(lease, "handle", Handle.class).hasLeft();
    }

    /** How long its hold lasts yet; negative if it is over, and its client has not noticed that. */
    static long leftNanos(Lease lease) {
        Hold hold = holdOf(lease);
        return hold.leftNanos(hold.kit.nanoTime());
    }

    /** The hold behind a lease, which others may share. */
    static Hold holdOf(Lease lease) {
        return part(lease, "handle", Handle.class).hold;
    }

    /** Whether its hold serves several leases of its client, one after the other. */
    static boolean isShared(Lease lease) {
        Handle handle = part(lease, "handle", Handle.class);
        return handle.own != handle.hold;
    }

    /** Until when its hold lasts, by the clock of its client. */
    static long deadline(Lease lease) {
        Hold hold = holdOf(lease);
        long now = hold.kit.nanoTime();
        return now + hold.leftNanos(now);
    }

    /** Since when its client has its hold, in nanoseconds of its clock. */
    static long heldNanos(Lease lease) {
        Hold hold = holdOf(lease);
        return hold.kit.nanoTime() - hold.grantedNanos;
    }

    /** Work that may be interrupted. */
    interface Limited {
        void run() throws Exception;
    }

    /**
     * Does work in the present thread as the blocking forms do, which interrupt it before the end.
     *
     * @throws Exception as they do
     */
    static void limited(Lease lease, @Nullable Duration before, Limited work) throws Exception {
        LeaseFunction<Lease, Boolean, Exception> function = held -> {
            work.run();
            return true;
        };
        try {
            RUN_LIMITED.invoke(null, lease, before, function);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception thrown) {
                throw thrown;
            }
            throw e;
        }
    }

    /** Asks as the forms do that work under a lease, without blocking. */
    @SuppressWarnings("unchecked") // as it is declared
    static CompletableFuture<Attempt<Lease>> scopedAttempt(DistributedLock lock, Wait wait) {
        try {
            Method async = DistributedLock.class.getDeclaredMethod("async", Wait.class, boolean.class, Function.class);
            async.setAccessible(true);
            Function<Attempt<Lease>, Attempt<Lease>> same = attempt -> attempt;
            return (CompletableFuture<Attempt<Lease>>) async.invoke(lock, wait, true, same);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** The lease that a leadership is. */
    static Lease leaseOf(Leadership leadership) {
        return part(leadership, "lease", Lease.class);
    }

    /** What a candidate has of the server's at present; null if nothing. It need not have begun to lead. */
    static @Nullable Leadership electedOf(Candidacy candidacy) {
        try {
            return (Leadership) ELECTED.get(candidacy);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** As {@link Candidacy#resign}, but does not wait for the answer. */
    static void resign(Candidacy candidacy) {
        try {
            Method method = Candidacy.class.getDeclaredMethod("giveUp", Leadership.class, boolean.class);
            method.setAccessible(true);
            method.invoke(candidacy, null, false);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** Whether a script, named by its text or its SHA-1, is the one that writes a quorum's token back. */
    public static boolean isWriteBack(String script) {
        return script.equals(Script.QUORUM_RAISE.sha1()) || script.equals(Script.QUORUM_RAISE.text());
    }

    /** Whether a script, named by its text or its SHA-1, is the one that releases. */
    public static boolean isRelease(String script) {
        return script.equals(Script.RELEASE.sha1()) || script.equals(Script.RELEASE.text());
    }

    /** The script that a command runs, by its name in capitals; empty if it runs none. */
    static String scriptOf(Command command) {
        if (command.words().size() > 1) {
            String named = command.words().get(1);
            for (Script script : Script.values()) {
                if (named.equals(script.sha1()) || named.equals(script.text())) {
                    return script.name();
                }
            }
        }
        return "";
    }

    /** Whether a script, named by its text or its SHA-1, is the one that releases by name, whoever holds. */
    public static boolean isRevoke(String script) {
        return script.equals(Script.REVOKE.sha1()) || script.equals(Script.REVOKE.text());
    }

    /**
     * Asks as a thread does that waits, and is interrupted in the moment of the answer: the request is withdrawn, and nobody
     * looks at the answer.
     */
    public static CompletableFuture<Attempt<Lease>> interruptedAttempt(DistributedLock lock, Wait wait) {
        Question<Handle> request = part(lock, "engine", Engine.class)
                .newRequest(Demand.of(
                        part(lock, "keys", Keys.class),
                        lock.options(),
                        wait,
                        false,
                        part(lock, "actor", String.class)));
        CompletableFuture<Attempt<Handle>> outcome = request.start();
        return outcome.whenComplete((answer, failure) -> request.withdraw())
                .thenCompose(answer -> CompletableFuture.failedFuture(new CancellationException()));
    }

    private static <T> T part(Object of, String name, Class<T> type) {
        try {
            return type.cast(field(of.getClass(), name).get(of));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
