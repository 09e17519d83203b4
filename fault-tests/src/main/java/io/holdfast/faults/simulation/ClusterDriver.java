package io.holdfast.faults.simulation;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The driver of one client to a cluster whose partitions never move: each has a master, with connections of its own. */
final class ClusterDriver implements RedisDriver {
    private final List<NetworkDriver> masters;

    ClusterDriver(List<NetworkDriver> masters) {
        this.masters = masters;
    }

    /** The number of the master that has a key, or a channel: locks of plans go round. */
    static int masterOf(String key, int masters) {
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        String tag = open < 0 || close < 0 ? key : key.substring(open + 1, close);
        return tag.startsWith("lock") && tag.length() > 4 && Character.isDigit(tag.charAt(4))
                ? Integer.parseInt(tag.substring(4)) % masters
                : Math.floorMod(tag.hashCode(), masters);
    }

    private NetworkDriver of(String key) {
        return masters.get(partition(key));
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        String key = command.key();
        return (key == null ? masters.get(0) : of(key)).send(command);
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        return of(channel).subscribe(channel, onMessage);
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        return of(channel).unsubscribe(channel);
    }

    @Override
    public int partitions() {
        return masters.size();
    }

    @Override
    public int partition(String key) {
        return masterOf(key, masters.size());
    }

    @Override
    public @Nullable RedisDriver master(int partition) {
        return masters.get(partition);
    }

    @Override
    public List<RedisDriver> masters() {
        return List.copyOf(masters);
    }

    @Override
    public void reconnect() {
        masters.forEach(NetworkDriver::reconnect);
    }

    @Override
    public void listen(ConnectionListener listener) {
        for (int i = 0; i < masters.size(); i++) {
            int number = i;
            IntPredicate mine = partition -> partition == number;
            masters.get(i).listen(new ConnectionListener() {
                @Override
                public void commandsUp() {
                    listener.commandsUp(mine);
                }

                @Override
                public void commandsDown() {
                    listener.commandsDown();
                }

                @Override
                public void messagesUp() {
                    listener.messagesUp(mine);
                }

                @Override
                public void messagesDown() {
                    listener.messagesDown(mine);
                }
            });
        }
    }

    @Override
    public String describe() {
        return "memory cluster";
    }

    @Override
    public void close() {
        masters.forEach(NetworkDriver::close);
    }
}
