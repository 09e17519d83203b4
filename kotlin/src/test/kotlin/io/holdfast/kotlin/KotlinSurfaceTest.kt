package io.holdfast.kotlin

import io.holdfast.contracts.PublicSurface
import org.junit.jupiter.api.Test

class KotlinSurfaceTest {
    @Test
    fun publicSurface_asCompiled_isTheReviewedOne() {
        PublicSurface.assertReviewed(Class.forName("io.holdfast.kotlin.LeasesKt"))
    }
}
