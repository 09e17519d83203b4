package io.holdfast.faults.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether what locks guard is linearizable: who reads under a lock sees the last write that was made under it.
 *
 * <p>The register itself carries out one command after the other. So what counts as the time of a write is not its command's, but
 * that of the hold under which it was made: a write that arrives after its hold was over, and another's was over too, is visible
 * to whoever reads then, and must not be.
 */
public final class Registers {
    /** The register that refuses tokens older than the newest it has seen. */
    public static final String FENCED = "fenced";

    /** The register that takes every write. */
    public static final String PLAIN = "plain";

    private record Made(Operation by, Access access) {}

    private Registers() {}

    /** Reads that cannot have seen what they saw. A register begins with 0. */
    public static List<Violation> reads(History history, String register) {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> operations : history.byLock().values()) {
            List<Made> writes = made(operations, register, true);
            for (Made read : made(operations, register, false)) {
                if (read.access().end() != 0 && !canHaveSeen(read.access(), writes)) {
                    found.add(
                            stale(register, read.by() + " read " + read.access().value()));
                }
            }
            for (Operation each : operations) {
                if (each.want().mode() == Want.Mode.SHARED) {
                    changed(each, register, found);
                }
            }
        }
        return found;
    }

    private static List<Made> made(List<Operation> operations, String register, boolean writes) {
        List<Made> made = new ArrayList<>();
        for (Operation each : operations) {
            for (Access access : each.accesses()) {
                if (access.isWrite() == writes && access.register().equals(register) && !access.refused()) {
                    made.add(new Made(each, access));
                }
            }
        }
        return made;
    }

    private static boolean canHaveSeen(Access read, List<Made> writes) {
        List<Made> before = writes.stream()
                .filter(each -> each.access().end() != 0 && each.access().end() < read.begin())
                .toList();
        if (read.value() == 0 && before.isEmpty()) {
            return true;
        }
        return writes.stream()
                .filter(each ->
                        each.access().value() == read.value() && each.access().begin() < read.end())
                .anyMatch(each -> before.stream().noneMatch(later -> precedes(each.by(), later.by())));
    }

    /** Whether it is sure that one hold was over when the other began: of two that exclude each other, the first was held first. */
    private static boolean precedes(Operation one, Operation other) {
        return one.surelyHeld() && one.lastAlive() < other.got();
    }

    /** While somebody reads, nothing changes; of the register that takes every write this is said only of sure holds. */
    private static void changed(Operation reader, String register, List<Violation> found) {
        Access first = null;
        for (Access each : reader.accesses()) {
            boolean counts = !each.isWrite()
                    && !each.refused()
                    && each.register().equals(register)
                    && each.end() != 0
                    && (register.equals(FENCED) || (reader.surelyHeld() && each.end() <= reader.lastAlive()));
            if (!counts) {
                continue;
            }
            if (first != null && first.value() != each.value()) {
                found.add(stale(register, reader + " read " + first.value() + ", and then " + each.value()));
            }
            first = each;
        }
    }

    private static Violation stale(String register, String what) {
        return new Violation("reads", what + " in the " + register + " register");
    }
}
