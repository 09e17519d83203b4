package io.holdfast.cli;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.SetAttempt;
import io.holdfast.Wait;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks for a lock, and tells people how that goes and ends. */
final class Attempts {
    private Attempts() {}

    /**
     * What came of asking for all locks of a request.
     *
     * @param leases in the order of the command line; none if not all were obtained
     * @param refused the answer for the lock that was not; null if all were
     */
    record OfAll(List<Lease> leases, @Nullable Attempt refused) {}

    private interface Asking<A> {
        A ask() throws InterruptedException;
    }

    /** Asks for the one lock of a request, on a thread that is the waiter in the queue. */
    static Attempt of(Holdfast client, LockRequest request) throws InterruptedException {
        DistributedLock lock = request.wanted().lock(client, request.name(), request.options());
        return reported(client, request, () -> lock.attempt(request.patience()));
    }

    /** Asks for all locks of a request. */
    static OfAll ofAll(Holdfast client, LockRequest request) throws InterruptedException {
        if (request.also().isEmpty()) {
            Attempt attempt = of(client, request);
            return attempt instanceof Attempt.Obtained obtained
                    ? new OfAll(List.of(obtained.lease()), null)
                    : new OfAll(List.of(), attempt);
        }
        LockOptions options = request.options();
        LockSet set = client.allOf(request.names().stream()
                .map(name -> request.wanted().lock(client, name, options))
                .toArray(DistributedLock[]::new));
        SetAttempt attempt = reported(client, request, () -> set.attempt(request.patience()));
        return attempt.fold(
                all -> new OfAll(
                        request.names().stream().map(all.lease()::lease).toList(), null),
                notAll -> new OfAll(List.of(), notAll.why()),
                unknown -> new OfAll(List.of(), new Attempt.Unknown(unknown.lockName(), unknown.cause())));
    }

    private static <A> A reported(Holdfast client, LockRequest request, Asking<A> asking) throws InterruptedException {
        WaitingReport report = null;
        if ((Say.verbose() || !request.quiet()) && !request.patience().equals(Wait.none())) {
            Thread waiter = Thread.currentThread();
            // A name that nobody else has, to find our place in the queue by.
            waiter.setName("run-" + Long.toString(System.nanoTime(), 36));
            boolean followed = Say.verbose() || Terminal.isErrorOutput();
            report = new WaitingReport(
                    request.wanted().in(client), request.names(), waiter.getName(), followed ? null : howLong(request));
            report.start();
        }
        try {
            return asking.ask();
        } finally {
            if (report != null) {
                report.end();
            }
        }
    }

    private static String howLong(LockRequest request) {
        return switch (request.patienceText()) {
            case "" -> " as long as it takes (--wait limits it)";
            case "forever" -> " as long as it takes";
            default -> ", " + request.patienceText() + " at most";
        };
    }

    /** Says why it was not obtained; returns the status to end with. */
    static int notObtained(Attempt attempt, LockRequest request) {
        if (attempt instanceof Attempt.Unknown unknown) {
            throw unknown.cause();
        }
        String lock = "'" + (attempt instanceof Attempt.NotObtained not ? not.lockName() : request.name()) + "' ";
        if (!request.quiet()) {
            if (attempt instanceof Attempt.TimedOut late) {
                Say.line(lock + "was not free within " + request.patienceText() + ": "
                        + Words.contention(late.contention()));
            } else if (attempt instanceof Attempt.Taken taken) {
                Say.line(lock + "is taken: " + Words.contention(taken.contention()));
            } else if (attempt instanceof Attempt.QueueFull full) {
                Say.line(lock + "is taken, and as many wait for it as --queue-limit " + request.queueLimit()
                        + " allows: " + Words.contention(full.contention()));
            } else if (attempt instanceof Attempt.Dropped) {
                Say.line(lock + "was not obtained: an operator dropped this request from the queue");
            }
        }
        return request.busyExit();
    }
}
