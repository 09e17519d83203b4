package io.holdfast.jedis;

import io.holdfast.contracts.ClusterReportContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisClusterReportTest extends ClusterReportContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
