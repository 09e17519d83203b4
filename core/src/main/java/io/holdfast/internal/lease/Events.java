package io.holdfast.internal.lease;

import io.holdfast.Contention;
import io.holdfast.HoldfastListener;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockEvent;
import io.holdfast.LockEvent.Subject;
import io.holdfast.LockOptions;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Trouble;
import java.lang.System.Logger.Level;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners and the log what happens. Nothing is made where nobody listens; what is made waits in a bounded queue,
 * which one task at a time empties on the client's executor, so that no lock ever waits for a listener.
 */
public final class Events {
    private static final int MOST_WAITING = 10_000;
    private static final String UNTOLD = "an event could not be reported";
    private static final System.Logger STEPS = System.getLogger("io.holdfast.steps");
    private static final System.Logger TRIES = System.getLogger("io.holdfast.tries");
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    /**
     * @param own listener of the request, who asked for it by name and hears all of it
     * @param all whether the client's listeners hear it, too
     */
    private record Delivery(LockEvent event, @Nullable HoldfastListener own, boolean all) {}

    private final HoldfastOptions options;
    private final Executor executor;
    private final List<HoldfastListener> listeners;
    private final Queue<Delivery> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();

    /** @param executor where listeners are called */
    Events(HoldfastOptions options, Executor executor) {
        this.options = options;
        this.executor = executor;
        this.listeners = options.listeners();
    }

    /**
     * Tells a step of a request or of its hold.
     *
     * @param recorder is told at once, by this thread; null if nobody records
     */
    void tell(Demand demand, String owner, Function<Subject, LockEvent> event, @Nullable Consumer<LockEvent> recorder) {
        boolean logged = STEPS.isLoggable(Level.DEBUG) && drawn(owner, options.logSampling());
        HoldfastListener own = demand.options().listener();
        boolean all = !listeners.isEmpty() && drawn(owner, options.eventSampling());
        if (!logged && !all && own == null && recorder == null) {
            return;
        }
        try {
            LockEvent made = event.apply(subject(demand, owner));
            if (recorder != null) {
                recorder.accept(made);
            }
            if (logged) {
                STEPS.log(Level.DEBUG, () -> line(made));
            }
            if (all || own != null) {
                enqueue(new Delivery(made, own, all));
            }
        } catch (RuntimeException | Error e) { // the caller's data may throw when it is shown
            Trouble.report(UNTOLD, e);
        }
    }

    /** Whether anybody may hear of what is asked for with such options, or of its hold. */
    public boolean areHeard(LockOptions of) {
        return !listeners.isEmpty() || of.listener() != null || STEPS.isLoggable(Level.DEBUG);
    }

    private static Subject subject(Demand demand, String owner) {
        return new Subject(
                demand.keys().name(),
                demand.keys().hold(),
                OwnerIds.publicPart(owner),
                demand.actorName(),
                demand.options().group(),
                Instant.now(),
                demand.options().eventData());
    }

    /** Tells that the server is being asked. Of each try there is a line of its own, in a log of its own. */
    void tellAsked(Demand demand, String owner, int attempt) {
        if (TRIES.isLoggable(Level.TRACE)) {
            TRIES.log(
                    Level.TRACE,
                    () -> "asked lock=" + LogText.quoted(demand.keys().name()) + " owner=" + OwnerIds.publicPart(owner)
                            + " attempt=" + attempt);
        }
        HoldfastListener own = demand.options().listener();
        boolean all = !listeners.isEmpty() && drawn(owner, options.eventSampling());
        if (all || own != null) {
            try {
                enqueue(new Delivery(new LockEvent.Asked(subject(demand, owner), attempt), own, all));
            } catch (RuntimeException | Error e) {
                Trouble.report(UNTOLD, e);
            }
        }
    }

    /** Tells of an act by name. */
    public void tell(String lock, String key, String owner, @Nullable Object data, Function<Subject, LockEvent> event) {
        boolean logged = STEPS.isLoggable(Level.DEBUG);
        if (logged || !listeners.isEmpty()) {
            try {
                LockEvent made = event.apply(new Subject(lock, key, owner, "", "", Instant.now(), data));
                if (logged) {
                    STEPS.log(Level.DEBUG, () -> line(made));
                }
                enqueue(new Delivery(made, null, true));
            } catch (RuntimeException | Error e) {
                Trouble.report(UNTOLD, e);
            }
        }
    }

    /** The same for all events of one owner. */
    private static boolean drawn(String owner, double part) {
        if (part >= 1) {
            return true;
        }
        // Spread over all 32 bits: owners that follow each other differ in few of them.
        int mixed = OwnerIds.publicPart(owner).hashCode() * 0x9E3779B9;
        mixed = (mixed ^ (mixed >>> 15)) * 0x85EBCA6B;
        mixed ^= mixed >>> 13;
        return (mixed & 0xFFFF_FFFFL) / 4_294_967_296.0 < part;
    }

    private void enqueue(Delivery delivery) {
        if (size.incrementAndGet() > MOST_WAITING) {
            size.decrementAndGet();
            dropped.incrementAndGet();
            return;
        }
        waiting.add(delivery);
        if (work.getAndIncrement() == 0) {
            try {
                executor.execute(this::drain);
            } catch (RuntimeException | Error e) {
                work.set(0); // or nothing would be delivered any more
                throw e;
            }
        }
    }

    private void drain() {
        try {
            deliver();
        } catch (RuntimeException | Error e) {
            work.set(0); // what waits is delivered with the next event
            throw e;
        }
    }

    private void deliver() {
        int done = 1;
        do {
            for (Delivery next = waiting.poll(); next != null; next = waiting.poll()) {
                size.decrementAndGet();
                HoldfastListener own = next.own();
                if (own != null) {
                    call(own, next.event());
                }
                if (next.all()) {
                    for (HoldfastListener listener : listeners) {
                        call(listener, next.event());
                    }
                }
            }
            long missed = dropped.getAndSet(0);
            if (missed > 0) {
                LOG.log(Level.WARNING, () -> "listeners do not keep up: " + missed + " events were dropped");
            }
            done = work.addAndGet(-done);
        } while (done != 0);
    }

    @SuppressWarnings("CatchingUnchecked")
    private static void call(HoldfastListener listener, LockEvent event) {
        try {
            listener.on(event);
        } catch (Throwable e) {
            Trouble.report(
                    "a listener failed at " + event.getClass().getSimpleName() + " of "
                            + LogText.lock(event.subject().lockName()),
                    e);
        }
    }

    /** One line of words and values: {@code obtained lock="a" owner=… token=7 waited=PT0.1S}. */
    public static String line(LockEvent event) {
        StringBuilder line = new StringBuilder(event.getClass().getSimpleName().toLowerCase(Locale.ROOT));
        Subject subject = event.subject();
        line.append(" lock=").append(LogText.quoted(subject.lockName()));
        line.append(" owner=").append(subject.owner());
        line.append(" actor=").append(LogText.quoted(subject.actor()));
        if (!subject.group().isEmpty()) {
            line.append(" group=").append(LogText.quoted(subject.group()));
        }
        for (RecordComponent component : event.getClass().getRecordComponents()) {
            if (component.getName().equals("subject")) {
                continue;
            }
            Object value;
            try {
                value = component.getAccessor().invoke(event);
            } catch (ReflectiveOperationException e) {
                value = "?";
            }
            line.append(' ')
                    .append(component.getName())
                    .append('=')
                    .append(
                            value instanceof Contention c
                                    ? LogText.quoted(c.describe())
                                    : value instanceof String text
                                            ? LogText.quoted(text)
                                            : LogText.text(String.valueOf(value)));
        }
        Object data = subject.data();
        return data == null
                ? line.toString()
                : line.append(" data=")
                        .append(LogText.text(String.valueOf(data)))
                        .toString();
    }
}
