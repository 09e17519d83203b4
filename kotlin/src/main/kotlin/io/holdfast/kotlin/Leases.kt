package io.holdfast.kotlin

import io.holdfast.DistributedLock
import io.holdfast.Lease
import io.holdfast.LeaseLostException
import io.holdfast.LeaseSet
import io.holdfast.LockNotObtainedException
import io.holdfast.LockSet
import io.holdfast.LockTimeoutException
import io.holdfast.Once
import io.holdfast.OnceResult
import io.holdfast.Wait
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.future.await
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.withContext

/**
 * Acquires the lock, runs the work, and always releases the lock afterwards: when the work has ended, has failed, or was
 * cancelled. Blocks no thread. For locks, for either side of a read/write lock, and for the permits of a semaphore.
 *
 * The work runs in the calling coroutine's context. The lock is released after the work and all coroutines that it has started
 * have ended. This function ends after the server has answered the release, which takes at most the client's command timeout.
 * A hold is renewed for at most [io.holdfast.LockOptions.maxScopedHold].
 *
 * **Cancellation.** If the calling coroutine is cancelled while it waits, the request is withdrawn, in the background if
 * necessary, and the work does not begin: nothing stays in the queue, and nothing stays held. If it is cancelled later, the work
 * is cancelled, too, and the lock is released when the work has ended.
 *
 * **Loss.** If the lock is lost, the work and all coroutines that it has started are cancelled at once, by a
 * `CancellationException` whose cause is the [LeaseLostException]. This function then throws a `LeaseLostException` and no
 * `CancellationException`, which would end the caller's own coroutine silently. Code that does not suspend is not stopped: work
 * that must not be done twice needs a store that compares the lease's token. [io.holdfast.LockOptions.interruptBefore] has no
 * effect on this function.
 *
 * **Actors.** The actor is this coroutine, and not its thread, which other coroutines use, too. It has a unique name, which
 * listings show and which contains its [CoroutineName], if any. The work, and the coroutines that it starts, belong to the same
 * actor. So a request within the work for a lock that it holds follows [io.holdfast.LockOptions.reentrancy], and a request of
 * another coroutine waits. An actor that was named with `withActor` stays.
 *
 * @param wait how long to wait for the lock: zero asks once, infinite waits for ever, and null waits for the time that the options
 *   give. Any other value must be 1 ms to a year
 * @param block the work
 * @return the result of the work
 * @throws LockTimeoutException if the lock was not free in time; the work did not begin. The function also throws every other
 *   exception with which [DistributedLock.acquireAsync] fails
 * @throws LeaseLostException if the lock was lost before the work had ended; [LeaseLostException.result] is the work's result, if
 *   it returned one nevertheless. An exception of the work itself, other than its cancellation, is thrown unchanged
 */
public suspend fun <T> DistributedLock.withLease(
    wait: Duration? = null,
    block: suspend CoroutineScope.(lease: Lease) -> T,
): T {
    val lock = if (wait == null) this else with(options().withWaitLimit(wait.asWait()))
    return under(
        { actor, work -> lock.withDefaultActor(actor).callAsync(work) },
        { lease, told -> lease.whenLost().thenAccept { told(LeaseLostException(lease.name(), lease.token(), it, false, null)) } },
        block,
    )
}

/**
 * Runs work under the lock if the lock is free, or becomes free in time. In other respects it behaves as [withLease].
 *
 * @param wait how long to wait for the lock; zero, which is the default, asks once
 * @param block the work
 * @return the result of the work; null if the lock was not free in time, and the work did not begin
 * @throws io.holdfast.ServerUnreachableException if the outcome is unknown. The function also throws every other exception of
 *   [withLease], except those for a lock that was not free
 */
public suspend fun <T : Any> DistributedLock.tryWithLease(
    wait: Duration = Duration.ZERO,
    block: suspend CoroutineScope.(lease: Lease) -> T,
): T? = unlessTaken(block) { withLease(wait, it) }

/**
 * Acquires all locks of a set, runs the work, and always releases the locks afterwards. If one lock is lost, the set is lost; the
 * exception names that lock. In other respects it behaves as [DistributedLock.withLease].
 *
 * @param wait how long to wait for all locks together; null waits for the time that the set gives
 * @param block the work
 * @return the result of the work
 * @throws LockTimeoutException if the locks were not free in time; the work did not begin
 * @throws LeaseLostException if a lock was lost before the work had ended
 */
public suspend fun <T> LockSet.withLeases(
    wait: Duration? = null,
    block: suspend CoroutineScope.(leases: LeaseSet) -> T,
): T {
    val locks = if (wait == null) this else withWait(wait.asWait())
    return under(
        { actor, work -> locks.withDefaultActor(actor).callAsync(work) },
        { leases, told ->
            leases.whenLost().thenAccept {
                told(LeaseLostException(it.lockName(), leases.token(it.lockName()), it.reason(), false, null))
            }
        },
        block,
    )
}

/**
 * Runs work under all locks of a set if they are free, or become free in time. In other respects it behaves as [withLeases].
 *
 * @param wait how long to wait for all locks together; zero, which is the default, asks once for each
 * @param block the work
 * @return the result of the work; null if one of the locks was not free in time, and the work did not begin
 * @throws io.holdfast.ServerUnreachableException if the outcome is unknown. The function also throws every other exception of
 *   [withLeases], except those for locks that were not free
 */
public suspend fun <T : Any> LockSet.tryWithLeases(
    wait: Duration = Duration.ZERO,
    block: suspend CoroutineScope.(leases: LeaseSet) -> T,
): T? = unlessTaken(block) { withLeases(wait, it) }

/**
 * Runs work unless it was done before, and returns its result or the recorded one; see [Once]. While another caller runs the work,
 * the coroutine is suspended. Context, cancellation, loss and actor are those of [DistributedLock.withLease]. Work that throws or
 * is cancelled leaves no record.
 *
 * @param wait how long to wait for another caller's run: zero asks once, infinite waits for ever, and null waits for the time that
 *   the options give
 * @param block the work; returns the text to record, of at most 16,384 characters when encoded for a URL
 * @throws LeaseLostException if the lease was lost before the work had ended; nothing was recorded
 */
public suspend fun Once.runOnce(
    wait: Duration? = null,
    block: suspend CoroutineScope.(lease: Lease) -> String,
): OnceResult =
    under(
        { actor, work -> withDefaultActor(actor).runAsync(wait?.asWait() ?: options().waitLimit(), work) },
        { lease, told -> lease.whenLost().thenAccept { told(LeaseLostException(lease.name(), lease.token(), it, false, null)) } },
        block,
    )

/** The coroutine that runs the outermost work, and the coroutines within it: one actor for all locks that they request. */
private class Actor(val id: String) : AbstractCoroutineContextElement(Actor) {
    companion object Key : CoroutineContext.Key<Actor> {
        private const val LONGEST_NAME = 80 // leaves room for the number
        private val numbers = AtomicLong()

        fun of(context: CoroutineContext): Actor =
            context[Actor]
                ?: Actor("${context[CoroutineName]?.name?.take(LONGEST_NAME) ?: "coroutine"}#${numbers.incrementAndGet()}")
    }
}

/** Ends work whose lock was lost. Coroutines copy exceptions to restore stack traces, but none whose constructor they do not know. */
private class LeaseLostCancellation(lost: LeaseLostException) : CancellationException(lost.message) {
    init {
        initCause(lost)
    }

    /** Fills in nothing: the cause has the stack trace. */
    override fun fillInStackTrace(): Throwable = this

    private companion object {
        private const val serialVersionUID = 1L
    }
}

/**
 * @param ask requests the locks, runs the work once it has them, and releases them when the work has ended. If it is cancelled
 *   while it waits, it withdraws the request. It may have a result without running the work
 * @param watch reports the loss of a lease
 */
private suspend fun <L : Any, T, R> under(
    ask: (actor: String, work: (L) -> CompletionStage<T>) -> CompletableFuture<R>,
    watch: (lease: L, told: (LeaseLostException) -> Unit) -> Unit,
    block: suspend CoroutineScope.(L) -> T,
): R {
    val context = currentCoroutineContext()
    context.ensureActive()
    val actor = Actor.of(context)
    val granted = CompletableFuture<L?>()
    val ended = CompletableFuture<T>()
    val lost = AtomicReference<LeaseLostException>()
    var result: T? = null
    // Also done when nobody waits any more: then the work counts as ended, and the lock is released at once.
    val answer = ask(actor.id) { lease ->
        granted.complete(lease)
        ended
    }
    answer.whenComplete { _, failure -> if (failure == null) granted.complete(null) else granted.completeExceptionally(failure) }
    try {
        val lease = granted.await() ?: return answer.await()
        val value = withContext(actor) {
            val work = coroutineContext.job
            watch(lease) {
                lost.set(it)
                work.cancel(LeaseLostCancellation(it))
            }
            block(lease).also { result = it }
        }
        ended.complete(value)
    } catch (e: Throwable) {
        val loss = lost.get()
        ended.completeExceptionally(e)
        if (granted.isCancelled) {
            answer.cancel(false)
        } else {
            withContext(NonCancellable) { answer.handle { _, _ -> }.await() }
        }
        if (loss == null || e !is CancellationException || !context.isActive) {
            throw e
        }
        throw LeaseLostException(loss.lockName(), loss.token(), loss.reason(), false, result).apply {
            if (e !is LeaseLostCancellation) addSuppressed(e)
        }
    }
    // The work's result, or the loss that it has not noticed.
    return withContext(NonCancellable) { answer.await() }
}

private suspend fun <L, T : Any> unlessTaken(
    block: suspend CoroutineScope.(L) -> T,
    call: suspend (suspend CoroutineScope.(L) -> T) -> T,
): T? {
    var begun = false
    try {
        return call {
            begun = true
            block(it)
        }
    } catch (e: LockNotObtainedException) {
        if (begun || !e.reason().isBusy) throw e
    }
    return null
}

private fun Duration.asWait(): Wait = if (this == Duration.INFINITE) Wait.forever() else Wait.upTo(toJavaDuration())
