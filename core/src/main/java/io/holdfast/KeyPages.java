package io.holdfast;

import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.locks.LockSupport;

/** The keys that match a pattern on one server or several, page by page. It searches all their keys, and asks as it is read. */
final class KeyPages implements Iterator<List<String>> {
    /** The pause after each page, in multiples of the time that the page took. */
    private static final int PAUSE = 4;

    private final Server server;
    private final String pattern;
    private final int page;
    private final Deque<List<String>> ready = new ArrayDeque<>();
    private final Deque<RedisDriver> masters;
    private String cursor = "0";
    private long tookNanos; // the last page

    /** @param page the number of keys that one step looks at */
    KeyPages(Server server, String pattern, int page) {
        this.server = server;
        this.pattern = pattern;
        this.page = page;
        this.masters = new ArrayDeque<>(server.driver.masters());
    }

    @Override
    public boolean hasNext() {
        while (ready.isEmpty() && !masters.isEmpty()) {
            RedisDriver master = masters.getFirst();
            Command scan = Command.of("SCAN", cursor, "MATCH", pattern, "COUNT", Integer.toString(page));
            pause();
            long sent = System.nanoTime();
            Reply found = AsyncResults.await(server, callback -> server.calls.send(master, scan, callback));
            List<Reply> parts = found.asList();
            tookNanos = System.nanoTime() - sent;
            cursor = parts.get(0).asString();
            if (cursor.equals("0")) {
                masters.removeFirst();
            }
            List<String> keys = new ArrayList<>();
            for (Reply key : parts.get(1).asList()) {
                keys.add(key.asString());
            }
            if (!keys.isEmpty()) {
                ready.add(keys);
            }
        }
        return !ready.isEmpty();
    }

    /** Leaves the server time for others, since it has only one thread. */
    private void pause() {
        LockSupport.parkNanos(PAUSE * tookNanos);
    }

    @Override
    public List<String> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return ready.remove();
    }
}
