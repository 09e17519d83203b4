package io.holdfast.lettuce;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.CredentialsContract;

final class LettuceCredentialsTest extends CredentialsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
