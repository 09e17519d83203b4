package io.holdfast.jedis;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;

/** Opens drivers with their own connections. {@link java.util.ServiceLoader} finds it; it is seldom used by name. */
public final class JedisDriverProvider implements RedisDriverProvider {
    /** For the {@link java.util.ServiceLoader}. */
    public JedisDriverProvider() {}

    @Override
    public String name() {
        return "jedis";
    }

    @Override
    public RedisDriver connect(RedisAddress address, ConnectOptions options) {
        Versions.check();
        return MultiplexedDriver.open(new AddressSource(address, options), options.connectTimeout());
    }
}
