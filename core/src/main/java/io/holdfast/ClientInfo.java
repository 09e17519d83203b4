package io.holdfast;

import java.util.ArrayList;
import java.util.List;

/**
 * A client, as the server knows it.
 *
 * @param id the client's id
 * @param application the application's name; empty if {@code holds} and {@code waits} are empty
 * @param host the host's name; empty if {@code holds} and {@code waits} are empty
 * @param pid the process id; empty if {@code holds} and {@code waits} are empty
 * @param listening whether the client is connected and listens for messages. A client that holds locks and does not listen may be
 *     dead; its locks then become free at the end of their lease durations
 * @param holds the locks of the inspector's kinds that it holds
 * @param waits the locks that it waits for, once for each of its requests that are listed in a queue
 */
public record ClientInfo(
        String id,
        String application,
        String host,
        String pid,
        boolean listening,
        List<LockInfo.Named> holds,
        List<LockInfo.Named> waits) {

    /** Copies the lists. */
    public ClientInfo {
        holds = List.copyOf(holds);
        waits = List.copyOf(waits);
    }

    static ClientInfo listening(String id) {
        return new ClientInfo(id, "", "", "", true, List.of(), List.of());
    }

    static ClientInfo holding(Holder holder, LockInfo.Named lock) {
        return new ClientInfo(
                holder.client(), holder.application(), holder.host(), holder.pid(), false, List.of(lock), List.of());
    }

    static ClientInfo waiting(Waiter waiter, LockInfo.Named lock) {
        return new ClientInfo(
                waiter.client(), waiter.application(), waiter.host(), waiter.pid(), false, List.of(), List.of(lock));
    }

    /** Returns this information about a client, combined with other information about the same client. */
    ClientInfo and(ClientInfo other) {
        boolean named = !application.isEmpty();
        return new ClientInfo(
                id,
                named ? application : other.application,
                named ? host : other.host,
                named ? pid : other.pid,
                listening || other.listening,
                join(holds, other.holds),
                join(waits, other.waits));
    }

    private static List<LockInfo.Named> join(List<LockInfo.Named> one, List<LockInfo.Named> other) {
        List<LockInfo.Named> both = new ArrayList<>(one);
        both.addAll(other);
        return both;
    }
}
