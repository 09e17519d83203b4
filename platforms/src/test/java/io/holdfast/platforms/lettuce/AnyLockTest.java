package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.LockContract;
import io.holdfast.contracts.LockKind;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

@LockContract.Kinds(LockKind.EXCLUSIVE)
class AnyLockTest extends LockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
