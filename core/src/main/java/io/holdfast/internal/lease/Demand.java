package io.holdfast.internal.lease;

import io.holdfast.Holder;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is asked for, by whom, and for how long. Made once for each call, and handed on as one.
 *
 * @param keys the lock
 * @param what of it
 * @param options the terms of the request and of its lease
 * @param waitLimit how long to wait
 * @param scoped whether the lease lasts for a section that the library runs itself
 * @param inSet whether it is one of several locks, whose leases are handed out together
 * @param actor who asks: a thread, or an id of the caller's
 * @param actorName the same for people
 * @param flow whose steps wait for this and for nothing else meanwhile: the id of a thread that blocks, {@link #NAMED} if it is the
 *     actor that the caller named, {@link #NOBODYS}
 */
public record Demand(
        Keys keys,
        Asked what,
        LockOptions options,
        Wait waitLimit,
        boolean scoped,
        boolean inSet,
        Object actor,
        String actorName,
        long flow) {
    /** Nobody stands still until this is answered, as far as the library knows. */
    private static final long NOBODYS = 0;

    private static final long NAMED = -1;

    /**
     * What is demanded by an actor.
     *
     * @param actor an id of the caller's; null for the present thread
     * @param blocks whether the present thread waits for the answer
     */
    @SuppressWarnings("deprecation") // the other name of a thread's id is younger than Java 17
    public static Demand of(
            Keys keys,
            Asked what,
            LockOptions options,
            Wait waitLimit,
            boolean scoped,
            @Nullable String actor,
            boolean blocks) {
        if (actor != null) {
            return new Demand(keys, what, options, waitLimit, scoped, false, actor, actor, NAMED);
        }
        Thread present = Thread.currentThread();
        long flow = blocks ? present.getId() : NOBODYS;
        return new Demand(keys, what, options, waitLimit, scoped, false, present, present.getName(), flow);
    }

    /** What is demanded of an exclusive lock, on behalf of nobody who would stand still. */
    public static Demand of(Keys keys, LockOptions options, Wait waitLimit, boolean scoped, @Nullable String actor) {
        Object who = actor == null ? Thread.currentThread() : actor;
        String name = actor == null ? Thread.currentThread().getName() : actor;
        return new Demand(keys, Asked.ALONE, options, waitLimit, scoped, false, who, name, NOBODYS);
    }

    /**
     * The flow of control that stands still until this is answered, and has its lease then, by an id that is unique in this
     * client; null if none is known to.
     */
    public @Nullable String flowId() {
        return flow == NOBODYS ? null : flow == NAMED ? "=" + actorName : Long.toHexString(flow);
    }

    /** The same, without keeping a thread: a hold that does would keep whatever that thread refers to, its lease too. */
    public Demand named() {
        return new Demand(keys, what, options, waitLimit, scoped, inSet, actorName, actorName, flow);
    }

    /** The same as one of several locks, waiting as long as {@code left} says. */
    public Demand inSet(Wait left) {
        return new Demand(keys, what, options, left, scoped, true, actor, actorName, flow);
    }

    /**
     * How much of a lease must be left when it is handed out: with less, its work would be interrupted at once, or soon after.
     * Both rules here are those of all kinds of locks, and of all ways in which a lease is obtained.
     */
    public static Duration leastLeft(LockOptions options) {
        Duration before = options.interruptBefore();
        Duration least = options.minRemaining();
        return before != null && before.compareTo(least) > 0 ? before : least;
    }

    /**
     * Whether a lease must last for its whole term when it is handed out. Otherwise a handoff gives a claim window, and the term
     * a moment later: too late for work that is interrupted some time before the end, for a lease without renewal, and for one after
     * which the lock is to stay taken.
     */
    public static boolean needsWholeTerm(LockOptions options) {
        return !options.renewal()
                || options.interruptBefore() != null
                || !options.lockDelay().isZero();
    }

    /** How long the lease is renewed at most; null for ever. */
    public @Nullable Duration longest() {
        return scoped ? options.maxScopedHold() : options.maxHold();
    }

    /** The same for something else of the lock. */
    public Demand asking(Asked other) {
        return new Demand(keys, other, options, waitLimit, scoped, inSet, actor, actorName, flow);
    }

    /** The same with one more of the metadata. */
    public Demand with(String key, String value) {
        LockOptions more = options.withMetadata(plus(options.metadata(), key, value));
        return new Demand(keys, what, more, waitLimit, scoped, inSet, actor, actorName, flow);
    }

    /** Whether it is a try that the next one is to know of, with a note or without. */
    public boolean isCounted() {
        return options.metadata().containsKey(Holder.TRY);
    }

    /** Who asks, as listings show it. */
    public String label() {
        return ClientLabel.ofActor(actorName, metadata());
    }

    /** What listings show with it: of the options, and the group. */
    public Map<String, String> metadata() {
        return options.group().isEmpty() ? options.metadata() : plus(options.metadata(), Holder.GROUP, options.group());
    }

    /** Metadata, and one more of them. */
    public static Map<String, String> plus(Map<String, String> metadata, String key, String value) {
        Map<String, String> all = new LinkedHashMap<>(metadata);
        all.put(key, value);
        return all;
    }

    /** The same with one more of the metadata. */
    public String labelWith(String key, String value) {
        return ClientLabel.ofActor(actorName, plus(metadata(), key, value));
    }
}
