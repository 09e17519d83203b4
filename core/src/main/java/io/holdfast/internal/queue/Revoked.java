package io.holdfast.internal.queue;

/**
 * A grant that was ended by name, perhaps before this client has heard of it. Readers have one token for as long as somebody reads, so
 * the next grant of the same request may have it, too: what was told to a request that left later is that one.
 *
 * @param nanos when this was told
 */
record Revoked(long token, long nanos) {
    static final Revoked NONE = new Revoked(0, 0);

    /**
     * Whether it is this grant, as far as one can know.
     *
     * @param knownNanos when the request left that told of the grant
     */
    boolean is(long itsToken, long knownNanos) {
        return itsToken == token && knownNanos - nanos <= 0;
    }
}
