package io.holdfast.contracts.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class TopologiesTest {
    @Test
    void cluster_slotMovedAndMasterKilled_servesTheKeyThroughout() {
        try (RedisCluster cluster = RedisCluster.start()) {
            int slot = cluster.slotOf("{a}");
            RedisServer source = cluster.masterOf(slot);
            source.command("SET", "{a}", "1");
            RedisServer target = cluster.otherThan(source);
            cluster.beginMove(slot, source, target);
            cluster.moveKeys(slot, source, target);
            cluster.endMove(slot, source, target);
            assertSame(target, cluster.masterOf(slot));
            assertEquals("1", target.command("GET", "{a}").asString());
            target.command("WAIT", "1", "5000");

            RedisServer heir = cluster.failOver(target);

            assertNotSame(target, heir);
            assertEquals("1", heir.command("GET", "{a}").asString());
            target.restart();
            cluster.awaitHealthy();
            assertEquals(3, cluster.masters().size());
        }
    }

    @Test
    void sentinels_masterKilled_promoteAReplica() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            RedisServer first = sentinels.master();
            first.command("SET", "a", "1");
            first.command("WAIT", "2", "5000");
            RedisServer second = sentinels.failOver();
            assertEquals("1", second.command("GET", "a").asString());
            second.kill();
            RedisServer third = sentinels.awaitOtherMasterThan(second);
            assertEquals("1", third.command("GET", "a").asString());
        }
    }
}
