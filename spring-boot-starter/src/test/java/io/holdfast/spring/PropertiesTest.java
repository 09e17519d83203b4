package io.holdfast.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every option can be set by a property, unless no text could say it. */
final class PropertiesTest {
    @Test
    void optionsOfAClient_areProperties() {
        // Beans of the application, or its SSL bundle.
        Set<String> byBeans = Set.of("credentials", "sentinelCredentials", "tls", "listener", "executor");
        Map<String, String> others = Map.of("lockDefaults", "lock", "lockDefaultsByName", "locks");
        assertEquals(Set.of(), without(HoldfastOptions.class, HoldfastProperties.class, byBeans, others));
    }

    @Test
    void optionsOfLocks_areProperties() {
        Set<String> ofCalls = Set.of("eventData", "listener", "group");
        // No local handoffs: the order is strict.
        Map<String, String> others = Map.of("strictOrder", "localHandoffs");
        assertEquals(Set.of(), without(LockOptions.class, LockProperties.class, ofCalls, others));
    }

    private static Set<String> without(
            Class<?> options, Class<?> properties, Set<String> exceptions, Map<String, String> others) {
        Set<String> present = Stream.of(properties.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toSet());
        return Stream.of(options.getMethods())
                .map(Method::getName)
                .filter(name -> name.startsWith("with"))
                .map(name -> Character.toLowerCase(name.charAt(4)) + name.substring(5))
                .filter(name -> !exceptions.contains(name) && !present.contains(others.getOrDefault(name, name)))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
