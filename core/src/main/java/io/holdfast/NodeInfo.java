package io.holdfast;

import java.util.Optional;

/**
 * The state of a lock on one node of a {@link Quorum}.
 *
 * @param node the host and port of the node
 * @param lock the state of the lock, as the node reports it; empty if the node did not answer in time
 * @param failure the reason why the node did not answer, or does not vote although it answers; empty if there is no problem
 */
public record NodeInfo(String node, Optional<LockInfo> lock, Optional<NodeFailure> failure) {}
