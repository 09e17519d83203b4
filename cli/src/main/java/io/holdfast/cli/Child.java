package io.holdfast.cli;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The command as a process. */
final class Child {
    /** Set by the launcher when it had to change LC_ALL for Java's sake; its value is what LC_ALL was. */
    private static final String LOCALE_BEFORE = "HOLDFAST_LC_ALL";

    private static final long AFTER_KILL_SECONDS = 5;

    private static final String SLOT = "HOLDFAST_SLOT";

    private final Process process;
    private final @Nullable Children children;

    private Child(Process process, @Nullable Children children) {
        this.process = process;
        this.children = children;
    }

    /**
     * All that can be done before the lock is there.
     *
     * @param children what its descendants are known by, if they are to be waited for too
     */
    static ProcessBuilder prepare(List<String> command, List<String> locks, @Nullable Children children) {
        ProcessBuilder builder = new ProcessBuilder(children == null ? command : children.holding(command)).inheritIO();
        Map<String, String> environment = builder.environment();
        String before = environment.remove(LOCALE_BEFORE);
        if (before != null) {
            if (before.isEmpty()) {
                environment.remove("LC_ALL");
            } else {
                environment.put("LC_ALL", before);
            }
        }
        environment.remove(NoteFile.VARIABLE); // of a run above this one
        put(environment, "HOLDFAST_LOCK", locks);
        return builder;
    }

    /** The first under this name, the second under the name with {@code _2}, and so on. */
    private static void put(Map<String, String> environment, String name, List<String> values) {
        for (int i = 0; i < values.size(); i++) {
            environment.put(i == 0 ? name : name + "_" + (i + 1), values.get(i));
        }
        // Of a run above this one, that had more locks.
        for (int i = values.size() + 1; environment.remove(name + "_" + i) != null; i++) {}
    }

    /** The permits of a semaphore that it runs with; none unless it is to run with some. */
    static void putSlots(ProcessBuilder builder, List<Integer> slots) {
        if (slots.isEmpty()) {
            builder.environment().remove(SLOT); // of a run above this one
        } else {
            StringBuilder words = new StringBuilder();
            slots.forEach(slot -> words.append(words.isEmpty() ? "" : " ").append(slot));
            builder.environment().put(SLOT, words.toString());
        }
    }

    /** Starts it. */
    static Child start(ProcessBuilder builder, List<String> tokens, @Nullable Children children) throws IOException {
        put(builder.environment(), "HOLDFAST_TOKEN", tokens);
        builder.environment().put(Nesting.TOKENS, Nesting.tokens(String.join(" ", tokens)));
        return new Child(builder.start(), children);
    }

    /** Says why a command could not be started; returns the status that stands for it. */
    static int notStarted(List<String> command, IOException failure) {
        // The system's number for "no such file" stands in the text only, and in two ways, by the JDK's version.
        String text = String.valueOf(failure.getMessage());
        boolean missing = text.contains("error=2,") || text.contains("error: 2 ");
        String problem = missing ? "not found" : "cannot be executed";
        Say.failure("command '" + command.get(0) + "' " + problem + " (" + failure.getMessage() + ")", failure);
        return missing ? ExitStatus.NOT_FOUND : ExitStatus.NOT_EXECUTABLE;
    }

    /** Ends the wait for its children, of whom some may not be ours to end. */
    void leave() {
        if (children != null) {
            children.leave();
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return all().anyMatch(ProcessHandle::isAlive);
    }

    /** It, what runs below it, and what descends from it otherwise if that is waited for too. */
    private Stream<ProcessHandle> all() {
        Stream<ProcessHandle> tree = Stream.concat(process.descendants(), Stream.of(process.toHandle()));
        return children == null ? tree : Stream.concat(tree, children.alive()).distinct();
    }

    /** Waits until it has ended, whatever happens, and returns its status; 128+n if signal n ended it. */
    int await() {
        while (true) {
            try {
                return process.waitFor();
            } catch (InterruptedException e) {
                // It holds the lock as long as it lives: nothing ends this wait but its end.
            }
        }
    }

    /** Waits until it has ended, or this thread is interrupted; as {@link #await}. */
    int awaitUnlessInterrupted() throws InterruptedException {
        return process.waitFor();
    }

    /** Sends it a signal; if it has ended, to those of its children that are waited for. */
    void send(String signal) {
        List<ProcessHandle> receivers = process.isAlive() || children == null
                ? List.of(process.toHandle())
                : children.alive().toList();
        if (signal.equals("TERM")) {
            receivers.forEach(ProcessHandle::destroy);
            return;
        }
        String pids = receivers.stream().map(each -> " " + each.pid()).collect(Collectors.joining());
        try {
            // The shell's own kill: not every machine has the program. Not waited for; nobody can do anything about it.
            Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + pids)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            kill.onExit();
        } catch (IOException e) {
            Say.failure("could not pass on " + signal + ": " + e.getMessage(), e);
        }
    }

    /**
     * Ends it with all that runs below it: TERM, and KILL to what is left after the grace. The processes below are meant
     * too, because a shell that is ended leaves what it has started running, without the lock. What a process starts after its
     * own TERM is taken for its clean-up: it gets none before half of the grace is over, or that process has ended.
     */
    void end(Duration grace) {
        boolean interrupted = Thread.interrupted(); // the grace is not shortened by it
        long end = System.nanoTime() + grace.toNanos();
        long cleanedUp = end - grace.toNanos() / 2;
        Set<ProcessHandle> known = new LinkedHashSet<>();
        Set<ProcessHandle> told = new HashSet<>();
        while (true) {
            boolean more = known.addAll(all().filter(ProcessHandle::isAlive).toList());
            List<ProcessHandle> alive =
                    known.stream().filter(ProcessHandle::isAlive).toList();
            long now = System.nanoTime();
            if (alive.isEmpty() || now - end >= 0) {
                interrupted |= !alive.isEmpty() && kill(alive, grace);
                break;
            }
            boolean late = now - cleanedUp >= 0;
            List<ProcessHandle> meant = alive.stream()
                    .filter(each -> !told.contains(each) && (late || !isBelowOneOf(told, each)))
                    .toList();
            meant.forEach(ProcessHandle::destroy);
            told.addAll(meant);
            if (!more && meant.isEmpty()) { // else what was started in the meantime is looked for first
                interrupted |= isInterruptedIn(CompletableFuture.anyOf(ends(alive)), (late ? end : cleanedUp) - now);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isBelowOneOf(Set<ProcessHandle> processes, ProcessHandle one) {
        return Stream.iterate(one.parent(), Optional::isPresent, each -> each.flatMap(ProcessHandle::parent))
                .anyMatch(each -> processes.contains(each.orElseThrow()));
    }

    /** Returns whether this thread was interrupted. */
    private static boolean kill(List<ProcessHandle> alive, Duration grace) {
        List<ProcessHandle> left = alive.stream()
                .flatMap(each -> Stream.concat(each.descendants(), Stream.of(each)))
                .distinct()
                .toList();
        Say.briefly("KILL to " + left.size() + (left.size() == 1 ? " process" : " processes")
                + " that TERM did not end within " + Span.inWords(grace));
        left.forEach(ProcessHandle::destroyForcibly);
        return isInterruptedIn(CompletableFuture.allOf(ends(left)), TimeUnit.SECONDS.toNanos(AFTER_KILL_SECONDS));
    }

    private static CompletableFuture<?>[] ends(Collection<ProcessHandle> processes) {
        return processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
    }

    /** Whether this thread was interrupted while it waited, for so long at most. */
    private static boolean isInterruptedIn(CompletableFuture<?> stage, long nanos) {
        try {
            stage.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // Looked at again by whoever waits.
        } catch (InterruptedException e) {
            return true;
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing fails these stages", e);
        }
        return false;
    }
}
