package io.holdfast.cli;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.Once;
import io.holdfast.Wait;
import java.util.List;

/** Asks for a lock, and tells people how that goes and ends. */
final class Attempts {
    private Attempts() {}

    private interface Asking<L> {
        Attempt<L> ask() throws InterruptedException;
    }

    /** Asks for the one lock of a request, on a thread that is the waiter in the queue. */
    static Attempt<Lease> of(Holdfast client, LockRequest request) throws InterruptedException {
        DistributedLock lock = request.wanted().lock(client, request.name(), request.options());
        return reported(client, request, request.names(), () -> lock.attempt(request.patience()));
    }

    /** Asks to do what is done once. */
    static Attempt<Lease> of(Holdfast client, LockRequest request, Once once) throws InterruptedException {
        return reported(client, request, List.of(once.name()), () -> once.attempt(request.patience()));
    }

    /** Asks for all locks of a request; the leases are in the order of the command line. */
    static Attempt<List<Lease>> ofAll(Holdfast client, LockRequest request) throws InterruptedException {
        if (request.also().isEmpty()) {
            return of(client, request).map(List::of);
        }
        LockOptions options = request.options();
        LockSet set = client.allOf(request.names().stream()
                .map(name -> request.wanted().lock(client, name, options))
                .toArray(DistributedLock[]::new));
        return reported(client, request, request.names(), () -> set.attempt(request.patience()))
                .map(all -> request.names().stream().map(all::lease).toList());
    }

    private static <L> Attempt<L> reported(Holdfast client, LockRequest request, List<String> names, Asking<L> asking)
            throws InterruptedException {
        WaitingReport report = null;
        if ((Say.verbose() || !request.quiet()) && !request.patience().equals(Wait.none())) {
            Thread waiter = Thread.currentThread();
            // A unique name, by which our position in the queue is found.
            waiter.setName("run-" + Long.toString(System.nanoTime(), 36));
            boolean followed = Say.verbose() || Terminal.isErrorOutput();
            report = new WaitingReport(
                    request.wanted().in(client), names, waiter.getName(), followed ? null : howLong(request));
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
    static int notObtained(Attempt<?> attempt, LockRequest request) {
        if (!(attempt instanceof Attempt.NotObtained<?> not)) {
            attempt.orElseThrow();
            throw new IllegalStateException("it was obtained");
        }
        if (!request.quiet()) {
            String who = Words.contention(not.contention());
            String how = switch (not.reason()) {
                case TAKEN -> "is taken: " + who;
                case TIMED_OUT -> "was not free within " + request.patienceText() + ": " + who;
                case QUEUE_FULL ->
                    "is taken, and its queue has reached --queue-limit " + request.queueLimit() + ": " + who;
                case DONE, GIVEN_UP ->
                    not.contention()
                            .holder()
                            .map(by -> "was " + Words.held(by, not.contention().remaining()))
                            .orElse("was done");
                case DROPPED -> "was not obtained: an operator dropped this request from the queue";
                default -> "was not obtained (" + not.reason() + "): " + who;
            };
            Say.line("'" + not.lockName() + "' " + how);
        }
        return switch (not.reason()) {
            case DONE -> 0;
            case GIVEN_UP -> ExitStatus.GIVEN_UP;
            default -> request.busyExit();
        };
    }
}
