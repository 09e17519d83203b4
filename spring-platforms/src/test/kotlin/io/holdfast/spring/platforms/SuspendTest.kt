package io.holdfast.spring.platforms

import io.holdfast.Admin
import io.holdfast.Holdfast
import io.holdfast.Lease
import io.holdfast.LeaseLostException
import io.holdfast.LockTimeoutException
import io.holdfast.contracts.servers.RedisServer
import io.holdfast.spring.DoneOnce
import io.holdfast.spring.IfTaken
import io.holdfast.spring.Locked
import io.holdfast.spring.RunsOnce
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.context.ConfigurableApplicationContext

/** Functions that suspend, under locks. */
@Timeout(60)
class SuspendTest {
    open class Work {
        @Locked("held/{#id}")
        open suspend fun held(id: String, begun: CompletableDeferred<Long>, end: CompletableDeferred<String>, lease: Lease?): String {
            begun.complete(lease!!.token())
            return end.await()
        }

        @Locked("waits")
        open suspend fun waits(): String = Thread.currentThread().name

        @Locked("fails")
        open suspend fun fails(): Unit = throw IllegalStateException("its own")

        @Locked("lost")
        open suspend fun lost(begun: CompletableDeferred<Unit>, ended: CompletableDeferred<Throwable>) {
            begun.complete(Unit)
            try {
                awaitCancellation()
            } catch (e: Throwable) {
                ended.complete(e)
                throw e
            }
        }

        @Locked(value = ["skips"], waitLimit = "0", ifTaken = IfTaken.SKIP)
        open suspend fun skips(): String? = "run"

        @Locked(value = ["refused"], waitLimit = "0")
        open suspend fun refused(): String = "run"
    }

    open class Nightly {
        val runs = AtomicInteger()

        @RunsOnce("nightly", minHold = "10m")
        open suspend fun work() {
            delay(1)
            runs.incrementAndGet()
        }

        open fun count() = runs.get()
    }

    open class SkipsWithResult {
        @Locked(value = ["a"], ifTaken = IfTaken.SKIP)
        open suspend fun work(): String = "run"
    }

    open class Once {
        @DoneOnce("a")
        open suspend fun work(): String = "run"
    }

    open class Plain {
        @Locked("a")
        open suspend fun work() {}
    }

    /** Without what makes a publisher of a call that suspends. */
    class WithoutReactor(parent: ClassLoader) : ClassLoader(parent) {
        override fun loadClass(name: String, resolve: Boolean): Class<*> =
            if (name.startsWith("kotlinx.coroutines.reactor.")) throw ClassNotFoundException(name) else super.loadClass(name, resolve)
    }

    companion object {
        private lateinit var server: RedisServer
        private lateinit var context: ConfigurableApplicationContext
        private lateinit var other: Holdfast
        private lateinit var work: Work

        @JvmStatic
        @BeforeAll
        fun start() {
            server = RedisServer.start()
            other = Apps.connect(server.url())
            context = Apps.with(Apps.Starter::class.java, server.port(), mapOf("work" to Work::class.java, "nightly" to Nightly::class.java, "receipts" to Receipts::class.java), "holdfast.url=" + server.url())
            work = context.getBean(Work::class.java)
        }

        @JvmStatic
        @AfterAll
        fun stop() {
            context.close()
            other.close()
            server.close()
        }

        private fun isTaken(name: String) = other.inspect().isLocked(name)

        private fun isQueued(name: String) = other.inspect().isQueued(name)
    }

    @Test
    fun suspend_isHeldFromBeforeTheBodyUntilItHasEnded() = runBlocking {
        val begun = CompletableDeferred<Long>()
        val end = CompletableDeferred<String>()
        val call = async(Dispatchers.Default) { work.held("7", begun, end, null) }
        assertEquals(begun.await(), other.lock("held/7").info().holder().orElseThrow().token())
        end.complete("done")
        assertEquals("done", call.await())
        Apps.await { !isTaken("held/7") }
    }

    @Test
    fun suspend_waits_withoutItsThread() = runBlocking {
        Executors.newSingleThreadExecutor { Thread(it, "single") }.asCoroutineDispatcher().use { single ->
            val held = other.lock("waits").acquire()
            val call = async(single) { work.waits() }
            Apps.await { isQueued("waits") }
            assertEquals("free", withContext(single) { "free" })
            held.release()
            assertTrue(call.await().startsWith("single"), "it runs where its caller does")
        }
    }

    @Test
    fun suspend_fails_withItsOwnExceptionAndReleases() {
        val thrown = assertThrows(IllegalStateException::class.java) { runBlocking { work.fails() } }
        assertEquals("its own", thrown.message)
        Apps.await { !isTaken("fails") }
    }

    @Test
    fun suspend_cancelledWhileItWaits_leavesTheQueue() = runBlocking {
        val held = other.lock("waits").acquire()
        val call = launch(Dispatchers.Default) { work.waits() }
        Apps.await { isQueued("waits") }
        call.cancelAndJoin()
        Apps.await { !isQueued("waits") }
        held.release()
        Apps.await { !isTaken("waits") }
    }

    @Test
    fun suspend_cancelledWhileItWorks_releases() = runBlocking {
        val begun = CompletableDeferred<Long>()
        val call = launch(Dispatchers.Default) { work.held("8", begun, CompletableDeferred(), null) }
        begun.await()
        call.cancelAndJoin()
        Apps.await { !isTaken("held/8") }
    }

    @Test
    fun suspend_leaseIsLost_isCancelled_andTheCallerIsTold() {
        val begun = CompletableDeferred<Unit>()
        val ended = CompletableDeferred<Throwable>()
        assertThrows(LeaseLostException::class.java) {
            runBlocking {
                launch(Dispatchers.Default) {
                    begun.await()
                    other.admin().release("lost", Admin.Waiters.HAND_OFF)
                }
                work.lost(begun, ended)
            }
        }
        assertTrue(runBlocking { ended.await() } is kotlin.coroutines.cancellation.CancellationException)
    }

    @Test
    fun suspend_lockIsTaken_throwsOrSkips() {
        other.lock("skips").acquire().use { assertNull(runBlocking { work.skips() }) }
        assertEquals("run", runBlocking { work.skips() })
        other.lock("refused").acquire().use {
            assertThrows(LockTimeoutException::class.java) { runBlocking { work.refused() } }
        }
        assertEquals("run", runBlocking { work.refused() })
        assertFalse(isQueued("refused"))
    }

    @Test
    fun suspend_runsOnce_isSkippedAfterTheFirstHasEnded() {
        val nightly = context.getBean(Nightly::class.java)
        runBlocking {
            nightly.work()
            nightly.work()
        }
        assertEquals(1, nightly.count())
    }

    @Test
    fun suspend_ofTheGuide_hasItsLease() {
        val told = runBlocking { context.getBean(Receipts::class.java).send("7") }
        assertTrue(told.matches(Regex("sent 7, token \\d+")), told)
    }

    @Test
    fun suspend_thatCannotBeLocked_failsTheStart() {
        val all = Apps::class.java.classLoader
        val wrong =
            listOf(
                Triple(SkipsWithResult::class.java, all, "skips, and returns java.lang.String"),
                Triple(Once::class.java, all, "is a suspend function, so its run cannot be recorded"),
                Triple(Plain::class.java, WithoutReactor(all), "is a suspend function, whose end Spring cannot see here"),
            )
        for ((type, classes, words) in wrong) {
            val thrown =
                assertThrows(Exception::class.java) {
                    Apps.start(classes, Apps.Starter::class.java, mapOf("wrong" to type), "holdfast.mode=granting").close()
                }
            val told = generateSequence<Throwable>(thrown) { it.cause }.joinToString("\n") { it.message.orEmpty() }
            assertTrue(told.contains(words), told)
        }
    }
}
