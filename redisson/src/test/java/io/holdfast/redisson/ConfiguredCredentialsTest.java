package io.holdfast.redisson;

import io.holdfast.contracts.CredentialsContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract as configured by Redisson. */
final class ConfiguredCredentialsTest extends CredentialsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new Configured();
    }
}
