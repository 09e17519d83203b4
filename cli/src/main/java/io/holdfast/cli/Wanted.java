package io.holdfast.cli;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ParseResult;

/**
 * What is wanted of a name: the lock of that name, a read/write lock to read or to write, some permits of a semaphore, or to do
 * once what it is the name of. These have nothing to do with each other.
 *
 * @param permits how many; 0 unless it is a semaphore
 * @param limit how many there are
 */
record Wanted(Kind kind, int permits, int limit) {
    enum Kind {
        LOCK,
        READ,
        WRITE,
        PERMITS,
        ONCE
    }

    static final String READ = "--read";
    static final String WRITE = "--write";
    static final String PERMITS = "--permits";
    private static final Pattern FORM = Pattern.compile("([0-9]{1,7})/([0-9]{1,7})");

    /** Reads the options, of which one at most is given. */
    static Wanted of(ParseResult given) {
        List<String> chosen = List.of(READ, WRITE, PERMITS, OnceWish.ONCE, OnceWish.PER).stream()
                .filter(given::hasMatchedOption)
                .toList();
        if (chosen.size() > 1) {
            throw new UsageException(String.join(" and ", chosen) + " contradict each other");
        }
        String permits = given.matchedOptionValue(PERMITS, null);
        if (permits != null) {
            return permits(permits);
        }
        Kind kind = switch (chosen.isEmpty() ? "" : chosen.get(0)) {
            case "" -> Kind.LOCK;
            case READ -> Kind.READ;
            case WRITE -> Kind.WRITE;
            default -> Kind.ONCE;
        };
        return new Wanted(kind, 0, 0);
    }

    private static Wanted permits(String text) {
        Matcher form = FORM.matcher(text);
        int most = DistributedSemaphore.MAX_PERMITS;
        if (form.matches()) {
            int permits = Integer.parseInt(form.group(1));
            int limit = Integer.parseInt(form.group(2));
            if (permits >= 1 && permits <= limit && limit <= most) {
                return new Wanted(Kind.PERMITS, permits, limit);
            }
        }
        throw new UsageException(PERMITS + " is '" + text + "', must be K/N, as in 1/5: K permits of N, 1 to " + most
                + " and K not more than N");
    }

    DistributedLock lock(Holdfast client, String name, LockOptions options) {
        return switch (kind) {
            case LOCK -> client.lock(name, options);
            case READ -> client.readWriteLock(name, options).read();
            case WRITE -> client.readWriteLock(name, options).write();
            case PERMITS -> {
                DistributedSemaphore semaphore = client.semaphore(name, limit, options);
                yield (limit <= DistributedSemaphore.MAX_SLOTS ? semaphore.withSlots() : semaphore).permits(permits);
            }
            case ONCE -> throw new IllegalStateException("what is done once is no lock");
        };
    }

    /** Where locks of this kind are looked at. */
    Inspector in(Holdfast client) {
        return Kinds.inspector(client, kindOfName());
    }

    /** What the name is the name of. */
    LockInfo.Kind kindOfName() {
        return switch (kind) {
            case LOCK -> LockInfo.Kind.LOCK;
            case READ, WRITE -> LockInfo.Kind.READ_WRITE;
            case PERMITS -> LockInfo.Kind.SEMAPHORE;
            case ONCE -> LockInfo.Kind.ONCE;
        };
    }

    /** Whether it cannot be had as long as all of these are held; of none, never. */
    boolean isKeptOutBy(List<LockInfo.Share> held) {
        return switch (kind) {
            case LOCK, WRITE, ONCE -> !held.isEmpty();
            case READ -> held.stream().anyMatch(each -> each.mode() == LockMode.EXCLUSIVE);
            case PERMITS -> held.stream().mapToInt(LockInfo.Share::permits).sum() + permits > limit;
        };
    }
}
