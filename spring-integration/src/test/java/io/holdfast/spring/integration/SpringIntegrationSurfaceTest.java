package io.holdfast.spring.integration;

import io.holdfast.contracts.PublicSurface;
import org.junit.jupiter.api.Test;

class SpringIntegrationSurfaceTest {
    @Test
    void publicSurface_asCompiled_isTheReviewedOne() throws Exception {
        PublicSurface.assertReviewed(HoldfastLockRegistry.class);
    }
}
