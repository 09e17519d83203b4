package io.holdfast.lettuce;

import io.holdfast.contracts.OwnConflictContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceOwnConflictTest extends OwnConflictContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
