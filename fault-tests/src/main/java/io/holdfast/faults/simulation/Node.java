package io.holdfast.faults.simulation;

import io.holdfast.testkit.MemoryServer;

/** One server, and what is wrong with it. Times are nanoseconds of the world. */
final class Node {
    final MemoryServer memory;
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

    Node(MemoryServer memory) {
        this.memory = memory;
    }

    boolean isUp(long now) {
        return now >= downUntil;
    }
}
