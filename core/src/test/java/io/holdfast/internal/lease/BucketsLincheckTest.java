package io.holdfast.internal.lease;

import io.holdfast.Interleavings;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An item stands in one bucket, whoever puts, removes and takes at the same time. */
@Tag("long")
@Param(name = "item", gen = IntGen.class, conf = "1:2")
@Param(name = "due", gen = IntGen.class, conf = "1:2")
public final class BucketsLincheckTest {
    private static final class Numbered extends Buckets.Item {}

    private final Buckets<Numbered> buckets = new Buckets<>();
    private final List<Numbered> items = List.of(new Numbered(), new Numbered());

    @Operation
    public boolean put(@Param(name = "item") int item, @Param(name = "due") int due) {
        return buckets.put(items.get(item - 1), due);
    }

    @Operation
    public void remove(@Param(name = "item") int item) {
        buckets.remove(items.get(item - 1));
    }

    @Operation
    public List<Integer> take(@Param(name = "due") int due) {
        return buckets.take(due).stream()
                .map(item -> items.indexOf(item) + 1)
                .sorted() // a bucket has no order
                .toList();
    }

    @Test
    void interleavings_areLinearizable() {
        Interleavings.of(BucketsLincheckTest.class, 4, 60, Buckets.class)
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("put", 1, 1)),
                        List.of(act("put", 1, 1)),
                        List.of(act("put", 1, 2)),
                        List.of(act("take", 1), act("take", 2))))
                .addCustomScenario(Interleavings.scenario(
                        List.of(),
                        List.of(act("put", 1, 2)),
                        List.of(act("remove", 1)),
                        List.of(act("remove", 1), act("take", 2))))
                .check(BucketsLincheckTest.class);
    }

    private static Actor act(String operation, Object... arguments) {
        return Interleavings.act(BucketsLincheckTest.class, operation, arguments);
    }
}
