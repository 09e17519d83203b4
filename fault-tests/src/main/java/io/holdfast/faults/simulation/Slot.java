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

    Slot(long seed, int number) {
        this.number = number;
        this.tooFast = new Draw(seed, 3, number).between(-FASTEST, FASTEST);
    }

    void disturb(long until) {
        troubled.disturb(Troubled.How.BROKEN, until);
    }

    /** Something goes wrong with its connections. */
    void afflict(Plan.Fault fault, long until) {
        switch (fault) {
            case BREAK -> {
                drivers.forEach(driver -> driver.breakCommands(false));
                drivers.forEach(driver -> driver.breakMessages(false));
            }
            case BREAK_COMMANDS -> drivers.forEach(driver -> driver.breakCommands(false));
            case BREAK_MESSAGES -> drivers.forEach(driver -> driver.breakMessages(false));
            case STALL -> stalledUntil = Math.max(stalledUntil, until);
            case SLOW -> slowUntil = Math.max(slowUntil, until);
            case SWALLOW_MESSAGES -> silentUntil = Math.max(silentUntil, until);
            case LOSE_MESSAGES -> deafUntil = Math.max(deafUntil, until);
            default -> throw new IllegalStateException(fault.toString());
        }
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
