package io.holdfast.spring;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * The address of the server that keeps the locks, which replaces the property {@code holdfast.url}. Define a bean of this type,
 * for example in a test that has started a server. Without such a bean and without the property, locks use the application's own
 * connection to Redis, and so the server of its service connections.
 */
public interface HoldfastConnectionDetails extends ConnectionDetails {
    /** Returns the address: {@code redis://…}, or another form that {@link io.holdfast.Holdfast#connect(String)} accepts. */
    String getUrl();
}
