package io.holdfast.benchmarks;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.spi.Reply;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Calls that clients once sent, sent again to the same server as fast as it takes them. Each lock has a sequence of calls;
 * the first calls of all locks go out together, then the second ones, so that a sequence goes on where its replies have come.
 *
 * <p>A call may tell what an earlier one was told: a token, or a time, both in microseconds of the server's clock. It tells
 * then what the earlier one is told now.
 */
final class Replay {
    /** Of these days, as a number of its own. */
    private static final Pattern MICROS = Pattern.compile("(?<![0-9])[0-9]{16}(?![0-9])");
    /** So far may a number be beyond the one that it was counted from. */
    private static final long COUNTED = 100_000;

    private static final int TEXT = 4_096;

    /** How a number in a call comes from an earlier call of the sequence. */
    private record Origin(int call, long more) {}

    private static final class Sequence {
        final List<Recorder.Call> calls;
        /** By call and number. */
        final List<Map<String, Origin>> origins = new ArrayList<>();
        /** The greatest number that a call was told. */
        final long[] told;

        Sequence(List<Recorder.Call> calls) {
            this.calls = calls;
            this.told = new long[calls.size()];
            for (int i = 0; i < calls.size(); i++) {
                Map<String, Origin> found = new HashMap<>();
                for (String word : calls.get(i).words()) {
                    MICROS.matcher(word).results().map(MatchResult::group).forEach(number -> origin(number, found));
                }
                origins.add(found);
            }
        }

        /** The last call before this one in which the server wrote the number, or one that is a little less. */
        private void origin(String number, Map<String, Origin> found) {
            long wanted = Long.parseLong(number);
            for (int i = origins.size() - 1; i >= 0; i--) {
                for (List<String> words : calls.get(i).within()) {
                    for (String word : words) {
                        for (MatchResult match : MICROS.matcher(word).results().toList()) {
                            long more = wanted - Long.parseLong(match.group());
                            if (more >= 0 && more < COUNTED) {
                                found.put(number, new Origin(i, more));
                                return;
                            }
                        }
                    }
                }
            }
        }

        List<String> words(int call) {
            List<String> words = calls.get(call).words();
            Map<String, Origin> found = origins.get(call);
            return found.isEmpty()
                    ? words
                    : words.stream()
                            .map(word -> MICROS.matcher(word).replaceAll(match -> {
                                Origin origin = found.get(match.group());
                                return origin == null
                                        ? match.group()
                                        : Long.toString(told[origin.call()] + origin.more());
                            }))
                            .toList();
        }

        void told(int call, Reply reply) {
            told[call] = MICROS.matcher(reply.toString())
                    .results()
                    .mapToLong(match -> Long.parseLong(match.group()))
                    .max()
                    .orElse(0);
        }
    }

    private final RedisServer server;
    private final List<Sequence> sequences;
    private final int prelude;
    private final int steps;

    /**
     * A replay.
     *
     * @param prelude how many calls of each sequence only prepare the others
     */
    Replay(RedisServer server, List<List<Recorder.Call>> sequences, int prelude) {
        this.server = server;
        this.sequences = sequences.stream().map(Sequence::new).toList();
        this.prelude = prelude;
        this.steps = sequences.stream().mapToInt(List::size).max().orElse(0);
    }

    /** Empties the server and sends all of it; its counts begin behind the prelude. */
    void run(RespClient connection) {
        begin();
        for (int step = 0; step < steps; step++) {
            if (step == prelude) {
                server.command("CONFIG", "RESETSTAT");
            }
            send(connection, step);
        }
    }

    /** The same, and tells which part of the calls made the server call other commands than when they were recorded. */
    double rehearse(RespClient connection, Recorder recorder) {
        begin();
        int all = 0;
        int different = 0;
        for (int step = 0; step < steps; step++) {
            recorder.take();
            List<Sequence> senders = send(connection, step);
            List<Recorder.Call> seen = recorder.take();
            for (int i = 0; i < senders.size(); i++) {
                all++;
                if (!senders.get(i)
                        .calls
                        .get(step)
                        .commandsWithin()
                        .equals(seen.get(i).commandsWithin())) {
                    different++;
                }
            }
        }
        return (double) different / Math.max(1, all);
    }

    private void begin() {
        server.command("FLUSHALL");
    }

    private List<Sequence> send(RespClient connection, int step) {
        List<Sequence> senders = sequences.stream()
                .filter(sequence -> step < sequence.calls.size())
                .toList();
        ByteArrayOutputStream batch = new ByteArrayOutputStream(senders.size() * TEXT);
        senders.forEach(sequence -> batch.writeBytes(request(sequence.words(step))));
        connection.sendRaw(batch.toByteArray());
        senders.forEach(sequence -> sequence.told(step, connection.read()));
        return senders;
    }

    private static byte[] request(List<String> words) {
        ByteArrayOutputStream request = new ByteArrayOutputStream(TEXT);
        request.writeBytes(ascii("*" + words.size() + "\r\n"));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            request.writeBytes(ascii("$" + bytes.length + "\r\n"));
            request.writeBytes(bytes);
            request.writeBytes(ascii("\r\n"));
        }
        return request.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
