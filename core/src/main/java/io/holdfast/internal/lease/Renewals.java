package io.holdfast.internal.lease;

import io.holdfast.LockEvent;
import io.holdfast.internal.wire.Batches;
import io.holdfast.internal.wire.LockScripts.RenewEntry;
import io.holdfast.internal.wire.LockScripts.Renewed;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.DriverException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Renews the holds of one client, a third of their term after the last time, until they end: up to a hundred of one server in
 * one call. Those that are due at about the same time are looked at together ({@link Schedule}).
 */
public final class Renewals {
    private static final int BATCH = 100;
    /**
     * Two renewals that fail in a row warn (at two thirds of the term), so that a renewal that failed is repeated six times
     * until the next would be due: once for each eighteenth of the term.
     */
    private static final int TRIES_A_TERM = 18;

    /** Calls to one server, each of which may speak of many holds. Equal ones are put together. */
    public interface Lane {
        Server server();

        void renew(
                List<RenewEntry> entries,
                long sentNanos,
                BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback);

        /** Those of one call whose parts want to be confirmed. */
        default void confirm(List<Hold> held, long sentNanos) {}
    }

    /** One hold's part of a call. */
    public interface Part {
        Hold hold();

        RenewEntry entry();

        /** Whether its lane is to confirm what the server has answered. */
        boolean answered(Renewed how, long sentNanos);

        default void failed(DriverException failure) {
            hold().kit.renewals().failed(hold(), String.valueOf(failure.getMessage()));
        }
    }

    /** What leaves at one moment. */
    public static final class Round {
        public final long sentNanos;
        private final Map<Lane, List<Part>> parts = new LinkedHashMap<>();
        private final List<Runnable> late = new ArrayList<>();

        Round(long sentNanos) {
            this.sentNanos = sentNanos;
        }

        public void add(Lane lane, Part part) {
            parts.computeIfAbsent(lane, l -> new ArrayList<>()).add(part);
        }

        /** Does something when the patience of this kind of client is over. */
        public void whenLate(Runnable action) {
            late.add(action);
        }
    }

    private final Kit kit;
    private final long patienceNanos;

    /** @param patienceNanos how long to wait for servers that hang */
    Renewals(Kit kit, long patienceNanos) {
        this.kit = kit;
        this.patienceNanos = patienceNanos;
    }

    /** Renews a hold a third of its term after now, and a third of its term before its end at the latest: an answer may have been slow. */
    void add(Hold hold) {
        add(hold, kit.nanoTime());
    }

    private static void add(Hold hold, long now) {
        long third = hold.options.leaseDuration().toNanos() / 3;
        schedule(hold, now, Math.min(third, hold.leftNanos(now) - third));
    }

    private static void schedule(Hold hold, long now, long delayNanos) {
        hold.renewAt(Buckets.due(now, Math.max(Buckets.FINE_WIDTH_NANOS, delayNanos)), now);
    }

    /** Renews holds now, as far as they may be. */
    public void renew(Collection<Hold> holds) {
        ask(holds.stream().filter(Hold::mayRenew).toList());
    }

    /** Asks for those that may be renewed. */
    void ask(List<Hold> holds) {
        Round round = new Round(kit.nanoTime());
        holds.forEach(hold -> hold.grant.renew(round));
        round.parts.forEach(
                (lane, parts) -> Batches.inParts(parts, lane.server().atOnce(BATCH), batch -> send(lane, batch)));
        if (!round.late.isEmpty()) {
            kit.schedule(patienceNanos, () -> round.late.forEach(Runnable::run));
        }
    }

    private void send(Lane lane, List<Part> batch) {
        long sent = kit.nanoTime();
        List<RenewEntry> entries = new ArrayList<>(batch.size());
        batch.forEach(part -> entries.add(part.entry()));
        lane.renew(entries, sent, (answers, failure) -> answered(lane, batch, sent, answers, failure));
    }

    private void answered(
            Lane lane,
            List<Part> batch,
            long sent,
            @Nullable List<Renewed> answers,
            @Nullable DriverException failure) {
        if (answers != null && answers.size() == batch.size()) {
            List<Hold> toConfirm = new ArrayList<>();
            for (int i = 0; i < batch.size(); i++) {
                if (batch.get(i).answered(answers.get(i), sent)) {
                    toConfirm.add(batch.get(i).hold());
                }
            }
            lane.confirm(toConfirm, sent);
        } else if (!Batches.sendAlone(batch, failure, alone -> send(lane, alone))) {
            DriverException why = failure == null ? DriverException.unknown("the reply is malformed", null) : failure;
            batch.forEach(part -> part.failed(why));
        }
    }

    /** A hold lasts for a term from when the call left. */
    public void renewed(Hold hold, long sentNanos) {
        long now = kit.nanoTime();
        long term = hold.options.leaseDuration().toNanos();
        long until = hold.grant.deadline(sentNanos, term);
        hold.raise(until, now);
        // The server's clock may have been seen to run ahead at this moment, by a look that did not meet this deadline.
        long again = hold.grant.deadline(sentNanos, term);
        if (again - until < 0) {
            lower(hold, present -> present == until ? again : present);
        }
        add(hold, now);
        // Asked before the request is looked at that the hold came of, which nothing else here needs.
        if (Recorder.present().listens() || kit.events().areHeard(hold.options)) {
            hold.origin.tell(subject -> new LockEvent.Renewed(subject, hold.token(), hold.remaining()));
        }
    }

    /** The server's clock has run ahead: holds end there earlier. Those that may be renewed are, which sets a whole term again. */
    public void ranAhead(Collection<Hold> holds, LongUnaryOperator lowered) {
        holds.forEach(hold -> lower(hold, deadline -> hold.grant.lowered(deadline, lowered)));
        kit.schedule(0, () -> renew(holds));
    }

    private static void lower(Hold hold, LongUnaryOperator earlier) {
        if (hold.state.lower(earlier) && hold.isValid()) {
            hold.arm();
        }
    }

    /** Tries again and again until the deadline; each try takes as long as the server's answer, or the command timeout. */
    public void failed(Hold hold, String why) {
        hold.origin.tell(subject -> new LockEvent.RenewalFailed(subject, hold.token(), hold.remaining(), why));
        schedule(hold, kit.nanoTime(), hold.options.leaseDuration().toNanos() / TRIES_A_TERM);
    }
}
