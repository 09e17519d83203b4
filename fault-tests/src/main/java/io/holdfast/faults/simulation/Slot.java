package io.holdfast.faults.simulation;

import io.holdfast.Admin;
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
    final Troubled troubled = new Troubled();
    long copiesUntil = -1;
    long stalledUntil = -1;
    long slowUntil = -1;
    long deafUntil = -1;
    /** Its connections for messages are open, and nothing comes. */
    long silentUntil = -1;

    Slot(Plan plan, int number) {
        this.number = number;
        this.tooFast = new Draw(plan.seed(), 3, number).between(-FASTEST, FASTEST);
    }

    void disturb(long until) {
        troubled.disturb(Troubled.How.BROKEN, until);
    }

    /** The connections to the server of a lock. */
    NetworkDriver driver(int lock) {
        return drivers.get(lock % drivers.size());
    }

    /** A client of one server, or of several. */
    interface Client {
        DistributedLock lock(String name, LockOptions options);

        Lease adopt(LeaseTicket ticket);

        Admin admin();

        void close();
    }
}
