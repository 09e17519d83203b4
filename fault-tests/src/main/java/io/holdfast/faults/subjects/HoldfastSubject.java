package io.holdfast.faults.subjects;

import static io.holdfast.contracts.Outcomes.word;

import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.Wait;
import io.holdfast.faults.following.Following;
import io.holdfast.faults.history.Want;
import io.holdfast.model.following.Follower;
import io.holdfast.routing.Location;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Holdfast, over one of its drivers. Several addresses are the nodes of a quorum. */
final class HoldfastSubject implements Subject {
    private static final Duration CONNECT = Duration.ofSeconds(20);

    /** What is asked for a lock. */
    private interface Locks {
        String present(String name, Random random);

        Attempt<Lease> ask(String name, Want want, LockOptions options, Wait wait) throws InterruptedException;

        String end(String name, Lease lease);
    }

    private record OfOne(Holdfast client, Way kind, LockOptions options) implements Locks {
        @Override
        public String present(String name, Random random) {
            return kind.present(client, name, random);
        }

        @Override
        public Attempt<Lease> ask(String name, Want want, LockOptions asked, Wait wait) throws InterruptedException {
            return kind.ask(client, name, want, asked, wait);
        }

        @Override
        public String end(String name, Lease lease) {
            return kind.end(client, name, options, lease);
        }
    }

    private record OfQuorum(Quorum client) implements Locks {
        @Override
        public String present(String name, Random random) {
            return name;
        }

        @Override
        public Attempt<Lease> ask(String name, Want want, LockOptions asked, Wait wait) throws InterruptedException {
            return client.lock(name, asked).attempt(wait);
        }

        @Override
        public String end(String name, Lease lease) {
            return lease.release().name();
        }
    }

    private final Locks locks;
    private final AutoCloseable client;
    private final LockOptions options;
    private final String driver;
    private final @Nullable Following following;
    private Predicate<Lease> check = Lease::isValid;

    private HoldfastSubject(
            Locks locks, AutoCloseable client, LockOptions options, String driver, @Nullable Following following) {
        this.locks = locks;
        this.client = client;
        this.following = following;
        this.options = options;
        this.driver = driver;
    }

    /** Connects to proxies in place of servers, also of those that servers name. */
    private record Detouring(RedisDriverProvider direct, Map<Integer, Integer> detours) implements RedisDriverProvider {
        @Override
        public String name() {
            return direct.name();
        }

        @Override
        public RedisDriver connect(RedisAddress to, ConnectOptions options) {
            int port = detours.getOrDefault(to.port(), to.port());
            return direct.connect(
                    new RedisAddress(to.host(), port, to.tls(), to.user(), to.password(), to.database()), options);
        }
    }

    static HoldfastSubject connect(String driver, Target to, Duration term, UnaryOperator<LockOptions> way) {
        return connect(Way.EXCLUSIVE, driver, to, term, way, options -> options);
    }

    /** Of a kind of lock that has no turns. */
    static HoldfastSubject connect(Way kind, String driver, Target to, Duration term) {
        return connect(kind, driver, to, term, LockOptions::withStrictOrder, options -> options);
    }

    static HoldfastSubject connect(
            Way kind,
            String driver,
            Target to,
            Duration term,
            UnaryOperator<LockOptions> way,
            UnaryOperator<HoldfastOptions> client) {
        RedisDriverProvider direct = ServiceLoader.load(RedisDriverProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals(driver))
                .findFirst()
                .orElseThrow();
        Path followed = to.followed();
        Following following = followed == null ? null : new Following(new Follower(), followed);
        RedisDriverProvider detouring = new Detouring(direct, to.detours());
        RedisDriverProvider provider = following == null ? detouring : following.over(detouring);
        List<String> addresses = to.addresses();
        ConnectOptions connect = new ConnectOptions(CONNECT, "holdfast");
        LockOptions lock = way.apply(LockOptions.defaults().withLeaseDuration(term));
        HoldfastOptions options = client.apply(HoldfastOptions.defaults()
                .withLockDefaults(lock)
                .withCommandTimeout(Duration.ofSeconds(2))
                .withCloseTimeout(Duration.ofSeconds(3)));
        if (addresses.size() == 1) {
            Holdfast one = Holdfast.over(Location.parse(addresses.get(0)).connect(provider, connect), options);
            return new HoldfastSubject(new OfOne(one, kind, lock), one, lock, driver, following);
        }
        Quorum quorum = Quorum.connect(
                addresses.stream()
                        .map(each -> QuorumNode.over(Location.parse(each).connect(provider, connect)))
                        .toList(),
                QuorumOptions.defaults()
                        .withClient(options)
                        .withMaxLeaseDuration(term)
                        .withName("campaign")); // each client has detours of its own
        return new HoldfastSubject(new OfQuorum(quorum), quorum, lock, driver, following);
    }

    /** Sections ask the server in place of the lease, as they do with libraries that have no other check. */
    HoldfastSubject asking() {
        check = lease -> {
            try {
                return lease.isHeldOnServer();
            } catch (HoldfastException e) {
                return false;
            }
        };
        return this;
    }

    @Override
    public String present(String lock, Random random) throws NotObtained {
        try {
            return locks.present(lock, random);
        } catch (HoldfastException e) {
            throw new NotObtained(e.getClass().getSimpleName(), e);
        }
    }

    @Override
    public Hold acquire(String name, Want want, Duration wait, Runnable onQueued, Consumer<String> onLost)
            throws NotObtained, InterruptedException {
        // A listener of its own would keep requests from sharing a hold. Those that share one have no order to be
        // checked.
        boolean shared = options.localHandoffs() > 0;
        LockOptions told = shared
                ? options
                : options.withListener(event -> {
                    if (event instanceof LockEvent.Queued) {
                        onQueued.run();
                    }
                });
        Attempt<Lease> attempt;
        try {
            attempt = locks.ask(name, want, told, wait.isZero() ? Wait.none() : Wait.upTo(wait));
        } catch (HoldfastException e) {
            throw new NotObtained(e.getClass().getSimpleName(), e);
        }
        Lease lease = attempt.asOptional().orElseThrow(() -> new NotObtained(word(attempt), null));
        lease.whenLost().thenAccept(reason -> onLost.accept(reason.name()));
        return new Hold() {
            @Override
            public long token() {
                return lease.token();
            }

            @Override
            public List<Integer> slots() {
                return lease.slots();
            }

            @Override
            public boolean isHeld() {
                return check.test(lease);
            }

            @Override
            public boolean isOver() {
                return lease.remaining().isZero();
            }

            @Override
            public String release() {
                return locks.end(name, lease);
            }
        };
    }

    @Override
    public String describe() {
        return "Holdfast over " + driver;
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (Exception e) {
            throw new IllegalStateException("the client could not be closed", e);
        }
        if (following != null) {
            following.close();
        }
    }
}
