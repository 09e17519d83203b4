package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;

/** Parameters of the constructor, each time with another server. */
@ExtendWith(HoldfastExtension.class)
class HoldfastExtensionTest {
    private final Holdfast constructed;

    HoldfastExtensionTest(Holdfast holdfast) {
        constructed = holdfast;
    }

    @BeforeEach
    void before_itsClient_isThatOfTheConstructor(Holdfast holdfast) {
        assertSame(constructed, holdfast);
    }

    @RepeatedTest(2)
    void constructor_eachTest_isGivenAServerOfItsOwn(Holdfast holdfast) throws InterruptedException {
        assertSame(constructed, holdfast);
        assertTrue(holdfast.lock("a").tryAcquire().isPresent(), "whoever held it was another test");
    }
}
