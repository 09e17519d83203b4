package io.holdfast;

import java.util.Optional;

/**
 * A lock as one node of a {@link Quorum} has it.
 *
 * @param node host and port
 * @param lock what the node says; empty if it did not answer in time
 * @param failure why it did not, or why it does not vote although it answers; empty if all is well
 */
public record NodeInfo(String node, Optional<LockInfo> lock, Optional<NodeFailure> failure) {}
