package io.holdfast.faults.campaign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.faults.subjects.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MishapTest {
    @Test
    void of_twoFaults_happenWhereBothCanAsOftenAsTheSeldomer() {
        Mishap both = Mishap.of("kill-process+kill-commands");
        assertEquals(List.of(Fault.KILL_PROCESS, Fault.KILL_COMMANDS), both.faults());
        assertEquals("kill-process+kill-commands", both.label());
        assertEquals(Fault.KILL_PROCESS.times(), both.times());
        assertTrue(both.concerns(Topology.CLUSTER));
        assertFalse(both.concerns(Topology.QUORUM));
        assertTrue(both.isInside(Topology.SINGLE));
    }

    @Test
    void isInside_oneOfTwoIsOutside_isOutside() {
        assertFalse(Mishap.of("replies-lost+flushall").isInside(Topology.SINGLE));
        assertTrue(Mishap.of("replies-lost+flushall").forgets(Topology.SINGLE));
        assertFalse(Mishap.of("replies-lost+clock-forward").forgets(Topology.SINGLE));
        assertFalse(Mishap.of("replies-lost").forgets(Topology.SINGLE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kill-process+freeze-process",
                "partition-one+delay",
                "freeze-minority+kill-minority",
                "none+delay",
                "delay+delay",
                "kill-process+delay+flushall",
                "delay+",
                "unheard-of"
            })
    void of_notTwoThatActUponDifferentThings_isRefused(String label) {
        assertThrows(IllegalArgumentException.class, () -> Mishap.of(label));
    }

    @Test
    void target_throughItsTextForm_isTheSame() {
        Target target = new Target(List.of("redis://127.0.0.1:7001", "redis://127.0.0.1:7002"), Map.of(7001, 9001));
        assertEquals(target, Target.parse(target.toString()));
        assertEquals("redis://127.0.0.1:9001", target.one());
        Target followed = target.followedInto(Path.of("a folder", "with blanks").toAbsolutePath());
        assertEquals(followed, Target.parse(followed.toString()));
        assertEquals("redis://127.0.0.1:7001", new Target(target.addresses(), Map.of()).one());
    }
}
