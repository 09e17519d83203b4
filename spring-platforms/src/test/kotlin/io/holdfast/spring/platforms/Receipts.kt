package io.holdfast.spring.platforms

import io.holdfast.Lease
import io.holdfast.spring.Locked
import kotlinx.coroutines.delay

// As in the guide, which a test compares with this.
open class Receipts {
    @Locked("receipt/{#id}")
    open suspend fun send(id: String, lease: Lease? = null): String {
        delay(10)                                   // under the lock, and without a thread
        return "sent $id, token ${lease!!.token()}"
    }
}
