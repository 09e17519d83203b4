package io.holdfast.spring;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockNotObtainedException;
import io.holdfast.LockOptions;
import io.holdfast.Once;
import io.holdfast.Wait;
import io.holdfast.spring.Locked.Access;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** What an annotation says of a method, read and checked once. */
final class LockedMethod {
    /** When a method has ended. */
    enum End {
        /** When it returns. */
        RETURN,
        /** When the stage that it returns completes. */
        STAGE,
        /** When the publisher that it returns ends, once for each subscription. */
        PUBLISHER
    }

    private static final List<String> CALLED_ON_THE_BEAN =
            List.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

    private final String where;
    final Method method;
    final End end;
    /** A function of Kotlin that suspends: a call of it proceeds to a {@code Mono}, for which Spring has the caller wait. */
    final boolean suspends;

    final boolean asynchronous; // its thread was given to it by an executor
    final boolean skips;
    final boolean fenced;
    final String client;
    private final List<NameTemplate> names;
    private final Access access;
    private final @Nullable Permits permits; // null for a lock
    private final @Nullable FairShare share; // null without a group
    private final @Nullable Fallback fallback; // null for none
    private final UnaryOperator<LockOptions> changes;
    /** How it is done once; null for a method that runs under a lock. */
    final @Nullable OnceWork once;

    private final int[] leaseParameters;

    /**
     * @param type of the bean
     * @param runsOnce what else is said of it, if it runs once
     * @param doneOnce what else is said of it, if it is done once
     * @param converter makes texts of results; null if there is none
     * @param reactive whether Spring can adapt a type to a publisher
     * @param coroutines whether Spring can make a publisher of a call that suspends
     * @throws SetupException if the annotation means nothing there
     */
    LockedMethod(
            Method method,
            Class<?> type,
            Locked annotation,
            @Nullable RunsOnce runsOnce,
            @Nullable DoneOnce doneOnce,
            @Nullable Supplier<ResultConverter> converter,
            BeanFactory beans,
            UnaryOperator<String> placeholders,
            Function<Class<?>, Boolean> reactive,
            boolean coroutines) {
        this.method = method;
        this.where = method.getDeclaringClass().getName() + "." + method.getName();
        refuseUnreachable();
        refuseSeveral();
        this.suspends = KotlinDetector.isSuspendingFunction(method);
        this.end = suspends ? endOfSuspending(coroutines) : end(reactive);
        this.asynchronous = AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class);
        this.skips =
                annotation.ifTaken() == IfTaken.SKIP || !annotation.fallback().isEmpty();
        if (annotation.ifTaken() == IfTaken.SKIP
                && annotation.fallback().isEmpty()
                && !(suspends ? returnsNull() : canSkip(ResolvableType.forMethodReturnType(method), true))) {
            throw wrong(
                    "skips, and returns " + returned() + ", which cannot say to the caller that nothing was done",
                    suspends
                            ? "Return Unit, or a type with a question mark, or do not skip"
                            : "Return void or an Optional, a CompletionStage of one of these, a Mono or a Flux, or do not skip");
        }
        if (end == End.PUBLISHER
                && (doneOnce != null || (runsOnce != null && !runsOnce.per().isEmpty()))) {
            throw wrong(
                    suspends
                            ? "is a suspend function, so its run cannot be recorded"
                            : "returns " + returned() + ", so its run cannot be recorded",
                    suspends
                            ? "Call runOnce of holdfast-kotlin within it"
                            : doneOnce == null
                                    ? "Return void, an Optional, or a CompletionStage of one of these, or give minHold"
                                            + " instead of per"
                                    : "Return the result, or a CompletionStage of it");
        }
        this.fenced = annotation.fenced();
        this.client = resolved(annotation.client(), placeholders);
        try {
            this.names = Arrays.stream(annotation.value())
                    .map(each -> new NameTemplate("name", each, method, beans, placeholders))
                    .toList();
            if (names.isEmpty()) {
                throw new IllegalArgumentException("it names no lock");
            }
            this.changes = changes(annotation, placeholders);
            this.access = annotation.access();
            this.permits = Permits.of(resolved(annotation.permits(), placeholders));
            if (permits != null && access != Access.EXCLUSIVE) {
                throw new IllegalArgumentException(
                        "it has both access and permits: access is for read/write locks, permits are for semaphores");
            }
            this.share = FairShare.of(annotation, method, beans, placeholders);
            this.fallback = annotation.fallback().isEmpty() ? null : fallback(annotation, type);
            this.once = runsOnce != null && !runsOnce.per().isEmpty()
                    ? new OnceWork(tried(runsOnce.tries(), slots(resolved(runsOnce.per(), placeholders))), null)
                    : doneOnce != null
                            ? new OnceWork(tried(doneOnce.tries(), kept(doneOnce, placeholders)), results(converter))
                            : null;
        } catch (IllegalArgumentException e) {
            throw wrong("cannot be locked: " + e.getMessage(), "Correct the annotation", e);
        }
        if (end != End.RETURN && (fenced || !annotation.interruptBefore().isEmpty())) {
            throw wrong(
                    "uses fenced or interruptBefore, and returns before its work has ended",
                    "Use fenced and interruptBefore only on methods that block");
        }
        if (names.size() > 1 && (end == End.PUBLISHER || fenced)) {
            throw wrong(
                    "has several locks, and " + (fenced ? "is fenced" : suspends ? "suspends" : "returns a publisher"),
                    fenced
                            ? "Check each token in the transaction: CurrentLease.all().forEach(lease -> fence.check(connection, lease))"
                            : "Acquire the locks within the method, with holdfast.locks(…).attemptAsync()");
        }
        if (runsOnce != null && runsOnce.per().isEmpty() == annotation.minHold().isEmpty()) {
            throw wrong(
                    once == null ? "has neither per nor minHold" : "has both per and minHold",
                    "Give the period in which it runs once (per = \"1h\", per = \"day\"), or the time for which it"
                            + " counts as run (minHold)");
        }
        Class<?>[] types = method.getParameterTypes();
        if (names.size() > 1 && Arrays.asList(types).contains(Lease.class)) {
            throw wrong(
                    "has several locks, and a parameter for one lease",
                    "Remove the parameter, and call CurrentLease.all()");
        }
        this.leaseParameters = IntStream.range(0, types.length)
                .filter(i -> types[i] == Lease.class)
                .toArray();
    }

    private void refuseUnreachable() {
        int modifiers = method.getModifiers();
        String what = Modifier.isPrivate(modifiers)
                ? "private"
                : Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : null;
        if (what != null) {
            throw wrong(
                    "is " + what + ": Spring cannot see its calls, and it would run without the lock",
                    "Make the method neither private, static nor final, and call it from another bean");
        }
    }

    /** Of two annotations Spring would take the nearest, and the other would say nothing. */
    private void refuseSeveral() {
        String all = MergedAnnotations.from(method).stream(Locked.class)
                .map(each -> "@" + each.getRoot().getType().getSimpleName())
                .sorted()
                .collect(Collectors.joining(" and "));
        if (all.contains(" and ")) {
            throw wrong(
                    "has both " + all,
                    "Remove one of them, or move one method to another bean and call it from the other");
        }
        for (String own : CALLED_ON_THE_BEAN) {
            if (MergedAnnotations.from(method).isPresent(own)) {
                throw wrong(
                        "has @" + ClassUtils.getShortName(own)
                                + ": Spring calls it on the bean itself, past its proxy, and" + " without the lock",
                        "Acquire the lock within the method, with holdfast.lock(name).call(…), or move the work to a"
                                + " listener for ApplicationReadyEvent in another bean");
            }
        }
    }

    private End endOfSuspending(boolean coroutines) {
        if (!coroutines) {
            throw wrong(
                    "is a suspend function, whose end Spring cannot see here",
                    "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor and org.jetbrains.kotlin:kotlin-reflect, or take the"
                            + " lock within the function");
        }
        String type = new MethodParameter(method, -1).getParameterType().getName();
        if (type.equals("kotlinx.coroutines.flow.Flow")) {
            throw wrong(
                    "is a suspend function that returns a Flow: the function and the Flow end at different times",
                    "Remove suspend");
        }
        return End.PUBLISHER;
    }

    /** Whether what has done nothing can say so by null, or by Unit. */
    private boolean returnsNull() {
        MethodParameter returned = new MethodParameter(method, -1);
        return returned.isOptional()
                || returned.getParameterType().getName().equals("kotlin.Unit")
                || returned.getParameterType() == void.class;
    }

    private String returned() {
        return suspends
                ? new MethodParameter(method, -1).getGenericParameterType().getTypeName()
                : method.getGenericReturnType().getTypeName();
    }

    private End end(Function<Class<?>, Boolean> reactive) {
        Class<?> type = method.getReturnType();
        if (type == CompletionStage.class || type == CompletableFuture.class) {
            return End.STAGE;
        }
        if (Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || BaseStream.class.isAssignableFrom(type)) {
            throw wrong(
                    "returns a " + type.getName() + ", whose end Spring cannot see",
                    "Return a CompletableFuture, a Mono or a Flux, or the result itself");
        }
        return reactive.apply(type) ? End.PUBLISHER : End.RETURN;
    }

    private boolean canSkip(ResolvableType returned, boolean outermost) {
        Class<?> type = returned.toClass();
        if (type == void.class || type == Void.class || type == Optional.class) {
            return true;
        }
        return outermost && (end == End.PUBLISHER || (end == End.STAGE && canSkip(returned.getGeneric(0), false)));
    }

    private static String resolved(String text, UnaryOperator<String> placeholders) {
        return text.contains("${") ? placeholders.apply(text) : text;
    }

    /** Each text is parsed, and each value checked, here and not with the first call. */
    private static UnaryOperator<LockOptions> changes(Locked annotation, UnaryOperator<String> placeholders) {
        Duration term = duration("leaseDuration", annotation.leaseDuration(), placeholders);
        Duration longest = duration("maxScopedHold", annotation.maxScopedHold(), placeholders);
        Duration shortest = duration("minHold", annotation.minHold(), placeholders);
        Duration before = duration("interruptBefore", annotation.interruptBefore(), placeholders);
        String limit = resolved(annotation.waitLimit(), placeholders);
        Wait wait = limit.isEmpty() ? null : Durations.waitLimit(limit);
        UnaryOperator<LockOptions> changes = base -> {
            LockOptions options = Terms.withLeaseDuration(base, term, before, null);
            options = longest == null ? options : options.withMaxScopedHold(longest);
            // Kept locks have no minimum hold time.
            options = shortest == null
                    ? options
                    : options.withKeepFor(Duration.ZERO).withMinHold(shortest);
            return wait == null ? options : options.withWaitLimit(wait);
        };
        LockOptions any = LockOptions.defaults();
        var unused =
                changes.apply(before == null || term != null ? any : any.withLeaseDuration(before.multipliedBy(2)));
        return changes;
    }

    private static UnaryOperator<Once> tried(int most, UnaryOperator<Once> terms) {
        if (most < 0 || most > Once.MAX_TRIES) {
            throw new IllegalArgumentException(
                    "tries is " + most + ", must be 1 to " + Once.MAX_TRIES + ", or 0 for no limit");
        }
        return most == 0 ? terms : once -> terms.apply(once).withTries(most);
    }

    private static UnaryOperator<Once> slots(String per) {
        if (per.equals("day")) {
            return once -> once.perDay(ZoneId.systemDefault());
        }
        Duration period;
        try {
            period = Durations.parse(per);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("per is '" + per + "', must be day, or a duration such as 1h", e);
        }
        if (period.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("per is '" + per + "', must be 1s at least");
        }
        return once -> once.per(period);
    }

    private static UnaryOperator<Once> kept(DoneOnce annotation, UnaryOperator<String> placeholders) {
        Duration keep = duration("keep", annotation.keep(), placeholders);
        if (keep == null || keep.compareTo(Duration.ofMillis(1)) < 0 || keep.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException("keep is '" + annotation.keep() + "', must be 1ms to 365d");
        }
        return once -> once.withKeep(keep);
    }

    private OnceWork.Results results(@Nullable Supplier<ResultConverter> converter) {
        ResolvableType returned = ResolvableType.forMethodReturnType(method);
        ResolvableType type = end == End.STAGE ? returned.getGeneric(0) : returned;
        Class<?> raw = type.toClass();
        if (raw != void.class && raw != Void.class && converter == null) {
            throw wrong(
                    "returns a " + raw.getName() + ", and no ResultConverter turns results into text for the record",
                    "Add Jackson to the application, as Spring Boot's starter for JSON does, or add a bean of the type "
                            + ResultConverter.class.getName());
        }
        return new OnceWork.Results(this, type.getType(), converter);
    }

    private static @Nullable Duration duration(String what, String text, UnaryOperator<String> placeholders) {
        String resolved = resolved(text, placeholders);
        try {
            return resolved.isEmpty() ? null : Durations.parse(resolved);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(what + " is '" + resolved + "', must be a duration such as 10s", e);
        }
    }

    /** That the annotation means nothing at this method. */
    SetupException wrong(String what, String action) {
        return wrong(what, action, null);
    }

    private SetupException wrong(String what, String action, @Nullable Throwable cause) {
        return new SetupException(
                "The method " + where + " has @Locked, @RunsOnce or @DoneOnce, and " + what, action, cause);
    }

    // ---- for a call

    /** The locks of a call, to be asked for as the annotation says, each once; one, unless the annotation has several names. */
    List<DistributedLock> locks(Holdfast holdfast, Object target, @Nullable Object[] arguments) {
        return names.stream()
                .map(each -> each.name(target, arguments))
                .distinct()
                .map(each -> changed(
                        lock(holdfast, each),
                        options -> share == null
                                ? options
                                : share.of(target, arguments).apply(options)))
                .toList();
    }

    private DistributedLock changed(DistributedLock lock, UnaryOperator<LockOptions> further) {
        LockOptions options = lock.options();
        LockOptions changed = further.apply(changes.apply(options));
        return changed.equals(options) ? lock : lock.with(changed);
    }

    private DistributedLock lock(Holdfast holdfast, String of) {
        if (permits != null) {
            return holdfast.semaphore(of, permits.limit()).permits(permits.count());
        }
        return switch (access) {
            case EXCLUSIVE -> holdfast.lock(of);
            case READ -> holdfast.readWriteLock(of).read();
            case WRITE -> holdfast.readWriteLock(of).write();
        };
    }

    /** Whether requests have a group, which not every client and not all options have room for. */
    boolean hasGroup() {
        return share != null;
    }

    /**
     * Asks for the locks as a call would, as far as that can be known before one, and sends nothing.
     *
     * @throws SetupException if no request may have a group there
     */
    void requireGroups(Holdfast holdfast) {
        FairShare asked = Objects.requireNonNull(share);
        try {
            for (NameTemplate each : names) {
                var unused = changed(lock(holdfast, each.sample()), asked.sample());
            }
        } catch (IllegalArgumentException e) {
            throw wrong(
                    "names a group, which its requests cannot have: " + e.getMessage(),
                    "Remove the group, or use another client, or change the properties below holdfast.lock and"
                            + " holdfast.locks that do not allow a group",
                    e);
        }
    }

    /** What a call of a method that is done once asks for, with the options of the lock of that name. */
    Once once(OnceWork work, Holdfast holdfast, Object target, @Nullable Object[] arguments) {
        DistributedLock lock = locks(holdfast, target, arguments).get(0); // for its name and its options
        return work.terms().apply(holdfast.once(lock.name(), lock.options().withKeepFor(Duration.ZERO)));
    }

    /** The arguments with the lease where a parameter waits for it. */
    @Nullable
    Object[] withLease(@Nullable Object[] arguments, Lease lease) {
        if (leaseParameters.length == 0) {
            return arguments;
        }
        @Nullable Object[] filled = Arrays.copyOf(arguments, arguments.length);
        for (int i : leaseParameters) {
            filled[i] = filled[i] == null ? lease : filled[i];
        }
        return filled;
    }

    /**
     * What a call results in whose lock was not to be had.
     *
     * @throws Exception what the fallback has thrown
     */
    @Nullable
    Object instead(Object target, @Nullable Object[] arguments, LockNotObtainedException why) throws Exception {
        return fallback == null ? nothing() : fallback.call(target, arguments, why);
    }

    private Fallback fallback(Locked annotation, Class<?> type) {
        if (end == End.PUBLISHER) {
            throw new IllegalArgumentException(
                    suspends
                            ? "it has a fallback, and is a suspend function: catch LockTimeoutException where it is called"
                            : "it has a fallback, and returns a publisher: call"
                                    + " onErrorResume(LockTimeoutException.class, …) on the publisher");
        }
        if (annotation.ifTaken() == IfTaken.SKIP) {
            throw new IllegalArgumentException("it skips, and has a fallback");
        }
        return Fallback.of(type, method, annotation.fallback());
    }

    /** What a call results in that has done nothing; of a stage, what that results in. */
    @Nullable
    Object nothing() {
        Class<?> type = end == End.STAGE
                ? ResolvableType.forMethodReturnType(method).getGeneric(0).toClass()
                : method.getReturnType();
        return type == Optional.class ? Optional.empty() : null;
    }

    boolean hasFallback() {
        return fallback != null;
    }

    /** Whether callers of the method have to expect that their threads are interrupted. */
    boolean declaresInterrupts() {
        return Arrays.stream(method.getExceptionTypes())
                .anyMatch(type -> type.isAssignableFrom(InterruptedException.class));
    }

    /** For meters and traces: the class without its package. */
    String shortName() {
        return ClassUtils.getShortName(method.getDeclaringClass()) + "." + method.getName();
    }

    @Override
    public String toString() {
        return where;
    }
}
