package io.holdfast.benchmarks;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * By what the numbers of a run are to be read: what a machine takes for the least that any lock does. There are two kinds of
 * machines, and users have both.
 *
 * @param cycleMicros of {@code SET NX PX} and a script that compares and deletes, over one plain connection; the median
 * @param wakingMicros from when a thread unparks another one until that runs; the median
 */
record MachineTerms(double cycleMicros, double wakingMicros) {
    /** As ratios go, a third and two thirds of the way from the 35 µs of the one kind to the 200 of the other. */
    private static final double CHEAP_MICROS = 62;

    private static final double COSTLY_MICROS = 112;

    private static final int WARM = 10_000;
    private static final int COUNTED = 5_000;
    private static final String COMPARE_AND_DELETE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    /** Takes a second or three; to be called while the machine does nothing else. */
    static MachineTerms measure(RedisServer server) throws InterruptedException {
        return measure(server, WARM, COUNTED);
    }

    static MachineTerms measure(RedisServer server, int warm, int counted) throws InterruptedException {
        return new MachineTerms(cycleMicros(server, warm, counted), wakingMicros(warm, counted));
    }

    private static double cycleMicros(RedisServer server, int warm, int counted) {
        Histogram histogram = new Histogram();
        try (RespClient connection = server.connect()) {
            String deletion =
                    connection.command("SCRIPT", "LOAD", COMPARE_AND_DELETE).asString();
            for (int i = 0; i < warm + counted; i++) {
                String value = Integer.toString(i);
                long begin = System.nanoTime();
                connection.command("SET", "terms", value, "NX", "PX", "30000");
                connection.command("EVALSHA", deletion, "1", "terms", value);
                if (i >= warm) {
                    histogram.add(System.nanoTime() - begin);
                }
            }
        }
        return histogram.at(0.5) / 1e3;
    }

    /** Two threads that wake each other in turn. */
    private static final class PingPong {
        private volatile int turn;

        /** Begins a turn. */
        void begin(int next, Thread other) {
            turn = next;
            LockSupport.unpark(other);
        }

        void await(int wanted) {
            while (turn != wanted) {
                LockSupport.park(this);
            }
        }
    }

    private static double wakingMicros(int warm, int counted) throws InterruptedException {
        PingPong game = new PingPong();
        Histogram histogram = new Histogram();
        Thread here = Thread.currentThread();
        int turns = 2 * (warm + counted);
        Thread there = Threads.start(false, () -> {
            for (int i = 1; i < turns; i += 2) {
                game.await(i);
                game.begin(i + 1, here);
            }
        });
        for (int i = 0; i < warm + counted; i++) {
            long begin = System.nanoTime();
            game.begin(2 * i + 1, there);
            game.await(2 * i + 2);
            if (i >= warm) {
                histogram.add((System.nanoTime() - begin) / 2);
            }
        }
        there.join();
        return histogram.at(0.5) / 1e3;
    }

    /** As rows of the table of the machine. */
    Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "the floor's cycle",
                String.format(
                        Locale.ROOT,
                        "%.1f µs: SET NX PX and a script that compares and deletes, over one plain"
                                + " connection, the median at the start",
                        cycleMicros));
        facts.put(
                "a wake-up",
                String.format(
                        Locale.ROOT,
                        "%.1f µs: the time from one thread's unpark until the other thread runs, the median at the"
                                + " start",
                        wakingMicros));
        facts.put("kind of machine", kind());
        return facts;
    }

    private String kind() {
        if (cycleMicros < CHEAP_MICROS) {
            return "wake-ups of threads are cheap (the floor's cycle takes some 35 µs on such machines, and 200 on the"
                    + " others). The server's and the clients' own work shows";
        }
        if (cycleMicros < COSTLY_MICROS) {
            return "wake-ups of threads are neither cheap nor costly (the floor's cycle takes some 35 µs where they are"
                    + " cheap, and 200 where they are costly). They hide part of the server's and the clients' own work";
        }
        return "wake-ups of threads are costly (the floor's cycle takes some 200 µs on such machines, and 35 on the"
                + " others). They hide most of the server's and the clients' own work";
    }
}
