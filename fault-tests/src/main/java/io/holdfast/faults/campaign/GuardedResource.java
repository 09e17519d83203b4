package io.holdfast.faults.campaign;

import io.holdfast.contracts.servers.RespClient;
import io.holdfast.faults.history.Ledger.Write;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * What the locks guard: two counters for each lock, on a server that no fault touches. One refuses tokens that are older
 * than the newest it has seen, the other takes every write. Both keep a journal. For use by one thread.
 */
final class GuardedResource implements AutoCloseable {
    /** What {@link #readFenced} answers to a token that is too old. */
    static final long REFUSED = -1;

    private static final String READ_FENCED = """
            if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'newest') or '0') then
              redis.call('HINCRBY', KEYS[1], 'refused', 1)
              return -1
            end
            redis.call('HSET', KEYS[1], 'newest', ARGV[1])
            return tonumber(redis.call('HGET', KEYS[1], 'value') or '0')
            """;
    private static final String WRITE_FENCED = """
            if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'newest') or '0') then
              redis.call('HINCRBY', KEYS[1], 'refused', 1)
              return 0
            end
            redis.call('HSET', KEYS[1], 'newest', ARGV[1], 'value', ARGV[2] + 1)
            redis.call('RPUSH', KEYS[2], ARGV[2])
            return 1
            """;
    private static final String WRITE_PLAIN = """
            redis.call('SET', KEYS[1], ARGV[1] + 1)
            redis.call('RPUSH', KEYS[2], ARGV[1])
            return 1
            """;

    private final RespClient server;

    /** At this host and port, with a colon between. */
    GuardedResource(String address) {
        int colon = address.indexOf(':');
        server = RespClient.connect(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    /** The fenced counter, as the holder of this token sees it; {@link #REFUSED} if the token is too old. */
    long readFenced(String lock, long token) {
        return server.command("EVAL", READ_FENCED, "1", "fenced:" + lock, Long.toString(token))
                .asLong();
    }

    /** Sets the fenced counter to one more than was read. */
    boolean writeFenced(String lock, long token, long base) {
        Reply accepted = server.command(
                "EVAL",
                WRITE_FENCED,
                "2",
                "fenced:" + lock,
                "journal:fenced:" + lock,
                Long.toString(token),
                Long.toString(base));
        return accepted.asLong() == 1;
    }

    /** The other counter. */
    long readPlain(String lock) {
        Reply value = server.command("GET", "plain:" + lock);
        return value.isNull() ? 0 : value.asLong();
    }

    /** Sets the other counter to one more than was read. */
    void writePlain(String lock, long base) {
        server.command("EVAL", WRITE_PLAIN, "2", "plain:" + lock, "journal:plain:" + lock, Long.toString(base));
    }

    /** How often the fenced counter has refused an old token. */
    int refused(String lock) {
        Reply count = server.command("HGET", "fenced:" + lock, "refused");
        return count.isNull() ? 0 : (int) count.asLong();
    }

    /** All accepted writes, in their order. */
    List<Write> writes(String lock, boolean fenced) {
        List<Write> writes = new ArrayList<>();
        String journal = "journal:" + (fenced ? "fenced:" : "plain:") + lock;
        for (Reply base : server.command("LRANGE", journal, "0", "-1").asList()) {
            writes.add(new Write(base.asLong(), base.asLong() + 1));
        }
        return writes;
    }

    @Override
    public void close() {
        server.close();
    }
}
