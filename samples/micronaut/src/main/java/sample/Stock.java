package sample;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import jakarta.inject.Singleton;

/** Pieces that are booked, in the application's own Redis. */
@Singleton
class Stock {
    private final RedisCommands<String, String> redis;

    Stock(StatefulRedisConnection<String, String> connection) {
        this.redis = connection.sync();
    }

    @Locked("stock/{item}")
    public int book(String item) {
        String before = redis.get("pieces:" + item); // read, and written back: without the lock, bookings are lost
        int pieces = before == null ? 1 : Integer.parseInt(before) + 1;
        redis.set("pieces:" + item, Integer.toString(pieces));
        return pieces;
    }
}
