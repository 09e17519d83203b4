package io.holdfast.lettuce;

import io.holdfast.contracts.ClusterReportContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceClusterReportTest extends ClusterReportContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
