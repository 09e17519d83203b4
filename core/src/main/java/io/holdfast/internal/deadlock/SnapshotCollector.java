package io.holdfast.internal.deadlock;

import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.WaitCycle;
import io.holdfast.Waiter;
import io.holdfast.internal.deadlock.Deadlocks.Actor;
import io.holdfast.internal.deadlock.Deadlocks.Has;
import io.holdfast.internal.deadlock.Deadlocks.Keeps;
import io.holdfast.internal.deadlock.Deadlocks.Lock;
import io.holdfast.internal.deadlock.Deadlocks.Picture;
import io.holdfast.internal.deadlock.Deadlocks.Standing;
import io.holdfast.internal.deadlock.Deadlocks.Waiting;
import io.holdfast.internal.deadlock.Deadlocks.Wants;
import io.holdfast.internal.wire.Batches;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Collects a snapshot, step by step: from what some clients wait for to those who have it or stand before it, to what these wait
 * for, and on. Each step is a few batches, which leave together; the next one begins when the last of them was answered.
 *
 * <p>What cannot be read, or is beyond the bounds, is left out: whom it concerns then lives. Threads: steps follow each other, on
 * those of the driver.
 */
final class SnapshotCollector {
    private static final int MOST_LOCKS = 64;
    private static final int MOST_CLIENTS = 256;
    private static final int MOST_WAITERS = 256;
    private static final int LOCKS_AT_ONCE = 16;
    private static final int CLIENTS_AT_ONCE = 64;

    /**
     * A snapshot: a picture, and the records of which it was made.
     *
     * @param clients the record of each client, by its id, as the picture has it
     * @param later their records when the picture was complete
     */
    record Snapshot(Picture picture, Map<String, WaitRecord> clients, Map<String, WaitRecord> later) {
        static final Snapshot NOTHING = new Snapshot(new Picture(Map.of(), Map.of()), Map.of(), Map.of());

        /** What is in both this and one that was begun later, and was looked at by its client between the two. */
        Picture commonWith(Snapshot other) {
            Picture common = Deadlocks.common(picture, other.picture);
            Map<Actor, Standing> actors = new LinkedHashMap<>(common.actors());
            actors.keySet().removeIf(actor -> {
                WaitRecord then = later.get(actor.client());
                WaitRecord again = other.clients.get(actor.client());
                return then == null || again == null || !again.isAfter(then);
            });
            return new Picture(common.locks(), actors);
        }

        /** A cycle that follows from what is seen here, for people. */
        WaitCycle shown(Deadlocks found, List<Waiting> cycle, String prefix) {
            List<WaitCycle.Link> links = new ArrayList<>();
            for (int i = 0; i < cycle.size(); i++) {
                Actor actor = cycle.get(i).actor();
                String lock = cycle.get(i).wants().lock();
                Keys keys = Keys.ofHold(prefix, lock);
                Holder who = ClientLabel.holder("", 0, 0, labelOf(actor));
                Actor next = cycle.get((i + 1) % cycle.size()).actor();
                links.add(new WaitCycle.Link(
                        keys == null ? lock : keys.name(),
                        lock,
                        actor.client(),
                        who.application(),
                        who.host(),
                        who.pid(),
                        who.actor(),
                        found.has(next, lock)));
            }
            return new WaitCycle(links);
        }

        private String labelOf(Actor actor) {
            return clients.getOrDefault(actor.client(), WaitRecord.NONE).flows().stream()
                    .filter(flow -> flow.id().equals(actor.id()))
                    .map(WaitRecord.Flow::label)
                    .findFirst()
                    .orElse("");
        }
    }

    private final Server server;
    private final Set<String> roots; // clients of which all flows count
    private final Consumer<Snapshot> done;
    private final Map<String, WaitRecord> clients = new ConcurrentHashMap<>(); // by client
    private final Map<String, LockInfo> locks = new ConcurrentHashMap<>(); // by the key of the hold
    private final Set<String> asked = new HashSet<>(); // locks and clients; of the step under way

    private SnapshotCollector(Server server, Set<String> roots, Consumer<Snapshot> done) {
        this.server = server;
        this.roots = Set.copyOf(roots);
        this.done = done;
    }

    /** Begins with what some clients have written. */
    static void begin(Server server, Set<String> roots, Consumer<Snapshot> done) {
        new SnapshotCollector(server, roots, done).step();
    }

    private void step() {
        surely(this::next);
    }

    /** It ends in any case: an error on the way makes a picture of nothing. */
    private void surely(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            done.accept(Snapshot.NOTHING);
            throw e;
        }
    }

    private void next() {
        Set<String> unread = new LinkedHashSet<>(roots);
        Map<String, Keys> unknown = new LinkedHashMap<>();
        for (Wants wants : known().values().stream()
                .flatMap(standing -> standing.wants().stream())
                .toList()) {
            LockInfo info = locks.get(wants.lock());
            if (info == null) {
                if (asked.contains(wants.lock())) {
                    continue; // it could not be looked at
                }
                Keys keys = Keys.ofHold(server.options.prefix(), wants.lock());
                if (keys != null && locks.size() + unknown.size() < MOST_LOCKS) {
                    unknown.put(wants.lock(), keys);
                }
                continue;
            }
            for (String owner : met(info, wants.owner())) {
                String client = OwnerIds.clientOf(owner);
                if (!client.isEmpty() && !asked.contains(client) && clients.size() + unread.size() < MOST_CLIENTS) {
                    unread.add(client);
                }
            }
        }
        unread.removeAll(asked);
        asked.addAll(unread);
        asked.addAll(unknown.keySet());
        if (unread.isEmpty() && unknown.isEmpty()) {
            finish();
            return;
        }
        Steps steps = new Steps(this::step);
        read(unread, clients::put, steps);
        for (LockScripts scripts : server.allScripts()) {
            List<Keys> alike = unknown.values().stream()
                    .filter(keys -> server.scripts(keys) == scripts)
                    .toList();
            Batches.send(server, alike, Keys::hold, LOCKS_AT_ONCE, batch -> look(batch, steps));
        }
        steps.done();
    }

    /** What is to follow when all that was sent is answered. */
    private final class Steps {
        private final AtomicInteger open = new AtomicInteger(1);
        private final Runnable then;

        Steps(Runnable then) {
            this.then = then;
        }

        void sent() {
            open.incrementAndGet();
        }

        void done() {
            if (open.decrementAndGet() == 0) {
                surely(then);
            }
        }
    }

    private void look(List<Keys> batch, Steps steps) {
        steps.sent();
        server.adminScripts.info(batch, MOST_WAITERS, (infos, failure) -> {
            try {
                for (int i = 0; infos != null && i < Math.min(batch.size(), infos.size()); i++) {
                    locks.put(batch.get(i).hold(), infos.get(i));
                }
            } finally {
                steps.done();
            }
        });
    }

    private void read(Collection<String> whom, BiConsumer<String, WaitRecord> to, Steps steps) {
        Batches.send(server, whom, this::keyOf, CLIENTS_AT_ONCE, batch -> readBatch(batch, to, steps));
    }

    private void readBatch(List<String> batch, BiConsumer<String, WaitRecord> to, Steps steps) {
        List<String> words = new ArrayList<>(List.of("MGET"));
        batch.forEach(client -> words.add(keyOf(client)));
        steps.sent();
        server.calls.send(new Command(words.get(1), words), (reply, failure) -> {
            try {
                Batches.sendAlone(batch, failure, alone -> readBatch(alone, to, steps));
                List<Reply> texts = reply == null ? List.of() : reply.asList();
                for (int i = 0; i < Math.min(batch.size(), texts.size()); i++) {
                    Reply text = texts.get(i);
                    to.accept(batch.get(i), WaitRecord.read(text.isNull() ? null : text.asString()));
                }
            } finally {
                steps.done();
            }
        });
    }

    private String keyOf(String client) {
        return Keys.waits(server.options.prefix(), client);
    }

    /** Those who have a lock, and those who wait for it before an owner. */
    private static Set<String> met(LockInfo info, String owner) {
        Set<String> met = new LinkedHashSet<>();
        info.shares().forEach(share -> met.add(share.holder().owner()));
        Set<String> before = ahead(info).get(owner);
        met.addAll(before == null ? Set.of() : before);
        return met;
    }

    /** Whoever can be told of a grant, each with those before it. */
    private static Map<String, Set<String>> ahead(LockInfo info) {
        Map<String, Set<String>> ahead = new LinkedHashMap<>();
        Set<String> before = new LinkedHashSet<>();
        for (Waiter waiter : info.queue()) {
            if (waiter.state() == Waiter.State.HERE) {
                ahead.put(waiter.owner(), new LinkedHashSet<>(before));
                before.add(waiter.owner());
            }
        }
        return ahead;
    }

    /** Those of the flows that have been written down which have, or stand before, what others want; and all of those that it begins with. */
    private Map<Actor, Standing> known() {
        Set<String> owners = new HashSet<>();
        Map<Actor, Standing> known = new LinkedHashMap<>();
        boolean more = true;
        while (more) {
            more = false;
            for (Map.Entry<String, WaitRecord> client : clients.entrySet()) {
                for (WaitRecord.Flow flow : client.getValue().flows()) {
                    Actor actor = new Actor(client.getKey(), flow.id());
                    if (!known.containsKey(actor)
                            && (roots.contains(client.getKey()) || isAmong(owners, flow.standing()))) {
                        known.put(actor, flow.standing());
                        more = true;
                        for (Wants wants : flow.standing().wants()) {
                            LockInfo info = locks.get(wants.lock());
                            owners.addAll(info == null ? Set.of() : met(info, wants.owner()));
                        }
                    }
                }
            }
        }
        return known;
    }

    private static boolean isAmong(Set<String> owners, Standing standing) {
        return standing.keeps().stream().map(Keeps::owner).anyMatch(owners::contains)
                || standing.wants().stream().map(Wants::owner).anyMatch(owners::contains);
    }

    private void finish() {
        Map<String, Lock> seen = new LinkedHashMap<>();
        Map<Actor, Standing> actors = known();
        Set<String> wanted = new HashSet<>();
        actors.values().forEach(standing -> standing.wants().forEach(wants -> wanted.add(wants.owner())));
        locks.forEach((key, info) -> {
            Set<Has> holds = new LinkedHashSet<>();
            for (LockInfo.Share share : info.shares()) {
                Holder holder = share.holder();
                holds.add(new Has(holder.owner(), holder.token(), share.mode(), share.permits()));
            }
            Map<String, Set<String>> ahead = ahead(info);
            ahead.keySet().retainAll(wanted);
            Map<String, Long> since = new LinkedHashMap<>();
            for (Waiter waiter : info.queue()) {
                since.put(waiter.owner(), ChronoUnit.MICROS.between(Instant.EPOCH, waiter.since()));
            }
            since.keySet().retainAll(ahead.keySet());
            seen.put(key, new Lock(holds, ahead, since));
        });
        // Once more, so that a later picture can tell what was looked at since this one was complete.
        Map<String, WaitRecord> later = new ConcurrentHashMap<>();
        Steps steps = new Steps(
                () -> done.accept(new Snapshot(new Picture(seen, actors), Map.copyOf(clients), Map.copyOf(later))));
        Set<String> written = new LinkedHashSet<>();
        actors.keySet().forEach(actor -> written.add(actor.client()));
        read(written, later::put, steps);
        steps.done();
    }
}
