package io.holdfast;

/** What a candidate does while it leads. */
@FunctionalInterface
public interface Leader {
    /**
     * Leads, on a thread of its own, until it returns: then it resigns. The thread is interrupted when the leadership is
     * about to end because it cannot be renewed, and again when it is over, for whatever reason. Work that must not be done
     * by two passes {@link Leadership#token()} on to what it changes.
     *
     * @param leadership this one; the next is another, with a greater token
     * @throws Exception it is logged, and the candidate resigns; it campaigns again after
     *     {@link HoldfastOptions#refreshInterval()}
     */
    void lead(Leadership leadership) throws Exception;
}
