package io.holdfast;

/**
 * Is notified of what happens to locks through one client. Called in the order of the events, one at a time, on the client's
 * executor ({@link HoldfastOptions#executor()}): a slow listener delays the other listeners and no lock; an exception that
 * one throws is logged. If 10,000 events wait, further ones are dropped and counted in a warning.
 */
@FunctionalInterface
public interface HoldfastListener {
    /** One event. */
    void on(LockEvent event);
}
