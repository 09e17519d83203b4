package io.holdfast;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at locks without touching them. What it tells was true at one instant on the server. Blocks for a few round
 * trips, each at most the command timeout.
 *
 * <p>Every method throws {@link ServerUnreachableException} if the server does not answer, and
 * {@link ServerRefusedException} if it answers with an error.
 */
public final class Inspector {
    private static final int PAGE = 500;
    private static final int BATCH = 100;
    private static final int WAITERS_LISTED = 100;

    private final Client client;

    Inspector(Client client) {
        this.client = client;
    }

    /** One lock: its holder, and the first hundred of its queue. Nobody holding it is an answer, not an error. */
    public LockInfo lock(String name) {
        return infos(List.of(Keys.of(client.options.prefix(), name)), WAITERS_LISTED)
                .get(0);
    }

    /**
     * All locks that are held, in no order, each passed on as it is found. Walks the keys by cursor ({@code SCAN}), a page
     * at a time: it does not stall the server, and a lock that is taken or released meanwhile may or may not be told.
     */
    public void locks(Consumer<LockInfo> consumer) {
        String cursor = "0";
        String pattern = Keys.holdPattern(client.options.prefix());
        Set<String> told = new LinkedHashSet<>(); // a cursor may come by a key twice
        do {
            Command scan = Command.of("SCAN", cursor, "MATCH", pattern, "COUNT", Integer.toString(PAGE));
            Reply reply = await(callback -> client.commands.send(scan, callback));
            List<Reply> parts = reply.asList();
            cursor = parts.get(0).asString();
            List<Keys> found = new ArrayList<>();
            for (Reply key : parts.get(1).asList()) {
                Keys keys = Keys.ofHold(client.options.prefix(), key.asString());
                if (keys != null && told.add(keys.hold())) {
                    found.add(keys);
                }
            }
            for (int from = 0; from < found.size(); from += BATCH) {
                for (LockInfo info : infos(found.subList(from, Math.min(found.size(), from + BATCH)), 0)) {
                    if (info.holder().isPresent()) {
                        consumer.accept(info);
                    }
                }
            }
        } while (!cursor.equals("0"));
    }

    private List<LockInfo> infos(List<Keys> locks, int mostWaiters) {
        return await(callback -> client.commands.info(locks, mostWaiters, callback));
    }

    private interface Sending<T> {
        void send(BiConsumer<@Nullable T, @Nullable DriverException> callback);
    }

    private <T> T await(Sending<T> sending) {
        if (client.isClosed()) {
            throw new HoldfastClosedException();
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        sending.send((value, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else {
                answer.complete(value);
            }
        });
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof DriverException failure) {
                String server = client.driver.describe();
                throw failure.kind() == DriverException.Kind.REJECTED
                        ? Refusals.explain(server, failure)
                        : new ServerUnreachableException(server + " did not answer: " + failure.getMessage(), failure);
            }
            throw e;
        }
    }
}
