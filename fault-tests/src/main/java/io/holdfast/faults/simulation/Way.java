package io.holdfast.faults.simulation;

import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import org.jspecify.annotations.Nullable;

/** The way of one client to one server, and what the checks see there. */
final class Way extends Link {
    private final World world;
    private final Machine machine;
    private final Node server;

    Way(World world, Slot slot, Machine machine, Node server) {
        super(world.timers, world::now, world.trace, slot, machine, server);
        this.world = world;
        this.machine = machine;
        this.server = server;
    }

    @Override
    public void arrived(Command command) {
        server.ran(machine);
    }

    @Override
    public void answered(Command command, @Nullable Object answer) {
        ServerChecks looking = server.checks;
        if (answer instanceof Reply reply
                && command.words().size() > 1
                && LeaseLook.isRelease(command.words().get(1))) {
            server.knowsRelease = true;
            if (looking != null && reply.asString().startsWith("RELEASED")) {
                int keys = Integer.parseInt(command.words().get(2));
                String owner = command.words().get(3 + keys + 2); // after two that all scripts have
                looking.viewsOf(command.words().get(3)).forEach(view -> view.releasedBy = LineView.publicPart(owner));
            }
        }
        if (looking != null
                && answer instanceof Reply reply
                && command.words().size() > 3
                && LeaseLook.isRevoke(command.words().get(1))
                && reply.asList().get(0).asString().startsWith("RELEASED ")) {
            // Of what is told of the hold that ended, the owner stands behind a blank and the rest of the term.
            String owner = reply.asList().get(1).asString().split(" ", -1)[2];
            looking.viewsOf(command.words().get(3)).forEach(view -> world.checks.revoked(view.number, owner));
        }
        if (world.checksOfQuorum != null && answer instanceof Reply reply) {
            world.checksOfQuorum.answered(server.memory, command, reply);
        }
    }

    @Override
    public void hears(String message) {
        if (message.startsWith("R ")) {
            machine.recalls.add(message.substring(2));
            for (Shared shared : world.clients.sharedBy(machine)) {
                if (shared.isMeantBy(message.substring(2))) {
                    shared.recalled(world.now());
                }
            }
        }
    }

    /** Of the locks of this server: those of others are heard of by connections of their own. */
    @Override
    public void hearsNoMore() {
        for (Shared shared : world.clients.sharedBy(machine)) {
            if (shared.keeps() && shared.granted > 0 && world.nodeOf(shared.request.item.lock()) == server) {
                shared.recalled(world.now());
            }
        }
    }
}
