package io.holdfast.faults.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;

/**
 * Notices that the machine did not work for a while: this process, which has the proxies of all workers, stood still, or a
 * hypervisor ran something else on one of its cores. A thread that ran on that core is not run by another one meanwhile, so a single
 * connection may stand still where nothing else does.
 */
final class MachineWatch implements AutoCloseable {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long STANDSTILL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Linux tells users of its clock ticks as hundredths of a second. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final Pattern BLANKS = Pattern.compile(" +");
    private static final int STOLEN = 8;

    private final LongConsumer stoodStill;
    private final Thread thread = new Thread(this::run, "machine-watch");
    private volatile boolean closed;

    /** @param stoodStill is called with the time of {@link System#nanoTime()} from which on the machine did not work until now, wholly or in part */
    MachineWatch(LongConsumer stoodStill) {
        this.stoodStill = stoodStill;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        long last = System.nanoTime();
        long[] stolen = stolen(statistics());
        long counted = last;
        while (!closed) {
            LockSupport.parkNanos(SAMPLE_NANOS);
            long now = System.nanoTime();
            if (now - last > STANDSTILL_NANOS) {
                stoodStill.accept(last);
            }
            last = now;
            if (now - counted > STANDSTILL_NANOS) {
                long[] present = stolen(statistics());
                for (int core = 0; core < Math.min(stolen.length, present.length); core++) {
                    long nanos = (present[core] - stolen[core]) * TICK_NANOS;
                    if (nanos > STANDSTILL_NANOS / 2) {
                        stoodStill.accept(counted - nanos);
                    }
                }
                stolen = present;
                counted = now;
            }
        }
    }

    private static List<String> statistics() {
        try {
            return Files.readAllLines(STATISTICS);
        } catch (IOException e) {
            return List.of(); // no Linux
        }
    }

    /** The ticks that were stolen from each core, of the lines of the kernel's statistics. */
    static long[] stolen(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("cpu") && !line.startsWith("cpu "))
                .map(BLANKS::split)
                .mapToLong(words -> words.length > STOLEN ? Long.parseLong(words[STOLEN]) : 0)
                .toArray();
    }

    @Override
    public void close() {
        closed = true;
    }
}
