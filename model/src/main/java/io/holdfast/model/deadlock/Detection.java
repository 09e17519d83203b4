package io.holdfast.model.deadlock;

import io.holdfast.LockMode;
import io.holdfast.internal.deadlock.Deadlocks;
import io.holdfast.internal.deadlock.Deadlocks.Actor;
import io.holdfast.internal.deadlock.Deadlocks.Has;
import io.holdfast.internal.deadlock.Deadlocks.Keeps;
import io.holdfast.internal.deadlock.Deadlocks.Picture;
import io.holdfast.internal.deadlock.Deadlocks.Standing;
import io.holdfast.internal.deadlock.Deadlocks.Wants;
import io.holdfast.internal.wire.Asked;
import io.holdfast.model.Model;
import io.holdfast.model.Worlds;
import io.holdfast.model.deadlock.DetectionState.Lock;
import io.holdfast.model.deadlock.DetectionState.Own;
import io.holdfast.model.deadlock.DetectionState.Seen;
import io.holdfast.model.deadlock.DetectionState.Text;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Deadlock detection: clients ask for exclusive locks, release and withdraw, and write down what they wait for and have. One reads all of
 * that, piece by piece, while the world moves on.
 *
 * <p><b>What it mirrors.</b> A text is {@code WaitRecord}, of a client with one flow of control. Pictures are put together as by {@code SnapshotCollector}. What
 * is common to two, and what follows, is asked of the shipped {@link Deadlocks}, and compared with what
 * was so while it was read: who withdraws in the last moment was in a deadlock before. The numbers of texts
 * are not in it: they tell leases in turns apart, which the server does not.
 */
public final class Detection implements Model<DetectionState> {
    private final Set<DetectionRule> rules;
    private final int clients;
    private final int locks; // as many as clients, which begin with one each
    private final int requests;
    private final boolean releases;
    private final Seen nothing;

    /**
     * A world.
     *
     * @param clients each holds a lock at the beginning
     * @param requests how many there are in all, with those
     * @param releases whether they release what they have, and not only withdraw
     */
    private Detection(Set<DetectionRule> rules, int clients, int requests, boolean releases) {
        this.releases = releases;
        this.rules = rules;
        this.clients = clients;
        this.locks = clients;
        this.requests = requests;
        this.nothing = Seen.nothing(clients, clients);
    }

    /** The looks that have a name. */
    public static Worlds worlds() {
        return Worlds.of("deadlock detection", DetectionRule.class)
                .add(
                        "deadlock",
                        "two clients that hold a lock each, and have two requests more",
                        "each deadlock can be found",
                        rules -> new Detection(rules, 2, 4, true))
                .add("deadlock-more", "the same, and four requests more", rules -> new Detection(rules, 2, 6, true))
                .add("deadlock-again", "the same, but they release nothing", rules -> new Detection(rules, 2, 6, false))
                .add(
                        "deadlock-three",
                        "three clients that hold a lock each, and three requests more",
                        rules -> new Detection(rules, 3, 6, true))
                .build();
    }

    @Override
    public DetectionState initial() {
        List<Text> none = Collections.nCopies(clients, Text.NONE);
        List<Lock> held = java.util.stream.IntStream.range(0, clients)
                .mapToObj(i -> Lock.FREE.asked(new Own(i, i + 1)))
                .toList();
        return new DetectionState(held, none, clients, nothing, nothing, 0, 0);
    }

    @Override
    public long fingerprint(DetectionState state) {
        return state.fingerprint();
    }

    private boolean has(DetectionRule rule) {
        return rules.contains(rule);
    }

    private void step(BiConsumer<Action, DetectionState> to, DetectionState next, Supplier<String> words) {
        step(to, true, next, words);
    }

    private void step(
            BiConsumer<Action, DetectionState> to, boolean helps, DetectionState next, Supplier<String> words) {
        boolean reading = next.first().read() != 0 || next.reported() != 0;
        to.accept(new Action(helps, words), next.with(reading ? next.were() | deadlocked(next) : 0));
    }

    // ---- what can happen

    @Override
    public void next(DetectionState state, BiConsumer<Action, DetectionState> to) {
        if (state.reported() != 0) {
            return;
        }
        for (int i = 0; i < clients; i++) {
            int client = i;
            moves(state, client, to);
            Text now = state.textOf(client);
            if (!now.equals(state.texts().get(client))) {
                step(to, state.with(client, now), () -> "Client " + client + " writes what it waits for and has.");
            }
        }
        if (state.first().read() != 0 || state.texts().get(0).lock() >= 0) {
            reads(state, to);
        }
    }

    private void moves(DetectionState state, int client, BiConsumer<Action, DetectionState> to) {
        boolean waits = state.isWaiting(client);
        for (int i = 0; i < locks; i++) {
            int at = i;
            Lock lock = state.locks().get(at);
            if (lock.isWantedBy(client)) {
                DetectionState next = state.with(at, lock.withdrawn(client), state.requests());
                step(to, false, next, () -> "Client " + client + " withdraws from lock " + at + ".");
            } else if (!waits && releases && lock.isHeldBy(client)) {
                DetectionState next = state.with(at, lock.released(), state.requests());
                step(to, next, () -> "Client " + client + " releases lock " + at + ".");
            } else if (!waits && !lock.isHeldBy(client) && state.requests() < requests) {
                int number = state.requests() + 1;
                DetectionState next = state.with(at, lock.asked(new Own(client, number)), number);
                step(to, next, () -> "Client " + client + " asks for lock " + at + ".");
            }
        }
    }

    private void reads(DetectionState state, BiConsumer<Action, DetectionState> to) {
        boolean complete = state.first().isComplete();
        if (!complete) {
            int piece = state.first().nextPiece();
            DetectionState next = state.with(state.first().with(piece, state), state.second());
            step(to, next, () -> "For the first picture " + name(piece) + " is read.");
        }
        if (!has(DetectionRule.TWO_PICTURES)) {
            if (complete) {
                step(to, judged(state, picture(state.first())), () -> "It judges by one picture.");
            }
            return;
        }
        boolean may = complete
                || (!has(DetectionRule.ONE_AFTER_THE_OTHER) && state.first().read() != 0);
        if (may && !state.second().isComplete()) {
            int piece = state.second().nextPiece();
            DetectionState next = state.with(state.first(), state.second().with(piece, state));
            step(to, next, () -> "For the second picture " + name(piece) + " is read.");
        } else if (complete) {
            Picture common = Deadlocks.common(picture(state.first()), picture(state.second()));
            step(to, judged(state, common), () -> "It judges by what is in both pictures.");
        }
    }

    private String name(int piece) {
        return piece < locks ? "lock " + piece : "the text of client " + (piece - locks);
    }

    // ---- what is concluded

    private static Actor actor(int client) {
        return new Actor("client " + client, "0");
    }

    private String owner(int client, int number) {
        return client + "." + (has(DetectionRule.SAME_OWNERS) ? number : 0);
    }

    private long token(int number) {
        return has(DetectionRule.SAME_OWNERS) ? number : 0;
    }

    private Picture picture(Seen seen) {
        Map<String, Deadlocks.Lock> all = new LinkedHashMap<>();
        for (int i = 0; i < locks; i++) {
            Set<Has> holds = new LinkedHashSet<>();
            for (Own own : seen.locks().get(i).holds()) {
                String owner = owner(own.client(), own.number());
                holds.add(new Has(owner, token(own.number()), LockMode.EXCLUSIVE, 1));
            }
            Map<String, Set<String>> ahead = new LinkedHashMap<>();
            Map<String, Long> since = new LinkedHashMap<>();
            Set<String> before = new LinkedHashSet<>();
            for (Own own : seen.locks().get(i).waits()) {
                String owner = owner(own.client(), own.number());
                ahead.put(owner, Set.copyOf(before));
                since.put(owner, (long) own.number());
                before.add(owner);
            }
            all.put("lock " + i, new Deadlocks.Lock(holds, ahead, since));
        }
        Map<Actor, Standing> actors = new LinkedHashMap<>();
        for (int client = 0; client < clients; client++) {
            Text text = seen.texts().get(client);
            if (text.lock() >= 0) {
                actors.put(actor(client), standing(client, text));
            }
        }
        return new Picture(all, actors);
    }

    private Standing standing(int client, Text text) {
        String lock = "lock " + text.lock();
        String owner = owner(client, text.wants());
        Set<Keeps> keeps = new LinkedHashSet<>();
        for (int i = 0; i < locks; i++) {
            int number = text.keeps().get(i);
            if (number > 0) {
                keeps.add(new Keeps(owner(client, number), token(number), "lock " + i, token(number)));
            }
        }
        return new Standing(Set.of(new Wants(owner, lock, Asked.ALONE, true, true, token(text.wants()))), keeps);
    }

    /** Where nothing is found it begins anew. */
    private DetectionState judged(DetectionState state, Picture picture) {
        Set<Actor> dead = new Deadlocks(picture).dead();
        int bits = 0;
        for (int client = 0; client < clients; client++) {
            bits |= dead.contains(actor(client)) ? 1 << client : 0;
        }
        return state.with(nothing, nothing).reports(bits);
    }

    // ---- what is so

    /** Clients that are never granted what they wait for, even if all others release what they have, as bits. */
    private int deadlocked(DetectionState state) {
        int left = 0;
        for (int client = 0; client < clients; client++) {
            left |= state.isWaiting(client) ? 1 << client : 0;
        }
        for (int before = -1; before != left; ) {
            before = left;
            for (Lock lock : state.locks()) {
                boolean granted = lock.holds().stream().noneMatch(isOf(before));
                for (Own own : lock.waits()) {
                    left &= granted ? ~(1 << own.client()) : -1;
                    granted &= (left & 1 << own.client()) == 0;
                }
            }
        }
        return left;
    }

    private static java.util.function.Predicate<Own> isOf(int bits) {
        return own -> (bits & 1 << own.client()) != 0;
    }

    @Override
    public @Nullable String violation(DetectionState state) {
        boolean wrong = (state.reported() & ~state.were()) != 0;
        return wrong ? "a client that was in no deadlock is said to be in one" : null;
    }

    /** The first client is in no deadlock, or is said to be in one. */
    @Override
    public boolean isGoal(DetectionState state) {
        return ((deadlocked(state) & ~state.reported()) & 1) == 0;
    }
}
