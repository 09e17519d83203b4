package io.holdfast.faults.campaign;

import io.holdfast.faults.history.Entry;
import io.holdfast.faults.history.Entry.Kind;
import io.holdfast.faults.history.Recorder;
import io.holdfast.faults.history.Registers;
import io.holdfast.faults.history.Want;
import io.holdfast.faults.subjects.Subject;
import io.holdfast.faults.subjects.Subject.Hold;
import io.holdfast.faults.subjects.Subject.NotObtained;
import io.holdfast.faults.subjects.Subjects;
import io.holdfast.faults.subjects.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A process that takes locks in several threads, changes what they guard, and writes a history, until its input says
 * {@code stop} or ends. Started by {@link Crew} only.
 *
 * <p>Each section reads what is guarded, works, asks whether it still holds the lock, and writes: what a careful user does. A
 * reader reads once more instead, before it asks. What so many may do at a time guards nothing.
 */
final class Worker {
    private static final long STANDSTILL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How it is started. */
    record Settings(
            String subject,
            Target target,
            Duration term,
            String ledger,
            List<String> locks,
            int threads,
            long seed,
            Path history) {
        List<String> arguments() {
            return List.of(
                    subject,
                    target.toString(),
                    Long.toString(term.toMillis()),
                    ledger,
                    String.join(",", locks),
                    Integer.toString(threads),
                    Long.toString(seed),
                    history.toString());
        }

        static Settings of(String[] arguments) {
            return new Settings(
                    arguments[0],
                    Target.parse(arguments[1]),
                    Duration.ofMillis(Long.parseLong(arguments[2])),
                    arguments[3],
                    List.of(arguments[4].split(",")),
                    Integer.parseInt(arguments[5]),
                    Long.parseLong(arguments[6]),
                    Path.of(arguments[7]));
        }
    }

    private final Settings settings;
    private final Subject subject;
    private final Recorder recorder;
    private final Map<Long, Hold> held = new ConcurrentHashMap<>(); // until the release is about to begin
    private volatile boolean stopped;

    private Worker(Settings settings, Subject subject, Recorder recorder) {
        this.settings = settings;
        this.subject = subject;
        this.recorder = recorder;
    }

    /** Runs the program. */
    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.of(arguments);
        try (Recorder recorder = new Recorder(settings.history())) {
            Subject subject = Subjects.of(settings.subject()).connect(settings.target(), settings.term());
            Worker worker = new Worker(settings, subject, recorder);
            worker.work();
            subject.close();
        }
        System.out.println("closed");
        System.exit(0); // threads of libraries may be left
    }

    private void work() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < settings.threads(); i++) {
            Random random = new Random(settings.seed() * 31 + i);
            GuardedResource resource = new GuardedResource(settings.ledger());
            threads.add(new Thread(() -> run(random, resource), "worker-" + i));
        }
        Thread watch = new Thread(this::watch, "watch");
        watch.setDaemon(true);
        watch.start();
        threads.forEach(Thread::start);
        System.out.println("ready");
        while (true) {
            int next = System.in.read();
            if (next < 0) {
                Runtime.getRuntime().halt(1); // whoever started this is gone
            }
            if (next == '\n') {
                break;
            }
        }
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Notices that the process stood still, and that leases are over. */
    private void watch() {
        long last = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(WATCH_NANOS);
            long now = System.nanoTime();
            if (now - last > STANDSTILL_NANOS) {
                recorder.write(new Entry(Kind.STALLED, last, 0, "", now - last, ""));
            }
            last = now;
            held.forEach((operation, hold) -> {
                if (hold.isOver() && held.remove(operation, hold)) {
                    recorder.note(Kind.OVER, operation, "");
                }
            });
        }
    }

    private void run(Random random, GuardedResource resource) {
        try (resource) {
            while (!stopped) {
                cycle(random, resource);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts", e);
        }
    }

    private void cycle(Random random, GuardedResource resource) throws InterruptedException {
        String lock;
        try {
            lock = subject.present(
                    settings.locks().get(random.nextInt(settings.locks().size())), random);
        } catch (NotObtained e) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            return;
        }
        Duration wait = Duration.ofMillis(
                switch (random.nextInt(8)) {
                    case 0 -> 0;
                    case 1 -> 200;
                    case 2 -> 1_500;
                    default -> 12_000; // for longer than it takes until the lock of a dead holder is free
                });
        Want want = Subjects.way(settings.subject()).draw(random);
        long operation = recorder.newOperation();
        String asked = (wait + " " + want.words()).trim();
        recorder.write(new Entry(Kind.ASK, System.nanoTime(), operation, lock, 0, asked));
        Hold hold;
        try {
            hold = subject.acquire(
                    lock,
                    want,
                    wait,
                    () -> recorder.note(Kind.QUEUED, operation, ""),
                    reason -> recorder.note(Kind.LOST, operation, reason));
        } catch (NotObtained e) {
            recorder.note(Kind.NONE, operation, e.outcome());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5 + random.nextInt(20)));
            return;
        }
        String slots = hold.slots().stream().map(String::valueOf).collect(Collectors.joining(","));
        recorder.write(new Entry(Kind.GOT, System.nanoTime(), operation, "", hold.token(), slots));
        held.put(operation, hold);
        section(want.mode(), lock, operation, hold, random, resource);
        held.remove(operation);
        recorder.note(Kind.LEAVING, operation, "");
        String result;
        try {
            result = hold.release();
        } catch (Exception e) {
            result = e.getClass().getSimpleName();
        }
        recorder.note(Kind.LEFT, operation, result);
    }

    private void section(
            Want.Mode mode, String lock, long operation, Hold hold, Random random, GuardedResource resource) {
        boolean guards = mode != Want.Mode.PERMITS;
        boolean fenced = guards && hold.token() != 0;
        long plain = guards ? readPlain(lock, operation, resource) : 0;
        long guarded = fenced ? readFenced(lock, operation, hold, resource) : GuardedResource.REFUSED;
        long rest = workNanos(random);
        boolean alive = true;
        while (alive && rest > 0) {
            LockSupport.parkNanos(Math.min(rest, CHECK_NANOS));
            rest -= CHECK_NANOS;
            if (rest > 0) {
                alive = stillHeld(operation, hold);
            }
        }
        if (mode == Want.Mode.SHARED) {
            readPlain(lock, operation, resource);
            readFenced(lock, operation, hold, resource);
        }
        if (stillHeld(operation, hold) && mode == Want.Mode.ALONE) {
            recorder.write(entry(Kind.WRITING, operation, plain + 1, Registers.PLAIN));
            resource.writePlain(lock, plain);
            recorder.write(entry(Kind.WROTE, operation, plain + 1, Registers.PLAIN));
        }
        // Also by who knows better: the resource has to refuse.
        if (guarded != GuardedResource.REFUSED && mode == Want.Mode.ALONE) {
            recorder.write(entry(Kind.WRITING, operation, guarded + 1, Registers.FENCED));
            boolean accepted = resource.writeFenced(lock, hold.token(), guarded);
            recorder.write(entry(accepted ? Kind.WROTE : Kind.REFUSED, operation, guarded + 1, Registers.FENCED));
        }
    }

    private long readPlain(String lock, long operation, GuardedResource resource) {
        recorder.note(Kind.READING, operation, Registers.PLAIN);
        long value = resource.readPlain(lock);
        recorder.write(entry(Kind.READ, operation, value, Registers.PLAIN));
        return value;
    }

    private long readFenced(String lock, long operation, Hold hold, GuardedResource resource) {
        recorder.note(Kind.READING, operation, Registers.FENCED);
        long value = resource.readFenced(lock, hold.token());
        Kind kind = value == GuardedResource.REFUSED ? Kind.REFUSED : Kind.READ;
        recorder.write(entry(kind, operation, value, Registers.FENCED));
        return value;
    }

    private static Entry entry(Kind kind, long operation, long value, String register) {
        return new Entry(kind, System.nanoTime(), operation, "", value, register);
    }

    /** Mostly short sections, and some that outlast the term. */
    private long workNanos(Random random) {
        int kind = random.nextInt(400);
        long term = settings.term().toNanos();
        if (kind < 370) {
            return TimeUnit.MICROSECONDS.toNanos(random.nextInt(4_000));
        }
        if (kind < 398) {
            return TimeUnit.MILLISECONDS.toNanos(20 + random.nextInt(80));
        }
        return Math.min(term + term / 4, TimeUnit.SECONDS.toNanos(5));
    }

    private boolean stillHeld(long operation, Hold hold) {
        long before = System.nanoTime();
        boolean alive = hold.isHeld();
        if (alive) {
            recorder.write(new Entry(Kind.ALIVE, before, operation, "", 0, ""));
        }
        return alive;
    }
}
