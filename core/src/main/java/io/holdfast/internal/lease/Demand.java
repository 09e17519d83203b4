package io.holdfast.internal.lease;

import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Label;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is asked for, by whom, and for how long. Made once for each call, and handed on as one.
 *
 * @param keys the lock
 * @param options the terms of the request and of its lease
 * @param waitLimit how long to wait
 * @param scoped whether the lease lasts for a section that the library runs itself
 * @param actor who asks: a thread, or an id of the caller's
 * @param actorName the same for people
 */
public record Demand(Keys keys, LockOptions options, Wait waitLimit, boolean scoped, Object actor, String actorName) {
    /**
     * What is demanded by an actor.
     *
     * @param actor an id of the caller's; null for the present thread
     */
    public static Demand of(Keys keys, LockOptions options, Wait waitLimit, boolean scoped, @Nullable String actor) {
        if (actor != null) {
            return new Demand(keys, options, waitLimit, scoped, actor, actor);
        }
        Thread present = Thread.currentThread();
        return new Demand(keys, options, waitLimit, scoped, present, present.getName());
    }

    /** The same, without keeping a thread: a hold that does would keep whatever that thread refers to, its lease too. */
    public Demand named() {
        return new Demand(keys, options, waitLimit, scoped, actorName, actorName);
    }

    /** How long the lease is renewed at most; null for ever. */
    public @Nullable Duration longest() {
        return scoped ? options.longestScope() : options.longestHold();
    }

    /** Who asks, as listings show it. */
    public String label() {
        return Label.ofActor(actorName, options.metadata());
    }
}
