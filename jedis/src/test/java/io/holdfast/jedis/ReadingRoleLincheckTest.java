package io.holdfast.jedis;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * In all interleavings of two threads: whoever has sent something is answered, or the keeper has the role and was woken, and never
 * do two read at a time. The keeper's habit of looking again after a while is left out: it would hide what is looked for. This
 * test is public because Lincheck wants to make instances of it.
 */
public final class ReadingRoleLincheckTest {
    private static final Set<String> OPEN =
            Set.of(ReadingRole.class.getName(), ReadingRoleLincheckTest.class.getName());

    private final AtomicInteger owed = new AtomicInteger();
    private final AtomicInteger readers = new AtomicInteger();
    private final AtomicInteger woken = new AtomicInteger();
    private volatile boolean twoHaveRead;
    private final ReadingRole role = new ReadingRole(() -> owed.get() > 0, woken::incrementAndGet);

    /** The keeper has stepped back. */
    public ReadingRoleLincheckTest() {
        role.stepBack();
    }

    /** Answers what is there. */
    private void readAll() {
        if (readers.incrementAndGet() > 1) {
            twoHaveRead = true;
        }
        owed.set(0);
        readers.decrementAndGet();
    }

    /** A thread that does not block. */
    @Operation
    public void send() {
        owed.incrementAndGet();
        role.summon();
    }

    /** A thread that blocks. */
    @Operation
    public void call() {
        owed.incrementAndGet();
        if (role.take()) {
            readAll();
            int next = owed.get() > 0 ? ReadingRole.KEEPER : ReadingRole.NOBODY;
            role.holder = next;
            role.left(next);
        }
    }

    @Operation(nonParallelGroup = "keeper")
    public void keep() {
        if (role.isKeepers()) {
            readAll();
            role.stepBack();
        }
    }

    @Validate
    public void whateverIsOwedIsReadByTheKeeper() {
        assertFalse(twoHaveRead, "two read at a time");
        assertNotEquals(ReadingRole.CALLER, role.holder, "a caller has gone with the role");
        if (owed.get() > 0) {
            assertEquals(ReadingRole.KEEPER, role.holder, "nobody reads");
            assertNotEquals(0, woken.get(), "the keeper sleeps");
        }
    }

    @Test
    void role_twoThreads_nobodyWaitsWithNobodyReading() {
        new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(0)
                .iterations(60)
                .invocationsPerIteration(4_000)
                .addGuarantee(forClasses(name -> !isOpen(name)).allMethods().treatAsAtomic())
                .check(ReadingRoleLincheckTest.class);
    }

    private static boolean isOpen(String name) {
        return OPEN.contains(name) || name.startsWith("java.util.function.") || name.equals("java.lang.Runnable");
    }
}
