package sample

import io.holdfast.Admin
import io.holdfast.Holdfast
import io.holdfast.LeaseLostException
import io.holdfast.kotlin.tryWithLease
import io.holdfast.kotlin.withLease
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

fun main() = Holdfast.embedded().use { holdfast ->
    val lock = holdfast.lock("samples/stock")
    runBlocking {
        var stock = 0
        coroutineScope {
            repeat(100) {
                launch {
                    lock.withLease {
                        val before = stock
                        delay(1.milliseconds) // all of them are on this thread, and others run meanwhile
                        stock = before + 1
                    }
                }
            }
        }
        println("a hundred bookings, in stock: $stock")

        val held = CompletableDeferred<Unit>()
        val holder = launch {
            lock.withLease {
                held.complete(Unit)
                awaitCancellation()
            }
        }
        held.await()
        val booked = lock.tryWithLease(200.milliseconds) { "booked" }
        println("waited for 200 ms: $booked, left in the queue: ${holdfast.inspect().lock(lock.name()).waiters()}")
        holder.cancelAndJoin()

        try {
            lock.withLease {
                holdfast.admin().release(lock.name(), Admin.Waiters.HAND_OFF) // as an operator may
                awaitCancellation() // or any other work that suspends
            }
        } catch (e: LeaseLostException) {
            println("the work was cancelled, because the lock was lost: ${e.reason()}")
        }
    }
}
