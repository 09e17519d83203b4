package io.holdfast.testkit;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import java.lang.reflect.Constructor;
import java.util.Objects;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A JUnit extension that passes tests a {@link Holdfast} in memory, and the {@link LeaseControl} with which they make it fail. It
 * also passes the {@link MemoryServer} and, in virtual time, the {@link VirtualTime}. Each test has its own server, which is
 * closed after it. All parameters of one test, of its constructor and of its {@code @BeforeEach} methods belong to that server.
 * Works with JUnit 5.10 and newer. Parameters of constructors need JUnit 5.12, and a separate instance for each test.
 *
 * <p>{@code @ExtendWith(HoldfastExtension.class)} uses the system's time. For virtual time or options:
 * {@code @RegisterExtension static final HoldfastExtension HOLDFAST = HoldfastExtension.inVirtualTime();}
 */
public final class HoldfastExtension implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(HoldfastExtension.class);

    private final boolean virtual;
    private final HoldfastOptions options;

    /** Creates an extension that uses the system's time, with the default options. */
    public HoldfastExtension() {
        this(false, HoldfastOptions.defaults());
    }

    private HoldfastExtension(boolean virtual, HoldfastOptions options) {
        this.virtual = virtual;
        this.options = options;
    }

    /** Returns an extension whose time stands still until the test moves it. The code under test must run in the test's thread. */
    public static HoldfastExtension inVirtualTime() {
        return new HoldfastExtension(true, HoldfastOptions.defaults());
    }

    /** Returns an extension with the given options for its clients. */
    public HoldfastExtension with(HoldfastOptions clientOptions) {
        return new HoldfastExtension(virtual, clientOptions);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Holdfast.class
                || type == LeaseControl.class
                || type == MemoryServer.class
                || (virtual && type == VirtualTime.class);
    }

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    @SuppressWarnings("deprecation") // what replaces it is missing before JUnit 6
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (parameter.getDeclaringExecutable() instanceof Constructor
                && context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("a constructor can have a "
                    + parameter.getParameter().getType().getSimpleName()
                    + " only from JUnit 5.12 on, and only if each test has an instance of its own; a @BeforeEach"
                    + " method always can");
        }
        Made made = Objects.requireNonNull(context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(HoldfastExtension.class, key -> new Made(virtual, options), Made.class));
        Class<?> type = parameter.getParameter().getType();
        if (type == Holdfast.class) {
            return made.client;
        } else if (type == LeaseControl.class) {
            return made.control;
        }
        return type == MemoryServer.class ? made.control.server() : made.control.time();
    }

    /** What belongs to one test; the store closes it, before JUnit 5.13 because of the one interface, later of the other. */
    @SuppressWarnings("deprecation")
    private static final class Made implements CloseableResource, AutoCloseable {
        final LeaseControl control;
        final Holdfast client;

        Made(boolean virtual, HoldfastOptions options) {
            MemoryServer server = virtual ? MemoryServer.start(new VirtualTime()) : MemoryServer.start();
            control = LeaseControl.over(server, options);
            client = control.client();
        }

        @Override
        public void close() {
            control.close();
        }
    }
}
