package io.holdfast;

import java.io.Serializable;

/**
 * The failure of one node of a {@link Quorum}.
 *
 * @param node the host and port of the node
 * @param error a {@link ServerUnreachableException} if the node did not answer in time. A {@link ServerRefusedException} if it
 *     answered with an error, may not vote yet, or cannot be a node
 */
public record NodeFailure(String node, HoldfastException error) implements Serializable {
    @Override
    public String toString() {
        return node + ": " + error.getMessage();
    }
}
