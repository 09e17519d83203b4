package io.holdfast.internal.wire;

import io.holdfast.HoldfastException;
import io.holdfast.NodeFailure;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.spi.DriverException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says in words what a server's error means for somebody who wants a lock, and what to do about it. */
public final class Refusals {
    /** Answers of a server that is there but cannot serve at present. */
    public static final Set<String> TRANSIENT =
            Set.of("LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS", "READONLY");

    private Refusals() {}

    /**
     * Whether a server has refused a command because it cannot serve at present. It refuses so before it executes anything: a script
     * that finds itself on a replica is ended at the first write.
     */
    public static boolean isTransient(DriverException failure) {
        return TRANSIENT.contains(failure.code()); // which only refusals have
    }

    /** What to tell the caller whose command a server has refused or not answered. */
    public static HoldfastException of(String server, DriverException failure) {
        return of(server, server + " did not answer: " + failure.getMessage(), failure);
    }

    /**
     * The same, with words of the caller's own for a server that has not answered.
     *
     * @param unanswered what to say if the server has not refused
     */
    public static HoldfastException of(String server, String unanswered, Throwable failure) {
        return failure instanceof DriverException known && known.kind() == DriverException.Kind.REJECTED
                ? explain(server, known)
                : new ServerUnreachableException(unanswered, failure);
    }

    /**
     * What to tell the caller who may have been granted a lock, or may not.
     *
     * @param lock in words
     * @param cause what went wrong last; null if that is not known
     */
    public static ServerUnreachableException unknown(String lock, String server, @Nullable DriverException cause) {
        return new ServerUnreachableException(
                lock + ": " + server + " did not answer, the outcome is unknown"
                        + (cause == null ? "" : ": " + cause.getMessage()),
                cause);
    }

    /** What is wrong with each of some nodes. */
    public static String inWords(List<NodeFailure> failures) {
        return String.join(
                "; ", failures.stream().map(each -> withoutCode(each.error())).toList());
    }

    /** One message has one code: that of the exception that is thrown. */
    private static String withoutCode(HoldfastException error) {
        String message = String.valueOf(error.getMessage());
        String code = " [" + error.code() + "]";
        return message.endsWith(code) ? message.substring(0, message.length() - code.length()) : message;
    }

    public static ServerRefusedException explain(String server, DriverException failure) {
        String text = String.valueOf(failure.getMessage());
        String hint = switch (failure.code()) {
            case "NOAUTH" -> "it requires a password: give it in the address, redis://:password@host";
            case "WRONGPASS" -> "user or password is wrong";
            case "NOPERM" ->
                "the user lacks a permission: a user needs scripts (EVALSHA, EVAL), the keys and the"
                        + " channels that begin with the prefix, see docs/operations.md";
            case "OOM" -> "its memory is full: raise maxmemory, or free some";
            case "READONLY" -> "it is a replica: give the address of the master";
            case "NOREPLICAS" ->
                "too few of its replicas are up to date, see min-replicas-to-write in its configuration";
            case "MISCONF" -> "it refuses writes because it cannot save: see its log";
            case "WRONGTYPE" -> "a key of this lock is used by another program: choose another prefix, or another key";
            default ->
                text.contains("FOREIGN")
                        ? "a key of this lock is used by another program: choose another prefix"
                        : text.contains("can't run this command")
                                ? "a script may not run a command that it needs: see docs/operations.md for the permissions"
                                : text.contains("NORUNID")
                                        ? "it cannot say whether it has lost its memory, so no quorum and no client with a quarantine can use it"
                                        : text.startsWith("ERR unknown command") && text.contains("SENTINEL")
                                                ? "it is no Sentinel: the address of a server begins redis://, and Sentinels mostly listen on port 26379"
                                                : text.startsWith("ERR unknown command")
                                                        ? "it is too old, or no Redis: 6.2 is the oldest that works"
                                                        : "";
        };
        return new ServerRefusedException(
                server + " refused: " + text + (hint.isEmpty() ? "" : " (" + hint + ")"), failure);
    }

    /** What the driver said of a failure, also of one that was explained; null if it is none of the driver's. */
    public static @Nullable DriverException causeOf(@Nullable Throwable failure) {
        Throwable cause = failure instanceof ServerUnreachableException ? failure.getCause() : failure;
        return cause instanceof DriverException known ? known : null;
    }
}
