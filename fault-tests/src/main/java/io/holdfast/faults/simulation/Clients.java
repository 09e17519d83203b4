package io.holdfast.faults.simulation;

import static io.holdfast.contracts.Outcomes.isRefused;
import static io.holdfast.contracts.Outcomes.word;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.Wait;
import io.holdfast.faults.simulation.Plan.Ending;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** What the clients of the plan do: they start, ask for locks, and end their leases. */
final class Clients {
    private static final long MILLI = Checks.MILLI;
    private static final Duration LONGEST_TERM = Duration.ofSeconds(20);

    private record ShareKey(Machine machine, int lock, LockOptions options) {}

    private final World world;
    private final Map<ShareKey, Share> shares = new LinkedHashMap<>();
    private final Map<String, Shared> shared = new LinkedHashMap<>(); // by the public part of the owner

    Clients(World world) {
        this.world = world;
    }

    /** Whoever may keep a lock has it and keeps it when the clients are world.closed. */
    void keepAll() {
        for (ShareKey share : shares.keySet()) {
            Slot.Client client = world.slots.get(share.machine().slot).client;
            if (share.machine().isRunning() && client != null) {
                share.machine().run(() -> {
                    var unused = client.lock(Plan.lock(share.lock()), share.options())
                            .acquireAsync(Wait.upTo(Duration.ofSeconds(1)))
                            .thenAccept(Lease::releaseAsync);
                });
                world.time.advance(Duration.ofMillis(10));
            }
        }
    }

    void start(Slot slot) {
        boolean possible = world.nodes.allAnswer() && world.now() >= slot.stalledUntil;
        if (!possible) {
            world.timers.schedule(100 * MILLI, () -> start(slot));
            return;
        }
        Machine machine = new Machine(
                slot.number,
                slot.lives++,
                world.time,
                world.timers,
                slot.tooFast,
                new Draw(world.plan.seed(), 5, slot.number, slot.lives));
        slot.machine = machine;
        slot.runsSince = world.now();
        List<NetworkDriver> drivers = new ArrayList<>();
        for (Node server : world.servers) {
            drivers.add(new NetworkDriver(
                    machine,
                    new Way(world, slot, machine, server),
                    new Draw(world.plan.seed(), 6, slot.number, slot.lives, drivers.size())));
        }
        slot.drivers = drivers;
        drivers.forEach(NetworkDriver::beginAtOnce);
        slot.client = connect(machine, drivers);
        drivers.forEach(NetworkDriver::endAtOnce);
        world.trace.add(machine, "starts");
    }

    /** What the clients of a quorum agree on. */
    static QuorumOptions options(HoldfastOptions client) {
        return QuorumOptions.defaults()
                .withClient(client)
                .withMaxLeaseDuration(LONGEST_TERM)
                .withName("simulation"); // each node is reached by several drivers
    }

    private Slot.Client connect(Machine machine, List<NetworkDriver> drivers) {
        HoldfastOptions options = world.plan.options().withListener(this::hear);
        if (world.checksOfQuorum == null) {
            RedisDriver driver = drivers.size() == 1 ? drivers.get(0) : new ClusterDriver(drivers);
            Holdfast holdfast = Holdfast.over(driver, options, machine.environment());
            return new Slot.Client() {
                @Override
                public DistributedLock lock(String name, LockOptions lockOptions) {
                    return holdfast.lock(name, lockOptions);
                }

                @Override
                public Lease adopt(LeaseTicket ticket) {
                    return holdfast.adopt(ticket);
                }

                @Override
                public Admin admin() {
                    return holdfast.admin();
                }

                @Override
                public void close() {
                    holdfast.close();
                }
            };
        }
        Quorum quorum = Quorum.connect(
                drivers.stream().map(QuorumNode::over).toList(), options(options), machine.environment());
        return new Slot.Client() {
            @Override
            public DistributedLock lock(String name, LockOptions lockOptions) {
                return quorum.lock(name, lockOptions);
            }

            @Override
            public Lease adopt(LeaseTicket ticket) {
                throw new UnsupportedOperationException("a quorum's lease lives with its client");
            }

            @Override
            public Admin admin() {
                throw new UnsupportedOperationException("a quorum is not steered");
            }

            @Override
            public void close() {
                quorum.close();
            }
        };
    }

    List<Shared> sharedBy(Machine machine) {
        return shared.values().stream()
                .filter(each -> each.request.machine == machine)
                .toList();
    }

    ServerChecks checksOf(Asked asked) {
        return Objects.requireNonNull(world.nodeOf(asked.item.lock()).checks);
    }

    private void hear(LockEvent event) {
        Object data = event.data();
        String owner = event.subject().owner();
        if (event instanceof LockEvent.Asked && data instanceof Share share) {
            Asked alone = share.alone(event.subject().actor());
            if (alone == null) {
                Shared asking = shared.computeIfAbsent(owner, unknown -> share.request(world.now()));
                checksOf(asking.request).owns(owner, asking.request);
            } else {
                checksOf(alone).owns(owner, alone);
            }
        } else if (event instanceof LockEvent.Asked && data instanceof Asked asked) {
            asked.owner = owner;
            if (world.checksOfQuorum == null) {
                checksOf(asked).owns(owner, asked);
            }
            if (world.checksOfQuorum != null) {
                world.checksOfQuorum.owns(owner, asked);
            }
        }
    }

    // ---- items

    void begin(Plan.Item item) {
        if (item instanceof Plan.Ask ask) {
            Slot slot = world.slots.get(ask.client());
            Machine machine = slot.machine;
            if (machine != null) {
                machine.run(() -> ask(slot, machine, ask));
            }
        } else if (item instanceof Plan.Act act) {
            world.operators.begin(act);
        } else if (item instanceof Plan.Trouble trouble) {
            world.trace.add("world", trouble.toString());
            world.troubles.begin(trouble);
        }
    }

    private void ask(Slot slot, Machine machine, Plan.Ask item) {
        Slot.Client client = slot.client;
        if (client == null) {
            return;
        }
        Asked asked = new Asked(item, machine, world.now());
        world.checks.asked(asked);
        world.trace.add(machine, "asks " + item);
        Share share = item.isShared()
                ? shares.computeIfAbsent(
                        new ShareKey(machine, item.lock(), item.options()),
                        key -> new Share(world.checks, machine, item))
                : null;
        if (share != null) {
            share.asks(asked);
        }
        DistributedLock lock = client.lock(
                        Plan.lock(item.lock()), item.options().withEventData(share == null ? asked : share))
                .withActor(share == null ? item.actor() : Share.actorOf(item));
        CompletableFuture<Attempt<Lease>> future = item.ending() == Ending.INTERRUPT
                ? LeaseLook.interruptedAttempt(lock, item.waitLimit())
                : item.ending() == Ending.WORK
                        ? LeaseLook.scopedAttempt(lock, item.waitLimit())
                        : lock.attemptAsync(item.waitLimit());
        asked.future = future;
        future.whenComplete((attempt, failure) -> {
            if (item.ending() == Ending.INTERRUPT) {
                asked.withdrawn = true;
                world.checks.interrupted(asked);
                world.trace.add(machine, "#" + item.number() + " is interrupted when it is answered");
                return;
            }
            world.checks.answered(asked, attempt, failure);
            if (attempt instanceof Attempt.Obtained<Lease> got) {
                obtained(slot, held(slot, asked, got.lease()));
            }
            if (share != null) {
                share.ended(asked);
            }
            if (world.checksOfQuorum == null
                    && (isRefused(Reason.TAKEN, attempt) || isRefused(Reason.QUEUE_FULL, attempt))) {
                checksOf(asked).saidTaken(asked);
            }
            if (!(attempt instanceof Attempt.Obtained)) {
                world.trace.add(machine, "#" + item.number() + " " + (attempt == null ? "" + failure : word(attempt)));
            }
        });
        if (item.ending() == Ending.CANCEL || item.ending() == Ending.COMPLETE) {
            timersOf(machine, item.holdMillis(), () -> withdraw(asked, future));
        }
    }

    private Held held(Slot slot, Asked asked, Lease lease) {
        Shared of = shared.get(lease.owner());
        Held held = new Held(asked, of, asked.machine, lease, world.now());
        if (of != null) {
            checksOf(asked).lends(of, held);
            if (of.granted == 0) {
                if (asked.machine.recalls.stream().anyMatch(of::isMeantBy)
                        || (of.keeps() && !slot.driver(asked.item.lock()).isHearing())) {
                    of.recalled(world.now());
                }
            }
        }
        return held;
    }

    private void withdraw(Asked asked, CompletableFuture<Attempt<Lease>> future) {
        if (!future.isDone()) {
            asked.withdrawn = true;
            world.trace.add(asked.machine, "#" + asked.item.number() + " is withdrawn");
            if (asked.item.ending() == Ending.CANCEL) {
                future.cancel(false);
            } else {
                future.completeExceptionally(new Checks.WithdrawnException());
            }
        }
    }

    void timersOf(Machine machine, long millis, Runnable task) {
        world.timers.schedule((long) machine.inWorld(millis * MILLI), () -> machine.run(task));
    }

    private void obtained(Slot slot, Held held) {
        world.obtained++;
        Machine machine = held.machine;
        world.trace.add(machine, "#" + held.asked.item.number() + " holds with token " + held.token);
        world.checks.obtained(held);
        held.work = world.works.begin(
                held, machine, held.lease, held.asked.item.options(), held.asked.item.ending() == Ending.WORK);
        held.work.elsewhere = held.detached; // it has entered a hold that its process has given away
        world.troubles.obtained(held);
        held.lease.whenLost().thenAccept(reason -> {
            world.trace.add(machine, "#" + held.asked.item.number() + " is lost: " + reason);
            world.checks.lost(held, reason);
        });
        long hold = held.asked.item.holdMillis();
        switch (held.asked.item.ending()) {
            case RELEASE, CANCEL, COMPLETE -> timersOf(machine, hold, () -> release(held));
            case EXTEND ->
                timersOf(machine, hold / 2, () -> {
                    if (LeaseLook.remaining(held.lease).toNanos() > 0) {
                        held.extended = true;
                        int terms = world.plan.kind() == Plan.Kind.KEPT ? 5 : 2;
                        world.works.extend(
                                Objects.requireNonNull(held.work),
                                held.asked.item.options().leaseDuration().multipliedBy(terms));
                    }
                    timersOf(machine, hold / 2, () -> release(held));
                });
            case RELEASE_TWICE ->
                timersOf(machine, hold, () -> {
                    release(held);
                    release(held);
                });
            case END_WITH_TERM -> {
                timersOf(machine, hold, () -> world.checks.write(held));
                // If it shares a hold that is renewed, it does not end by itself.
                timersOf(
                        machine,
                        hold + 3 * held.asked.item.options().leaseDuration().toMillis(),
                        () -> release(held));
            }
            case DETACH -> timersOf(machine, hold, () -> detach(slot, held));
            case HAND_OVER -> timersOf(machine, hold, () -> world.handOvers.begin(slot, held));
            case WORK -> {
                held.extended = true; // now or later, or not
                Draw draw = new Draw(world.plan.seed(), 41, held.asked.item.number());
                world.works.run(Objects.requireNonNull(held.work), hold, draw, () -> release(held));
            }
            case INTERRUPT -> throw new IllegalStateException(held + " has a caller");
        }
    }

    void release(Held held) {
        world.checks.write(held);
        world.trace.add(held.machine, "#" + held.asked.item.number() + " releases");
        world.checks.released(held);
        held.released = true;
        Work work = held.work;
        if (work != null) {
            work.left = true;
        }
        held.lease.releaseAsync();
    }

    private void detach(Slot slot, Held held) {
        NetworkDriver driver = slot.driver(held.lock);
        world.checks.write(held);
        if (!driver.answersNow()) {
            release(held);
            return;
        }
        driver.beginAtOnce();
        try {
            held.lease.detach();
            world.checks.left(held, false);
            held.asked.keepsHold = true;
            if (held.shared != null) {
                held.shared.request.keepsHold = true;
            }
            world.trace.add(held.machine, "#" + held.asked.item.number() + " is detached");
            world.operators.detached(held);
        } catch (HoldfastException e) {
            release(held);
        } finally {
            driver.endAtOnce();
        }
    }
}
