package io.holdfast.faults.campaign;

/** Which servers there are. */
enum Topology {
    /** One server, with a proxy between it and each worker. */
    SINGLE,
    /** A master with two replicas and three sentinels. */
    SENTINELS,
    /** Three masters with a replica each. */
    CLUSTER,
    /** Three independent servers. */
    QUORUM
}
