package io.holdfast.contracts;

import io.holdfast.Candidacy;
import io.holdfast.FencedValue;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.OnceResult;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriverProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A program that takes locks, to be run as a process of its own and to be frozen and killed; {@link TakerProcess} is the
 * other end. It reads commands from its input and writes events to its output, a line each, words separated by a space.
 * It ends with its input.
 *
 * <p>Arguments: a server's address, a driver's name, and options as {@code name=value}: {@code term}, {@code claim},
 * {@code refresh}, {@code deadline} (of waiters) and {@code tokenLife} in milliseconds, {@code strict}, whatever its value, for
 * strict order, and {@code clients}, the number
 * of clients among which requests are dealt out in turn. It says {@code ready} when they are connected.
 *
 * <table>
 * <caption>Commands, what they do, and the events that they lead to</caption>
 * <tr><td>{@code ask LOCK FROM TO}</td><td>asks for the lock once for each number, in this order, without blocking, and
 *     keeps what it gets</td>
 *     <td>{@code asked LOCK FROM TO} when all requests are on their way; for each {@code got LOCK NUMBER OWNER TOKEN} or
 *     {@code failed LOCK NUMBER EXCEPTION}; later perhaps {@code lost LOCK NUMBER REASON}</td></tr>
 * <tr><td>{@code pass LOCK FROM TO}</td><td>the same, but writes each lease into the journal and releases it</td>
 *     <td>{@code asked LOCK FROM TO}, {@code failed …}, {@code passed LOCK FROM TO} when all were released</td></tr>
 * <tr><td>{@code count LOCK THREADS ROUNDS}</td><td>in so many threads, so many times: acquires, increments, writes into
 *     the journal, releases</td><td>{@code failed …}, {@code counted LOCK THREADS ROUNDS}</td></tr>
 * <tr><td>{@code check LOCK NUMBER}</td><td>looks at a lease</td><td>{@code valid LOCK NUMBER} or
 *     {@code invalid LOCK NUMBER}</td></tr>
 * <tr><td>{@code left LOCK NUMBER}</td><td>looks how long a lease lasts yet</td>
 *     <td>{@code left LOCK NUMBER MILLISECONDS}</td></tr>
 * <tr><td>{@code increment LOCK NUMBER}</td><td>increments if the lease says that it is valid</td>
 *     <td>{@code incremented LOCK NUMBER} or {@code refused LOCK NUMBER}</td></tr>
 * <tr><td>{@code guarded LOCK NUMBER TEXT}</td><td>sets the fenced value named like the lock, with the token of a lease, and
 *     does not look whether that is valid</td><td>{@code guarded LOCK NUMBER ACCEPTED NEWEST}</td></tr>
 * <tr><td>{@code unguarded LOCK NUMBER TEXT}</td><td>sets the key {@code unguarded:LOCK}, without a look either</td>
 *     <td>{@code unguarded LOCK NUMBER}</td></tr>
 * <tr><td>{@code release LOCK NUMBER}</td><td>releases a lease</td><td>{@code released LOCK NUMBER RESULT}</td></tr>
 * <tr><td>{@code campaign ELECTION NUMBER}</td><td>campaigns, and leads until it is interrupted</td>
 *     <td>{@code campaigns ELECTION NUMBER}; each time {@code leads ELECTION NUMBER TOKEN}, and
 *     {@code over ELECTION NUMBER TOKEN REASON} when the leadership is, {@code -} for no loss</td></tr>
 * <tr><td>{@code leader ELECTION NUMBER}</td><td>looks whether a candidate leads</td>
 *     <td>{@code leader ELECTION NUMBER true}, or {@code false}</td></tr>
 * <tr><td>{@code once KEY NUMBER}</td><td>does work once, or waits for another that is at it</td>
 *     <td>{@code begun KEY NUMBER TOKEN NOTE} if it does it, with the note of the run before, {@code -} for none; in the end {@code ran KEY NUMBER TEXT}, {@code done KEY NUMBER TEXT} or
 *     {@code ended KEY NUMBER EXCEPTION}</td></tr>
 * <tr><td>{@code note KEY NUMBER TEXT}</td><td>leaves a note at such work</td><td>{@code noted KEY NUMBER}</td></tr>
 * <tr><td>{@code finish KEY NUMBER TEXT}</td><td>ends such work</td><td>see {@code once}</td></tr>
 * <tr><td>{@code quit}</td><td>closes the clients and ends</td><td>{@code closed}</td></tr>
 * </table>
 *
 * <p>To increment is to read the key {@code counter:LOCK} and to write it one greater, in two commands of a connection of
 * its own, so that updates are lost where the lock fails. The journal is the list {@code journal:LOCK}, which gets
 * {@code OWNER TOKEN PLACE} of each lease while it is held; place is the one in the queue when the request joined it.
 */
public final class Taker {
    /** A process that starts together with others may take seconds to load its classes. */
    private static final ConnectOptions CONNECT = new ConnectOptions(Duration.ofMinutes(1), "holdfast");

    private final RedisAddress address;
    private final List<Holdfast> clients = new ArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final Map<String, Lease> leases = new ConcurrentHashMap<>();
    private final Map<String, Candidacy> candidacies = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<String>> works = new ConcurrentHashMap<>();
    private final ReentrantLock writing = new ReentrantLock();

    private Taker(RedisAddress address, RedisDriverProvider driver, Map<String, Long> options) {
        this.address = address;
        LockOptions lockOptions = LockOptions.defaults().withWaitLimit(Wait.forever());
        if (options.containsKey("strict")) {
            lockOptions = lockOptions.withStrictOrder();
        }
        HoldfastOptions clientOptions = HoldfastOptions.defaults();
        Map<String, Long> rest = new HashMap<>(options);
        rest.remove("strict");
        Duration refresh = millis(rest.remove("refresh"), clientOptions.refreshInterval());
        Duration deadline = millis(rest.remove("deadline"), clientOptions.waiterDeadline());
        clientOptions = clientOptions
                .withLockDefaults(lockOptions
                        .withLeaseDuration(millis(rest.remove("term"), lockOptions.leaseDuration()))
                        .withHandoffTimeout(millis(rest.remove("claim"), lockOptions.handoffTimeout())))
                .withTokenLife(millis(rest.remove("tokenLife"), clientOptions.tokenLife()));
        // The deadline must be a multiple of the interval at each step, whichever of them becomes smaller.
        clientOptions = refresh.compareTo(clientOptions.refreshInterval()) < 0
                ? clientOptions.withRefreshInterval(refresh).withWaiterDeadline(deadline)
                : clientOptions.withWaiterDeadline(deadline).withRefreshInterval(refresh);
        Long count = rest.remove("clients");
        if (!rest.isEmpty()) {
            throw new IllegalArgumentException("no such options: " + rest.keySet());
        }
        for (int i = 0; i < (count == null ? 1 : count); i++) {
            clients.add(Holdfast.over(driver.connect(address, CONNECT), clientOptions));
        }
    }

    private static Duration millis(@Nullable Long millis, Duration otherwise) {
        return millis == null ? otherwise : Duration.ofMillis(millis);
    }

    /** Runs the program. */
    public static void main(String[] args) throws IOException {
        RedisDriverProvider driver = ServiceLoader.load(RedisDriverProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(args[1]))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no driver of this name: " + args[1]));
        Map<String, Long> options = new HashMap<>();
        for (String option : List.of(args).subList(2, args.length)) {
            int equals = option.indexOf('=');
            options.put(option.substring(0, equals), Long.parseLong(option.substring(equals + 1)));
        }
        Taker taker = new Taker(RedisAddress.parse(args[0]), driver, options);
        taker.say("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
            taker.obey(line.split(" ", -1));
        }
        for (Holdfast client : taker.clients) {
            client.close();
        }
        taker.say("closed");
        System.exit(0);
    }

    private void say(Object... words) {
        List<String> texts = new ArrayList<>();
        for (Object word : words) {
            texts.add(word.toString());
        }
        writing.lock();
        try {
            System.out.println(String.join(" ", texts));
            System.out.flush();
        } finally {
            writing.unlock();
        }
    }

    private void obey(String[] words) {
        String lock = words[1];
        int number = Integer.parseInt(words[2]);
        switch (words[0]) {
            case "ask" -> ask(lock, number, Integer.parseInt(words[3]));
            case "pass" -> pass(lock, number, Integer.parseInt(words[3]));
            case "count" -> count(lock, number, Integer.parseInt(words[3]));
            case "left" ->
                say("left", lock, number, lease(lock, number).remaining().toMillis());
            case "check" -> say(lease(lock, number).isValid() ? "valid" : "invalid", lock, number);
            case "increment" -> {
                boolean valid = lease(lock, number).isValid();
                if (valid) {
                    withData(data -> increment(data, lock));
                }
                say(valid ? "incremented" : "refused", lock, number);
            }
            case "guarded" -> {
                FencedValue value = client().fencedValue(lock, Duration.ofMinutes(10));
                FencedValue.Answer answer = value.set(lease(lock, number).token(), words[3]);
                say("guarded", lock, number, answer.accepted(), answer.newest());
            }
            case "unguarded" -> {
                withData(data -> data.command("SET", "unguarded:" + lock, words[3]));
                say("unguarded", lock, number);
            }
            case "campaign" -> campaign(lock, number);
            case "leader" -> {
                Candidacy candidacy = Objects.requireNonNull(candidacies.get(lock + " " + number), "no such candidacy");
                say("leader", lock, number, candidacy.isLeader());
            }
            case "once" -> once(lock, number);
            case "note" -> {
                lease(lock, number).note(words[3]);
                say("noted", lock, number);
            }
            case "finish" ->
                Objects.requireNonNull(works.get(lock + " " + number), "no such work")
                        .complete(words[3]);
            case "release" -> say("released", lock, number, lease(lock, number).release());
            default -> throw new IllegalArgumentException("no such command: " + String.join(" ", words));
        }
    }

    private Holdfast client() {
        return clients.get(Math.floorMod(turn.getAndIncrement(), clients.size()));
    }

    private Lease lease(String lock, int number) {
        return Objects.requireNonNull(leases.get(lock + " " + number), "no such lease");
    }

    private void ask(String lock, int from, int to) {
        for (int i = from; i <= to; i++) {
            int number = i;
            client().lock(lock).acquireAsync().whenComplete((lease, failure) -> {
                if (lease == null) {
                    say("failed", lock, number, Objects.requireNonNull(failure));
                    return;
                }
                leases.put(lock + " " + number, lease);
                say("got", lock, number, lease.owner(), lease.token());
                lease.whenLost().thenAccept(reason -> say("lost", lock, number, reason));
            });
        }
        say("asked", lock, from, to);
    }

    private void once(String key, int number) {
        CompletableFuture<String> work = new CompletableFuture<>();
        works.put(key + " " + number, work);
        client().once(key, client().options().lockDefaults())
                .runAsync(lease -> {
                    leases.put(key + " " + number, lease);
                    String before = lease.before().flatMap(Holder::note).orElse("-");
                    say("begun", key, number, lease.token(), before);
                    return work;
                })
                .whenComplete((result, failure) -> {
                    if (result instanceof OnceResult.Ran ran) {
                        say("ran", key, number, ran.text());
                    } else if (result instanceof OnceResult.Done done) {
                        say("done", key, number, done.text());
                    } else {
                        say(
                                "ended",
                                key,
                                number,
                                failure == null ? result : failure.getClass().getSimpleName());
                    }
                });
    }

    private void campaign(String election, int number) {
        Candidacy candidacy = client().election(election, client().options().lockDefaults())
                .campaign(leadership -> {
                    say("leads", election, number, leadership.token());
                    leadership
                            .whenOver()
                            .thenAccept(reason -> say(
                                    "over",
                                    election,
                                    number,
                                    leadership.token(),
                                    reason.map(LossReason::name).orElse("-")));
                    new CountDownLatch(1).await();
                });
        candidacies.put(election + " " + number, candidacy);
        say("campaigns", election, number);
    }

    private void pass(String lock, int from, int to) {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            int number = i;
            all.add(client().lock(lock)
                    .acquireAsync()
                    .thenCompose(lease -> {
                        withData(data -> enter(data, lease));
                        return lease.releaseAsync();
                    })
                    .whenComplete((released, failure) -> {
                        if (failure != null) {
                            say("failed", lock, number, failure);
                        }
                    }));
        }
        say("asked", lock, from, to);
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).thenRun(() -> say("passed", lock, from, to));
    }

    private void count(String lock, int threads, int rounds) {
        AtomicInteger running = new AtomicInteger(threads);
        for (int t = 0; t < threads; t++) {
            int number = t;
            new Thread(() -> {
                        try (RespClient data = RespClient.connect(address.host(), address.port())) {
                            for (int i = 0; i < rounds; i++) {
                                client().lock(lock).call(lease -> {
                                    increment(data, lock);
                                    enter(data, lease);
                                    return lease;
                                });
                            }
                            if (running.decrementAndGet() == 0) {
                                say("counted", lock, threads, rounds);
                            }
                        } catch (Exception e) {
                            say("failed", lock, number, e);
                        }
                    })
                    .start();
        }
    }

    /** Uses a connection of its own, because the server may have been another one before. */
    private void withData(Consumer<RespClient> act) {
        try (RespClient data = RespClient.connect(address.host(), address.port())) {
            act.accept(data);
        }
    }

    private static void increment(RespClient data, String lock) {
        String key = "counter:" + lock;
        var value = data.command("GET", key);
        data.command("SET", key, Long.toString(value.isNull() ? 1 : value.asLong() + 1));
    }

    private static void enter(RespClient data, Lease lease) {
        data.command(
                "RPUSH",
                "journal:" + lease.name(),
                lease.owner() + " " + lease.token() + " " + lease.initialPosition());
    }
}
