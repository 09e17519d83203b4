package io.holdfast.kotlin

import io.holdfast.Admin
import io.holdfast.DistributedLock
import io.holdfast.Holdfast
import io.holdfast.HoldfastOptions
import io.holdfast.Lease
import io.holdfast.LeaseLostException
import io.holdfast.LockInfo
import io.holdfast.LockOptions
import io.holdfast.LockOptions.Reentrancy
import io.holdfast.LockRefusedException
import io.holdfast.LockTimeoutException
import io.holdfast.LossReason
import io.holdfast.OnceResult
import io.holdfast.ServerUnreachableException
import io.holdfast.contracts.LockSuite
import io.holdfast.contracts.servers.RedisServer
import io.holdfast.jedis.JedisDriverProvider
import io.holdfast.spi.RedisDriverProvider
import java.util.concurrent.CancellationException
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.INFINITE
import kotlin.time.Duration.Companion.ZERO
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toKotlinDuration
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test

class LeasesTest : LockSuite() {
    private lateinit var server: RedisServer
    private lateinit var one: Holdfast
    private lateinit var two: Holdfast

    override fun provider(): RedisDriverProvider = JedisDriverProvider()

    @BeforeEach
    fun makeClients() {
        server = startServer()
        one = client(server.address(), HoldfastOptions.defaults())
        two = client(server.address(), HoldfastOptions.defaults())
    }

    /** All that is a lock. */
    private fun kinds(client: Holdfast): List<DistributedLock> = listOf(
        client.lock("a"),
        client.readWriteLock("a").read(),
        client.readWriteLock("a").write(),
        client.semaphore("a", 5).permits(3),
    )

    private fun isFree(name: String): Boolean = two.lock(name).tryAcquire().map { it.release() }.isPresent

    private fun release(name: String) = two.admin().release(name, Admin.Waiters.HAND_OFF)

    /** Waits until nobody holds a lock or waits for one. A request that ends before its answer has come may leave a tombstone. */
    private fun awaitNobody() = awaitNothingLeft(server) { key -> !key.contains("}:x:") }

    /** A coroutine that has entered a lock as a test goes on. */
    private suspend fun hold(begun: CompletableDeferred<Lease>, lease: Lease): Nothing {
        begun.complete(lease)
        awaitCancellation()
    }

    @Test
    fun classPath_hasTheVersionsOfThisRun() {
        val versions = System.getProperty("expected.versions") ?: return // not by Maven
        val coroutines = Job::class.java.classLoader.getResource("META-INF/kotlinx_coroutines_core.version")!!.readText()
        assertEquals(versions, "${KotlinVersion.CURRENT} ${coroutines.trim()}")
    }

    @Test
    fun work_ofEachKindOfLock_isDoneUnderIt_whichIsFreeAfterwards() = runBlocking {
        for (lock in kinds(one)) {
            val token = lock.withLease { lease ->
                assertTrue(lease.isValid)
                assertTrue(lock.isLocked)
                yield()
                assertEquals(lock.options().leaseDuration().toKotlinDuration() / 2 < lease.remaining().toKotlinDuration(), true)
                lease.token()
            }
            assertTrue(token > 0)
            assertFalse(lock.isLocked)
        }
    }

    @Test
    fun work_mayReturnNull() = runBlocking {
        assertNull(one.lock("a").withLease { null })
        assertTrue(isFree("a"))
    }

    @Test
    fun coroutines_ofOneThread_areServedOneAfterTheOther_whateverTheOptions() {
        for (conflict in Reentrancy.values()) {
            val lock = one.lock("a", LockOptions.defaults().withReentrancy(conflict))
            val inside = AtomicInteger()
            runBlocking {
                repeat(20) {
                    launch {
                        lock.withLease {
                            assertEquals(1, inside.incrementAndGet())
                            yield()
                            inside.decrementAndGet()
                        }
                    }
                }
            }
        }
    }

    @Test
    fun wait_thatLasts_leavesTheThreadToOthers() = runBlocking {
        val held = two.lock("a").acquire()
        val waiting = List(100) { launch(start = CoroutineStart.UNDISPATCHED) { one.lock("a").withLease(INFINITE) {} } }
        held.release() // by the one thread that all of them have
        waiting.joinAll()
        assertTrue(isFree("a"))
    }

    @Test
    fun exception_ofTheWork_isPassedOn_afterTheRelease() {
        val thrown = IllegalStateException("of the work")
        for (lock in kinds(one)) {
            assertSame(
                thrown,
                assertThrows(IllegalStateException::class.java) {
                    // With the restoring of stack traces, it is the cause of what is thrown.
                    runBlocking { runCatching { lock.withLease<Unit> { throw thrown } }.onFailure { throw it.cause ?: it } }
                },
            )
            assertFalse(lock.isLocked)
        }
    }

    @Test
    fun failure_ofACoroutineThatTheWorkStarted_isTheWorks() {
        assertThrows(IllegalStateException::class.java) {
            runBlocking {
                one.lock("a").withLease {
                    launch { error("of a child") }
                    awaitCancellation()
                }
            }
        }
        assertTrue(isFree("a"))
    }

    @Test
    fun work_endsWithAllThatItHasStarted() = runBlocking {
        var ended = false
        one.lock("a").withLease { lease ->
            launch {
                repeat(10) { yield() }
                ended = lease.isValid
            }
        }
        assertTrue(ended)
    }

    @Test
    fun wait_inVain_beginsNoWork_andLeavesNothing() {
        two.lock("a").acquire().use {
            for (wait in listOf(ZERO, 50.milliseconds)) {
                val thrown = assertThrows(LockTimeoutException::class.java) {
                    runBlocking { one.lock("a").withLease(wait) { error("begun") } }
                }
                assertEquals("a", thrown.lockName())
                assertNull(runBlocking { one.lock("a").tryWithLease(wait) { error("begun") } })
                assertNull(runBlocking { one.locks("a", "b").tryWithLeases(wait) { error("begun") } })
                assertThrows(LockTimeoutException::class.java) {
                    runBlocking { one.locks("a", "b").withLeases(wait) { error("begun") } }
                }
            }
        }
        awaitNobody()
    }

    @Test
    fun wait_thatIsNone_isRefused() {
        for (wait in listOf(-(1.seconds), 1.microseconds, (366 * 24 * 3600).seconds, -INFINITE)) {
            assertThrows(IllegalArgumentException::class.java, { runBlocking { one.lock("a").withLease(wait) {} } }, "$wait")
            assertThrows(IllegalArgumentException::class.java, { runBlocking { one.locks("a", "b").withLeases(wait) {} } }, "$wait")
        }
        assertTrue(isFree("a"))
    }

    @Test
    fun tryWithLease_freeLock_returnsTheResult() = runBlocking {
        assertEquals("done", one.lock("a").tryWithLease { "done" })
        assertEquals("done", one.locks("a", "b").tryWithLeases(5.seconds) { "done" })
        assertTrue(isFree("a") && isFree("b"))
    }

    @Test
    fun tryWithLease_fullQueueOrEvicted_isNotObtained() = runBlocking(Dispatchers.Default) {
        two.lock("a").acquire()
        val waiting = async { two.lock("a", STRICT).tryWithLease(INFINITE) { "begun" } }
        await("it waits") { inQueue() == 1 }
        val limited = one.lock("a", LockOptions.defaults().withQueueLimit(1))
        assertNull(withTimeout(PATIENCE.toKotlinDuration()) { limited.tryWithLease(INFINITE) { "begun" } })
        two.admin().release("a", Admin.Waiters.DROP)
        assertNull(waiting.await())
        assertEquals(0, inQueue())
        assertTrue(isFree("a"))
    }

    @Test
    fun withLease_withinItsOwnWork_isToldThatItWaitsForItself() {
        val lock = one.lock("a")
        val thrown = assertThrows(LockTimeoutException::class.java) {
            // Long enough that its answer comes on a slow machine: only the answer tells the holder.
            runBlocking(Dispatchers.Default) { lock.withLease { lock.withLease(2.seconds) { error("begun") } } }
        }
        assertTrue(thrown.contention().heldByCallerSince().isPresent, thrown.message)
        assertTrue(isFree("a"))
    }

    @Test
    fun tryWithLease_workThatTimesOutItself_isNotTakenForTheLock() {
        two.lock("b").acquire().use {
            val thrown = assertThrows(LockTimeoutException::class.java) {
                runBlocking { one.lock("a").tryWithLease { one.lock("b").withLease(ZERO) {} } }
            }
            assertEquals("b", thrown.lockName())
        }
        assertTrue(isFree("a"))
    }

    @Test
    fun cancellation_whileItWaits_leavesTheQueue() = runBlocking(Dispatchers.Default) {
        for ((i, lock) in kinds(one).withIndex()) {
            val held = kinds(two)[if (i == 1) 2 else i].acquire() // a reader waits for a writer
            val waiting = launch { lock.withLease(INFINITE) { error("begun") } }
            await("it waits") { inQueue() == 1 }
            waiting.cancelAndJoin()
            await("it has left") { inQueue() == 0 }
            held.release()
            awaitNobody()
        }
    }

    @Test
    fun cancellation_before_asksForNothing() = runBlocking(Dispatchers.Default) {
        launch {
            coroutineContext.cancel()
            one.lock("a").withLease { error("begun") }
        }.join()
        assertEquals(listOf<String>(), server.command("KEYS", "*").asList().map { it.asString() }) // not even a token
    }

    private fun inQueue(): Int = two.inspect().allKinds().queues().use { found -> found.toList().sumOf { it.waiters() } }

    @Test
    fun timeLimit_whileItWaits_isACancellation() = runBlocking(Dispatchers.Default) {
        two.lock("a").acquire().use {
            assertNull(withTimeoutOrNull(50.milliseconds) { one.lock("a").withLease(INFINITE) { error("begun") } })
        }
        awaitNobody()
    }

    @Test
    fun timeLimit_withinTheWork_isTheWorks() {
        assertThrows(TimeoutCancellationException::class.java) {
            runBlocking { one.lock("a").withLease { withTimeout(1.milliseconds) { awaitCancellation() } } }
        }
        assertTrue(isFree("a"))
    }

    @Test
    fun cancellation_duringTheWork_releasesWhenItHasEnded() = runBlocking(Dispatchers.Default) {
        val begun = CompletableDeferred<Lease>()
        var heldAtTheEnd = false
        val working = launch {
            one.lock("a").withLease { lease ->
                try {
                    hold(begun, lease)
                } finally {
                    heldAtTheEnd = lease.isValid
                }
            }
        }
        begun.await()
        working.cancelAndJoin()
        assertTrue(heldAtTheEnd)
        assertTrue(isFree("a"))
    }

    @Test
    fun cancellation_atAnyMoment_leavesNothingBehind() {
        for (seed in 1..5) {
            val random = Random(seed)
            val options = if (random.nextBoolean()) STRICT else LockOptions.defaults()
            val inside = AtomicInteger()
            val wrong = ConcurrentLinkedQueue<String>()
            runBlocking(Dispatchers.Default) {
                val jobs = ArrayList<Job>()
                repeat(40) { i ->
                    jobs += launch(start = CoroutineStart.LAZY) {
                        (if (i % 2 == 0) one else two).lock("a", options).withLease(INFINITE) {
                            if (inside.incrementAndGet() != 1) wrong += "two at a time"
                            try {
                                jobs[synchronized(random) { random.nextInt(jobs.size) }].cancel() // itself, one that waits, one that is over
                                repeat(synchronized(random) { random.nextInt(5) }) { yield() }
                            } finally {
                                inside.decrementAndGet()
                            }
                        }
                    }
                }
                jobs.forEach { job ->
                    job.start()
                    if (random.nextInt(8) == 0) {
                        job.cancel()
                    }
                }
                jobs.joinAll()
            }
            assertEquals(listOf<String>(), wrong.toList(), "seed $seed")
            awaitNobody()
        }
    }

    @Test
    fun loss_cancelsTheWorkAndItsChildren_andIsNoCancellationOutside() {
        for (wait in listOf(null, PATIENCE.toKotlinDuration())) {
            val inside = ConcurrentLinkedQueue<Throwable>()
            suspend fun untilCancelled() {
                try {
                    awaitCancellation()
                } catch (e: Throwable) {
                    inside += e
                    throw e
                }
            }
            val lost = assertThrows(LeaseLostException::class.java) {
                runBlocking {
                    one.lock("a").withLease(wait) {
                        launch { untilCancelled() }
                        yield()
                        release("a")
                        untilCancelled()
                    }
                }
            }
            assertEquals(LossReason.REVOKED, lost.reason())
            assertEquals("a", lost.lockName())
            assertTrue(lost.token() > 0)
            assertNull(lost.result())
            assertEquals(2, inside.size)
            for (e in inside) {
                assertTrue(e is CancellationException, "$e")
                assertEquals(lost.message, e.message)
                assertTrue(e.cause is LeaseLostException, "${e.cause}")
            }
        }
    }

    @Test
    fun loss_thatTheWorkDoesNotHeed_carriesItsResult() {
        val lost = assertThrows(LeaseLostException::class.java) {
            runBlocking<String> {
                one.lock("a").withLease { lease ->
                    release("a")
                    await("it is lost") { !lease.isValid }
                    "done all the same"
                }
            }
        }
        assertEquals("done all the same", lost.result())
    }

    @Test
    fun loss_ofWorkThatFailsForItself_isNotToldInItsPlace() {
        assertThrows(IllegalStateException::class.java) {
            runBlocking {
                one.lock("a").withLease { lease ->
                    release("a")
                    await("it is lost") { !lease.isValid }
                    error("of the work")
                }
            }
        }
    }

    @Test
    fun loss_endsTheCallersOtherWork_asAnyFailureDoes() {
        val lost = assertThrows(LeaseLostException::class.java) {
            runBlocking {
                coroutineScope {
                    launch { awaitCancellation() }
                    launch {
                        one.lock("a").withLease {
                            release("a")
                            awaitCancellation()
                        }
                    }
                }
            }
        }
        assertEquals("a", lost.lockName())
    }

    @Test
    fun cancellation_ofTheCaller_andLossAtTheSameTime_isACancellation() = runBlocking(Dispatchers.Default) {
        val begun = CompletableDeferred<Lease>()
        var thrown: Throwable? = null
        val working = launch {
            try {
                one.lock("a").withLease { hold(begun, it) }
            } catch (e: Throwable) {
                thrown = e
                throw e
            }
        }
        val lease = begun.await()
        working.cancel()
        release("a")
        working.join()
        assertTrue(thrown is CancellationException, "$thrown")
        assertFalse(lease.isValid)
    }

    @Test
    fun server_thatEndsDuringTheWork_isALossAtTheDeadline() {
        val term = LockOptions.defaults().withLeaseDuration(java.time.Duration.ofSeconds(1))
        val lost = assertThrows(LeaseLostException::class.java) {
            runBlocking {
                one.lock("a", term).withLease {
                    server.kill()
                    awaitCancellation()
                }
            }
        }
        assertEquals(LossReason.EXPIRED, lost.reason())
    }

    @Test
    fun server_thatEndsWhileItWaits_isUnreachable() {
        runBlocking(Dispatchers.Default) {
            val held = two.lock("a").acquire()
            var thrown: Throwable? = null
            val waiting = launch {
                thrown = runCatching { one.lock("a").withLease(5.seconds) { error("begun") } }.exceptionOrNull()
            }
            await("it waits") { inQueue() == 1 }
            server.kill()
            waiting.join()
            assertTrue(thrown is ServerUnreachableException, "$thrown")
            assertTrue(held.isValid)
        }
    }

    @Test
    fun client_thatIsClosedWhileItWaits_endsTheWait() {
        runBlocking(Dispatchers.Default) {
            val held = two.lock("a").acquire()
            var thrown: Throwable? = null
            val waiting = launch { thrown = runCatching { one.lock("a").withLease(INFINITE) { error("begun") } }.exceptionOrNull() }
            await("it waits") { inQueue() == 1 }
            one.close()
            waiting.join()
            assertTrue(thrown is io.holdfast.HoldfastClosedException, "$thrown")
            held.release()
            awaitNobody()
        }
    }

    @Test
    fun set_isHeldTogether_andTheLossOfOneCancelsTheWork() {
        runBlocking {
            one.locks("a", "b").withLeases { leases -> assertTrue(leases.token("a") > 0 && !isFree("b")) }
        }
        assertTrue(isFree("a") && isFree("b"))
        val lost = assertThrows(LeaseLostException::class.java) {
            runBlocking {
                one.locks("a", "b").withLeases(PATIENCE.toKotlinDuration()) {
                    release("b")
                    awaitCancellation()
                }
            }
        }
        assertEquals("b", lost.lockName())
        assertTrue(lost.token() > 0)
        assertTrue(isFree("a"))
    }

    @Test
    fun work_thatAsksForItsOwnLock_isItsActor_onWhateverThread() {
        fun lock(conflict: Reentrancy) = one.lock("a", LockOptions.defaults().withReentrancy(conflict))
        suspend fun <T> elsewhere(ask: suspend () -> T): T = withContext(Dispatchers.Default) { coroutineScope { ask() } }
        runBlocking {
            lock(Reentrancy.REENTER).withLease { outer ->
                assertEquals(outer.token(), elsewhere { lock(Reentrancy.REENTER).withLease { it.token() } })
                assertTrue(outer.isValid)
                assertNull(elsewhere { lock(Reentrancy.WAIT).tryWithLease { "begun" } })
                assertThrows(LockRefusedException::class.java) {
                    runBlocking(coroutineContext) { lock(Reentrancy.REFUSE).tryWithLease { "begun" } }
                }
            }
        }
        assertTrue(isFree("a"))
    }

    @Test
    fun actor_hasANameOfItsCoroutine_unlessAnotherWasNamed() = runBlocking {
        suspend fun DistributedLock.actor(): String = withLease { two.inspect().lock("a").holder().orElseThrow().actor() }
        assertTrue(one.lock("a").actor().startsWith("coroutine#"))
        assertEquals("order-17", one.lock("a").withActor("order-17").actor())
        withContext(CoroutineName("billing")) { assertTrue(one.lock("a").actor().startsWith("billing#")) }
        withContext(CoroutineName("n".repeat(1000))) { assertTrue(one.lock("a").actor().startsWith("nnn")) }
    }

    @Test
    fun runOnce_manyCoroutinesInTwoClients_oneRunsAndAllHaveItsResult() = runBlocking<Unit>(Dispatchers.Default) {
        val runs = AtomicInteger()
        val begun = CompletableDeferred<Unit>()
        val goOn = CompletableDeferred<Unit>()
        val results = (1..40).map {
            async {
                (if (it % 2 == 0) one else two).once("a").runOnce { lease ->
                    begun.complete(Unit)
                    goOn.await()
                    "run ${runs.incrementAndGet()} by ${lease.name()}"
                }
            }
        }
        begun.await()
        goOn.complete(Unit)
        results.forEach { assertEquals("run 1 by a", it.await().orElseThrow()) }
        assertEquals("run 1 by a", one.once("a").runOnce { "again" }.orElseThrow())
    }

    @Test
    fun runOnce_ofOneThread_isNoActorThatWaitsForItself() = runBlocking<Unit> {
        val begun = CompletableDeferred<Unit>()
        val first = async { one.once("a").runOnce { begun.complete(Unit); awaitCancellation() } }
        begun.await()
        val busy = one.once("a").runOnce(ZERO) { "second" } as OnceResult.InProgress
        assertTrue(busy.why().contention().heldByCallerSince().isEmpty)
        first.cancelAndJoin()
        assertEquals("third", two.once("a").runOnce(ZERO) { "third" }.orElseThrow(), "a cancelled run leaves no record")
    }

    @Test
    fun runOnce_leaseIsLost_cancelsTheWorkAndRecordsNothing() = runBlocking<Unit>(Dispatchers.Default) {
        val begun = CompletableDeferred<Unit>()
        val lost = async {
            runCatching { one.once("a").runOnce { begun.complete(Unit); awaitCancellation() } }.exceptionOrNull()
        }
        begun.await()
        two.admin().of(LockInfo.Kind.ONCE).release("a")
        assertEquals(LossReason.REVOKED, (lost.await() as LeaseLostException).reason())
        assertEquals("second", two.once("a").runOnce { "second" }.orElseThrow())
    }
}
