package sample

import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(120)
class StockTest {
    @Test
    fun main_printsWhatItsPageSays() {
        System.setProperty("holdfast.embedded.home", Path.of("target/embedded").toAbsolutePath().toString())
        System.setProperty("holdfast.embedded.idleMillis", "1000")
        val printed = ByteArrayOutputStream()
        val before = System.out
        System.setOut(PrintStream(printed, true))
        try {
            main()
        } finally {
            System.setOut(before)
        }
        val page = Path.of("README.md").toFile().readText()
        assertEquals(page.substringAfter("prints\n\n```\n").substringBefore("```"), printed.toString())
    }
}
