package io.holdfast.faults.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A history in the EDN that Jepsen writes, so that checkers of other people can judge it: one operation a line, begun by
 * {@code :invoke} and completed by {@code :ok}, {@code :fail} or {@code :info}.
 *
 * <p>A file has one lock, in one of three views: {@code mutex}, {@code register} and {@code sections}. What they mean, and which model
 * each is for: docs/evidence.md. Processes are logical: each has one operation at a time, and none after an {@code :info}.
 */
public final class JepsenHistory {
    private static final String NIL = "nil";

    private enum Type {
        INVOKE,
        OK,
        FAIL,
        INFO;

        String word() {
            return ":" + name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** An operation: what it was begun with, and what came of it. */
    private record Call(String function, String argument, String result, Type type, long token, long begin, long end) {}

    /** What one thread did, one call after the other. */
    private record Calls(List<Call> calls) {
        long begin() {
            return calls.get(0).begin();
        }

        Call last() {
            return calls.get(calls.size() - 1);
        }
    }

    private record Event(long at, int process, Type type, String value, Call call) {}

    /** A process that may begin another operation after this time. */
    private record Free(long since, int process) {}

    private JepsenHistory() {}

    /** Writes all that can be said of a history into files of this folder, below these lines of comment. */
    public static void write(Path folder, History history, List<String> head) throws IOException {
        for (Map.Entry<String, List<Operation>> lock : history.byLock().entrySet()) {
            List<Operation> operations = lock.getValue();
            if (operations.stream().allMatch(each -> each.want().equals(Want.ALONE))) {
                view(folder, "mutex-" + lock.getKey(), 0, head, operations, each -> mutex(each, history.end()));
            }
            if (operations.stream().anyMatch(each -> fenced(each).findAny().isPresent())) {
                long zero = operations.get(0).asked();
                view(
                        folder,
                        "register-" + lock.getKey(),
                        zero,
                        head,
                        operations,
                        each -> register(each, history.end()));
                view(
                        folder,
                        "sections-" + lock.getKey(),
                        zero,
                        head,
                        operations,
                        each -> sections(each, history.end()));
            }
        }
    }

    private static void view(
            Path folder,
            String name,
            long zero,
            List<String> head,
            List<Operation> operations,
            Function<Operation, List<Call>> calls)
            throws IOException {
        // Checkers know no register that begins with a value.
        List<Call> beginning = zero == 0 ? List.of() : List.of(call("write", "0", "0", Type.OK, 0, zero, zero + 1, 0));
        List<Calls> all = Stream.concat(
                        Stream.of(beginning), operations.stream().map(calls))
                .filter(each -> !each.isEmpty())
                .map(Calls::new)
                .sorted(Comparator.comparingLong(Calls::begin))
                .toList();
        List<String> lines = new ArrayList<>();
        head.forEach(each -> lines.add(";; " + each));
        List<Event> events = events(all);
        for (int index = 0; index < events.size(); index++) {
            lines.add(line(index, events.get(index), events.get(0).at()));
        }
        Files.write(folder.resolve(name + ".edn"), lines);
    }

    private static List<Event> events(List<Calls> all) {
        List<Event> events = new ArrayList<>();
        PriorityQueue<Free> free = new PriorityQueue<>(Comparator.comparingLong(Free::since));
        int processes = 0;
        for (Calls each : all) {
            Free first = free.peek();
            int process = first != null && first.since() < each.begin()
                    ? free.remove().process()
                    : processes++;
            for (Call call : each.calls()) {
                events.add(new Event(call.begin(), process, Type.INVOKE, call.argument(), call));
                events.add(new Event(call.end(), process, call.type(), call.result(), call));
            }
            if (each.last().type() != Type.INFO) {
                free.add(new Free(each.last().end(), process));
            }
        }
        events.sort(Comparator.comparingLong(Event::at)); // stable: a process keeps its order
        return events;
    }

    private static String line(int index, Event event, long origin) {
        Call call = event.call();
        return "{:index " + index + ", :time " + (event.at() - origin) + ", :process " + event.process() + ", :type "
                + event.type().word() + ", :f :" + call.function() + ", :value " + event.value()
                + (call.token() == 0 ? "" : ", :token " + call.token()) + "}";
    }

    /**
     * Asked for and released. A lease can end by itself, so a release is under way from the last time at which the lock was surely
     * held: from then on it may be over. What nobody is sure to have held counts as unknown.
     */
    private static List<Call> mutex(Operation of, long last) {
        if (!of.obtained() || !of.surelyHeld()) {
            boolean failed = of.none() != 0
                    && !of.outcome().equals("Unknown")
                    && !of.outcome().endsWith("Exception");
            long until = of.obtained() ? of.got() : of.none();
            return List.of(call("acquire", NIL, NIL, failed ? Type.FAIL : Type.INFO, 0, of.asked(), until, last));
        }
        return List.of(
                call("acquire", NIL, NIL, Type.OK, of.token(), of.asked(), of.got(), last),
                call("release", NIL, NIL, Type.OK, of.token(), Math.max(of.got(), of.lastAlive()), of.left(), last));
    }

    /** Each read and each write of the fenced register by itself. */
    private static List<Call> register(Operation of, long last) {
        return fenced(of).map(each -> access(each, of.token(), last)).toList();
    }

    private static Call access(Access each, long token, long last) {
        String value = Long.toString(each.value());
        Type type = each.refused() ? Type.FAIL : Type.OK;
        return each.isWrite()
                ? call("write", value, value, type, token, each.begin(), each.end(), last)
                : call("read", NIL, each.refused() ? NIL : value, type, token, each.begin(), each.end(), last);
    }

    /** A section that read and wrote, as one step from the one value to the other; any other read by itself. */
    private static List<Call> sections(Operation of, long last) {
        List<Call> calls = new ArrayList<>();
        Access read = null;
        for (Access each : fenced(of).toList()) {
            if (!each.isWrite()) {
                read = each;
                if (of.want().mode() == Want.Mode.SHARED) {
                    calls.add(access(each, of.token(), last));
                }
            } else if (read != null) {
                String step = "[" + read.value() + " " + each.value() + "]";
                Type type = each.refused() ? Type.FAIL : Type.OK;
                calls.add(call("cas", step, step, type, of.token(), read.begin(), each.end(), last));
                return calls;
            }
        }
        if (calls.isEmpty() && read != null) {
            calls.add(access(read, of.token(), last));
        }
        return calls;
    }

    private static Stream<Access> fenced(Operation of) {
        return of.accesses().stream().filter(each -> each.register().equals(Registers.FENCED));
    }

    /** What has no end is unknown, and stands at the end of the history. */
    private static Call call(
            String function, String argument, String result, Type type, long token, long begin, long end, long last) {
        return end == 0
                ? new Call(function, argument, argument, Type.INFO, token, begin, last)
                : new Call(function, argument, result, type, token, begin, end);
    }
}
