package io.holdfast.dashboard;

import io.holdfast.Holder;
import io.holdfast.LockInfo.Share;
import io.holdfast.Waiter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The clients that hold something, wait or listen. */
final class ClientList {
    private static final class One {
        String application = "";
        String host = "";
        String pid = "";
        boolean suspect;
        boolean gone;
        final Set<Documents.Name> holds = new LinkedHashSet<>();
        final Set<Documents.Name> waits = new LinkedHashSet<>();

        void know(String itsApplication, String itsHost, String itsPid) {
            application = itsApplication;
            host = itsHost;
            pid = itsPid;
        }
    }

    private ClientList() {}

    /** @param without the id of a client that is there only to look; empty for none */
    static Documents.Clients of(Picture picture, String without) {
        Map<String, One> found = new LinkedHashMap<>();
        for (Sight sight : picture.sights().values()) {
            Documents.Name name =
                    new Documents.Name(sight.id().word(), sight.id().name());
            for (Share share : sight.lock().shares()) {
                Holder holder = share.holder();
                if (!holder.resting()) {
                    One one = found.computeIfAbsent(holder.client(), id -> new One());
                    one.know(holder.application(), holder.host(), holder.pid());
                    one.holds.add(name);
                }
            }
            for (Waiter waiter : sight.lock().queue()) {
                One one = found.computeIfAbsent(waiter.client(), id -> new One());
                one.know(waiter.application(), waiter.host(), waiter.pid());
                one.suspect |= waiter.state() == Waiter.State.SUSPECT || waiter.state() == Waiter.State.AWAY;
                one.gone |= waiter.state() == Waiter.State.GONE;
                one.waits.add(name);
            }
        }
        picture.listeners().clients().forEach(id -> found.computeIfAbsent(id, any -> new One()));
        found.remove(without);
        List<Documents.Client> clients = new ArrayList<>();
        found.forEach((id, one) -> clients.add(new Documents.Client(
                id,
                one.application.isEmpty() ? "" : Words.process(one.application, one.host, one.pid),
                one.application,
                one.host,
                one.pid,
                state(picture, id, one),
                List.copyOf(one.holds),
                List.copyOf(one.waits))));
        return new Documents.Clients(picture.at(), clients);
    }

    /** What listens is alive. What holds something and does not may be on its way back; what has not reported in time is gone. */
    private static String state(Picture picture, String id, One one) {
        if (picture.listens(id).orElse(false)) {
            return "alive";
        }
        if (one.gone) {
            return "gone";
        }
        return one.suspect || picture.listens(id).isPresent() ? "suspect" : "unknown";
    }
}
