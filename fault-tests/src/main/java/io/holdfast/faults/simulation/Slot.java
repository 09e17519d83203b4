package io.holdfast.faults.simulation;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import io.holdfast.LockOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One client of the plan, which may be started several times. Times are nanoseconds of the world. */
final class Slot {
    private static final long FASTEST = 9_900; // millionths: all clocks within 1 % of the servers'

    final int number;
    final long tooFast;
    int lives;

    @Nullable
    Machine machine;

    List<NetworkDriver> drivers = List.of();

    @Nullable
    Client client;

    long runsSince;
    long disturbedUntil = -1;
    long copiesUntil = -1;
    long stalledUntil = -1;
    long slowUntil = -1;
    long deafUntil = -1;

    Slot(Plan plan, int number) {
        this.number = number;
        this.tooFast = new Draw(plan.seed(), 3, number).between(-FASTEST, FASTEST);
    }

    void disturb(long until) {
        disturbedUntil = Math.max(disturbedUntil, until);
    }

    /** A client of one server, or of several. */
    interface Client {
        DistributedLock lock(String name, LockOptions options);

        Lease adopt(LeaseTicket ticket);

        void close();
    }
}
