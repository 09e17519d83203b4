package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertObtained;

import io.holdfast.Attempt;
import io.holdfast.Backoff;
import io.holdfast.HoldfastOptions;
import io.holdfast.PlainLease;
import io.holdfast.PlainLock;
import io.holdfast.PlainOptions;
import io.holdfast.spi.Reply;
import java.time.Duration;

/**
 * What the suites of plain locks share: one key, and questions about it. Other programs of the protocol are played by
 * bare commands: {@code SET NX PX} and the compare-and-delete that all of them use.
 */
abstract class PlainLockSuite extends FaultSuite {
    static final String KEY = "shared:{resource}";
    static final String FOREIGN = "a-value-of-another-program";
    private static final String DELETE_IF_EQUAL =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

    /** Long enough never to end in a test, not renewed, and asked for often. */
    static final PlainOptions STEADY = PlainOptions.defaults()
            .withLeaseDuration(Duration.ofMinutes(10))
            .withRenewal(false)
            .withBackoff(Backoff.fixed(Duration.ofMillis(5)));

    static final PlainOptions SHORT_TERM = STEADY.withLeaseDuration(Duration.ofMillis(300));

    PlainLock lock(PlainOptions options) {
        return local(HoldfastOptions.defaults()).plainLock(KEY, options);
    }

    PlainLock remoteLock(PlainOptions options) {
        return remote(EAGER).plainLock(KEY, options);
    }

    boolean foreignTakes(Duration term) {
        Reply reply = server.command("SET", KEY, FOREIGN, "NX", "PX", Long.toString(term.toMillis()));
        return !reply.isNull();
    }

    boolean foreignReleases() {
        return server.command("EVAL", DELETE_IF_EQUAL, "1", KEY, FOREIGN).asLong() == 1;
    }

    String value() {
        Reply value = server.command("GET", KEY);
        return value.isNull() ? "" : value.asString();
    }

    long ttl() {
        return server.command("PTTL", KEY).asLong();
    }

    static PlainLease obtained(Attempt<PlainLease> attempt) {
        return assertObtained(attempt);
    }
}
