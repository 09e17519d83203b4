package io.holdfast;

import io.holdfast.internal.client.Client;
import io.holdfast.internal.report.Reports;
import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.Batches;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Keys.Kind;
import io.holdfast.internal.wire.LockScripts;
import io.holdfast.internal.wire.Require;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reports the state of locks without changing it. Each reported state was true at one instant on the server, except for what
 * clients report (see {@link #overview(int, Overview)}). A method, or a step of a stream, blocks for a few round trips, each of
 * which takes at most the command timeout. A listing or a search takes more of them if there are many locks.
 *
 * <p>A listing asks all clients to report their locks, and then asks the server for these locks in batches. So its cost depends
 * on the number of locks and clients, and not on the number of keys on the server. It waits for reports until none has arrived
 * for 250 ms, or for 2 s in all. A client that has not reported by then is listed by its last report. So is a client that has
 * died, for about as long as its holds last. A lock that is acquired or released during the listing may or may not be listed.
 * A client reports at most 10,000 locks. Only {@link #scanning} lists locks that no client of this library reports.
 *
 * <p>A listing is a stream that asks the server while it is read, so read only as many entries as needed. No lock is listed
 * twice.
 *
 * <p>Every method that asks the server, and every step of a stream, throws {@link ServerUnreachableException} if the server does
 * not answer, and {@link ServerRefusedException} if it answers with an error. After the client was closed, they throw
 * {@link HoldfastClosedException}.
 */
public final class Inspector {
    /** The default number of keys that one step of a search looks at. */
    public static final int PAGE = 500;

    /** The number of locks that one script reports, at some 5 µs each. */
    private static final int BATCH = 200;
    /** As {@link #BATCH}, if each lock may have a hundred waiters or holders: a script must end within some milliseconds. */
    private static final int BATCH_OF_LONG = 20;

    static final int MOST_LISTED = 10_000;

    final Client client;
    private final @Nullable Kind kind; // null for all
    private final boolean scanning;

    Inspector(Client client) {
        this(client, Kind.LOCK, false);
    }

    Inspector(Client client, @Nullable Kind kind, boolean scanning) {
        this.client = client;
        this.kind = kind;
        this.scanning = scanning;
    }

    /**
     * Returns a copy whose listings search all keys of the server ({@code SCAN}) instead of asking the clients. A search also
     * finds locks that no client reports: those of programs in other languages, and of clients whose reports were lost with the
     * server's memory. It also finds records of work that is done once, and free exclusive locks that are paused. It takes
     * about a microsecond of the server's time for each key on the server, of any program. After each page it pauses for four
     * times as long as the page took, to leave the server time for other clients. A search of a million keys therefore takes
     * some seconds.
     */
    public Inspector scanning() {
        return new Inspector(client, kind, true);
    }

    /**
     * Returns a copy for names of the given kind. By default, names are those of exclusive locks. For an election, the holder is
     * the leader, and the waiters are candidates.
     */
    public Inspector of(LockInfo.Kind kind) {
        return new Inspector(client, Kind.of(Require.given("kind", kind)), scanning);
    }

    /**
     * Returns a copy whose listings cover locks of all {@linkplain LockInfo.Kind kinds} at once. Its methods that take a name
     * refer to the exclusive lock of that name.
     */
    public Inspector allKinds() {
        return new Inspector(client, null, scanning);
    }

    /**
     * Returns the state of one lock, with its holder and the first hundred waiters of its queue. If it has several holders, the
     * hundred whose holds end first are listed. A free lock is not an error. The clients that hold the lock or wait for it are
     * asked how many of their callers wait. If there are such clients, this takes a few more round trips, and 250 ms more if
     * one of them does not answer.
     */
    public LockInfo lock(String name) {
        return lock(name, Server.WAITERS_LISTED);
    }

    /**
     * Returns the state of one lock, as {@link #lock(String)} does, with a given maximum number of waiters.
     *
     * @param waiters the maximum number of waiters to list, 0 to 10,000; with 0, no client is asked. For read/write locks and
     *     semaphores it is at least 100, and also applies to the holders
     */
    public LockInfo lock(String name, int waiters) {
        LockInfo info = seen(name, waiters);
        Set<String> clients = waiters == 0 ? Set.of() : clientsOf(info);
        return clients.isEmpty() ? info : info.withCallers(client.queue.reports.callers(holdOf(info), clients));
    }

    /** Returns the state of one lock on the server; no client is asked. */
    LockInfo seen(String name, int waiters) {
        if (waiters < 0 || waiters > MOST_LISTED) {
            throw new IllegalArgumentException("waiters is " + waiters + ", must be from 0 to " + MOST_LISTED);
        }
        return infos(List.of(Keys.of(client.kit.options.prefix(), kindOrLock(), name)), waiters)
                .get(0);
    }

    /** Returns the queue of a lock in the server's order, at most the first 10,000 waiters; empty if no request waits. */
    public List<Waiter> queue(String name) {
        return seen(name, MOST_LISTED).queue();
    }

    /**
     * Returns the deadlocks around a lock: cycles of actors that wait for each other, of which at least one holds the lock or
     * waits for it. They are found in the notes that clients write about their waits. A deadlock is therefore found only if
     * every client in it uses deadlock detection ({@link HoldfastOptions#withDeadlockDetection}), and only once its requests
     * have waited for as long as that option gives.
     *
     * <p>Blocks for a few round trips if there is no deadlock. If there seems to be one, it blocks until each client in it has
     * checked its own waits again, which takes about as long as that option gives. Only then is it certain that all parts of the
     * cycle existed at the same time.
     *
     * @param atMost how long to wait for these checks; a cycle that is not certain by then is not reported
     * @return the deadlocks; empty if there is none, or none is certain
     */
    public List<WaitCycle> deadlocks(String name, Duration atMost) throws InterruptedException {
        Require.between("atMost", atMost, Duration.ZERO, Require.LONGEST);
        Set<String> clients = clientsOf(seen(name, Server.WAITERS_LISTED));
        if (clients.isEmpty()) {
            return List.of();
        }
        String key = Keys.of(client.kit.options.prefix(), kindOrLock(), name).hold();
        Duration patience = atMost.plus(client.kit.options.commandTimeout().multipliedBy(10)); // for the answers
        try {
            return client.queue.deadlocks(key, clients, atMost).get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return List.of();
        } catch (ExecutionException e) {
            throw AsyncResults.explained(client.server, e);
        }
    }

    /** Returns the ids of the clients that hold the lock or stand in its queue. */
    private static Set<String> clientsOf(LockInfo info) {
        Set<String> clients = new LinkedHashSet<>();
        holdersOf(info).forEach(holder -> clients.add(holder.client()));
        info.queue().forEach(waiter -> clients.add(waiter.client()));
        return clients;
    }

    /** Returns all holders, without those after which the lock rests. */
    private static Stream<Holder> holdersOf(LockInfo info) {
        return info.shares().stream().map(LockInfo.Share::holder).filter(holder -> !holder.resting());
    }

    private Kind kindOrLock() {
        return kind == null ? Kind.LOCK : kind;
    }

    /** Returns whether the lock is held, or rests (see {@link Holder#resting()}). */
    public boolean isLocked(String name) {
        return seen(name, 0).isLocked();
    }

    /** Returns whether a request is in the lock's queue on the server. */
    public boolean isQueued(String name) {
        return seen(name, 0).isQueued();
    }

    /** Returns all locks that are held or rest, in no particular order; exclusive locks without their queues. */
    public Stream<LockInfo> locks() {
        return locks(PAGE);
    }

    /**
     * Returns all locks that are held or rest, as {@link #locks()} does, with the given page size.
     *
     * @param page the number of keys that one step of a search looks at, 1 to 10,000; it does not affect the result
     */
    public Stream<LockInfo> locks(int page) {
        return infosOf("", page, 0).filter(LockInfo::isLocked);
    }

    /** Returns all locks that have waiters, in no particular order, with the first hundred waiters of each queue. */
    public Stream<LockInfo> queues() {
        return queues(PAGE);
    }

    /**
     * Returns all locks that have waiters, as {@link #queues()} does, with the given page size.
     *
     * @param page the number of keys that one step of a search looks at, 1 to 10,000; it does not affect the result
     */
    public Stream<LockInfo> queues(int page) {
        return infosOf(":d", page, Server.WAITERS_LISTED).filter(LockInfo::isQueued);
    }

    /**
     * Returns all locks that are held, rest or have waiters, each with the first hundred waiters of its queue, and the figures
     * that clients have counted.
     *
     * @param most the maximum number of locks
     */
    public Overview overview(int most) {
        return overview(most, Overview.none());
    }

    /**
     * Returns the same as {@link #overview(int)}, at a lower cost. The server is asked only now and then about a lock for which
     * clients report nothing new. How long such a lock remains held comes from the report of its client. If it has several
     * holders, it is shown as if it had not been renewed since the server was last asked. With {@link #scanning}, the server is
     * asked about all locks, as for the first overview.
     *
     * @param most the maximum number of locks
     * @param before the last overview that an inspector with the same settings returned
     */
    public Overview overview(int most, Overview before) {
        Listeners listeners = listeners();
        Reports.Reading reading = client.queue.reports.read();
        long now = client.kit.nanoTime();
        Map<String, Overview.Seen> kept = new LinkedHashMap<>();
        Map<String, Reports.Reported> open = new LinkedHashMap<>(reading.locks());
        List<LockInfo> locks = new ArrayList<>();
        if (!scanning) {
            reading.locks().forEach((key, reported) -> {
                long serverMillis = client.server.clock.microsAt(client.server.driver.partition(key), now) / 1_000;
                Overview.Reported present =
                        new Overview.Reported(reported.callers(), reported.mark(), reported.until(), now, serverMillis);
                Overview.Seen unchanged = before.unchanged(key, present);
                if (unchanged != null) {
                    kept.put(key, unchanged);
                    open.remove(key);
                    if (locks.size() < most) {
                        locks.add(unchanged.as(present));
                    }
                }
            });
        }
        Map<String, LockInfo> asked = new LinkedHashMap<>();
        Stream<LockInfo> found = scanning
                ? Stream.concat(infosOf("", PAGE, 0), infosOf(":d", PAGE, Server.WAITERS_LISTED))
                : reported(open, Server.WAITERS_LISTED);
        Iterator<LockInfo> each =
                found.filter(info -> info.isLocked() || info.isQueued()).iterator();
        while (locks.size() + asked.size() < most && each.hasNext()) {
            LockInfo info = each.next(); // locks with waiters are read last, and so are newer
            asked.put(holdOf(info), info);
        }
        locks.addAll(asked.values());
        asked.forEach((key, info) -> {
            Reports.Reported reported = reading.locks().get(key);
            if (reported != null) {
                kept.put(key, new Overview.Seen(info, reported.mark(), now));
            }
        });
        List<ClientFigures> figures = new ArrayList<>();
        reading.figures().forEach((id, counted) -> figures.add(figures(id, counted)));
        boolean more = each.hasNext() || kept.size() > locks.size();
        return new Overview(kept, locks, more, listeners, figures);
    }

    private ClientFigures figures(String id, Reports.Counted counted) {
        List<ClientFigures.OfLock> locks = new ArrayList<>();
        counted.byLock().forEach((hold, figures) -> {
            Keys keys = Keys.ofHold(client.kit.options.prefix(), hold);
            if (keys != null && isMeant(keys)) {
                locks.add(new ClientFigures.OfLock(keys.name(), keys.kind().shown(), figures));
            }
        });
        return new ClientFigures(id, counted.total(), locks);
    }

    /**
     * Returns the names of all locks that are held or rest, in no particular order. With {@link #scanning}, only the names of the
     * keys are read, and not the locks.
     */
    public Stream<String> heldNames() {
        return scanning ? searchedNames("") : locks().map(LockInfo::name);
    }

    /**
     * Returns the names of all locks that have waiters, in no particular order; see {@link #heldNames()}. With {@link #scanning},
     * it may also name a lock that was just handed to its last waiter, or is to be paused.
     */
    public Stream<String> queuedNames() {
        return scanning
                ? searchedNames(":d")
                : infosOf(":d", PAGE, 0).filter(LockInfo::isQueued).map(LockInfo::name);
    }

    /**
     * Returns how many keys the server has in the client's database, including those of other programs. A search takes about a
     * microsecond of the server's time for each of them; see {@link #scanning}. Takes one round trip for each master.
     */
    public long serverKeys() {
        long keys = 0;
        for (RedisDriver master : client.server.driver.masters()) {
            keys += ask(master, Command.of("DBSIZE")).asLong();
        }
        return keys;
    }

    private String pattern() {
        return Keys.holdPattern(client.kit.options.prefix(), kindOrLock()); // which fits all
    }

    private boolean isMeant(Keys keys) {
        return kind == null || keys.kind() == kind;
    }

    private Stream<String> searchedNames(String suffix) {
        return searched(suffix, PAGE).flatMap(locks -> locks.stream().map(Keys::name));
    }

    /**
     * Returns all keys of locks of every kind, and of fenced values, that the server has under this client's prefix, in no
     * particular order. Always searches the whole server; see {@link #scanning}.
     */
    public Stream<String> keys() {
        return keys(PAGE);
    }

    /**
     * Returns all keys, as {@link #keys()} does, with the given page size.
     *
     * @param page the number of keys that one step of the search looks at, 1 to 10,000; it does not affect the result
     */
    public Stream<String> keys(int page) {
        return scan(Keys.holdPattern(client.kit.options.prefix()) + "*", page);
    }

    /**
     * Returns the clients that hold a lock, wait for one, or listen for messages, as the server knows them. Of each lock, only the
     * first hundred holders and waiters count. With {@link #allKinds()}, one call covers locks of every kind.
     */
    public List<ClientInfo> clients() {
        Map<String, ClientInfo> found = new LinkedHashMap<>();
        Overview overview = overview(Integer.MAX_VALUE);
        overview.listeners().clients().forEach(id -> found.put(id, ClientInfo.listening(id)));
        for (LockInfo info : overview.locks()) {
            holdersOf(info)
                    .forEach(holder ->
                            found.merge(holder.client(), ClientInfo.holding(holder, info.named()), ClientInfo::and));
            info.queue()
                    .forEach(waiter ->
                            found.merge(waiter.client(), ClientInfo.waiting(waiter, info.named()), ClientInfo::and));
        }
        return List.copyOf(found.values());
    }

    /**
     * The clients that listen for messages.
     *
     * @param clients the ids of these clients
     * @param complete whether every live client is among them. On a cluster it may not be, because a client that has held and
     *     waited for nothing for minutes does not listen there
     */
    public record Listeners(Set<String> clients, boolean complete) {
        /** Copies the set. */
        public Listeners {
            clients = Set.copyOf(clients);
        }

        /** Returns whether a client listens; empty if that is not known. */
        public Optional<Boolean> has(String clientId) {
            boolean listens = clients.contains(clientId);
            return listens || complete ? Optional.of(listens) : Optional.empty();
        }
    }

    /**
     * Returns all clients that listen for messages. Takes one round trip, or on a cluster one or two for each master, regardless of
     * the number of clients; see {@link #isListening}. The result is empty and incomplete if the server's user may not ask.
     */
    public Listeners listeners() {
        Set<String> found = new LinkedHashSet<>();
        boolean answered = listening("*", name -> found.add(name.substring(name.lastIndexOf(":to:") + 4)));
        return new Listeners(found, answered && client.server.driver.partitions() == 1);
    }

    /**
     * Returns whether a client is connected and listens for messages. A client that holds a lock and does not listen may be dead,
     * or may be reconnecting. Takes one round trip, regardless of the number of locks and clients. On a cluster the masters are
     * asked one after the other, with at most two round trips each. A client that has held and waited for nothing for minutes
     * does not listen there, so the result is empty instead of false. It is also empty if the server's user may not ask.
     *
     * @param clientId the client's id, as {@link Holder#client()} and {@link Waiter#client()} return it
     */
    public Optional<Boolean> isListening(String clientId) {
        Set<String> found = new LinkedHashSet<>();
        boolean answered = listening(Keys.escapeGlob(clientId), found::add);
        boolean known = !found.isEmpty() || (answered && client.server.driver.partitions() == 1);
        return known ? Optional.of(!found.isEmpty()) : Optional.empty();
    }

    /** Names the channels of clients. Answers false if a master refuses to name its channels. */
    private boolean listening(String clients, Consumer<String> named) {
        try {
            askForChannels(clients, named);
            return true;
        } catch (ServerRefusedException e) {
            return false;
        }
    }

    /** Throws as a command that is refused. */
    void askForChannels(String clients, Consumer<String> named) {
        for (RedisDriver master : client.server.driver.masters()) {
            channels(master, clients).asList().forEach(channel -> named.accept(channel.asString()));
        }
    }

    private Reply channels(RedisDriver master, String clients) {
        String prefix = client.kit.options.prefix();
        if (client.server.driver.partitions() == 1) {
            return ask(master, Command.of("PUBSUB", "CHANNELS", Keys.escapeGlob(Keys.channelPrefix(prefix)) + clients));
        }
        String pattern = Keys.holdPattern(prefix) + ":to:" + clients;
        try {
            return ask(master, Command.of("PUBSUB", "SHARDCHANNELS", pattern));
        } catch (ServerRefusedException e) {
            return ask(master, Command.of("PUBSUB", "CHANNELS", pattern)); // older than sharded channels
        }
    }

    private Reply ask(RedisDriver master, Command command) {
        return AsyncResults.await(client.server, callback -> client.server.calls.send(master, command, callback));
    }

    /**
     * Returns all locks that clients report, or that a search finds.
     *
     * @param suffix the ending that a search adds to the keys of holds
     */
    private Stream<LockInfo> infosOf(String suffix, int page, int mostWaiters) {
        requirePage(page);
        if (scanning) {
            return searched(suffix, page).flatMap(locks -> infosOf(locks, mostWaiters, lock -> true));
        }
        // Asked when the stream is read, and one batch after the other.
        return StreamSupport.stream(() -> reported(mostWaiters).spliterator(), Spliterator.NONNULL, false);
    }

    private Stream<LockInfo> reported(int mostWaiters) {
        return reported(client.queue.reports.read().locks(), mostWaiters);
    }

    private Stream<LockInfo> reported(Map<String, Reports.Reported> reported, int mostWaiters) {
        List<Keys> locks = new ArrayList<>();
        for (String hold : reported.keySet()) {
            Keys keys = Keys.ofHold(client.kit.options.prefix(), hold);
            if (keys != null && isMeant(keys)) {
                locks.add(keys);
            }
        }
        Predicate<Keys> mayWait =
                lock -> Objects.requireNonNull(reported.get(lock.hold())).callers() > 0;
        return infosOf(locks, mostWaiters, mayWait).map(info -> withCallers(info, reported));
    }

    /** @param mayWait the locks for which a request may wait */
    private Stream<LockInfo> infosOf(List<Keys> locks, int mostWaiters, Predicate<Keys> mayWait) {
        Map<Boolean, List<Keys>> byLength = locks.stream()
                .collect(Collectors.partitioningBy(
                        lock -> client.server.scripts(lock).listed(mayWait.test(lock) ? mostWaiters : 0) > 0));
        return Stream.of(false, true)
                .flatMap(
                        isLong -> batches(Objects.requireNonNull(byLength.get(isLong)), isLong ? BATCH_OF_LONG : BATCH))
                .flatMap(some -> infos(some, mostWaiters).stream());
    }

    private LockInfo withCallers(LockInfo info, Map<String, Reports.Reported> reported) {
        Reports.Reported its = reported.get(holdOf(info));
        return its == null ? info : info.withCallers(its.callers());
    }

    private String holdOf(LockInfo info) {
        return Keys.of(client.kit.options.prefix(), Kind.of(info.kind()), info.name())
                .hold();
    }

    private static Stream<List<Keys>> batches(List<Keys> locks, int most) {
        int count = (locks.size() + most - 1) / most;
        return IntStream.range(0, count).mapToObj(i -> locks.subList(i * most, Math.min(locks.size(), (i + 1) * most)));
    }

    /** Returns the locks that have a key with this suffix, page by page. */
    private Stream<List<Keys>> searched(String suffix, int page) {
        Set<String> told = new HashSet<>();
        return pages(pattern() + suffix, page).map(found -> {
            List<Keys> locks = new ArrayList<>();
            for (String key : found) {
                Keys keys = Keys.ofHold(client.kit.options.prefix(), key.substring(0, key.length() - suffix.length()));
                if (keys != null && isMeant(keys) && told.add(keys.hold())) {
                    locks.add(keys);
                }
            }
            return locks;
        });
    }

    private Stream<String> scan(String pattern, int page) {
        Set<String> told = new HashSet<>(); // a cursor may return a key twice
        return pages(pattern, page).flatMap(List::stream).filter(told::add);
    }

    private static void requirePage(int page) {
        if (page < 1 || page > 10_000) {
            throw new IllegalArgumentException("page is " + page + ", must be from 1 to 10000");
        }
    }

    private Stream<List<String>> pages(String pattern, int page) {
        requirePage(page);
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(
                        new KeyPages(client.server, pattern, page), Spliterator.ORDERED | Spliterator.NONNULL),
                false);
    }

    /** A batch that one script reports: locks of one partition that the same scripts serve. */
    private record Batch(int partition, LockScripts scripts) {}

    private List<LockInfo> infos(Collection<Keys> locks, int mostWaiters) {
        Map<Batch, List<Keys>> batches = new LinkedHashMap<>();
        for (Keys lock : locks) {
            batches.computeIfAbsent(
                            new Batch(client.server.driver.partition(lock.hold()), client.server.scripts(lock)),
                            batch -> new ArrayList<>())
                    .add(lock);
        }
        return AsyncResults.await(
                client.server,
                callback -> Batches.askAlone(
                        List.copyOf(batches.entrySet()),
                        (one, answer) -> client.server.adminScripts.info(
                                one.get(0).getValue(),
                                one.get(0).getKey().scripts().listed(mostWaiters),
                                answer),
                        callback));
    }
}
