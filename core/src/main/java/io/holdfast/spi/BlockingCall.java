package io.holdfast.spi;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that sends something and then blocks its thread until it is answered, as drivers see it: instead of being woken by
 * the thread that reads the answer, that thread may read it.
 *
 * <p>The engine begins such a call before it sends ({@link #await}). A driver that finds one in the thread that sends
 * ({@link #present}) may say where its answers arrive ({@link #sent}), and is then asked to let the thread read there
 * ({@link Source#read}) before it blocks. Most drivers do nothing of this, and lose nothing but a little time.
 *
 * <p>A call reads at one source only, and not at all if it has sent to several: what comes from one of them would decide
 * while it reads from another. Virtual threads never read: for them, waking is cheap and a socket is read by another thread
 * in any case.
 *
 * <p>A call belongs to its thread. Only {@link #isAnswered} is of interest to others, and may be called by any.
 */
public final class BlockingCall {
    /** A connection on which a thread that waits for answers can read them. */
    public interface Source {
        /**
         * Reads, if no other thread does at present, until the call is answered, or for a few milliseconds: the thread heeds
         * neither interrupts nor time limits meanwhile. What it reads for others it delivers as a thread of the driver would.
         * Throws nothing: what goes wrong with the connection fails whatever was sent on it.
         */
        void read(BlockingCall call);

        /** The call does not read: another thread has to. */
        void decline();
    }

    private static final ThreadLocal<@Nullable BlockingCall> PRESENT = new ThreadLocal<>();

    private volatile @Nullable CompletableFuture<?> outcome;
    private volatile @Nullable CompletableFuture<?> last;
    private @Nullable Source source;
    private boolean several;

    private BlockingCall() {}

    /**
     * Begins a call in this thread, asks, and lets the thread read. The answer is to be waited for afterwards, in the
     * ordinary way.
     *
     * @param asking sends, and does not block
     * @return what {@code asking} has returned, done or not
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

    /** If it threw before it read, or does not read. */
    private void end() {
        Source from = source;
        if (from != null) {
            from.decline();
        }
    }

    /** The innermost call of this thread; null if it has none. */
    public static @Nullable BlockingCall present() {
        return PRESENT.get();
    }

    /**
     * The call has sent something.
     *
     * @param answer completes with the answer, and not before
     * @return whether the call will ask the source, by {@link Source#read} or {@link Source#decline}; if not, the source is
     *     to be read by another thread
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

    /** Whether nothing that it has sent is unanswered, or what it waits for is known in another way. */
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
