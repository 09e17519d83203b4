package io.holdfast.shedlock;

import io.holdfast.contracts.PublicSurface;
import org.junit.jupiter.api.Test;

class ShedLockSurfaceTest {
    @Test
    void publicSurface_asCompiled_isTheReviewedOne() throws Exception {
        PublicSurface.assertReviewed(HoldfastLockProvider.class);
    }
}
