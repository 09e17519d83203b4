package io.holdfast.faults.campaign;

import io.holdfast.model.following.Followed;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one episode came to. A line of JSON in the folder of a run.
 *
 * @param subject the library and how it is used
 * @param version of the library
 * @param server product and version
 * @param topology which servers
 * @param fault what happened
 * @param inside whether the assumptions allow it
 * @param seed of the schedule
 * @param began when, in UTC; absent in results of older campaigns
 * @param commit of the sources that were run; absent in results of older campaigns
 * @param leaseDurationMillis how long a hold lasts without renewal
 * @param seconds from the first request to the last answer
 * @param faults how often it happened
 * @param outcomes of requests, by word
 * @param commands that the servers carried out for all of this, as far as they lived
 * @param overlaps pairs of holds that were surely held together
 * @param tokenFaults tokens that did not rise; -1 if there are none
 * @param overtaken waiters that were overtaken without a reason
 * @param lostPlain lost updates of the unfenced resource; -1 if nothing is guarded
 * @param lostFenced lost updates of the fenced resource; -1 if there are no tokens
 * @param stalePlain reads of the unfenced resource that were not of the last write; -1 if nothing is guarded
 * @param staleFenced the same of the fenced resource; -1 if there are no tokens
 * @param refusedFenced how often the fenced resource refused a token that was too old
 * @param lossesTold leases that were told as lost
 * @param worstIdleMillis how long a lock stood idle at most because of the fault
 * @param leftKeys keys without an expiry, or holds of nobody, at the end
 * @param done keys and slots whose work was done; -1 if there is no such work
 * @param slots of these, slots of time; -1 if there is no such work
 * @param followed calls of scripts that were compared with the model; absent where they were not to be
 * @param violations broken promises, in words; for Holdfast only what has to hold under this fault
 * @param remarks what was found that is no violation under this fault
 */
record EpisodeResult(
        String subject,
        String version,
        String server,
        String topology,
        String fault,
        boolean inside,
        long seed,
        @Nullable String began,
        @Nullable String commit,
        long leaseDurationMillis,
        double seconds,
        int faults,
        Map<String, Integer> outcomes,
        long commands,
        int overlaps,
        int tokenFaults,
        int overtaken,
        int lostPlain,
        int lostFenced,
        int stalePlain,
        int staleFenced,
        int refusedFenced,
        int lossesTold,
        long worstIdleMillis,
        int leftKeys,
        int done,
        int slots,
        @Nullable Followed followed,
        List<String> violations,
        List<String> remarks) {
    /** How often a lock was obtained. */
    int obtained() {
        return outcomes.getOrDefault("Obtained", 0);
    }

    /** How often a lock was asked for. */
    int requests() {
        return outcomes.values().stream().mapToInt(Integer::intValue).sum();
    }
}
