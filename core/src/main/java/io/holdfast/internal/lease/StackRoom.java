package io.holdfast.internal.lease;

/**
 * Asks for room on the stack before anything is begun that an overflow would leave half done: a thread whose stack is nearly full
 * gets its {@code StackOverflowError} here, where nothing has happened yet. It costs half a microsecond.
 *
 * <p>What follows in the same thread takes some kilobytes, compiled or interpreted; frames of this method are compiled or interpreted
 * as those of the engine are, so that the room grows with what is needed.
 */
public final class StackRoom {
    private static final int FRAMES = 600;

    private StackRoom() {}

    /**
     * Returns if there is room.
     *
     * @throws StackOverflowError if there is none
     */
    public static void demand() {
        if (descend(FRAMES) != FRAMES) {
            throw new AssertionError("the frames were not all there");
        }
    }

    private static int descend(int frames) {
        return frames == 0 ? 0 : 1 + descend(frames - 1);
    }
}
