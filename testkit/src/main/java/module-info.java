/**
 * Real servers, faults and contract suites for tests of Holdfast and of drivers written elsewhere.
 *
 * <p>The server program comes from the artifact {@code org.signal:embedded-redis}, which is read as a resource: none of
 * its classes is used, so it is not required here, and it may lie on the class path. LuaJ, which {@link
 * io.holdfast.testkit.MemoryServer} runs scripts with, has to lie there, because it has classes without a package: who runs
 * tests on the module path adds {@code --add-reads io.holdfast.testkit=ALL-UNNAMED}.
 */
module io.holdfast.testkit {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires transitive org.junit.jupiter.api;

    exports io.holdfast.testkit;
}
