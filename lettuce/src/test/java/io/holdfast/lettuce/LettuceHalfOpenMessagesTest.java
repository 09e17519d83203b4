package io.holdfast.lettuce;

import io.holdfast.contracts.HalfOpenMessagesContract;
import io.holdfast.spi.RedisDriverProvider;

final class LettuceHalfOpenMessagesTest extends HalfOpenMessagesContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
