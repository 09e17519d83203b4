/**
 * For the tests of applications that use locks: a server in memory, virtual time, and leases that are lost on demand.
 *
 * <p>JUnit is only needed for {@link io.holdfast.testkit.HoldfastExtension}. LuaJ, with which {@link
 * io.holdfast.testkit.MemoryServer} runs scripts, has classes without a package and so cannot be a module: it has to lie on the
 * class path, and whoever runs tests on the module path adds {@code --add-reads io.holdfast.testkit=ALL-UNNAMED}.
 */
module io.holdfast.testkit {
    requires transitive io.holdfast;
    requires static transitive org.jspecify;
    requires static transitive org.junit.jupiter.api;

    exports io.holdfast.testkit;
}
