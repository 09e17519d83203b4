package io.holdfast.cli;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast run}, from the first word to the status.
 *
 * <p><b>States.</b> Waiting, running, ended; they only go forward, under this object's monitor. A signal that comes while
 * waiting ends the wait; while running it is passed on to the child, whose end then ends us; after that it is ignored, as
 * only the release is left to do. The child is started under the monitor, so that no signal falls between.
 *
 * <p>The lock is held as long as the child lives, whatever happens to us, unless it is lost: then the child is ended.
 */
final class Run {
    private enum State {
        WAITING,
        RUNNING,
        ENDED
    }

    private final RunRequest request;
    private final Thread main = Thread.currentThread();
    private final CountDownLatch cleared = new CountDownLatch(1);
    private State state = State.WAITING; // these four guarded by this
    private int signal;
    private @Nullable Child child;
    private @Nullable LossReason loss;
    private volatile @Nullable Lease lease;

    private Run(RunRequest request) {
        this.request = request;
    }

    /** Runs; returns the status to end with. */
    static int run(String[] arguments) {
        Connecting ahead = RunRequest.connectAhead(arguments);
        if (ahead != null) {
            prepare();
        }
        RunRequest request = RunRequest.parse(arguments);
        if (request == null) {
            return Main.page("run");
        }
        Say.verbosely(request.verbose());
        if (ahead == null) {
            throw new IllegalStateException("a command line without a command was accepted");
        }
        return new Run(request).run(ahead);
    }

    /**
     * Does what connecting will need and what needs no network, while the other thread connects: so that both have about
     * as much to do.
     */
    private static void prepare() {
        System.getLogger("io.holdfast");
        try {
            MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
        new SecureRandom().nextInt();
    }

    private int run(Connecting connecting) {
        Signals.receive(this::onSignal);
        Runtime.getRuntime().addShutdownHook(new Thread(this::lastResort, "holdfast-last-resort"));
        if (request.server().machineLocal() && !request.quiet()) {
            Say.line("machine-local lock: it holds among this user's processes on this machine only"
                    + " (for more, give --url or HOLDFAST_URL)");
        }
        ProcessBuilder prepared = Child.prepare(request.command(), request.name());
        Holdfast client;
        try {
            client = connecting.await();
        } catch (InterruptedException e) {
            return ExitStatus.SIGNALLED + stoppedBy(); // nothing was asked for yet
        }
        Logs.mute();
        try {
            Attempt attempt = attempt(client);
            if (attempt instanceof Attempt.Obtained obtained) {
                Lease held = obtained.held();
                lease = held;
                int status = hold(held, prepared);
                return after(status, held.release());
            }
            return notObtained(attempt);
        } catch (InterruptedException e) {
            return ExitStatus.SIGNALLED + stoppedBy();
        } finally {
            synchronized (this) {
                state = State.ENDED;
            }
            Thread.interrupted(); // or closing would not wait for what it withdraws
            // Also after a confirmed release: the JVM's end waits 300 ms for threads that read from a socket.
            client.close();
        }
    }

    private Attempt attempt(Holdfast client) throws InterruptedException {
        DistributedLock lock = client.lock(request.name(), request.options());
        WaitingReport report = null;
        boolean wanted = Say.verbose() || (Terminal.isErrorOutput() && !request.quiet());
        if (wanted && !request.patience().equals(Wait.none())) {
            // A name that nobody else has, to find our place in the queue by.
            main.setName("run-" + Long.toString(System.nanoTime(), 36));
            report = new WaitingReport(client, request.name(), main.getName());
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

    private int notObtained(Attempt attempt) {
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

    /** Runs the child to its end; returns its status. */
    private int hold(Lease held, ProcessBuilder prepared) {
        Child started;
        try {
            synchronized (this) {
                if (signal != 0) {
                    return ExitStatus.SIGNALLED + signal;
                }
                Server.startsCommand();
                started = Child.start(prepared, held.token());
                if (request.atLeast().isZero()) { // else it stays taken whatever becomes of us
                    Server.runsCommand(started.pid());
                }
                child = started;
                state = State.RUNNING;
            }
        } catch (IOException e) {
            int status = Child.status(e);
            String problem = status == ExitStatus.NOT_FOUND ? "not found" : "cannot be executed";
            Say.failure("command '" + request.command().get(0) + "' " + problem + " (" + e.getMessage() + ")", e);
            return status;
        }
        if (Say.verbose()) {
            Say.line("holding '" + request.name() + "' with token " + held.token() + "; the command is pid "
                    + started.pid());
            held.onWarning(left -> Say.line("the server does not answer; '" + request.name() + "' is lost in "
                    + Span.inWords(left) + " unless it does"));
        }
        var unused = held.lost().thenAccept(this::onLost);
        int status = started.await();
        boolean lost;
        synchronized (this) {
            state = State.ENDED;
            lost = loss != null;
        }
        if (lost) {
            awaitCleared();
            return ExitStatus.LOST;
        }
        if (!held.isValid()) {
            Say.line("lock '" + request.name() + "' was lost while the command ended");
            return ExitStatus.LOST;
        }
        return status;
    }

    private int after(int status, ReleaseResult result) {
        switch (result) {
            case RELEASED, STILL_HELD, KEPT -> {}
            case ALREADY_GONE -> {
                if (status != ExitStatus.LOST) {
                    Say.line("lock '" + request.name() + "' was lost before the command had ended: "
                            + Words.loss(LossReason.GONE));
                }
                return ExitStatus.LOST;
            }
            case UNCONFIRMED ->
                Say.line("the server did not confirm that '" + request.name() + "' is free again; it will be within "
                        + Span.inWords(request.term()));
        }
        return status;
    }

    private void onLost(LossReason reason) {
        Child running;
        synchronized (this) {
            if (state != State.RUNNING) {
                return;
            }
            loss = reason;
            running = Objects.requireNonNull(child);
        }
        try {
            Say.line("lost lock '" + request.name() + "' while the command ran: " + Words.loss(reason)
                    + "; ending the command (pid " + running.pid() + ")");
            running.end(request.killAfter());
        } finally {
            cleared.countDown();
        }
    }

    private void awaitCleared() {
        while (true) {
            try {
                cleared.await();
                return;
            } catch (InterruptedException e) {
                // What runs below the child is to be gone before we are.
            }
        }
    }

    private void onSignal(String name, int number) {
        Child running;
        synchronized (this) {
            if (state == State.ENDED) {
                return;
            }
            running = child;
            if (running == null) {
                if (signal == 0) {
                    signal = number;
                }
                main.interrupt();
                return;
            }
        }
        // Who types Ctrl-C sends INT to the child too, and many programs take a second one as an order to drop
        // everything.
        if (!name.equals("INT") || !Terminal.inForeground()) {
            running.send(name);
        }
    }

    private synchronized int stoppedBy() {
        return signal;
    }

    /** If the process ends by another way than {@link Main}. */
    private void lastResort() {
        Child running;
        synchronized (this) {
            running = child;
        }
        if (running != null && running.isAlive()) {
            running.end(request.killAfter());
        }
        Lease held = lease;
        if (held != null) {
            held.release();
        }
    }
}
