package io.holdfast.faults.simulation;

import io.holdfast.testkit.MemoryServer;
import org.jspecify.annotations.Nullable;

/** One server, and what is wrong with it. Times are nanoseconds of the world. */
final class Node {
    final int number;
    final MemoryServer memory;
    final Troubled troubled = new Troubled();

    /** Of a server that has its locks for itself; null for a node of a quorum. */
    @Nullable
    ServerChecks checks;

    /** As its disk had it some seconds ago. */
    MemoryServer.@Nullable Snapshot saved;

    MemoryServer.@Nullable Snapshot savedLast;

    long downUntil = -1;
    long slowUntil = -1;
    long forgetfulUntil = -1;
    long troubledUntil = -1;
    boolean frozen;
    /** It has the script that releases: a client that is closing does not have to send it. */
    boolean knowsRelease;

    void forgetScripts() {
        knowsRelease = false;
        memory.command("SCRIPT", "FLUSH");
    }

    /** Something has run on it, for a client if one is given. */
    void ran(@Nullable Machine from) {
        ServerChecks looking = checks;
        if (looking != null) {
            looking.ran(from);
        }
    }

    /** Called now and then, as servers save: what was saved last is too new to be of interest. */
    void save() {
        saved = savedLast;
        savedLast = memory.snapshot();
    }

    /** It ends and begins again: with its data, with that of some seconds ago, or without any. */
    void restart(Plan.Fault how, long until) {
        downUntil = Math.max(downUntil, until);
        thaw();
        forgetScripts();
        memory.restart(how == Plan.Fault.RESTART_OLDER ? saved : null);
        ServerChecks looking = checks;
        if (looking != null && how == Plan.Fault.RESTART_OLDER) {
            looking.restored();
        }
        if (how == Plan.Fault.RESTART_EMPTY) {
            memory.command("FLUSHALL");
        }
    }

    void freeze() {
        frozen = true;
        memory.freeze();
    }

    void thaw() {
        if (frozen) {
            frozen = false;
            memory.thaw();
            ran(null);
        }
    }

    Node(int number, MemoryServer memory) {
        this.number = number;
        this.memory = memory;
    }

    boolean isUp(long now) {
        return now >= downUntil;
    }
}
