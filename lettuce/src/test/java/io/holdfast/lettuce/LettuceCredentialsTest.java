package io.holdfast.lettuce;

import io.holdfast.contracts.CredentialsContract;
import io.holdfast.spi.RedisDriverProvider;

final class LettuceCredentialsTest extends CredentialsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
