package io.holdfast.kotlin.guide

import io.holdfast.DistributedLock
import io.holdfast.Holdfast
import io.holdfast.Lease
import io.holdfast.LeaseLostException
import io.holdfast.Wait
import io.holdfast.kotlin.runOnce
import io.holdfast.kotlin.tryWithLease
import io.holdfast.kotlin.withLease
import io.holdfast.kotlin.withLeases
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

internal interface Store {
    suspend fun write(name: String, text: String, token: Long)
}

/** What the guide shows. Compiled a second time by the oldest compiler that reads the module. */
internal class Examples(private val holdfast: Holdfast, private val store: Store) {
    suspend fun first(lock: DistributedLock) {
        val report = lock.withLease { lease ->                    // suspends until the lock is held
            val text = compute()
            store.write("report", text, lease.token())             // refuses a token older than one that it has seen
            text
        }                                                         // released, also after an exception or a cancellation
        send(report)
    }

    suspend fun waiting(lock: DistributedLock) {
        lock.withLease(5.seconds) { work(it) }                    // LockTimeoutException if it is not free in time
        lock.tryWithLease { work(it) } ?: send("another is at it")      // asks once; null if it is taken
        lock.tryWithLease(5.seconds) { work(it) } ?: send("gave up")

        val patient = lock.with(lock.options().withWaitLimit(Wait.untilStuck(10.minutes.toJavaDuration())))
        patient.withLease { work(it) }                            // every way of waiting, as an option
    }

    suspend fun kinds() {
        val catalogue = holdfast.readWriteLock("catalogue")
        catalogue.read().withLease { work(it) }
        catalogue.write().withLease { work(it) }

        val licences = holdfast.semaphore("licences", 5)
        licences.permits(1).withLease { work(it) }

        holdfast.locks("account/17", "account/4711").withLeases { leases -> move(leases.token("account/17")) }
    }

    suspend fun once(wanted: String) {
        val sent = holdfast.once("invoice/4711").runOnce { lease ->
            store.write("invoice/4711", wanted, lease.token())
            "sent"
        }
        send(sent.orElseThrow())                                  // whoever did it
    }

    suspend fun loss(lock: DistributedLock) {
        try {
            lock.withLease { lease ->
                launch { heartbeat() }                            // is cancelled, too
                try {
                    work(lease)
                } catch (e: CancellationException) {
                    if (!lease.isValid) send("stopped: ${e.message}")
                    throw e
                }
            }
        } catch (e: LeaseLostException) {
            send("${e.lockName()} was lost: ${e.reason()}")           // another may have it by now
        }
    }

    private fun compute() = "text"

    private fun send(text: String) = println(text)

    private fun move(token: Long) = println(token)

    private suspend fun work(lease: Lease) = delay(lease.remaining().toMillis())

    private suspend fun heartbeat() = delay(1.seconds)
}
