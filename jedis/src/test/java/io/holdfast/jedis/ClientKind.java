package io.holdfast.jedis;

import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;

/** The clients with a pool that some version of Jedis has. Made by name: no version has all of them. */
enum ClientKind {
    JEDIS_POOLED {
        @Override
        UnifiedJedis open(int port) throws ReflectiveOperationException {
            return Class.forName("redis.clients.jedis.JedisPooled")
                    .asSubclass(UnifiedJedis.class)
                    .getConstructor(String.class, int.class)
                    .newInstance("127.0.0.1", port);
        }
    },
    REDIS_CLIENT {
        @Override
        UnifiedJedis open(int port) throws ReflectiveOperationException {
            return (UnifiedJedis) Class.forName("redis.clients.jedis.RedisClient")
                    .getMethod("create", String.class, int.class)
                    .invoke(null, "127.0.0.1", port);
        }
    },
    UNIFIED_JEDIS {
        @Override
        UnifiedJedis open(int port) throws ReflectiveOperationException {
            return UnifiedJedis.class
                    .getConstructor(HostAndPort.class)
                    .newInstance(new HostAndPort("127.0.0.1", port));
        }
    };

    abstract UnifiedJedis open(int port) throws ReflectiveOperationException;

    /** Those of the Jedis at hand: at least one. */
    static List<ClientKind> ofThisVersion() {
        return Stream.of(values()).filter(ClientKind::exists).toList();
    }

    private boolean exists() {
        try {
            // Opens no connection before it is asked for something.
            open(1).close();
            return true;
        } catch (ClassNotFoundException | NoSuchMethodException e) {
            return false;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
