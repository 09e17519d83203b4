package io.holdfast.internal.report;

import io.holdfast.LockFigures;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The reports of all clients, for one that looks. It asks those that listen to report first: each answers when its report is written, so
 * that what is read then is what they have.
 */
public final class Reports {
    /** When none of them has answered for so long, those that have not are dead, stand still, or are slow. */
    private static final Duration PATIENCE = Duration.ofMillis(250);
    /** So long the answers of thousands may take. */
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final int READ_AT_ONCE = 50;
    private static final long NO_NUMBER = -1;
    private static final Report.Had NOT_HAD = new Report.Had(0, 0, 0);

    private final Kit kit;
    private final Server server;
    private final Reporter own;
    private final Hearing hearing;
    private final BooleanSupplier hears;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, Question> open = new ConcurrentHashMap<>();
    /** Clients that did not answer last time. No look waits for them again until they do. */
    private final Set<String> silent = ConcurrentHashMap.newKeySet();
    /** What was read last, by client: who answers that it has written nothing since is not read again. */
    private final Map<String, Report.Numbered> known = new ConcurrentHashMap<>();

    /** Clients that have been asked and have not answered. */
    private static final class Question {
        final Set<String> unanswered = ConcurrentHashMap.newKeySet();
        /** By client, the numbers of their reports. */
        final Map<String, Long> numbers = new ConcurrentHashMap<>();

        final Semaphore answers = new Semaphore(0);
    }

    /** @param hears whether answers of others could reach this client, if it listened */
    public Reports(Kit kit, Server server, Reporter own, Hearing hearing, BooleanSupplier hears) {
        this.kit = kit;
        this.server = server;
        this.own = own;
        this.hearing = hearing;
        this.hears = hears;
    }

    // ---- answering

    /**
     * A client asks, {@code A client number}, or has answered, {@code D number client report}, with the number of its report. What is not so written is of another version, and
     * says nothing.
     */
    public void onMessage(String text) {
        String[] words = text.split(" ", 4);
        try {
            if (words[0].equals("A")) {
                onQuestion(words[1], Long.parseLong(words[2]));
            } else if (words[0].equals("D")) {
                onAnswer(Long.parseLong(words[1]), words[2], Long.parseLong(words[3]));
            }
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            LOG.log(System.Logger.Level.DEBUG, () -> "an unknown message: " + LogText.text(text));
        }
    }

    /** A client looks, and hears the number when the present one has reported. */
    private void onQuestion(String client, long number) {
        if (!kit.isClosed()) {
            own.report(() -> hearing.tell(client, "D " + number + " " + kit.ids.client() + " " + own.number()));
        }
    }

    /** One of those who were asked has reported. */
    private void onAnswer(long number, String client, long report) {
        silent.remove(client);
        Question question = open.get(number);
        if (question != null) {
            question.numbers.put(client, report);
            if (question.unanswered.remove(client)) {
                question.answers.release();
            }
        }
    }

    // ---- asking

    /**
     * What clients report.
     *
     * @param locks what they hold and wait for, by the keys of holds
     * @param figures what each has counted, by its id
     */
    public record Reading(Map<String, Reported> locks, Map<String, Counted> figures) {}

    /**
     * A lock that clients report.
     *
     * @param callers how many of their callers wait for it
     * @param mark another one when another client reports it, or one of them has another hold of it
     * @param until when one of them has it, in ms on the server's clock; 0 if that is not known
     */
    public record Reported(int callers, String mark, long until) {}

    /** The same of the clients that have been read, of which there may be thousands. */
    private static final class Gathered {
        private final StringBuilder mark = new StringBuilder();
        private int callers;
        private long until;

        void add(String client, Report.Had had) {
            callers += had.callers();
            mark.append(client).append(' ').append(had.token()).append(' ');
            until = Math.max(until, had.until());
        }

        Reported reported() {
            return new Reported(callers, mark.toString(), until);
        }
    }

    /**
     * What a client has counted.
     *
     * @param byLock by the keys of holds
     * @param dropped of other locks
     */
    public record Counted(Map<String, LockFigures> byLock, LockFigures dropped) {
        /** Of all locks together. */
        public LockFigures total() {
            return byLock.values().stream().reduce(dropped, LockFigures::plus);
        }
    }

    /** Asks all clients to report, and reads it. Blocks for a few round trips. */
    public Reading read() {
        Map<String, Long> numbers = ask(hears() ? listening() : List.of());
        Reading reading = new Reading(new LinkedHashMap<>(), new LinkedHashMap<>());
        List<String> clients = AsyncResults.await(server, server.reportScripts::clients);
        known.keySet().retainAll(new HashSet<>(clients));
        Map<String, Gathered> locks = new LinkedHashMap<>();
        reports(clients, numbers).forEach((client, report) -> {
            report.locks()
                    .forEach((key, had) ->
                            locks.computeIfAbsent(key, any -> new Gathered()).add(client, had));
            if (!report.equals(Report.NOTHING)) {
                reading.figures.put(client, new Counted(report.figures(), report.dropped()));
            }
        });
        locks.forEach((key, gathered) -> reading.locks.put(key, gathered.reported()));
        return reading;
    }

    /**
     * What stands on the server, in the order of the clients.
     *
     * @param numbers of the reports of those that have answered
     */
    private Map<String, Report> reports(List<String> clients, Map<String, Long> numbers) {
        Map<String, Report.Numbered> reports = new LinkedHashMap<>();
        List<String> unread = new ArrayList<>();
        for (String client : clients) {
            Report.Numbered last = known.getOrDefault(client, Report.Numbered.NONE);
            reports.put(client, last);
            if (last.number() != numbers.getOrDefault(client, NO_NUMBER)) {
                unread.add(client);
            }
        }
        for (int from = 0; from < unread.size(); from += READ_AT_ONCE) {
            List<String> some = unread.subList(from, Math.min(unread.size(), from + READ_AT_ONCE));
            List<String> texts = AsyncResults.await(server, callback -> server.reportScripts.read(some, callback));
            for (int i = 0; i < some.size(); i++) {
                reports.put(some.get(i), Report.read(texts.get(i)));
            }
        }
        known.putAll(reports);
        Map<String, Report> all = new LinkedHashMap<>();
        reports.forEach((client, numbered) -> all.put(client, numbered.report()));
        return all;
    }

    /**
     * How many callers wait for a lock, by what its clients report. They are asked first. Blocks for a few round trips.
     *
     * @param hold the key of the hold
     * @param clients those that have it, or stand in its queue
     */
    public int callers(String hold, Collection<String> clients) {
        List<String> all = List.copyOf(clients);
        Map<String, Long> numbers = ask(hears() ? hearing.listening(all) : List.of());
        return reports(all, numbers).values().stream()
                .mapToInt(report -> report.locks().getOrDefault(hold, NOT_HAD).callers())
                .sum();
    }

    /** Asks these, or the present client where others would not be heard; the numbers of the reports of those that have answered. */
    private Map<String, Long> ask(List<String> clients) {
        if (clients.isEmpty()) {
            Semaphore written = new Semaphore(0);
            own.report(written::release);
            var unused = await(written, 1);
            return Map.of();
        }
        long number = numbers.incrementAndGet();
        Question question = new Question();
        open.put(number, question);
        try {
            question.unanswered.addAll(clients);
            question.unanswered.removeAll(silent);
            int awaited = question.unanswered.size();
            clients.forEach(client -> hearing.tell(client, "A " + kit.ids.client() + " " + number));
            boolean all = await(question.answers, awaited);
            if (!all && !question.unanswered.contains(kit.ids.client())) { // else it is this client that hears nothing
                silent.addAll(question.unanswered);
            }
            return Map.copyOf(question.numbers);
        } finally {
            open.remove(number);
        }
    }

    /** Whether answers of others reach this client. It listens for them from now on. */
    private boolean hears() {
        if (!hears.getAsBoolean()) {
            return false;
        }
        CompletableFuture<Void> listens = own.listen();
        Semaphore acknowledged = new Semaphore(0);
        var unused = listens.whenComplete((nothing, failure) -> acknowledged.release());
        return await(acknowledged, 1) && listens.isDone() && !listens.isCompletedExceptionally();
    }

    private List<String> listening() {
        List<String> all = hearing.listening();
        silent.retainAll(all);
        return all;
    }

    /** Whether so many have come in time. */
    private boolean await(Semaphore answers, int count) {
        long begun = System.nanoTime();
        try {
            for (int i = 0; i < count; i++) {
                long left = Math.min(PATIENCE.toNanos(), LONGEST.toNanos() - (System.nanoTime() - begun));
                if (!answers.tryAcquire() && !await(answers, left)) {
                    return false;
                }
            }
            return true;
        } catch (IllegalStateException e) {
            return true; // the time stands still until this thread moves it: what has been reported is all
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private boolean await(Semaphore answers, long nanos) throws InterruptedException {
        kit.beforeWaiting();
        return answers.tryAcquire(nanos, TimeUnit.NANOSECONDS);
    }
}
