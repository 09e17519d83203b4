package io.holdfast;

import java.util.Optional;

/**
 * The state of a lock on one node of a {@link Quorum}.
 *
 * @param node the host and port of the node
 * @param lock the state of the lock, as the node reports it; empty if the node did not answer in time, or answered with an error
 * @param failure the reason why the state is missing, or why this client does not ask the node for locks; empty if there is
 *     none. It is also empty for a new node that does not vote yet
 */
public record NodeInfo(String node, Optional<LockInfo> lock, Optional<NodeFailure> failure) {}
