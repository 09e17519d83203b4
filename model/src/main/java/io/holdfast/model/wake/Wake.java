package io.holdfast.model.wake;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.Model;
import io.holdfast.model.Values;
import io.holdfast.model.Worlds;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Permits of a semaphore, of which holds end by themselves: is there always a client that looks then? Asked after each tick, when all that
 * was due has been done.
 *
 * <p><b>What it mirrors.</b> {@code line.lua}: who is served, and the wake in {@code describe}; whoever is told a wake that is sooner than
 * its next refresh looks then. Scripts and replies take no time. A writer is a request for all permits. An operator's limit is not in it.
 */
public final class Wake implements Model<Wake.State> {
    private static final int TERM = 4;
    private static final int CLAIM = 2;
    private static final int REFRESH = 6;
    private static final int ACTS = 2;

    /** @param end in ticks; over at 0 */
    record Held(int client, int end) implements Fingerprint.Part {
        @Override
        public void addTo(Fingerprint print) {
            print.add(client * 64L + end);
        }
    }

    private enum Phase {
        IDLE,
        WAITING,
        HOLDING,
        DEAD
    }

    /**
     * @param refresh in how many ticks it refreshes, if it waits
     * @param look in how many ticks it looks because it was told a wake, 0 if it was not
     */
    record Client(Phase phase, int refresh, int look) implements Fingerprint.Part {
        Client later() {
            return new Client(phase, Math.max(0, refresh - 1), Math.max(0, look - 1));
        }

        Client enters(Phase next) {
            return new Client(next, next == Phase.WAITING ? REFRESH : 0, look);
        }

        @Override
        public void addTo(Fingerprint print) {
            print.add(phase).add(refresh * 64L + look);
        }
    }

    /**
     * A line and its clients.
     *
     * @param waiters clients, the next one first
     * @param acts how many more there may be in this tick
     */
    public record State(List<Held> holders, List<Integer> waiters, List<Client> clients, int acts) {
        State with(int client, Client next) {
            return new State(holders, waiters, Values.with(clients, client, next), acts);
        }

        State withHolders(List<Held> next) {
            return new State(next, waiters, clients, acts);
        }

        State withWaiters(List<Integer> next) {
            return new State(holders, next, clients, acts);
        }

        State acted() {
            return new State(holders, waiters, clients, acts - 1);
        }

        State without(int client) {
            return withHolders(
                    holders.stream().filter(held -> held.client != client).toList());
        }
    }

    private final Set<WakeRule> rules;
    private final int permits;
    private final List<Integer> weights;
    private final int deaths;

    /** @param weights how many permits each client asks for */
    private Wake(Set<WakeRule> rules, int permits, int deaths, Integer... weights) {
        this.rules = rules;
        this.permits = permits;
        this.deaths = deaths;
        this.weights = List.of(weights);
    }

    /** The looks that have a name. */
    public static Worlds worlds() {
        return Worlds.of("who notices the end of one of several holders", WakeRule.class)
                .add("wake", "two permits, for one, one and two", rules -> new Wake(rules, 2, 1, 1, 1, 2))
                .add("wake-two-die", "three permits, two holders die", rules -> new Wake(rules, 3, 2, 1, 1, 3))
                .add(
                        "wake-four",
                        "three permits, for one, two, three and one",
                        rules -> new Wake(rules, 3, 1, 1, 2, 3, 1))
                .add(
                        "wake-pairs",
                        "three permits, for one, two, one and two",
                        rules -> new Wake(rules, 3, 1, 1, 2, 1, 2))
                .build();
    }

    @Override
    public State initial() {
        Client idle = new Client(Phase.IDLE, 0, 0);
        return new State(List.of(), List.of(), Collections.nCopies(weights.size(), idle), ACTS);
    }

    @Override
    public long fingerprint(State state) {
        Fingerprint print =
                new Fingerprint().addUnordered(state.holders).add(state.clients).add(state.acts);
        state.waiters.forEach(print::add);
        return print.get();
    }

    // ---- what can happen

    @Override
    public void next(State state, BiConsumer<Action, State> to) {
        for (int i = 0; i < weights.size() && state.acts > 0; i++) {
            acts(state, i, to);
        }
        to.accept(Action.of(() -> "A tick passes."), tick(state));
    }

    private void acts(State state, int i, BiConsumer<Action, State> to) {
        Client client = state.clients.get(i);
        switch (client.phase) {
            case IDLE -> to.accept(Action.of(() -> "Client " + i + " asks."), asks(state.acted(), i));
            case WAITING -> {
                State left = state.acted().withWaiters(Values.minus(state.waiters, (Integer) i));
                State next = script(left.with(i, client.enters(Phase.IDLE)), i);
                to.accept(Action.of(() -> "Client " + i + " withdraws."), next);
            }
            case HOLDING -> {
                int end = endOf(state, i);
                if (end == 0) {
                    State next = state.with(i, client.enters(Phase.IDLE));
                    to.accept(Action.of(() -> "Client " + i + " sees that its hold is lost."), next);
                    return;
                }
                State released = script(state.acted().without(i).with(i, client.enters(Phase.IDLE)), i);
                to.accept(Action.of(() -> "Client " + i + " releases."), released);
                if (end < TERM) {
                    State renewed = state.acted().without(i);
                    to.accept(Action.of(() -> "Client " + i + " renews."), held(renewed, i, TERM));
                }
                if (count(state, Phase.DEAD) < deaths) {
                    State dead = state.acted().with(i, new Client(Phase.DEAD, 0, 0));
                    to.accept(Action.of(() -> "Client " + i + " dies."), dead);
                }
            }
            case DEAD -> {}
        }
    }

    private static int endOf(State state, int client) {
        return state.holders.stream()
                .filter(held -> held.client == client)
                .mapToInt(Held::end)
                .findFirst()
                .orElse(0);
    }

    private static long count(State state, Phase phase) {
        return state.clients.stream().filter(client -> client.phase == phase).count();
    }

    private static State held(State state, int client, int end) {
        return state.withHolders(Values.plus(state.holders, new Held(client, end)));
    }

    private State asks(State state, int i) {
        State settled = script(state, i);
        if (settled.waiters.isEmpty() && fits(settled, i)) {
            return held(settled, i, TERM).with(i, settled.clients.get(i).enters(Phase.HOLDING));
        }
        State waits = settled.withWaiters(Values.plus(settled.waiters, i));
        return script(waits.with(i, settled.clients.get(i).enters(Phase.WAITING)), i);
    }

    /** Everything comes a tick nearer, and all that is due is done. */
    private State tick(State state) {
        List<Held> holders = state.holders.stream()
                .map(held -> new Held(held.client, Math.max(0, held.end - 1)))
                .toList();
        List<Client> clients = state.clients.stream().map(Client::later).toList();
        State next = new State(holders, state.waiters, clients, ACTS);
        for (int i = 0; i < weights.size(); i++) {
            Client before = state.clients.get(i);
            boolean refreshes = before.phase == Phase.WAITING && before.refresh == 1;
            if (refreshes) {
                Client now = next.clients.get(i);
                next = next.with(i, new Client(now.phase, now.phase == Phase.WAITING ? REFRESH : 0, now.look));
            }
            if (refreshes || before.look == 1) {
                next = script(next, i);
            }
        }
        return next;
    }

    // ---- the server

    private static int weightOf(State state, List<Integer> weights, IntPredicate which) {
        return state.holders.stream()
                .filter(held -> which.test(held.end))
                .mapToInt(held -> weights.get(held.client))
                .sum();
    }

    private boolean fits(State state, int client) {
        return weightOf(state, weights, end -> true) + weights.get(client) <= permits;
    }

    /** What each script does: removes what is over, serves, and tells the client that asks when to look. */
    private State script(State state, int asker) {
        State next = rules.contains(WakeRule.PURGE)
                ? state.withHolders(
                        state.holders.stream().filter(held -> held.end > 0).toList())
                : state;
        while (!next.waiters.isEmpty() && fits(next, next.waiters.get(0))) {
            int first = next.waiters.get(0);
            next = held(next.withWaiters(Values.minus(next.waiters, 0)), first, CLAIM)
                    .with(first, next.clients.get(first).enters(Phase.HOLDING));
        }
        int wake = wake(next);
        Client client = next.clients.get(asker);
        boolean heeds = client.phase == Phase.WAITING || rules.contains(WakeRule.ANYBODY);
        return wake > 0 && wake < REFRESH && heeds
                ? next.with(asker, new Client(client.phase, client.refresh, wake))
                : next;
    }

    /** When the first waiter could be served if nobody renews; 0 if it is not told. */
    private int wake(State state) {
        if (state.waiters.isEmpty() || !rules.contains(WakeRule.TOLD)) {
            return 0;
        }
        IntStream ends = state.holders.stream()
                .sorted(Comparator.comparingInt(Held::end))
                .mapToInt(Held::end);
        if (!rules.contains(WakeRule.ENOUGH)) {
            return ends.max().orElse(0);
        }
        int wanted = weights.get(state.waiters.get(0));
        return ends.filter(end -> weightOf(state, weights, other -> other > end) + wanted <= permits)
                .findFirst()
                .orElse(0);
    }

    @Override
    public @Nullable String violation(State state) {
        if (state.acts < ACTS || state.waiters.isEmpty()) {
            return null;
        }
        int first = state.waiters.get(0);
        boolean room = weightOf(state, weights, end -> end > 0) + weights.get(first) <= permits;
        return room ? "there is room for client " + first + ", the first in line, and nobody looks" : null;
    }
}
