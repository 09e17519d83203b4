package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** What a name is the name of, as {@code --kind} says it. One name may be that of a lock and of a semaphore, which share nothing. */
final class Kinds {
    static final String OPTION = "--kind";

    /** In the order in which they are tried. */
    private static final List<Kind> ALL = List.of(Kind.LOCK, Kind.READ_WRITE, Kind.SEMAPHORE, Kind.ELECTION, Kind.ONCE);

    private Kinds() {}

    /** All words that it understands. */
    static List<String> words() {
        return ALL.stream().map(Kind::word).toList();
    }

    /** The option of a command that takes a name. */
    static OptionSpec ofName() {
        return option("Kind of NAME: lock (the default), read-write, semaphore, election or once.");
    }

    /** The option with other words. */
    static OptionSpec option(String description) {
        return Specs.value(OPTION, "KIND", description);
    }

    /** What is given; a lock if nothing is. */
    static Kind of(ParseResult given) {
        Kind kind = orNull(given);
        return kind == null ? Kind.LOCK : kind;
    }

    /** The same; null if nothing is given. */
    static @Nullable Kind orNull(ParseResult given) {
        String word = given.matchedOptionValue(OPTION, null);
        if (word == null) {
            return null;
        }
        for (Kind kind : ALL) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw new UsageException(OPTION + " is '" + word + "', must be lock, read-write, semaphore, election or once");
    }

    /** The kinds that a command is about which is given none or one. */
    static List<Kind> allOr(@Nullable Kind kind) {
        return kind == null ? ALL : List.of(kind);
    }

    /** The same for what ends holds of many names: elections, and what is done once, are let alone unless they are meant. */
    static List<Kind> locksOr(@Nullable Kind kind) {
        return kind == null ? List.of(Kind.LOCK, Kind.READ_WRITE, Kind.SEMAPHORE) : List.of(kind);
    }

    /** {@code 'deploy'}, or {@code semaphore 'convert'}. */
    static String named(LockInfo lock) {
        return (lock.kind() == Kind.LOCK ? "" : lock.kind().noun() + " ") + "'" + lock.name() + "'";
    }

    /** Whether several may have one at a time. */
    static boolean isShared(Kind kind) {
        return kind == Kind.READ_WRITE || kind == Kind.SEMAPHORE;
    }

    /** Where names of a kind are looked at; of all of them for null. */
    static Inspector inspector(Holdfast client, @Nullable Kind kind) {
        return kind == null ? client.inspect().allKinds() : client.inspect().of(kind);
    }

    /**
     * Where no lock of a name is held or wanted and no kind was given: a line that tells of what has that name; empty if nothing
     * has.
     *
     * @param command what to write for it, as far as {@code --kind}
     */
    static String elsewhere(Holdfast client, ParseResult given, String name, String command) {
        if (orNull(given) != null) {
            return "";
        }
        for (Kind kind : ALL) {
            if (kind != Kind.LOCK) {
                LockInfo other = inspector(client, kind).lock(name, 0);
                if (other.isLocked() || other.isQueued()) {
                    String article = kind == Kind.ONCE ? "work for " : kind == Kind.ELECTION ? "an " : "a ";
                    return "There is " + article + kind.noun() + " of that name: holdfast " + command + " " + OPTION
                            + " " + kind.word() + "\n";
                }
            }
        }
        return "";
    }
}
