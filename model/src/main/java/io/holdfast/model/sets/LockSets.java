package io.holdfast.model.sets;

import io.holdfast.model.Model;
import io.holdfast.model.Values;
import io.holdfast.model.Worlds;
import io.holdfast.model.sets.SetState.Kind;
import io.holdfast.model.sets.SetState.Lock;
import io.holdfast.model.sets.SetState.Mishap;
import io.holdfast.model.sets.SetState.Owner;
import io.holdfast.model.sets.SetState.Packet;
import io.holdfast.model.sets.SetState.Phase;
import io.holdfast.model.sets.SetState.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several locks as one: requests that ask for their locks one after the other, lose one, begin anew, give up and die, over a network that delays
 * and overtakes as it likes.
 *
 * <p><b>What it mirrors.</b> A request is {@code SetRequest} with its {@code Collecting}, and then its {@code SetEntry}. A lock is what
 * the models of one lock say of it: a fair queue, tombstones, take-backs. The order is that of {@code Demand}s by slot and key, here the locks'
 * numbers. A client notices a loss no later than the server; an answer to a release comes at once when the release was run.
 */
public final class LockSets implements Model<SetState> {
    /** A lock of a set. */
    private record Wish(int lock, boolean writes) {}

    private static final int MOST_LOCKS = 3;

    private final Set<SetRule> rules;
    private final List<List<Wish>> plans;
    private final Map<Mishap, Integer> mishaps;

    /**
     * A world.
     *
     * @param sets for each request its locks as its caller names them: {@code 0} to write, {@code 0r} to read
     * @param mishaps which happen at most once each
     */
    private LockSets(Set<SetRule> rules, List<String> sets, Mishap... mishaps) {
        this.rules = rules;
        this.plans = sets.stream().map(this::plan).toList();
        Map<Mishap, Integer> each = new EnumMap<>(Mishap.class);
        List.of(mishaps).forEach(mishap -> each.put(mishap, 1));
        this.mishaps = each;
    }

    private List<Wish> plan(String text) {
        List<Wish> plan = new ArrayList<>();
        for (String word : text.split(" ", -1)) {
            plan.add(new Wish(word.charAt(0) - '0', !word.endsWith("r")));
        }
        if (rules.contains(SetRule.ORDER)) {
            plan.sort(Comparator.comparingInt(Wish::lock));
        }
        return plan;
    }

    /** The looks that have a name. */
    public static Worlds worlds() {
        String served = "everybody can have its set";
        List<String> two = List.of("0 1", "1 0");
        List<String> reads = List.of("0r 1", "1r 0", "0r 1r");
        return Worlds.of("sets of locks", SetRule.class)
                .add(
                        "sets",
                        "two sets of two locks, named in different orders; one gives up",
                        served,
                        rules -> new LockSets(rules, two, Mishap.GIVES_UP, Mishap.COPY))
                .add(
                        "sets-ring",
                        "three sets of two or three locks, in a ring",
                        served,
                        rules -> new LockSets(rules, List.of("0 1 2", "1 2", "2 0"), Mishap.GIVES_UP))
                .add(
                        "sets-loss",
                        "two sets, a loss, an acquire is repeated",
                        served,
                        rules -> new LockSets(rules, two, Mishap.LOSS, Mishap.COPY))
                .add(
                        "sets-three",
                        "a set of three locks and one of two, a loss",
                        served,
                        rules -> new LockSets(rules, List.of("0 1 2", "1 0"), Mishap.LOSS))
                .add(
                        "sets-reads",
                        "three sets that read and write, one gives up",
                        served,
                        rules -> new LockSets(rules, reads, Mishap.GIVES_UP))
                .add(
                        "sets-kill",
                        "two sets of locks, a loss, a give-up, and a client dies",
                        served,
                        rules -> new LockSets(rules, two, Mishap.LOSS, Mishap.KILL, Mishap.GIVES_UP))
                .add(
                        "sets-all",
                        "three sets that read and write, and one of each mishap",
                        rules -> new LockSets(rules, reads, Mishap.LOSS, Mishap.KILL, Mishap.GIVES_UP, Mishap.COPY))
                .build();
    }

    @Override
    public SetState initial() {
        return new SetState(
                Collections.nCopies(MOST_LOCKS, Lock.FREE),
                Collections.nCopies(plans.size(), Request.IDLE),
                List.of(),
                List.of(),
                mishaps);
    }

    @Override
    public long fingerprint(SetState state) {
        return state.fingerprint();
    }

    private boolean has(SetRule rule) {
        return rules.contains(rule);
    }

    private static void step(BiConsumer<Action, SetState> to, boolean helps, SetState next, Supplier<String> words) {
        to.accept(new Action(helps, words), next);
    }

    // ---- what can happen

    @Override
    public void next(SetState state, BiConsumer<Action, SetState> to) {
        for (int i = 0; i < plans.size(); i++) {
            acts(state, i, to);
        }
        for (int lock = 0; lock < MOST_LOCKS; lock++) {
            for (Owner holder : state.locks().get(lock).holders()) {
                ends(state, holder, to);
            }
            for (Owner waiter : state.locks().get(lock).waiters()) {
                if (state.requests().get(waiter.request()).phase() == Phase.DEAD) {
                    SetState next = state.with(lock, state.locks().get(lock).without(waiter));
                    step(to, true, next, () -> "A dead client's request for lock " + waiter.lock() + " is removed.");
                }
            }
        }
        for (int i = 0; i < state.net().size(); i++) {
            Packet packet = state.net().get(i);
            SetState without = state.with(Values.minus(state.net(), i));
            SetState next = packet.kind() == Kind.GRANTED ? hears(without, packet.owner()) : runs(without, packet);
            step(
                    to,
                    true,
                    next,
                    () -> (packet.kind() == Kind.GRANTED ? "Arrives " : "The server runs ") + packet + ".");
        }
    }

    private void acts(SetState state, int i, BiConsumer<Action, SetState> to) {
        Request request = state.requests().get(i);
        switch (request.phase()) {
            case IDLE -> step(to, true, begins(state, i, 0, 0), () -> "Request " + i + " begins.");
            case ASKING -> {
                if (state.may(Mishap.GIVES_UP)) {
                    SetState next = over(state.spend(Mishap.GIVES_UP), i);
                    step(to, false, next, () -> "Request " + i + " gives up.");
                }
                if (state.may(Mishap.COPY)) {
                    SetState next =
                            state.spend(Mishap.COPY).send(List.of(acquire(i, request, nextWish(i, request), 1)));
                    step(to, true, next, () -> "Request " + i + " repeats its acquire.");
                }
            }
            case HOLDING -> step(to, true, over(state, i), () -> "Request " + i + " releases its set.");
            case ENDING, DONE, DEAD -> {}
        }
        if (state.may(Mishap.KILL) && (request.phase() == Phase.ASKING || request.phase() == Phase.HOLDING)) {
            SetState next = state.spend(Mishap.KILL).with(i, request.with(Phase.DEAD, 0));
            step(to, false, next, () -> "The client of request " + i + " dies.");
        }
    }

    /** A hold ends by itself. */
    private void ends(SetState state, Owner holder, BiConsumer<Action, SetState> to) {
        int i = holder.request();
        Request request = state.requests().get(i);
        SetState ended =
                state.with(holder.lock(), state.locks().get(holder.lock()).without(holder));
        if (request.phase() == Phase.DEAD) {
            step(to, true, ended, () -> "The hold of a dead client on lock " + holder.lock() + " ends.");
            return;
        }
        boolean present = holder.attempt() == request.attempt() && request.holds(holder.lock());
        if (!present || !state.may(Mishap.LOSS)) {
            return;
        }
        SetState spent = ended.spend(Mishap.LOSS);
        if (request.phase() == Phase.HOLDING) {
            Request lost = new Request(Phase.HOLDING, request.attempt(), request.held(), true, 0);
            step(
                    to,
                    false,
                    spent.with(i, lost),
                    () -> "Request " + i + " loses lock " + holder.lock() + " of its set.");
        } else if (request.phase() == Phase.ASKING) {
            step(
                    to,
                    false,
                    loses(spent, i, holder),
                    () -> "Request " + i + " loses lock " + holder.lock() + " while it waits.");
        }
    }

    // ---- a request: SetRequest

    private static Packet acquire(int i, Request request, Wish wish, int copy) {
        return new Packet(Kind.ACQUIRE, new Owner(i, request.attempt(), wish.lock(), wish.writes()), copy);
    }

    /** The first that is not held. */
    private Wish nextWish(int i, Request request) {
        return plans.get(i).stream()
                .filter(wish -> !request.holds(wish.lock()))
                .findFirst()
                .orElseThrow();
    }

    private SetState begins(SetState state, int i, int attempt, int releasing) {
        Request begun = new Request(Phase.ASKING, attempt, 0, false, releasing);
        List<Packet> asked = new ArrayList<>();
        for (Wish wish : plans.get(i)) {
            if (asked.isEmpty() || !has(SetRule.ONE_BY_ONE)) {
                asked.add(acquire(i, begun, wish, 0));
            }
        }
        return state.with(i, begun).send(asked);
    }

    /** Gives back what it has, and withdraws what it asks for. */
    private List<Packet> rest(int i, Request request, int but) {
        List<Packet> all = new ArrayList<>();
        boolean asking = request.phase() == Phase.ASKING;
        boolean first = true;
        for (Wish wish : plans.get(i)) {
            boolean held = request.holds(wish.lock());
            boolean asked = asking && !held && (first || !has(SetRule.ONE_BY_ONE));
            first &= held;
            if (wish.lock() != but && ((held && has(SetRule.GIVE_BACK)) || (asked && has(SetRule.WITHDRAW)))) {
                all.add(new Packet(Kind.RELEASE, acquire(i, request, wish, 0).owner(), 0));
            }
        }
        return all;
    }

    private static int bits(Stream<Packet> releases) {
        return releases.mapToInt(packet -> bit(packet.owner())).reduce(0, (some, other) -> some | other);
    }

    private static int bit(Owner owner) {
        return 1 << (owner.attempt() * MOST_LOCKS + owner.lock());
    }

    private SetState over(SetState state, int i) {
        Request request = state.requests().get(i);
        List<Packet> rest = rest(i, request, -1);
        int releasing = request.releasing() | bits(rest.stream());
        Request ended = new Request(Phase.ENDING, request.attempt(), 0, false, releasing);
        return state.with(i, told(ended)).send(rest);
    }

    private SetState loses(SetState state, int i, Owner lost) {
        Request request = state.requests().get(i);
        if (!has(SetRule.BEGIN_ANEW)) { // keeps the others, and asks for the lost one again
            Request left = request.with(Phase.ASKING, request.held() & ~(1 << lost.lock()));
            return state.with(i, left).send(List.of(new Packet(Kind.ACQUIRE, lost, 0)));
        }
        List<Packet> rest = rest(i, request, has(SetRule.LOST_TOO) ? -1 : lost.lock());
        int attempt = has(SetRule.NEW_OWNERS) ? request.attempt() + 1 : request.attempt();
        int given =
                bits(rest.stream().filter(packet -> request.holds(packet.owner().lock())));
        return begins(state.send(rest), i, attempt, request.releasing() | given);
    }

    private SetState hears(SetState state, Owner granted) {
        int i = granted.request();
        Request request = state.requests().get(i);
        boolean present = granted.attempt() == request.attempt();
        boolean asks = present && request.phase() == Phase.ASKING;
        if (asks && !request.holds(granted.lock())) {
            int held = request.held() | 1 << granted.lock();
            if (Integer.bitCount(held) == plans.get(i).size()) {
                return state.with(i, request.with(Phase.HOLDING, held));
            }
            Request more = request.with(Phase.ASKING, held);
            SetState next = state.with(i, more);
            return has(SetRule.ONE_BY_ONE) ? next.send(List.of(acquire(i, more, nextWish(i, more), 0))) : next;
        }
        boolean known = asks || (present && request.phase() == Phase.HOLDING) || request.phase() == Phase.DEAD;
        return known || !has(SetRule.UNWANTED) ? state : state.send(List.of(new Packet(Kind.RELEASE, granted, 0)));
    }

    // ---- a lock

    private SetState runs(SetState state, Packet packet) {
        Owner owner = packet.owner();
        Lock lock = state.locks().get(owner.lock());
        if (packet.kind() == Kind.RELEASE) {
            boolean marked = has(SetRule.TOMBSTONE) && has(SetRule.NEW_OWNERS);
            return answered(marked ? state.bury(owner) : state, owner).with(owner.lock(), lock.without(owner));
        }
        if (state.ended().contains(owner)) {
            return state;
        }
        if (lock.holders().contains(owner)) {
            return state.send(List.of(new Packet(Kind.GRANTED, owner, 0)));
        }
        return lock.knows(owner) ? state : state.with(owner.lock(), lock.withWaiter(owner));
    }

    /** The release of an owner was run, and answered. */
    private SetState answered(SetState state, Owner owner) {
        Request request = state.requests().get(owner.request());
        int left = request.releasing() & ~bit(owner);
        Request next = new Request(request.phase(), request.attempt(), request.held(), request.lost(), left);
        return state.with(owner.request(), told(next));
    }

    /** One that ends, or has ended, if nothing is waited for any more. */
    private Request told(Request request) {
        int present = request.releasing() >> (request.attempt() * MOST_LOCKS);
        boolean waits =
                has(SetRule.TOLD_AT_LAST) && (has(SetRule.EARLIER_TOO) ? request.releasing() != 0 : present != 0);
        return waits || request.phase() != Phase.ENDING
                ? request
                : new Request(Phase.DONE, request.attempt(), 0, false, request.releasing());
    }

    // ---- what must never be

    @Override
    public @Nullable String violation(SetState state) {
        for (int i = 0; i < plans.size(); i++) {
            if (state.requests().get(i).phase() == Phase.HOLDING
                    && !state.requests().get(i).lost()) {
                String wrong = wrongWith(state, i);
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        for (Lock lock : state.locks()) {
            for (Owner owner : Values.concat(lock.holders(), lock.waiters())) {
                if (isLeftOver(state, owner)) {
                    return "lock " + owner.lock() + " knows request " + owner.request() + ", which has ended";
                }
            }
        }
        return isDeadlock(state) ? "deadlock: all wait for each other" : null;
    }

    private @Nullable String wrongWith(SetState state, int i) {
        Request request = state.requests().get(i);
        for (Wish wish : plans.get(i)) {
            Owner owner = acquire(i, request, wish, 0).owner();
            if (!state.locks().get(wish.lock()).holders().contains(owner)) {
                return "request " + i + " has its set, but not lock " + wish.lock();
            }
            for (int other = 0; other < i; other++) {
                Request beside = state.requests().get(other);
                boolean both = beside.phase() == Phase.HOLDING && !beside.lost();
                boolean conflict = plans.get(other).stream()
                        .anyMatch(each -> each.lock() == wish.lock() && (each.writes() || wish.writes()));
                if (both && conflict) {
                    return "requests " + other + " and " + i + " have lock " + wish.lock();
                }
            }
        }
        return null;
    }

    /**
     * Of an ended request nothing is left when its outcome is told. Of an earlier attempt a request that was withdrawn may be under way
     * yet, and nothing that was held.
     */
    private static boolean isLeftOver(SetState state, Owner owner) {
        Request request = state.requests().get(owner.request());
        if (request.phase() == Phase.DEAD) {
            return false;
        }
        boolean present = request.attempt() == owner.attempt();
        boolean underWay =
                state.net().stream().anyMatch(packet -> packet.owner().equals(owner));
        boolean active = request.phase() == Phase.ASKING || request.phase() == Phase.HOLDING;
        boolean given = (request.releasing() & bit(owner)) != 0;
        return (request.phase() == Phase.DONE && (present || given)) || (!underWay && !(present && active));
    }

    private static boolean isDeadlock(SetState state) {
        boolean asking = false;
        for (Request request : state.requests()) {
            asking |= request.phase() == Phase.ASKING;
            if (request.phase() != Phase.ASKING && request.phase() != Phase.DONE) {
                return false;
            }
        }
        return asking && state.net().isEmpty();
    }

    /** All have ended. */
    @Override
    public boolean isGoal(SetState state) {
        return state.requests().stream().allMatch(each -> each.phase() == Phase.DONE || each.phase() == Phase.DEAD);
    }
}
