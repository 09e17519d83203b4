package io.holdfast.model.queue;

/** How traces name things. */
public final class Words {
    private Words() {}

    /** A request, and the hold that it may become. */
    public static String owner(int owner) {
        return owner == QueueState.RESTS || owner == QueueState.DONE
                ? "nobody"
                : Character.toString((char) ('A' + owner));
    }

    public static String client(int client) {
        return "client " + (client + 1);
    }
}
