package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.routing.Location;
import io.holdfast.spi.ConnectOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.type.AnnotationMetadata;

/** Starts applications as a user's main method would. */
final class Apps {
    /** An application with nothing but what is on the class path. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    /** What the starter alone has made, without all that Boot would: for what takes no more, and is started often. */
    @Configuration(proxyBeanMethods = false)
    @Import(Starter.Configurations.class)
    static class Starter {
        static final class Configurations implements DeferredImportSelector {
            @Override
            public String[] selectImports(AnnotationMetadata importing) {
                return ImportCandidates.load(AutoConfiguration.class, Holdfast.class.getClassLoader())
                        .getCandidates()
                        .stream()
                        .filter(name -> name.startsWith("io.holdfast."))
                        .toArray(String[]::new);
            }
        }
    }

    private Apps() {}

    /** A request to an application with a web server. */
    static HttpRequest.Builder request(ConfigurableApplicationContext context, String path) {
        String port = context.getEnvironment().getProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
    }

    static HttpResponse<String> answer(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "not in time");
            Thread.onSpinWait();
        }
    }

    /** A client beside the application. Both drivers are there, so it has to name one. */
    static Holdfast connect(String address) {
        ConnectOptions connecting = ConnectOptions.defaults();
        return Holdfast.over(Location.parse(address).connect(new LettuceDriverProvider(), connecting, connecting));
    }

    /** Over the server at a port of this machine. */
    static ConfigurableApplicationContext start(int port, Class<?> source, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("spring.data.redis.port=" + port);
        return start(source, all.toArray(String[]::new));
    }

    /** The same with beans of these classes, by their names. */
    static ConfigurableApplicationContext with(int port, Map<String, Class<?>> beans, String... properties) {
        return with(Plain.class, port, beans, properties);
    }

    static ConfigurableApplicationContext with(
            Class<?> source, int port, Map<String, Class<?>> beans, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("spring.data.redis.port=" + port);
        return start(source, beans, all.toArray(String[]::new));
    }

    /** What a failure and each of its causes say, a line each. */
    static String messages(Throwable thrown) {
        StringBuilder all = new StringBuilder();
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            all.append(each.getMessage()).append('\n');
        }
        return all.toString();
    }

    static ConfigurableApplicationContext start(Class<?> source, String... properties) {
        return start(source, Map.of(), properties);
    }

    /** With a web server. */
    static ConfigurableApplicationContext web(Class<?> source, String... properties) {
        return start(WebApplicationType.SERVLET, source, Map.of(), properties);
    }

    private static ConfigurableApplicationContext start(
            Class<?> source, Map<String, Class<?>> beans, String... properties) {
        return start(WebApplicationType.NONE, source, beans, properties);
    }

    /** With a class loader of its own, and so without what that does not find. */
    static ConfigurableApplicationContext start(
            ClassLoader classes, Class<?> source, Map<String, Class<?>> beans, String... properties) {
        return start(WebApplicationType.NONE, classes, source, beans, properties);
    }

    private static ConfigurableApplicationContext start(
            WebApplicationType type, Class<?> source, Map<String, Class<?>> beans, String... properties) {
        return start(type, Apps.class.getClassLoader(), source, beans, properties);
    }

    private static ConfigurableApplicationContext start(
            WebApplicationType type,
            ClassLoader classes,
            Class<?> source,
            Map<String, Class<?>> beans,
            String... properties) {
        SpringApplication application =
                source == Starter.class ? new SpringApplication(source) : new SpringApplication(source, Plain.class);
        application.setResourceLoader(new DefaultResourceLoader(classes));
        application.setWebApplicationType(type);
        application.setRegisterShutdownHook(false);
        application.addInitializers(context ->
                beans.forEach((name, bean) -> ((GenericApplicationContext) context).registerBean(name, bean)));
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.banner-mode=off",
                "--spring.application.name=shop",
                "--spring.datasource.url=jdbc:h2:mem:${random.uuid}"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return application.run(arguments.toArray(String[]::new));
    }
}
