package io.holdfast.cli;

import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * The process that keeps a lease for a script, started by {@code holdfast acquire}. docs/decisions/0018 has the reasons.
 *
 * <p><b>Who may do what when.</b> <i>Asking</i>: it waits in the queue; it withdraws and ends if {@code acquire} goes away
 * (the end of its standard input) or the script ends. <i>Offering</i>: it holds the lock, has told the ticket, and waits for
 * {@code acquire} to say that it is printed; else it releases and ends. <i>Keeping</i>: it renews, until somebody with the
 * ticket says {@code release}, or the script ends: either releases. A loss is told to the script's standard error, by a
 * signal if that is wanted, and to everybody who asks, until the script ends or says {@code release}. Each step goes forward
 * only, and only this process's main thread takes it; the others wake it.
 *
 * <p>It ignores INT, TERM, HUP and USR1, which are for the script to act on: the lock is held as long as the script runs,
 * also while that tidies up.
 */
final class LeaseKeeper {
    /** The word by which {@code acquire} starts it. Its arguments: the script's pid and birth, and those of acquire. */
    static final String COMMAND = "keep-lease";

    /** What it tells acquire, followed by the token and the ticket. */
    static final String OFFER = "offer ";
    /** What acquire answers when the ticket is printed. */
    static final String TAKEN = "taken";

    private static final long LOOK_MILLIS = 100;
    private static final long LONGEST_QUESTION_SECONDS = 5;

    private final LockRequest request;
    private final Script script;
    private final @Nullable String onLoss;
    private final Thread main = Thread.currentThread();
    private final CountDownLatch over = new CountDownLatch(1);
    private final CountDownLatch settled = new CountDownLatch(1);
    private final CountDownLatch told = new CountDownLatch(1);
    private boolean asking = true; // these guarded by this
    private boolean ending;
    private boolean releaseWanted;
    private volatile @Nullable LossReason loss;
    private volatile @Nullable ReleaseResult released;

    private LeaseKeeper(LockRequest request, Script script, @Nullable String onLoss) {
        this.request = request;
        this.script = script;
        this.onLoss = onLoss;
    }

    static int run(String[] arguments) {
        if (arguments.length < 2) {
            throw new UsageException("unknown command '" + COMMAND + "'");
        }
        Signals.receive((name, number) -> {});
        ParseResult given = Specs.parse(new Acquire().spec(), Arrays.copyOfRange(arguments, 2, arguments.length));
        LockRequest request = LockRequest.of(given);
        Say.verbosely(request.verbose());
        Script script = new Script(Long.parseLong(arguments[0]), arguments[1]);
        return new LeaseKeeper(request, script, Acquire.onLoss(given)).run();
    }

    private int run() {
        start("holdfast-acquire", this::awaitTaken);
        start("holdfast-script", this::awaitEndOfScript);
        String as = request.as();
        try (Holdfast client = request.server().connect(as == null ? script.name() : as, request.quiet())) {
            Logs.mute();
            if (Nesting.waitsForItself(client, request)) {
                return ExitStatus.USAGE;
            }
            Attempt<Lease> attempt;
            try {
                attempt = Attempts.of(client, request);
            } catch (InterruptedException e) {
                return ExitStatus.INTERNAL; // nobody is there to whom it would matter
            }
            synchronized (this) {
                asking = false;
            }
            Thread.interrupted();
            if (!(attempt instanceof Attempt.Obtained<Lease> obtained)) {
                return Attempts.notObtained(attempt, request);
            }
            return keep(obtained.lease());
        } catch (IOException e) {
            Say.failure("no ticket can be made: " + e.getMessage(), e);
            return ExitStatus.INTERNAL;
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Offers the lease, and keeps it until it is over. */
    private int keep(Lease lease) throws IOException {
        Ticket ticket = null;
        try {
            if (!request.mayOutliveItsHolder()) { // else it stays taken whatever becomes of us
                Server.startsCommand();
                Server.runsCommand(script.pid());
            }
            ticket = Ticket.create();
            ServerSocketChannel socket = ticket.listen();
            var unused = lease.whenLost().thenAccept(this::onLost);
            start("holdfast-ticket", () -> answer(socket, lease));
            System.out.print(OFFER + lease.token() + " " + ticket.folder() + "\n");
            System.out.flush();
            awaitOver();
        } finally {
            if (ticket != null) {
                ticket.remove(); // before the release: whoever has the lock then finds nothing of us
            }
            released = lease.release();
            settled.countDown();
        }
        awaitAnswers();
        return 0;
    }

    private void awaitOver() {
        while (true) {
            try {
                over.await();
                return;
            } catch (InterruptedException e) {
                // Only what counts the latch down ends this.
            }
        }
    }

    /** Whoever has asked for the release is to hear of it before this process ends. */
    private void awaitAnswers() {
        synchronized (this) {
            if (!releaseWanted) {
                return;
            }
        }
        try {
            told.await(LONGEST_QUESTION_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            // it ends anyway
        }
    }

    /** There is nothing to wait for or to keep any more. */
    private synchronized void end() {
        if (!ending) {
            ending = true;
            if (asking) {
                main.interrupt();
            }
        }
        over.countDown();
    }

    // ---- who ends it

    private void awaitTaken() {
        try {
            String word = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            if (TAKEN.equals(word)) {
                return;
            }
        } catch (IOException e) {
            // as good as an end
        }
        end();
    }

    private void awaitEndOfScript() {
        while (script.isAlive()) {
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
        end();
    }

    private void onLost(LossReason reason) {
        loss = reason;
        Say.line("lost lock '" + request.name() + "' while the script ran (pid " + script.pid() + "): "
                + Words.loss(reason) + (onLoss == null ? "" : "; sending it " + onLoss));
        if (onLoss != null) {
            try {
                script.send(onLoss);
            } catch (IOException e) {
                Say.failure("could not send " + onLoss + " to the script: " + e.getMessage(), e);
            }
        }
    }

    // ---- who asks

    private void answer(ServerSocketChannel socket, Lease lease) {
        while (true) {
            try {
                SocketChannel channel = socket.accept();
                start("holdfast-answer", () -> answer(channel, lease));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void answer(SocketChannel channel, Lease lease) {
        boolean release = false;
        try (channel) {
            String question = new BufferedReader(
                            new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))
                    .readLine();
            release = "release".equals(question);
            if (release) {
                synchronized (this) {
                    releaseWanted = true;
                }
                end();
                settled.await();
            }
            channel.write(ByteBuffer.wrap(answer(lease).line().getBytes(StandardCharsets.UTF_8)));
        } catch (IOException | InterruptedException e) {
            // Whoever asked has gone.
        }
        if (release) {
            told.countDown();
        }
    }

    private Ticket.Answer answer(Lease lease) {
        ReleaseResult result = released;
        LossReason reason = loss;
        boolean held = lease.isValid();
        if (result == null ? !held : result == ReleaseResult.ALREADY_GONE) {
            return new Ticket.Answer(
                    "lost",
                    lease.token(),
                    0,
                    request.name(),
                    Words.loss(reason == null ? LossReason.NOT_ON_SERVER : reason));
        }
        String word = result == null ? "held" : result == ReleaseResult.UNCONFIRMED ? "unconfirmed" : "released";
        long left = result == null
                ? lease.remaining().toMillis()
                : request.keptFor().toMillis();
        return new Ticket.Answer(word, lease.token(), left, request.name(), "");
    }
}
