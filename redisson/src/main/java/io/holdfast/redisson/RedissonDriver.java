package io.holdfast.redisson;

import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.routing.Location;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import org.redisson.api.RedissonClient;

/**
 * Creates drivers that connect as the application's Redisson does: to the same servers, as the same user, on the same database
 * and with the same encryption.
 *
 * <p>Such a driver opens connections of its own, with Jedis, and takes none out of Redisson's pools: one for commands and,
 * from the first subscription on, one for messages, for each server that holds keys. It reads the client's configuration
 * when it is made, and uses the client for nothing else. Either may be closed first.
 *
 * <p><b>What is taken over</b>: a single server, a cluster or Sentinels; user and password, or a {@code CredentialsResolver},
 * which is asked again before each connection; the stores and factories for TLS; the connect timeout; the client name, if
 * there is one, else {@code holdfast}. Redisson's retries, timeouts of commands, pool sizes, codecs and mappers of names do not
 * concern a driver.
 *
 * <p>Redisson 4.0.0 is the oldest that works. Tested with that and with 4.7.0.
 */
public final class RedissonDriver {
    private RedissonDriver() {}

    /**
     * Returns a driver to the servers of a client. Blocks until it is usable, for at most the client's connect timeout, or twice
     * that if there are several servers. Each configured node of a cluster that does not answer can take one more connect
     * timeout.
     *
     * @param client the client; it may not have connected yet, or may be shut down
     * @throws DriverException {@code UNKNOWN} if nothing answers there; {@code REJECTED} if the server answered with an error,
     *     for example about the password
     * @throws IllegalArgumentException if the client's configuration has a setting that a driver does not support: replicated or
     *     master/slave servers, a Unix domain socket, a mapper of addresses or of commands, a database in a cluster, chosen
     *     protocols or ciphers of TLS, or certificates that are not verified completely; the message names the setting
     */
    public static RedisDriver over(RedissonClient client) {
        Settings settings = Settings.of(client.getConfig());
        Location location = settings.location();
        return location.connect(new JedisDriverProvider(), settings.servers(), settings.sentinels());
    }
}
