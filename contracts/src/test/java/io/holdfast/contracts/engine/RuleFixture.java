package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.RewritingDriver;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.internal.wire.Keys;
import io.holdfast.spi.Entropy;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Clients on a real server whose requests, answers and messages the test moves by hand, and the two questions that every
 * scenario of a rule ends with: are two leases valid, and is the lock held for nobody?
 *
 * <p>A test of a rule plays its scenario twice: with the rule nothing may be found, and without it something must be, or
 * the scenario proves nothing.
 */
@SuppressWarnings("NullAway.Init") // the server is started before each test
abstract class RuleFixture {
    static final String SOUND = "";
    static final Keys KEYS = Keys.of("hf", "a");
    /** Short enough to wait for its end. */
    static final Duration CLAIM = Duration.ofSeconds(1);
    /** Long enough that nothing ends on a slow machine. */
    static final Duration LONG_CLAIM = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
    private final List<Lease> leases = new ArrayList<>();
    RedisServer server;

    @BeforeEach
    final void start() {
        server = RedisServer.start();
    }

    @AfterEach
    final void closeAll() throws Exception {
        startAnew();
        server.close();
    }

    /** The scenario, played with the rule or without it; tells what was found wrong. */
    interface Scenario {
        String play(boolean withRule) throws Exception;
    }

    final void assertNeeded(Scenario scenario) throws Exception {
        assertEquals(SOUND, scenario.play(true), "with the rule");
        startAnew();
        String found = scenario.play(false);
        assertNotEquals(SOUND, found, "without the rule nothing was found: the scenario proves nothing");
        System.getLogger("io.holdfast").log(System.Logger.Level.INFO, () -> "found without the rule: " + found);
    }

    private void startAnew() throws Exception {
        while (!toClose.isEmpty()) {
            toClose.pop().close();
        }
        leases.clear();
        server.command("FLUSHALL");
    }

    /** Takes a rule out of the scripts, or leaves them as they are. */
    static UnaryOperator<String> rule(boolean kept, String name, String otherwise) {
        return kept ? UnaryOperator.identity() : RewritingDriver.replacingRule(name, otherwise);
    }

    /**
     * A client. Its clock is the real one unless it is given another; its timers stand still until the test moves them.
     */
    final class Party {
        final HandDriver driver;
        final VirtualTime timers = new VirtualTime();
        final Holdfast holdfast;

        Party() {
            this(UnaryOperator.identity(), Ticker.system());
        }

        Party(UnaryOperator<String> rewrite, Ticker ticker) {
            driver = new HandDriver(server, rewrite);
            holdfast = Holdfast.over(
                    driver,
                    HoldfastOptions.defaults().withExecutor(Runnable::run).withCloseTimeout(Duration.ZERO),
                    new Environment(ticker, timers::timers, Entropy.system()));
            toClose.push(holdfast);
        }

        /** Asks; what comes of it is known to {@link #overlap} and {@link #orphan}. */
        CompletableFuture<Attempt<Lease>> ask(LockOptions options, Wait wait) {
            CompletableFuture<Attempt<Lease>> future =
                    holdfast.lock(KEYS.name(), options).attemptAsync(wait);
            future.thenAccept(attempt -> attempt.asOptional().ifPresent(leases::add));
            return future;
        }

        /** Queues behind the holder. */
        CompletableFuture<Attempt<Lease>> queue(Duration claim) {
            CompletableFuture<Attempt<Lease>> waiting =
                    ask(LockOptions.defaults().withHandoffTimeout(claim), Wait.forever());
            assertTrue(!waiting.isDone(), "it was to wait");
            return waiting;
        }

        /** Takes the lock, which is free. */
        Lease take() {
            return take(LockOptions.defaults());
        }

        Lease take(LockOptions options) {
            return ask(options, Wait.none()).join().orElseThrow();
        }

        /** Takes the lock if it is free. */
        boolean tryTake() {
            return ask(LockOptions.defaults(), Wait.none()).join() instanceof Attempt.Obtained;
        }
    }

    /** Two valid leases at this instant, or none. */
    final String overlap() {
        List<Lease> valid = leases.stream().filter(Lease::isValid).toList();
        return valid.size() > 1 ? "two leases are valid: " + valid : SOUND;
    }

    /** A hold on the server that is no client's lease, or none. To be asked when nothing is under way. */
    final String orphan() {
        Reply hold = server.command("GET", KEYS.hold());
        if (hold.isNull()) {
            return SOUND;
        }
        long token = Long.parseLong(hold.asString().split(" ", -1)[1]);
        return leases.stream().anyMatch(lease -> lease.token() == token && lease.isValid())
                ? SOUND
                : "held for nobody, for another "
                        + server.command("PTTL", KEYS.hold()).asLong() + " ms: " + hold;
    }

    /** Lets others try to take the lock, until somebody has it besides the lease, or the lease is over by itself. */
    final String contend(Lease lease, Party other) {
        String[] found = {SOUND};
        await("the lease ends, or another one begins", () -> {
            boolean taken = other.tryTake();
            found[0] = overlap();
            return taken || !lease.isValid();
        });
        return found[0];
    }

    /** Waits until the server has let the hold expire. */
    final void awaitExpiry() {
        await("the hold expires", () -> server.command("EXISTS", KEYS.hold()).asLong() == 0);
    }

    final void awaitLessThan(Duration left) {
        await(
                "the hold is near its end",
                () -> server.command("PTTL", KEYS.hold()).asLong() < left.toMillis());
    }

    /** Asks the server, which tells of no event, until it is so. */
    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + PATIENCE.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }
}
