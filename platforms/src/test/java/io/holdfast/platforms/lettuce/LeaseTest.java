package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.LeaseContract;
import io.holdfast.contracts.LockKind;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

@LeaseContract.Kinds(LockKind.EXCLUSIVE)
class LeaseTest extends LeaseContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
