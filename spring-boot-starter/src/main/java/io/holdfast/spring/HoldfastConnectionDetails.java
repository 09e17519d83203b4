package io.holdfast.spring;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Where locks are kept, in place of the property {@code holdfast.url}: of a bean of this type, as a test makes it from a server that it
 * has started. Without one, and without the property, locks are kept over the application's own connection to Redis, and so where its
 * service connections lead.
 */
public interface HoldfastConnectionDetails extends ConnectionDetails {
    /** {@code redis://…}, or another form that {@link io.holdfast.Holdfast#connect(String)} understands. */
    String getUrl();
}
