package io.holdfast;

import io.holdfast.LockInfo.Way;
import io.holdfast.LockInfo.Way.By;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds the events that would free a lock, by its reported state, to explain them to people. */
final class Ways {
    private final LockInfo lock;
    private final Function<String, Optional<Boolean>> listening;
    private final @Nullable Waiter next;
    private final List<Way> ways = new ArrayList<>();

    private Ways(LockInfo lock, Function<String, Optional<Boolean>> listening) {
        this.lock = lock;
        this.listening = listening;
        this.next = lock.next().orElse(null);
    }

    static List<Way> of(LockInfo lock, Function<String, Optional<Boolean>> listening) {
        Ways ways = new Ways(lock, listening);
        ways.find();
        return List.copyOf(ways.ways);
    }

    private void find() {
        LockInfo.Limit limit = lock.limit().orElse(null);
        int wanted = next == null ? 1 : next.permits();
        if (limit == null && lock.pause().isPresent()) {
            ofPause(lock.pause().get());
            return;
        }
        if (limit == null || lock.used() + wanted <= limit.permits()) {
            ofHolders();
            return;
        }
        if (limit.permits() >= wanted) { // else nothing that holders do would help
            ofHolders();
        }
        boolean passed = limit.permits() > 0 && limit.permits() < wanted;
        add(
                By.LIMIT,
                limit.remaining(),
                "the end of the operator's limit",
                passed
                        ? "because the next waiter asks for more permits; until then this waiter keeps its position,"
                                + " and others pass it"
                        : "");
        add(By.OPERATOR_UNLIMIT, null, "an operator ends the limit", "");
    }

    private void ofPause(LockInfo.Pause pause) {
        if (lock.holder().filter(holder -> !holder.isPause()).isPresent()) {
            ofHolders();
        }
        add(By.PAUSE, pause.remaining(), "the end of the operator's pause", "");
        add(By.OPERATOR_RESUME, null, "an operator ends the pause", "");
    }

    private void ofHolders() {
        Holder holder = lock.holder().orElse(null);
        if (lock.shares().size() > 1) {
            ofSeveral();
        } else if (holder != null) {
            ofOne(holder);
        } else if (lock.isQueued() && next == null) {
            add(By.WAITERS_GONE, null, "nothing: all waiters are gone", "");
        } else if (lock.isQueued()) {
            add(
                    By.WAITER_AWAY,
                    null,
                    "nothing: the next waiter gets it as soon as its client reports, mostly within 2s",
                    "");
        }
    }

    private void ofOne(Holder holder) {
        if (holder.resting()) {
            add(By.REST, lock.remaining(), "the end of its minimum hold time or lock-delay", "");
            add(By.OPERATOR_RELEASE, null, "an operator releases it", "");
            return;
        }
        if (lock.confirmed()) {
            boolean dead = listening.apply(holder.client()).equals(Optional.of(false));
            add(By.RELEASE, null, "its holder releases it", "");
            add(
                    By.EXPIRY,
                    lock.remaining(),
                    "the end of its lease",
                    dead ? "if its holder is dead" : "if its holder dies or is cut off");
        } else {
            add(By.RELEASE, null, "its holder, to which it was just handed, confirms and later releases it", "");
            add(
                    By.HANDOFF_TIMEOUT,
                    lock.remaining(),
                    "the end of the handoff timeout",
                    "if its holder does not confirm");
        }
        add(By.OPERATOR_RELEASE, null, "an operator releases it", "if its holder is known to be dead");
    }

    /** Adds the events for a lock with several holders: those that serve the next waiter, or free the lock if there is none. */
    private void ofSeveral() {
        boolean some = next != null && next.mode() == LockMode.PERMITS;
        add(By.RELEASE, null, some ? "its holders give enough permits back" : "all its holders release it", "");
        add(
                By.EXPIRY,
                next == null ? lock.remaining() : untilServed(next),
                some ? "the expiry of enough of their leases" : "the expiry of the last of their leases",
                "if the holders die or are cut off");
        add(By.OPERATOR_RELEASE, null, "an operator releases it", "if a holder is known to be dead");
    }

    /**
     * Returns the time until there is room for this waiter if no holder renews or releases. The holds that end first come
     * first.
     */
    private Duration untilServed(Waiter waiter) {
        int most = Math.min(
                waiter.limit(), lock.limit().map(LockInfo.Limit::permits).orElse(waiter.limit()));
        int used = lock.used();
        for (LockInfo.Share each : lock.shares()) {
            used -= each.permits();
            if (waiter.mode() == LockMode.PERMITS && used + waiter.permits() <= most) {
                return each.remaining();
            }
        }
        return lock.remaining();
    }

    private void add(By by, @Nullable Duration in, String words, String condition) {
        ways.add(new Way(by, Optional.ofNullable(in), words, condition));
    }
}
