package io.holdfast;

/** The work that a candidate does while it leads. */
@FunctionalInterface
public interface Leader {
    /**
     * Leads, on a thread of its own; the candidate resigns when this method returns. The thread is interrupted when the
     * leadership is about to end because it is not renewed. It is interrupted again when the leadership is over, for any reason
     * except a call of {@link Candidacy#resign()} on this thread. Work that two leaders must not do at the same time passes
     * {@link Leadership#token()} to the store that it changes.
     *
     * @param leadership the present leadership; the next one is another object, with a greater token
     * @throws Exception if the work fails. The exception is logged, and the candidate resigns. It campaigns again after
     *     {@link HoldfastOptions#refreshInterval()}. If the leadership is over or the candidate has interrupted the thread, an
     *     exception counts as a return, and is logged at level debug only
     */
    void lead(Leadership leadership) throws Exception;
}
