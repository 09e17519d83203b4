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
 * Does work under the lock, and releases it in every case: when the work has ended, has failed, or was cancelled. No thread is
 * blocked meanwhile. For locks, for either side of a read/write lock, and for the permits of a semaphore.
 *
 * The work runs in the calling coroutine's context, and has ended with all coroutines that it has started when the lock is
 * released. The release was answered when this function ends, which takes the command timeout of the client at most. A hold is
 * renewed for [io.holdfast.LockOptions.maxScopedHold] at most.
 *
 * **Cancellation.** If the calling coroutine is cancelled while it waits, the request is withdrawn, in the background if
 * necessary, and the work is not begun: nothing stays in the queue, and nothing stays held. If it is cancelled later, so is the
 * work, and the lock is released when the work has ended.
 *
 * **Loss.** If the lock is lost, the work is cancelled at once with all coroutines that it has started, by a
 * `CancellationException` whose cause is the [LeaseLostException]. What this function throws then is no cancellation, of which
 * the caller's own coroutine would end in silence, but a `LeaseLostException`. Code that does not suspend is not stopped: what
 * must not be done twice goes to a store that compares the lease's token. [io.holdfast.LockOptions.interruptBefore] does not
 * concern this function.
 *
 * **Actors.** The actor that asks is this coroutine, not its thread, which others use too: a name of its own, which listings
 * show, made of its [CoroutineName] if it has one. The work, and what it starts, belongs to the same actor. So requests within
 * the work for a lock that it holds do what [io.holdfast.LockOptions.reentrancy] says, and those beside it wait. An actor that
 * was named with `withActor` stays.
 *
 * @param wait how long to wait for the lock: zero asks once; infinite waits for ever; as its options say if it is null. At least a
 *   millisecond otherwise, and a year at most
 * @param block the work
 * @return what the work returned
 * @throws LockTimeoutException if the lock was not free in time; the work was not begun. This and what else
 *   [DistributedLock.acquireAsync] fails with
 * @throws LeaseLostException if the lock was lost before the work had ended; [LeaseLostException.result] is what the work returned,
 *   if it did so all the same. An exception of the work itself, other than its cancellation, is passed on as it is
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
 * Does work under the lock if it is free, or becomes free in time; otherwise as [withLease].
 *
 * @param wait how long to wait for the lock; zero, which is the default, asks once
 * @param block the work
 * @return what the work returned; null, without the work being begun, if the lock was not free (in time)
 * @throws io.holdfast.ServerUnreachableException if that is not known. This and what else [withLease] throws, except for a lock that was
 *   not free
 */
public suspend fun <T : Any> DistributedLock.tryWithLease(
    wait: Duration = Duration.ZERO,
    block: suspend CoroutineScope.(lease: Lease) -> T,
): T? = unlessTaken(block) { withLease(wait, it) }

/**
 * Does work under all locks of a set, and releases them in every case. The loss of one, which the exception names, is the loss of the
 * set; otherwise as [DistributedLock.withLease].
 *
 * @param wait how long to wait for all locks together; as the set says if it is null
 * @param block the work
 * @return what the work returned
 * @throws LockTimeoutException if the locks were not free in time; the work was not begun
 * @throws LeaseLostException if one was lost before the work had ended
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
 * Does work under all locks of a set if they are free, or become free in time; otherwise as [withLeases].
 *
 * @param wait how long to wait for all locks together; zero, which is the default, asks once for each
 * @param block the work
 * @return what the work returned; null, without the work being begun, if one of the locks was not free (in time)
 * @throws io.holdfast.ServerUnreachableException if that is not known. This and what else [withLeases] throws, except for locks that were
 *   not free
 */
public suspend fun <T : Any> LockSet.tryWithLeases(
    wait: Duration = Duration.ZERO,
    block: suspend CoroutineScope.(leases: LeaseSet) -> T,
): T? = unlessTaken(block) { withLeases(wait, it) }

/**
 * Does work unless it was done, and gives its result or that of the one that did it; see [Once]. While another is at it, the coroutine is
 * suspended. The work runs, is cancelled, loses its lease and has its actor as that of [DistributedLock.withLease] does; work that
 * throws or is cancelled leaves no record.
 *
 * @param wait how long to wait for another that is at it: zero asks once; infinite waits for ever; as its options say if it is null
 * @param block the work; returns what is recorded, 16,384 characters at most when encoded for a URL
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

/** The coroutine that does the outermost work, and those within: for all locks that they ask for. */
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

    /** The cause has it. */
    override fun fillInStackTrace(): Throwable = this

    private companion object {
        private const val serialVersionUID = 1L
    }
}

/**
 * @param ask asks, does the work as soon as it may, and gives back when that has ended; cancelled while it waits, it withdraws. It may
 *   have a result without the work
 * @param watch tells of the loss of a lease
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
