package io.holdfast.faults.following;

import com.google.gson.Gson;
import io.holdfast.model.following.Followed;
import io.holdfast.model.following.Follower;
import io.holdfast.model.following.Ran;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Follows the calls of one process, and writes what came of them to a file: several times a second, at once when something differs, and at
 * the end. Of a process that is killed, the figures of its last moments are missing.
 *
 * <p>Compared are the reply and what is stored afterwards. Messages are not: whoever listened to them would be counted as a listener by the
 * scripts. A thread of its own compares, so that no caller waits for it. May be used by many threads.
 */
public final class Following implements AutoCloseable {
    private static final long WRITTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long PATIENCE_SECONDS = 10;

    /**
     * What came of it.
     *
     * @param calls how many were followed, and why others were not
     * @param difference the first one, in words; null if there is none
     */
    public record Result(Followed calls, @Nullable String difference) {
        /** From a file; nothing if there is none, of a process that was killed before it had written. */
        public static Result read(Path file) throws IOException {
            return Files.exists(file)
                    ? new Gson().fromJson(Files.readString(file), Result.class)
                    : new Result(new Followed(), null);
        }
    }

    private final Follower follower;
    private final Path file;
    private final ExecutorService looking = thread("following");

    // used by the thread that compares
    private @Nullable String difference;
    private long writtenNanos = System.nanoTime();

    /** With a follower that nobody else uses. */
    public Following(Follower follower, Path file) {
        this.follower = follower;
        this.file = file;
    }

    static ExecutorService thread(String name) {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** The same drivers, each call of which is followed. */
    public RedisDriverProvider over(RedisDriverProvider direct) {
        return new RedisDriverProvider() {
            @Override
            public String name() {
                return direct.name();
            }

            @Override
            public RedisDriver connect(RedisAddress address, ConnectOptions options) {
                return new FollowingDriver(direct.connect(address, options), Following.this);
            }
        };
    }

    void look(Ran ran, Reply before, Reply reply, Reply after) {
        execute(() -> compare(ran, new Dump(ran.keys(), before), reply, new Dump(ran.keys(), after)));
    }

    void left(Ran ran, String reason) {
        execute(() -> follower.left(ran.script(), reason));
    }

    private void execute(Runnable task) {
        try {
            looking.execute(() -> {
                if (difference != null) {
                    return;
                }
                try {
                    task.run();
                } catch (RuntimeException e) {
                    difference = "a call that cannot be read: " + e;
                }
                if (difference != null || System.nanoTime() - writtenNanos > WRITTEN_NANOS) {
                    write();
                }
            });
        } catch (RejectedExecutionException e) {
            // Closed: what comes so late is not looked at any more.
        }
    }

    private void compare(Ran ran, Dump before, Reply reply, Dump after) {
        if (!before.isOfOneMillisecondWith(after)) {
            // Before 7.2 each part of a transaction has a time of its own, and a key may end between two of them.
            follower.left(ran.script(), "a millisecond ended inside of the transaction");
            return;
        }
        Follower.Step step = follower.begin(before, ran);
        if (step != null) {
            difference = step.end(after, reply, null);
        }
    }

    private void write() {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        try {
            Files.writeString(next, new Gson().toJson(new Result(follower.figures(), difference)));
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        writtenNanos = System.nanoTime();
    }

    /** Looks at what is left, and writes. The drivers are closed before. */
    @Override
    public void close() {
        Future<?> written = looking.submit(this::write);
        looking.shutdown();
        try {
            written.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the figures of what was followed cannot be written", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
