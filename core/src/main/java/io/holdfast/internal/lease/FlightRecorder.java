package io.holdfast.internal.lease;

import io.holdfast.Contention;
import io.holdfast.Holder;
import io.holdfast.LockEvent;
import io.holdfast.internal.lease.Question.Account;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * The recorder where the JVM has one. The only class that names {@code jdk.jfr}; it is loaded by {@link Recorder}, which does
 * without it where that module is absent.
 *
 * <p>Whether anybody records is asked of an event that nobody keeps: compiled, that is a look at one field. But before anybody has
 * recorded anything in this JVM, the events are not touched: to make their types known takes some 40 ms, and would be part of the
 * first lock.
 */
final class FlightRecorder extends Recorder {
    /** What all events have. The names of fields are what users' queries have: they do not change. */
    @Category("Holdfast")
    @StackTrace(false)
    abstract static class LockedEvent extends Event {
        @Label("Lock")
        @Description("Name of the lock; of a set of locks, all of them")
        @Nullable
        String lock;

        @Label("Mode")
        @Description("EXCLUSIVE, SHARED (a reader), or PERMITS (of a semaphore)")
        @Nullable
        String mode;

        @Label("Owner")
        @Description("Public part of the owner ID, as in log lines and listings; empty for a set of locks")
        @Nullable
        String owner;

        @Label("Actor")
        @Description("Name of the thread that asked, or the ID that the caller gave")
        @Nullable
        String actor;

        @Label("Group")
        @Description("Group of the request, which counts toward the group's share of the lock; empty for none")
        @Nullable
        String group;

        final void of(Account account) {
            lock = account.lock();
            mode = account.mode();
            owner = account.owner();
            actor = account.actor();
            group = account.group();
        }
    }

    /** What waits have. */
    @Threshold("20 ms")
    abstract static class WaitedEvent extends LockedEvent implements Span {
        @Label("Outcome")
        @Description("OBTAINED, or why not: TAKEN, TIMED_OUT, WITHDRAWN, ...")
        @Nullable
        String outcome;

        @Label("Holder")
        @Description("Holder at the last report of the server; empty if the lock was free or the holder is not known")
        @Nullable
        String holder;

        @Label("Place")
        @Description("Initial position in the queue: 1 for the next waiter, 0 if the request was not queued")
        int position;

        @Label("Attempts")
        @Description("Number of requests to the server")
        int attempts;

        @Override
        public final void over(Account account, String how) {
            end();
            if (shouldCommit()) {
                of(account);
                Contention contention = account.contention();
                outcome = how;
                holder = contention.holder().map(Holder::describe).orElse("");
                position = account.place();
                attempts = account.attempts();
                commit();
            }
        }
    }

    @Name("io.holdfast.Wait")
    @Label("Lock Wait")
    @Description("A thread waited for a lock")
    @StackTrace
    static final class WaitEvent extends WaitedEvent {}

    @Name("io.holdfast.AsyncWait")
    @Label("Asynchronous Lock Wait")
    @Description("A request waited for a lock, and no thread waited with it")
    static final class AsyncWaitEvent extends WaitedEvent {}

    @Name("io.holdfast.Hold")
    @Label("Lock Hold")
    @Description("A lock was held")
    @Threshold("20 ms")
    static final class HoldEvent extends LockedEvent implements Span {
        @Label("End")
        @Description("RELEASED, DOWNGRADED, HANDED_OVER, or the reason of the loss")
        @Nullable
        String end;

        @Label("Fencing Token")
        long token;

        @Override
        public void over(Account account, String how) {
            end();
            if (shouldCommit()) {
                of(account);
                end = how;
                commit();
            }
        }
    }

    @Name("io.holdfast.Lost")
    @Label("Lock Lost")
    @Description("A lock was lost while it was held: others may have held it since")
    static final class LostEvent extends LockedEvent {
        @Label("Reason")
        @Nullable
        String reason;

        @Label("Fencing Token")
        long token;

        @Label("Held")
        @Description("How long it was held")
        @Timespan
        long held;
    }

    @Name("io.holdfast.RenewalFailed")
    @Label("Lock Renewal Failed")
    @Description("A renewal was refused, or not answered; it is tried again until the lock is lost")
    static final class RenewalFailedEvent extends LockedEvent {
        @Label("Why")
        @Nullable
        String why;

        @Label("Fencing Token")
        long token;

        @Label("Remaining")
        @Description("How long the lock still lasts")
        @Timespan
        long remaining;
    }

    private FlightRecorder() {}

    /** @throws LinkageError if the flight recorder is absent */
    static Recorder make() {
        boolean unused = isUsed();
        return new FlightRecorder();
    }

    private static boolean isUsed() {
        return jdk.jfr.FlightRecorder.isInitialized();
    }

    @Override
    public @Nullable Span waiting(boolean blocks) {
        if (!isUsed()) {
            return null;
        }
        WaitedEvent wait = blocks ? new WaitEvent() : new AsyncWaitEvent();
        if (!wait.isEnabled()) {
            return null;
        }
        wait.begin();
        return wait;
    }

    @Override
    public boolean listens() {
        return isUsed()
                && (new HoldEvent().isEnabled() || new LostEvent().isEnabled() || new RenewalFailedEvent().isEnabled());
    }

    @Override
    @Nullable
    Span tell(Account account, LockEvent event, @Nullable Span holding) {
        if (event instanceof LockEvent.Obtained obtained) {
            return obtained.reentered() ? holding : hold(obtained.token());
        } else if (event instanceof LockEvent.Adopted adopted) {
            return hold(adopted.token());
        } else if (event instanceof LockEvent.Downgraded downgraded) {
            return hold(downgraded.token());
        } else if (event instanceof LockEvent.Released) {
            return over(account, holding, "RELEASED");
        } else if (event instanceof LockEvent.HandedOver) {
            return over(account, holding, "HANDED_OVER");
        } else if (event instanceof LockEvent.Lost lost) {
            lost(account, lost);
            return over(account, holding, lost.reason().name());
        } else if (event instanceof LockEvent.RenewalFailed failed) {
            renewalFailed(account, failed);
        }
        return holding;
    }

    private static @Nullable Span hold(long token) {
        HoldEvent hold = new HoldEvent();
        if (!hold.isEnabled()) {
            return null;
        }
        hold.begin();
        hold.token = token;
        return hold;
    }

    private static @Nullable Span over(Account account, @Nullable Span holding, String how) {
        if (holding != null) {
            holding.over(account, how);
        }
        return null;
    }

    private static void lost(Account account, LockEvent.Lost lost) {
        LostEvent event = new LostEvent();
        if (event.isEnabled()) {
            event.of(account);
            event.reason = lost.reason().name();
            event.token = lost.token();
            event.held = lost.held().toNanos();
            event.commit();
        }
    }

    private static void renewalFailed(Account account, LockEvent.RenewalFailed failed) {
        RenewalFailedEvent event = new RenewalFailedEvent();
        if (event.isEnabled()) {
            event.of(account);
            event.why = failed.why();
            event.token = failed.token();
            event.remaining = failed.remaining().toNanos();
            event.commit();
        }
    }
}
