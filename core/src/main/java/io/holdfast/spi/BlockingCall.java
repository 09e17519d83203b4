package io.holdfast.spi;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that sends something and then blocks its thread until it is answered, as drivers see it. Instead of waiting for
 * another thread to read the answer, the blocked thread may read it itself.
 *
 * <p>The engine begins such a call before it sends ({@link #await}). A driver that finds a call in the sending thread
 * ({@link #present}) may register the source of its answers ({@link #sent}). It is then asked to let the thread read there
 * ({@link Source#read}) before the thread blocks. Most drivers do not support this, and lose only a little time.
 *
 * <p>A call reads at one source only. It does not read at all if it has sent to several sources: the answer that decides could
 * come from one of them while it reads from another. Virtual threads never read: for them, waking is cheap, and another thread
 * reads the socket in any case.
 *
 * <p>A call belongs to its thread. Only {@link #isAnswered} may be called by any thread.
 */
public final class BlockingCall {
    /** A connection on which a thread that waits for answers can read them. */
    public interface Source {
        /**
         * Reads until the call is answered, or for a few milliseconds, unless another thread is reading. The thread ignores
         * interrupts and time limits meanwhile. It delivers answers for other calls as a thread of the driver would. Throws
         * nothing: a failure of the connection fails everything that was sent on it.
         */
        void read(BlockingCall call);

        /** Reports that the call does not read, so another thread must read. */
        void decline();
    }

    private static final ThreadLocal<@Nullable BlockingCall> PRESENT = new ThreadLocal<>();

    private volatile @Nullable CompletableFuture<?> outcome;
    private volatile @Nullable CompletableFuture<?> last;
    private @Nullable Source source;
    private boolean several;

    private BlockingCall() {}

    /**
     * Begins a call in this thread, sends the request, and lets the thread read. The caller must then wait for the answer in the
     * ordinary way.
     *
     * @param asking sends the request, and does not block
     * @return the future that {@code asking} returned, completed or not
     */
    public static <T> CompletableFuture<T> await(Supplier<CompletableFuture<T>> asking) {
        if (Virtual.isPresent()) {
            return asking.get();
        }
        BlockingCall before = PRESENT.get();
        BlockingCall call = new BlockingCall();
        PRESENT.set(call);
        try {
            CompletableFuture<T> outcome = asking.get();
            call.outcome = outcome;
            call.read();
            return outcome;
        } finally {
            call.end();
            if (before == null) {
                PRESENT.remove();
            } else {
                PRESENT.set(before);
            }
        }
    }

    private void read() {
        Source from = source;
        if (from != null && !several) {
            from.read(this);
            source = null; // it has had its chance
        }
    }

    /** Declines the source, if the call threw before it read, or does not read. */
    private void end() {
        Source from = source;
        if (from != null) {
            from.decline();
        }
    }

    /** Returns the innermost call of this thread; null if there is none. */
    public static @Nullable BlockingCall present() {
        return PRESENT.get();
    }

    /**
     * Records that the call has sent something.
     *
     * @param to the source from which the answer will come
     * @param answer completes with the answer, and not before
     * @return whether the call will use the source, by {@link Source#read} or {@link Source#decline}; if not, another thread
     *     must read the source
     */
    public boolean sent(Source to, CompletionStage<?> answer) {
        if (source == null && last == null) {
            source = to;
        } else if (source != to) {
            several = true;
            return false;
        }
        last = answer.toCompletableFuture();
        return true;
    }

    /** Returns whether everything that it has sent is answered, or its outcome is known in another way. */
    public boolean isAnswered() {
        CompletableFuture<?> known = outcome;
        CompletableFuture<?> newest = last;
        return newest == null || newest.isDone() || (known != null && known.isDone());
    }

    /** Virtual threads, which Java 17 does not know. */
    private static final class Virtual {
        private static final @Nullable MethodHandle IS_VIRTUAL = find();

        private static @Nullable MethodHandle find() {
            try {
                return MethodHandles.publicLookup()
                        .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
            } catch (NoSuchMethodException | IllegalAccessException e) {
                return null;
            }
        }

        static boolean isPresent() {
            try {
                return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
            } catch (Throwable e) {
                return true; // as it cannot be told, it does not read
            }
        }
    }
}
