package io.holdfast.faults.simulation;

import io.holdfast.Admin;
import io.holdfast.Admin.Waiters;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.Revocation;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.faults.simulation.LineChecks.Check;
import io.holdfast.faults.simulation.LineView.Hold;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.VirtualTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Does what operators do, with a client of its own beside the server, and looks at the answers. */
final class LineOperators {
    private final LinePlan plan;
    private final LineRuns world;
    private final ServerLines lines;
    private final LineChecks checks;
    private final Node server;
    private final Holdfast client;

    LineOperators(LinePlan plan, LineRuns world, ServerLines lines, LineChecks checks, Node server, VirtualTime time) {
        this.plan = plan;
        this.world = world;
        this.lines = lines;
        this.checks = checks;
        this.server = server;
        this.client = Holdfast.over(
                new ForwardingDriver(server.memory.driver()) {
                    @Override
                    public CompletionStage<Reply> send(Command command) {
                        if (!server.isUp(world.now())) {
                            return CompletableFuture.failedFuture(DriverException.unknown("not connected", null));
                        }
                        return super.send(command).whenComplete((reply, failure) -> world.ran(command, reply));
                    }
                },
                plan.options().withListener(event -> {}),
                time.environment(plan.seed()));
    }

    void close() {
        client.close();
    }

    /** Only while the server answers: nothing else could happen until it does. */
    void act(LinePlan.Act act) {
        if (server.frozen || !server.isUp(world.now())) {
            return;
        }
        Admin admin = client.admin().of(kindOf(act.line())).scanning(); // also what clients have not reported by then
        String name = LinePlan.nameOf(act.line());
        switch (act.what()) {
            case RELEASE -> admin.release(name, Waiters.HAND_OFF);
            case RELEASE_AND_DROP -> admin.release(name, Waiters.DROP);
            case RELEASE_ONE, RELEASE_TOKEN, RELEASE_CLIENT -> releaseSome(admin, act);
            case DROP -> admin.release(name, 1, Waiters.DROP);
            case RELEASE_ALL -> admin.releaseAll();
            case EXTEND -> {
                boolean held = !living(act.line()).isEmpty();
                if (admin.extend(name, Plan.millis(act.lengthMillis())).isPresent() != held) {
                    checks.found(Check.ANSWER, act + (held ? " extends nobody" : " extends somebody"));
                }
            }
            case CLEAN -> admin.clean(name);
            case LIMIT -> admin.limit(name, act.permits(), Plan.millis(act.lengthMillis()));
            case UNLIMIT -> {
                boolean limited = lines.view(act.line()).most(lines.serverMillis()) != Integer.MAX_VALUE;
                if (admin.unlimit(name) != limited) {
                    checks.found(Check.ANSWER, act + (limited ? " ends no limit" : " ends a limit"));
                }
            }
        }
        boolean limited = act.what() == LinePlan.What.LIMIT;
        int most = lines.view(act.line()).most(lines.serverMillis());
        if (limited ? most != act.permits() : act.what() == LinePlan.What.UNLIMIT && most != Integer.MAX_VALUE) {
            checks.found(Check.ANSWER, act + " leaves " + lines.view(act.line()));
        }
    }

    /** Those that hold, and whose end has not come, beside what rests. */
    private List<Map.Entry<String, Hold>> living(int line) {
        return lines.view(line).holds.entrySet().stream()
                .filter(each -> each.getValue().end() > lines.serverMillis())
                .toList();
    }

    private static LockInfo.Kind kindOf(int line) {
        return line == LinePlan.SEMAPHORE ? LockInfo.Kind.SEMAPHORE : LockInfo.Kind.READ_WRITE;
    }

    /** Chosen among those that are shown. */
    private void releaseSome(Admin admin, LinePlan.Act act) {
        String name = LinePlan.nameOf(act.line());
        List<LockInfo.Share> shares =
                client.inspect().of(kindOf(act.line())).lock(name).shares();
        if (shares.size() != living(act.line()).size()) {
            checks.found(Check.ANSWER, act + " sees " + shares + " of " + lines.view(act.line()));
        }
        if (shares.isEmpty()) {
            return;
        }
        Holder holder = new Draw(plan.seed(), 14, act.number()).oneOf(shares).holder();
        if (act.what() == LinePlan.What.RELEASE_CLIENT) {
            if (!holder.resting()) {
                admin.releaseOfClient(holder.client());
                Optional<Map.Entry<String, Hold>> left = living(act.line()).stream()
                        .filter(each -> each.getKey().startsWith(holder.client() + "."))
                        .filter(each -> !each.getValue().isClaim())
                        .findFirst();
                left.ifPresent(each -> checks.found(Check.ANSWER, act + " leaves " + each));
            }
            return;
        }
        Revocation result = act.what() == LinePlan.What.RELEASE_ONE
                ? admin.release(name, holder)
                : admin.release(name, holder.token(), Waiters.HAND_OFF);
        // Also if it rests: then the rest ends.
        if (result.outcome() != Revocation.Outcome.RELEASED) {
            checks.found(Check.ANSWER, act + " of " + holder + " is " + result.outcome() + ": " + shares);
        }
    }
}
