package io.holdfast.cli;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Wait;

/** Asks for a lock, and tells people how that goes and ends. */
final class Attempts {
    private Attempts() {}

    /** Asks, on a thread that is the waiter in the queue. */
    static Attempt of(Holdfast client, LockRequest request) throws InterruptedException {
        DistributedLock lock = client.lock(request.name(), request.options());
        WaitingReport report = null;
        if ((Say.verbose() || !request.quiet()) && !request.patience().equals(Wait.none())) {
            Thread waiter = Thread.currentThread();
            // A name that nobody else has, to find our place in the queue by.
            waiter.setName("run-" + Long.toString(System.nanoTime(), 36));
            boolean followed = Say.verbose() || Terminal.isErrorOutput();
            report = new WaitingReport(client, request.name(), waiter.getName(), followed ? null : howLong(request));
            report.start();
        }
        try {
            return lock.attempt(request.patience());
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
        String lock = "'" + request.name() + "' ";
        if (attempt instanceof Attempt.Unknown unknown) {
            throw unknown.cause();
        }
        if (!request.quiet()) {
            if (attempt instanceof Attempt.TimedOut late) {
                Say.line(lock + "was not free within " + request.patienceText() + ": "
                        + Words.contention(late.contention()));
            } else if (attempt instanceof Attempt.Taken taken) {
                Say.line(lock + "is taken: " + Words.contention(taken.contention()));
            } else if (attempt instanceof Attempt.QueueFull full) {
                Say.line(lock + "is taken, and as many wait for it as --queue-limit " + request.queueLimit()
                        + " allows: " + Words.contention(full.contention()));
            } else if (attempt instanceof Attempt.Evicted) {
                Say.line(lock + "was not obtained: an operator dropped this request from the queue");
            }
        }
        return request.busyExit();
    }
}
