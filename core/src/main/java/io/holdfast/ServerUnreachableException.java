package io.holdfast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the server did not answer. The outcome of the request is unknown. If it was granted a lock, the client gives the
 * lock back in the background.
 */
public final class ServerUnreachableException extends HoldfastException {
    private static final long serialVersionUID = 1L;
    private static final String CODE = "HF-UNREACHABLE";

    @SuppressWarnings("serial") // an immutable list of records, both of which can be written
    private final List<NodeFailure> nodeFailures;

    /** Creates the exception for one server; for the library, and for tests of code that handles it. */
    public ServerUnreachableException(String message, @Nullable Throwable cause) {
        super(CODE, message, cause);
        this.nodeFailures = List.of();
    }

    /** Creates the exception for nodes of a quorum; for the library, and for tests of code that handles it. */
    public ServerUnreachableException(List<NodeFailure> nodeFailures, String message) {
        super(CODE, message, nodeFailures.isEmpty() ? null : nodeFailures.get(0).error());
        this.nodeFailures = List.copyOf(nodeFailures);
    }

    /** Returns the nodes of a {@link Quorum} that failed, and why; empty for one server. */
    public List<NodeFailure> nodeFailures() {
        return nodeFailures;
    }
}
