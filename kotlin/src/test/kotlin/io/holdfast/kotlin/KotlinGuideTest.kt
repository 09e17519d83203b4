package io.holdfast.kotlin

import java.nio.file.Path
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class KotlinGuideTest {
    @Test
    fun blocks_ofTheGuide_areCompiled() {
        val here = Path.of("src/test/kotlin/io/holdfast/kotlin/guide/Examples.kt").withoutIndents()
        val guide = Path.of("../docs/guide/kotlin.md").readText()
        val blocks = Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(guide).map { it.groupValues[1] }.toList()
        assertEquals(5, blocks.size, "the pattern no longer finds the examples")
        assertEquals(listOf<String>(), blocks.filter { it.withoutIndents() !in here })
    }

    private fun Path.withoutIndents() = readText().withoutIndents()

    private fun String.withoutIndents() = lines().joinToString("\n") { it.trim() }
}
