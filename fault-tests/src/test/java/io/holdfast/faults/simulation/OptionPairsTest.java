package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Order;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.LockOptions.RequestEnd;
import io.holdfast.faults.simulation.Plan.Ask;
import io.holdfast.faults.simulation.Plan.Ending;
import io.holdfast.faults.simulation.Plan.Fault;
import io.holdfast.faults.simulation.Plan.Item;
import io.holdfast.faults.simulation.Plan.Kind;
import io.holdfast.faults.simulation.Plan.Trouble;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Any two values of any two options together: all that the simulation looks at holds for them, too. */
class OptionPairsTest {
    private static final Holdfast ANYBODY =
            MemoryServer.start(new VirtualTime()).client();
    private static final int CLIENTS = 3;
    private static final int ASKS = 14;

    /** The options, and how many values of each are tried; the first is the default, or harmless. */
    private enum Parameter {
        TERM(2),
        CLAIM(2),
        RENEWED(2),
        WAIT(4),
        ORDER(4),
        PRIORITY(2),
        QUEUE_LIMIT(2),
        KEEP_FOR(2),
        HANDOFFS(2),
        REQUEST_LIFE(3),
        SHORTEST_HOLD(2),
        LEAST_REMAINING(2),
        LONGEST_HOLD(2),
        LOCK_DELAY(2),
        OWN_CONFLICT(4),
        METADATA(2),
        REFRESH(2),
        COMMAND_TIMEOUT(2),
        WAITER_DEADLINE(2),
        TOKEN_LIFE(2),
        ENDING(4),
        TROUBLE(8);

        final int values;

        Parameter(int values) {
            this.values = values;
        }
    }

    private static final List<Fault> TROUBLES = List.of(
            Fault.SLOW,
            Fault.FREEZE,
            Fault.KILL,
            Fault.BREAK,
            Fault.STALL,
            Fault.LOSE_MESSAGES,
            Fault.FREEZE_SERVER,
            Fault.RESTART);

    private static final List<Parameter> PARAMETERS = List.of(Parameter.values());
    private static final List<Order> ORDERS = List.of(Order.FIFO, Order.LIFO, Order.RANDOM);
    private static final List<Reentrancy> CONFLICTS =
            List.of(Reentrancy.WAIT, Reentrancy.REENTER, Reentrancy.REENTER_AND_EXTEND, Reentrancy.REFUSE);
    private static final List<RequestEnd> LIFE_ENDS = List.of(RequestEnd.values());

    private static int of(int[] row, Parameter parameter) {
        return row[PARAMETERS.indexOf(parameter)];
    }

    private static LockOptions lockOptions(int[] row, int client) {
        Duration term = Plan.millis(of(row, Parameter.TERM) == 0 ? 3_000 : 500);
        LockOptions options = Plan.STRICT
                .withLeaseDuration(term)
                .withHandoffTimeout(Plan.millis(of(row, Parameter.CLAIM) == 0 ? 200 : 1_000))
                .withRenewal(of(row, Parameter.RENEWED) == 0)
                .withLockDelay(Plan.millis(of(row, Parameter.LOCK_DELAY) == 0 ? 0 : 300))
                .withPriority(of(row, Parameter.PRIORITY) == 1 && client == 1 ? 1 : 0)
                .withQueueLimit(of(row, Parameter.QUEUE_LIMIT) == 0 ? 0 : 2)
                .withMinHold(Plan.millis(of(row, Parameter.SHORTEST_HOLD) == 0 ? 0 : 200))
                .withMinRemaining(of(row, Parameter.LEAST_REMAINING) == 0 ? Duration.ZERO : term.dividedBy(2))
                .withMaxHold(of(row, Parameter.LONGEST_HOLD) == 0 ? null : Plan.millis(400))
                .withReentrancy(CONFLICTS.get(of(row, Parameter.OWN_CONFLICT)))
                .withMetadata(of(row, Parameter.METADATA) == 0 ? Map.of() : Map.of("one", "1 %", "two", "ä"));
        int order = of(row, Parameter.ORDER);
        options = order < ORDERS.size()
                ? options.withOrder(ORDERS.get(order))
                : options.withGroup("group " + client % 2, 1 + client % 2);
        if (of(row, Parameter.KEEP_FOR) == 1) {
            options = options.withKeepFor(Plan.millis(700));
        }
        if (of(row, Parameter.HANDOFFS) == 1) {
            options = options.withLocalHandoffs(2, Plan.millis(300));
        }
        int life = of(row, Parameter.REQUEST_LIFE);
        return life == 0 ? options : options.withRequestLife(Plan.millis(400), LIFE_ENDS.get(life - 1));
    }

    private static HoldfastOptions clientOptions(int[] row) {
        HoldfastOptions options = HoldfastOptions.defaults()
                .withCommandTimeout(Plan.millis(of(row, Parameter.COMMAND_TIMEOUT) == 0 ? 1_000 : 300))
                .withRefreshInterval(Plan.millis(of(row, Parameter.REFRESH) == 0 ? 2_000 : 500))
                .withCloseTimeout(Duration.ZERO)
                .withExecutor(Runnable::run);
        if (of(row, Parameter.WAITER_DEADLINE) == 1) {
            options = options.withWaiterDeadline(Plan.millis(8_000));
        }
        return of(row, Parameter.TOKEN_LIFE) == 0 ? options : options.withTokenLife(Duration.ofMinutes(90));
    }

    /** Options are refused by one exception, when they are made or when a lock is made with them. */
    private static boolean isAccepted(int[] row) {
        try {
            var known = clientOptions(row);
            for (int i = 0; i < CLIENTS; i++) {
                var unused = ANYBODY.lock(known.application(), lockOptions(row, i));
            }
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static Plan plan(int number, int[] row) {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < ASKS; i++) {
            Draw draw = new Draw(number, 101, i);
            int client = draw.below(CLIENTS);
            long wait = List.of(-1L, 0L, 1_500L, -1_600L).get(of(row, Parameter.WAIT));
            Ending ending = List.of(Ending.RELEASE, Ending.EXTEND, Ending.CANCEL, Ending.RELEASE_TWICE)
                    .get(of(row, Parameter.ENDING));
            items.add(new Ask(
                    i,
                    i / 5 * 1_500L + draw.between(0, 300),
                    client,
                    0,
                    "a" + draw.below(2),
                    wait,
                    lockOptions(row, client),
                    draw.between(1, 700),
                    ending));
        }
        Draw draw = new Draw(number, 102);
        Fault fault = TROUBLES.get(of(row, Parameter.TROUBLE));
        long at = draw.between(0, 3_500);
        items.add(new Trouble(ASKS, at, fault, draw.below(CLIENTS), 0, draw.between(100, 2_500), false));
        items.sort((a, b) -> Long.compare(a.atMillis(), b.atMillis()));
        return new Plan(Kind.INSIDE, number, CLIENTS, 1, 4_000, clientOptions(row), items);
    }

    private static CoveringArray array() {
        int[] sizes =
                Arrays.stream(Parameter.values()).mapToInt(each -> each.values).toArray();
        return new CoveringArray(sizes, OptionPairsTest::isAccepted, new Draw(1, 100));
    }

    private static final CoveringArray ROWS = array();

    @Test
    void run_anyTwoValuesOfAnyTwoOptions_findsNothing() {
        List<int[]> rows = ROWS.rows;
        assertTrue(rows.size() < 120, rows.size() + " rows");
        for (int i = 0; i < rows.size(); i++) {
            Outcome outcome = plan(i, rows.get(i)).run();
            if (outcome.finding() != null) {
                assertNull(outcome.finding(), Arrays.toString(rows.get(i)) + "\n" + Simulation.report(outcome));
            }
        }
    }

    /** But for those that are named: a group says where its requests enter the queue. */
    @Test
    void array_anyTwoValuesOfAnyTwoOptions_areAccepted() {
        Set<String> refused = new TreeSet<>();
        for (CoveringArray.Pair pair : ROWS.left) {
            refused.add(Parameter.values()[pair.first()] + " " + pair.firstValue() + ", "
                    + Parameter.values()[pair.second()] + " " + pair.secondValue());
        }
        assertEquals(Set.of("ORDER 3, PRIORITY 1", "ORDER 3, REQUEST_LIFE 1"), refused);
    }
}
