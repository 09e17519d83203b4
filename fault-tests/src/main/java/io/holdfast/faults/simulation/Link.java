package io.holdfast.faults.simulation;

import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Timers;
import java.util.function.LongSupplier;

/** The way of one client to one server, as it is at present: what is the same in all simulations. */
abstract class Link implements NetworkDriver.Route {
    private static final long MILLI = Checks.MILLI;

    private final Timers timers;
    private final LongSupplier clock;
    private final Trace trace;
    private final Slot slot;
    private final Machine machine;
    private final Node server;

    /** @param clock nanoseconds of the world */
    Link(Timers timers, LongSupplier clock, Trace trace, Slot slot, Machine machine, Node server) {
        this.timers = timers;
        this.clock = clock;
        this.trace = trace;
        this.slot = slot;
        this.machine = machine;
        this.server = server;
    }

    @Override
    public void later(long delayNanos, Runnable task) {
        timers.schedule(delayNanos, task);
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
        return clock.getAsLong();
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
    public void trace(String what) {
        trace.add(machine, what);
    }

    @Override
    public void lateUntil(long nanos) {
        slot.disturb(now() + nanos);
        slot.copiesUntil = Math.max(slot.copiesUntil, now() + nanos);
    }
}
