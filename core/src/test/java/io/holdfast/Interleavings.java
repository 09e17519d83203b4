package io.holdfast;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * How the tests named {@code …LincheckTest} go through the interleavings of two threads: a switch may come before each
 * access to shared memory in the classes under test, in their members, and in the test's own operations. What the others do counts
 * as one step, or there would be too many to go through; so does what is called back from there, which must not wait for the other
 * thread then. Who is called back by {@link java.util.concurrent.CompletableFuture} lists that, too. These tests are public because Lincheck wants to make instances of them.
 */
public final class Interleavings {
    private Interleavings() {}

    public static ModelCheckingOptions of(Class<?> test, int iterations, int invocations, Class<?>... underTest) {
        Set<String> open = Arrays.stream(underTest).map(Class::getName).collect(Collectors.toCollection(TreeSet::new));
        open.add(test.getName());
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(0)
                .iterations(iterations)
                .invocationsPerIteration(invocations)
                .addGuarantee(
                        forClasses(name -> !isOpen(name, open)).allMethods().treatAsAtomic());
    }

    /**
     * Asked with the class of the object that is called, as the source names it: a member behind a dot. What has no such name,
     * which is a lambda, goes by the type through which it is called; there members stand behind a dollar sign.
     */
    private static boolean isOpen(String name, Set<String> open) {
        // What calls back, or waits, is no single step.
        if (name.startsWith("java.util.concurrent.locks.")
                || name.startsWith("java.util.function.")
                || name.equals("java.lang.Runnable")) {
            return true;
        }
        String outer = name.replace('$', '.');
        while (!open.contains(outer)) {
            int member = outer.lastIndexOf('.');
            if (member < 0) {
                return false;
            }
            outer = outer.substring(0, member);
        }
        return true;
    }

    /** A scenario that is to be among those that are drawn: two threads, what comes before them, and what after. */
    public static ExecutionScenario scenario(
            List<Actor> before, List<Actor> one, List<Actor> other, List<Actor> after) {
        return new ExecutionScenario(before, List.of(one, other), after, null);
    }

    /** One operation of a test, by its name. */
    public static Actor act(Class<?> test, String operation, Object... arguments) {
        for (Method method : test.getMethods()) {
            if (method.getName().equals(operation)) {
                return new Actor(method, List.of(arguments));
            }
        }
        throw new IllegalArgumentException("no operation " + operation + " in " + test);
    }
}
