package io.holdfast.cli;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LossReason;
import io.holdfast.Once;
import io.holdfast.ReleaseResult;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast run}, from the first word to the status.
 *
 * <p><b>States.</b> Waiting, running, ended; they only go forward, under this object's monitor. A signal that comes while
 * waiting ends the wait; while running it is passed on to the child, whose end then ends us; after that it is ignored, as
 * only the release is left to do. The child is started under the monitor, so that no signal falls between.
 *
 * <p>The lock is held as long as the child lives, whatever happens to us, unless it is lost: then the child is ended. If
 * we are ended without having a say in it, a {@link Watcher} ends the child, long before the lock is another's.
 */
final class Run {
    private static final int MOST_LISTED = 10_000;

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
    private volatile List<Lease> leases = List.of();

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
        Say.verbosely(request.lock().verbose());
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
        request.lock().server().announceLock(request.lock().quiet());
        if (!request.holdForChildren()) {
            return run(connecting, null);
        }
        try (Children children = Children.create()) {
            return run(connecting, children);
        } catch (IOException e) {
            int by = stoppedBy();
            if (by != 0) {
                return ExitStatus.SIGNALLED + by;
            }
            Say.failure("cannot create a pipe for --hold-for-children: " + e.getMessage(), e);
            return ExitStatus.INTERNAL;
        }
    }

    private int run(Connecting connecting, @Nullable Children children) {
        ProcessBuilder prepared =
                Child.prepare(request.command(), request.lock().names(), children);
        request.lock().server().access().withhold(prepared.environment());
        Watcher watcher = Watcher.start(children);
        Holdfast client;
        try {
            client = connecting.await();
        } catch (InterruptedException e) {
            return ExitStatus.SIGNALLED + stoppedBy(); // nothing was asked for yet
        }
        Logs.mute();
        try {
            if (Nesting.waitsForItself(client, request.lock())) {
                return ExitStatus.USAGE;
            }
            OnceWish wish = request.lock().once();
            Once once = wish == null
                    ? null
                    : wish.of(client, request.lock().name(), request.lock().options());
            Attempt<List<Lease>> asked = once == null
                    ? Attempts.ofAll(client, request.lock())
                    : Attempts.of(client, request.lock(), once).map(List::of);
            if (!(asked instanceof Attempt.Obtained<List<Lease>> obtained)) {
                return Attempts.notObtained(asked, request.lock());
            }
            List<Lease> held = obtained.lease();
            leases = held;
            int status = hold(held, prepared, children, watcher);
            if (neverRan()) {
                return giveBack(client, held, status);
            }
            return once == null ? release(held, status) : after(once, held.get(0), status);
        } catch (InterruptedException e) {
            return ExitStatus.SIGNALLED + stoppedBy();
        } finally {
            synchronized (this) {
                state = State.ENDED;
            }
            watcher.close();
            Thread.interrupted(); // or closing would not wait for what it withdraws
            // Also after a confirmed release: the JVM's end waits 300 ms for threads that read from a socket.
            client.close();
        }
    }

    /** Runs the child to its end; returns its status. If it cannot be started, there is no child afterwards. */
    private int hold(List<Lease> held, ProcessBuilder prepared, @Nullable Children children, Watcher watcher) {
        if (!request.notes()) {
            return hold(held, prepared, children, watcher, null);
        }
        try (NoteFile notes = NoteFile.begin(held.get(0))) {
            prepared.environment().put(NoteFile.VARIABLE, notes.path());
            return hold(held, prepared, children, watcher, notes);
        } catch (IOException e) {
            Say.failure("cannot create a file for " + RunRequest.NOTES + ": " + e.getMessage(), e);
            return ExitStatus.INTERNAL;
        } catch (HoldfastException e) {
            Say.failure("the note of the previous run cannot be read: " + e.getMessage(), e);
            return ExitStatus.UNREACHABLE;
        }
    }

    private int hold(
            List<Lease> held,
            ProcessBuilder prepared,
            @Nullable Children children,
            Watcher watcher,
            @Nullable NoteFile notes) {
        Child started;
        List<String> tokens =
                held.stream().map(lease -> Long.toString(lease.token())).toList();
        watcher.starting(
                request.lock().name(),
                held.get(0).token(),
                request.killAfter(),
                request.lock().term());
        try {
            synchronized (this) {
                if (signal != 0) {
                    watcher.ended();
                    return ExitStatus.SIGNALLED + signal;
                }
                Server.startsCommand();
                Child.putSlots(prepared, held.get(0).slots());
                started = Child.start(prepared, tokens, children);
                watcher.started(started.pid());
                if (!request.lock().mayOutliveItsHolder()
                        && children == null) { // else it stays taken whatever becomes of us
                    Server.runsCommand(watcher.andIts(started.pid()));
                }
                child = started;
                state = State.RUNNING;
            }
        } catch (IOException e) {
            watcher.ended();
            return Child.notStarted(request.command(), e);
        }
        if (Say.verbose()) {
            for (Lease lease : held) {
                Say.line("holding '" + lease.name() + "' with token " + lease.token() + "; the command is pid "
                        + started.pid());
                lease.onWarning(left -> Say.line("the server does not answer; '" + lease.name() + "' is lost in "
                        + Span.inWords(left) + " unless the server answers"));
            }
        }
        for (Lease lease : held) {
            var unused = lease.whenLost().thenAccept(reason -> onLost(lease.name(), reason));
        }
        int status = started.await();
        boolean begun = children == null || children.await();
        boolean lost;
        synchronized (this) {
            state = State.ENDED;
            lost = loss != null;
            if (!begun) {
                child = null;
            }
        }
        if (lost) {
            awaitCleared();
            watcher.ended();
            return ExitStatus.LOST;
        }
        watcher.ended();
        if (!begun) {
            return status; // the shell has said why
        }
        if (notes != null) {
            notes.ended(status == 0);
        }
        for (Lease lease : held) {
            if (!lease.isValid()) {
                Say.line("lock '" + lease.name() + "' was lost while the command ended");
                return ExitStatus.LOST;
            }
        }
        return status;
    }

    /**
     * Gives back what was held for a command that never ran. By its token as an operator would, so that the lock is free
     * at once: a minimum hold time is there so that what was done is not done again.
     */
    private int giveBack(Holdfast client, List<Lease> held, int status) {
        if (request.lock().atLeast().isZero()) {
            return release(held, status);
        }
        for (Lease lease : held) {
            try {
                giveBack(client, lease);
            } catch (HoldfastException e) {
                Say.failure(
                        "'" + lease.name() + "' could not be freed before --min-hold is over: " + e.getMessage(), e);
            }
            lease.release(); // which is gone already, or is all that can be done
        }
        return status;
    }

    private void giveBack(Holdfast client, Lease lease) {
        LockInfo.Kind kind = request.lock().wanted().kindOfName();
        Admin admin = client.admin().of(kind);
        if (!Kinds.isShared(kind)) {
            admin.release(lease.name(), lease.token(), Admin.Waiters.HAND_OFF);
            return;
        }
        // Those who read together have one token.
        for (LockInfo.Share each :
                Kinds.inspector(client, kind).lock(lease.name(), MOST_LISTED).shares()) {
            if (each.holder().client().equals(client.id())) {
                admin.release(lease.name(), each.holder());
            }
        }
    }

    /** Releases all at once. */
    private int release(List<Lease> held, int status) {
        if (held.size() == 1) {
            return after(held.get(0).name(), status, held.get(0).release());
        }
        List<CompletableFuture<ReleaseResult>> results =
                held.stream().map(Lease::releaseAsync).toList();
        int after = status;
        for (int i = 0; i < results.size(); i++) {
            after = after(held.get(i).name(), after, results.get(i).join());
        }
        return after;
    }

    private int after(Once once, Lease lease, int status) {
        ReleaseResult result = status == 0 ? once.finish(lease, OnceWish.RESULT) : once.fail(lease, "status " + status);
        return after(once.name(), status, result);
    }

    private int after(String lock, int status, ReleaseResult result) {
        switch (result) {
            case RELEASED, STILL_HELD, KEPT -> {}
            case ALREADY_GONE -> {
                if (status != ExitStatus.LOST) {
                    Say.line("lock '" + lock + "' was lost before the command had ended: "
                            + Words.loss(LossReason.NOT_ON_SERVER));
                }
                return ExitStatus.LOST;
            }
            case UNCONFIRMED -> Say.line(Words.unconfirmed(lock, request.lock().keptFor()));
        }
        return status;
    }

    private void onLost(String lock, LossReason reason) {
        Child running;
        synchronized (this) {
            if (state != State.RUNNING || loss != null) {
                return;
            }
            loss = reason;
            running = Objects.requireNonNull(child);
        }
        try {
            Say.briefly("lost lock '" + lock + "' while the command ran: " + Words.loss(reason)
                    + "; ending the command (pid " + running.pid() + ")");
            running.end(request.killAfter());
        } finally {
            running.leave();
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

    private synchronized boolean neverRan() {
        return child == null;
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
        leases.forEach(Lease::release);
    }
}
