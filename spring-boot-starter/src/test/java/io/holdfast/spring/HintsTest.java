package io.holdfast.spring;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.Compiled;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;

/** What a native image has to keep. */
final class HintsTest {
    static class Work {
        @Locked("a/{#id}")
        public boolean locked(String id) {
            return CurrentLease.get().isHeldOnServer()
                    && CurrentLease.get().name().equals("a/" + id);
        }

        @RunsOnce(value = "b", minHold = "1m")
        public void once() {}
    }

    @Test
    void hints_everyResourceOfTheCore_isKept() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        new HoldfastHints().registerHints(hints, getClass().getClassLoader());
        List<String> scripts = scripts();
        assertTrue(scripts.size() > 15, "the scripts are no longer found");
        for (String script : scripts) {
            assertTrue(
                    RuntimeHintsPredicates.resource()
                            .forResource("io/holdfast/lua/" + script)
                            .test(hints),
                    script);
        }
    }

    static class Rejecting {
        @Locked(value = "a", fallback = "later")
        public void now(String id) {}

        void later(String id) {}

        void elsewhere(String id) {}
    }

    @Test
    void hints_fallbackOfAMethod_isKeptToBeCalled() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Rejecting.class);
        assertTrue(isInvoked(hints, "now") && isInvoked(hints, "later"));
        assertFalse(isInvoked(hints, "elsewhere"));
    }

    private static boolean isInvoked(RuntimeHints hints, String name) throws Exception {
        TypeHint type = hints.reflection().getTypeHint(Rejecting.class);
        return type != null
                && type.methods().anyMatch(method -> method.getName().equals(name));
    }

    private static List<String> scripts() throws IOException {
        URL one = Holdfast.class.getResource("/io/holdfast/lua/acquire.lua");
        assertNotNull(one);
        Path folder = Path.of("../core/src/main/resources/io/holdfast/lua");
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.toFile().getName()).toList();
        }
    }

    @Test
    @CompileWithForkedClassLoader // what is generated may then name what is not public
    void contextThatIsMadeAhead_withLockedMethods_locksThemAndKeepsThem() {
        TestGenerationContext generation = new TestGenerationContext();
        ClassName initializer;
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            memory(context);
            context.register(HoldfastAutoConfiguration.class, LockedAutoConfiguration.class, Work.class);
            initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            generation.writeGeneratedContent();
        }
        RuntimeHints hints = generation.getRuntimeHints();
        for (String method : List.of("locked", "once")) {
            assertTrue(
                    RuntimeHintsPredicates.reflection()
                            .onMethod(Work.class, method)
                            .test(hints),
                    method);
        }
        assertTrue(RuntimeHintsPredicates.resource()
                .forResource("io/holdfast/lua/acquire.lua")
                .test(hints));
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                memory(context);
                context.setClassLoader(compiled.getClassLoader());
                start(compiled, initializer, context);
                Work work = context.getBean(Work.class);
                assertTrue(work.locked("7"));
                work.once();
                assertTrue(context.getBean(Holdfast.class).inspect().isLocked("b"), "it has run for this minute");
            }
        });
    }

    private static void memory(ConfigurableApplicationContext context) {
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("holdfast.mode", "memory")));
    }

    @SuppressWarnings("unchecked") // that is what Spring generates
    private static void start(Compiled compiled, ClassName initializer, GenericApplicationContext context) {
        ((ApplicationContextInitializer<GenericApplicationContext>)
                        compiled.getInstance(ApplicationContextInitializer.class, initializer.canonicalName()))
                .initialize(context);
        context.refresh();
    }
}
