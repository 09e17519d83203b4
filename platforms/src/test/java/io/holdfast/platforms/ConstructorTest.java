package io.holdfast.platforms;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.testkit.HoldfastExtension;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;

/** Constructors that are given a client, which JUnit can tell apart from version 5.12 on. */
@ExtendWith(HoldfastExtension.class)
class ConstructorTest {
    private final Holdfast constructed;

    ConstructorTest(Holdfast holdfast) {
        constructed = holdfast;
    }

    @RepeatedTest(2)
    void constructor_eachTest_isGivenAServerOfItsOwn(Holdfast holdfast) throws Exception {
        assertSame(constructed, holdfast);
        assertTrue(holdfast.lock("a").tryAcquire().isPresent(), "whoever held it was another test");
    }
}
