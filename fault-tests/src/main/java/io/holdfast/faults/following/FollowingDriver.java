package io.holdfast.faults.following;

import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.internal.wire.Script;
import io.holdfast.model.following.Ran;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Sends each call of a script of Holdfast as one transaction: a dump of its keys, the call, and the dump again. The caller gets what the
 * server has replied to the call, or why it did not.
 *
 * <p>A thread of its own sends everything. What one thread sends is written in that order, so that no command of another gets
 * into a transaction. The names of the two commands around it are in lower case: Lettuce, which looks at names, would otherwise have its
 * own part in the transaction. Connections of {@link #another} are not followed: they carry {@code WAIT}.
 */
final class FollowingDriver extends ForwardingDriver {
    private static final String QUEUED = "QUEUED";
    private static final int PARTS = 3;

    private static final Map<String, Script> SCRIPTS = new HashMap<>(); // by hash and by text

    static {
        for (Script script : Script.values()) {
            SCRIPTS.put(script.sha1(), script);
            SCRIPTS.put(script.text(), script);
        }
    }

    private final Following following;
    private final ExecutorService sender = Following.thread("following-sender");

    FollowingDriver(RedisDriver direct, Following following) {
        super(direct);
        this.following = following;
    }

    // ---- commands

    @Override
    public CompletionStage<Reply> send(Command command) {
        Ran ran = ranBy(command);
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        try {
            sender.execute(() -> {
                if (ran == null) {
                    var unused =
                            driver.send(command).whenComplete((reply, failure) -> complete(answer, reply, failure));
                } else {
                    sendFollowed(command, ran, answer);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(DriverException.unknown("the driver is closed", e));
        }
        return answer;
    }

    private static @Nullable Ran ranBy(Command command) {
        List<String> words = command.words();
        boolean runs = command.name().equals("EVALSHA") || command.name().equals("EVAL");
        Script script = runs ? SCRIPTS.get(words.get(1)) : null;
        if (script == null) {
            return null;
        }
        int keys = 3 + Integer.parseInt(words.get(2));
        return new Ran(script, words.subList(3, keys), words.subList(keys, words.size()));
    }

    private static void complete(CompletableFuture<Reply> answer, @Nullable Reply reply, @Nullable Throwable failure) {
        if (failure == null) {
            answer.complete(reply);
        } else {
            answer.completeExceptionally(failure);
        }
    }

    private void sendFollowed(Command command, Ran ran, CompletableFuture<Reply> answer) {
        Command dump = Dump.of(ran.keys());
        var begin = outcome(new Command(command.key(), List.of("multi")));
        var before = outcome(dump);
        var call = outcome(command);
        var after = outcome(dump);
        var end = outcome(new Command(command.key(), List.of("exec")));
        var unused = CompletableFuture.allOf(begin, before, call, after, end)
                .thenRun(() -> decide(ran, call.join(), end.join(), answer));
    }

    /** What came of one command of a transaction: either is null. */
    private record Sent(@Nullable Reply reply, @Nullable Throwable failure) {}

    private CompletableFuture<Sent> outcome(Command command) {
        return driver.send(command).handle(Sent::new).toCompletableFuture();
    }

    /**
     * Where the connection breaks and is opened again between the commands, some of them run outside of a transaction, or the end comes to
     * a server that knows of no beginning.
     */
    private void decide(Ran ran, Sent call, Sent end, CompletableFuture<Reply> answer) {
        if (call.reply == null) {
            fail(ran, call.failure, answer);
        } else if (!call.reply.toString().equals(QUEUED)) {
            following.left(ran, "run outside of its transaction");
            answer.complete(call.reply);
        } else if (end.reply == null) {
            boolean dropped = end.failure instanceof DriverException refused
                    && (refused.code().equals("EXECABORT")
                            || String.valueOf(refused.getMessage()).contains("without MULTI"));
            fail(
                    ran,
                    dropped ? DriverException.unknown("its transaction was dropped", end.failure) : end.failure,
                    answer);
        } else {
            List<Reply> parts = end.reply.isList() ? end.reply.asList() : List.of();
            if (parts.size() == PARTS) {
                answer.complete(parts.get(1));
                following.look(ran, parts.get(0), parts.get(1), parts.get(2));
            } else {
                fail(ran, DriverException.unknown("a transaction of " + parts.size() + " parts", null), answer);
            }
        }
    }

    private void fail(Ran ran, @Nullable Throwable failure, CompletableFuture<Reply> answer) {
        DriverException known =
                failure instanceof DriverException told ? told : DriverException.unknown("no answer", failure);
        boolean refused = known.kind() == DriverException.Kind.REJECTED;
        following.left(ran, refused ? "refused: " + known.code() : "no answer");
        answer.completeExceptionally(known);
    }

    @Override
    public void close() {
        super.close();
        sender.shutdown();
    }
}
