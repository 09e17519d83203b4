package io.holdfast;

/**
 * A listener for the events of one client's locks. The client calls it in the order of the events, one at a time, on its
 * executor ({@link HoldfastOptions#executor()}). A slow listener delays the other listeners. It delays no lock, unless the
 * executor runs callbacks in the thread that submits them. An exception that a listener throws is logged. If 10,000 events
 * wait, further ones are dropped and counted in a warning.
 */
@FunctionalInterface
public interface HoldfastListener {
    /** Receives one event. */
    void on(LockEvent event);
}
