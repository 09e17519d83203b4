package io.holdfast.cli;

import io.holdfast.Candidacy;
import io.holdfast.Holdfast;
import io.holdfast.Leadership;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast lead}, from the first word to the status.
 *
 * <p>The library runs the command's part again and again, each time on a thread of its own, which it interrupts when the
 * command has to end. The main thread waits for the status: that of a command that ended by itself, or a signal that came
 * while there was none. A signal that comes while it runs is passed on; whichever way the command ends then, it is the last.
 */
final class Lead {
    private final RunRequest request;
    private final CompletableFuture<Integer> status = new CompletableFuture<>();
    private @Nullable Child child; // these two guarded by this
    private int signal;
    private volatile @Nullable Candidacy candidacy;

    private Lead(RunRequest request) {
        this.request = request;
    }

    /** Runs; returns the status to end with. */
    static int run(String[] arguments) {
        Connecting ahead = RunRequest.connectAhead(arguments);
        RunRequest request = RunRequest.parseLead(arguments);
        if (request == null) {
            return Main.page("lead");
        }
        Say.verbosely(request.lock().verbose());
        if (ahead == null) {
            throw new IllegalStateException("a command line without a command was accepted");
        }
        return new Lead(request).run(ahead);
    }

    private int run(Connecting connecting) {
        Thread main = Thread.currentThread();
        CompletableFuture<?> interrupting = status.thenRun(main::interrupt); // until it is connected
        Signals.receive(this::onSignal);
        Runtime.getRuntime().addShutdownHook(new Thread(this::lastResort, "holdfast-last-resort"));
        request.lock().server().announceLock(request.lock().quiet());
        Holdfast client;
        try {
            client = connecting.await();
        } catch (InterruptedException e) {
            return status.join();
        }
        interrupting.cancel(false);
        Logs.mute();
        try {
            Candidacy mine = client.election(name(), request.lock().options()).campaign(this::lead);
            candidacy = mine;
            int ended = status.join();
            mine.close();
            return ended;
        } finally {
            Thread.interrupted(); // by a signal just before it was connected
            client.close();
        }
    }

    private String name() {
        return request.lock().name();
    }

    /** Runs the command once, to its end. */
    private void lead(Leadership leadership) {
        ProcessBuilder prepared = Child.prepare(request.command(), List.of(name()), null);
        request.lock().server().access().withhold(prepared.environment());
        prepared.environment().remove("HOLDFAST_LOCK");
        prepared.environment().put("HOLDFAST_ELECTION", name());
        Watcher watcher = Watcher.start(null);
        try {
            watcher.starting(
                    name(),
                    leadership.token(),
                    request.killAfter(),
                    request.lock().term());
            Child started;
            synchronized (this) {
                if (signal != 0 || !leadership.isValid()) {
                    watcher.ended();
                    return;
                }
                Server.startsCommand();
                started = Child.start(prepared, List.of(Long.toString(leadership.token())), null);
                watcher.started(started.pid());
                Server.runsCommand(watcher.andIts(started.pid()));
                child = started;
            }
            if (Say.verbose()) {
                Say.line("leads '" + name() + "' with token " + leadership.token() + "; the command is pid "
                        + started.pid());
            }
            await(started, leadership);
            watcher.ended();
        } catch (IOException e) {
            watcher.ended();
            status.complete(Child.notStarted(request.command(), e));
        } finally {
            watcher.close();
        }
    }

    private void await(Child running, Leadership leadership) {
        boolean interrupted = false;
        int ended;
        try {
            ended = running.awaitUnlessInterrupted();
        } catch (InterruptedException e) {
            interrupted = true;
            end(running, leadership);
            ended = running.await();
        }
        boolean last;
        synchronized (this) {
            child = null;
            last = signal != 0;
        }
        if (last || (!interrupted && leadership.isValid())) {
            status.complete(ended);
        }
    }

    /** Ends the command and all below it, before another may lead if that is possible. */
    private void end(Child running, Leadership leadership) {
        boolean before = leadership.isValid();
        if (!request.lock().quiet()) {
            Say.briefly((before ? "about to lose" : "lost") + " the leadership of '" + name()
                    + "'; ending the command (pid " + running.pid() + "), and waiting to lead again");
        }
        Duration left = leadership.remaining();
        // Interrupts of this thread do not shorten it: it ends no later than the leadership does.
        running.end(before && left.compareTo(request.killAfter()) < 0 ? left : request.killAfter());
    }

    private void onSignal(String name, int number) {
        Child running;
        synchronized (this) {
            running = child;
            if (!name.equals("USR1") && signal == 0) {
                signal = number;
            }
        }
        if (running == null) {
            if (!name.equals("USR1")) {
                status.complete(ExitStatus.SIGNALLED + number);
            }
        } else if (!name.equals("INT") || !Terminal.inForeground()) { // as run does
            running.send(name);
        }
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
        Candidacy mine = candidacy;
        if (mine != null) {
            mine.close();
        }
    }
}
