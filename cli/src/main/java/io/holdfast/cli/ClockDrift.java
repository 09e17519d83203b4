package io.holdfast.cli;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How fast a server's clock runs against the monotonic clock of this machine, as certain as two readings some seconds apart
 * make it: each lies somewhere in its round trip.
 *
 * @param slowest what the server's clock has advanced, divided by the longest time that may have passed here
 * @param fastest the same, divided by the shortest
 */
record ClockDrift(double slowest, double fastest, Duration over) {
    static final String OPTION = "--clock-for";
    static final Duration USUAL = Duration.ofSeconds(3);
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final int READINGS = 5;
    private static final long PATIENCE_SECONDS = 2;

    /** What leases allow for: within 99 % of a lease duration the clock has not passed the lease duration. */
    private static final double ALLOWED = 1 / 0.99;

    record Reading(long sentNanos, long receivedNanos, long serverMicros) {
        long trip() {
            return receivedNanos - sentNanos;
        }

        ClockDrift until(Reading later) {
            double advanced = (later.serverMicros - serverMicros) * 1_000.0;
            long most = later.receivedNanos - sentNanos;
            return new ClockDrift(
                    advanced / most, advanced / (later.sentNanos - receivedNanos), Duration.ofNanos(most));
        }
    }

    /** How long it is to be watched; zero for not at all. */
    static Duration length(String text) {
        return Span.parse(OPTION, text, Duration.ZERO, LONGEST, "");
    }

    /** Of several servers that of the fastest clock; empty if the user may not ask ({@code TIME}). Blocks for as long. */
    static Optional<ClockDrift> of(RedisDriver driver, Duration length) {
        if (length.isZero()) {
            return Optional.empty();
        }
        List<RedisDriver> servers = driver.masters();
        List<Reading> before = new ArrayList<>();
        try {
            for (RedisDriver server : servers) {
                before.add(best(server));
            }
            Thread.sleep(length.toMillis());
            ClockDrift fastest = null;
            for (int i = 0; i < servers.size(); i++) {
                ClockDrift drift = before.get(i).until(best(servers.get(i)));
                fastest = fastest == null || drift.slowest > fastest.slowest ? drift : fastest;
            }
            return Optional.ofNullable(fastest);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException | CompletionException | DriverException e) {
            return Optional.empty();
        }
    }

    private static Reading best(RedisDriver server) throws InterruptedException, ExecutionException, TimeoutException {
        Reading best = reading(server);
        for (int i = 1; i < READINGS; i++) {
            Reading next = reading(server);
            best = next.trip() < best.trip() ? next : best;
        }
        return best;
    }

    private static Reading reading(RedisDriver server)
            throws InterruptedException, ExecutionException, TimeoutException {
        long sent = System.nanoTime();
        List<Reply> time = server.send(Command.of("TIME"))
                .toCompletableFuture()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .asList();
        long received = System.nanoTime();
        return new Reading(
                sent, received, time.get(0).asLong() * 1_000_000 + time.get(1).asLong());
    }

    /** Whether it surely runs faster than leases allow for. */
    boolean isTooFast() {
        return slowest > ALLOWED;
    }

    /** Whether it may, for all that is known. */
    boolean mayBeTooFast() {
        return fastest > ALLOWED;
    }

    double percent() {
        return ((slowest + fastest) / 2 - 1) * 100;
    }

    double uncertainPercent() {
        return (fastest - slowest) / 2 * 100;
    }
}
