/** A lock provider for ShedLock. */
module io.holdfast.shedlock {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive net.javacrumbs.shedlock.core;

    exports io.holdfast.shedlock;
}
