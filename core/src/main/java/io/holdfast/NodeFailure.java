package io.holdfast;

import java.io.Serializable;

/**
 * A node of a {@link Quorum} that did not do its part.
 *
 * @param node host and port
 * @param error what went wrong: a {@link ServerUnreachableException} if the node did not answer (in time), a
 *     {@link ServerRefusedException} if it answered with an error, may not vote yet, or cannot be a node
 */
public record NodeFailure(String node, HoldfastException error) implements Serializable {
    @Override
    public String toString() {
        return node + ": " + error.getMessage();
    }
}
