package io.holdfast.faults.simulation;

import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import org.jspecify.annotations.Nullable;

/** The way of one client to one server, in the world as it is at present. */
final class Way implements NetworkDriver.Route {
    private static final long MILLI = Checks.MILLI;

    private final World world;
    private final Slot slot;
    private final Machine machine;
    private final Node server;

    Way(World world, Slot slot, Machine machine, Node server) {
        this.world = world;
        this.slot = slot;
        this.machine = machine;
        this.server = server;
    }

    @Override
    public void later(long delayNanos, Runnable task) {
        world.timers.schedule(delayNanos, task);
    }

    @Override
    public long delay(Draw draw) {
        long delay = draw.between(MILLI / 10, 2 * MILLI);
        if (now() < Math.max(slot.slowUntil, server.slowUntil)) {
            delay += draw.between(5, 400) * MILLI;
        }
        return now() < slot.stalledUntil ? slot.stalledUntil - now() + delay : delay;
    }

    @Override
    public long now() {
        return world.now();
    }

    @Override
    public boolean canConnect() {
        return server.isUp(now()) && now() >= slot.stalledUntil;
    }

    @Override
    public boolean serverIsUp() {
        return server.isUp(now());
    }

    @Override
    public boolean answersNow() {
        return canConnect() && !server.frozen;
    }

    @Override
    public boolean losesMessages(Draw draw) {
        return now() < slot.silentUntil || (now() < slot.deafUntil && draw.percent(70));
    }

    @Override
    public RedisDriver open() {
        return server.memory.driver();
    }

    @Override
    public void arrived(Command command) {
        server.ran(machine);
    }

    @Override
    public void answered(Command command, @Nullable Object answer) {
        if (answer instanceof Reply
                && command.words().size() > 1
                && LeaseLook.isRelease(command.words().get(1))) {
            server.knowsRelease = true;
        }
        ServerChecks looking = server.checks;
        if (looking != null
                && answer instanceof Reply reply
                && command.words().size() > 3
                && LeaseLook.isRevoke(command.words().get(1))
                && reply.asList().get(0).asString().startsWith("RELEASED ")) {
            // Of what is told of the hold that ended, the owner stands behind a blank and the rest of the term.
            looking.revoked(
                    command.words().get(3), reply.asList().get(1).asString().split(" ", -1)[2]);
        }
        if (world.checksOfQuorum != null && answer instanceof Reply reply) {
            world.checksOfQuorum.answered(server.memory, command, reply);
        }
    }

    @Override
    public void trace(String what) {
        world.trace.add(machine, what);
    }

    @Override
    public void hears(String message) {
        if (message.startsWith("R ")) {
            machine.recalls.add(message.substring(2));
            for (Shared shared : world.clients.sharedBy(machine)) {
                if (shared.isMeantBy(message.substring(2))) {
                    shared.recalled(now());
                }
            }
        }
    }

    /** Of the locks of this server: those of others are heard of by connections of their own. */
    @Override
    public void hearsNoMore() {
        for (Shared shared : world.clients.sharedBy(machine)) {
            if (shared.keeps() && shared.granted > 0 && world.nodeOf(shared.request.item.lock()) == server) {
                shared.recalled(now());
            }
        }
    }

    @Override
    public void lateUntil(long nanos) {
        slot.disturb(now() + nanos);
        slot.copiesUntil = Math.max(slot.copiesUntil, now() + nanos);
    }
}
