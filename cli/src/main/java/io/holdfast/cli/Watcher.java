package io.holdfast.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A small shell beside this process, that ends the command if this process is gone without having ended it: killed by
 * {@code kill -9}, by the kernel for want of memory, or by a crash of the JVM.
 *
 * <p>It waits for the end of a pipe that only this process can write to, which the system closes however this process
 * ends. It is told what is about to be started, then its pid, then that it has ended, upon which it ends too. It ignores
 * the signals that a terminal sends to the whole group, and has neither this process's environment nor its files but for
 * standard error, where it says what it does.
 *
 * <p>The command is this process's own child, not the shell's: so its status, signals, files and terminal are as they are
 * without a watcher. The other ways to do this: {@code prctl(PR_SET_PDEATHSIG)} needs native code or a program that is on
 * some machines only, and does not reach what the command has started; a process group of the command's own would take it
 * out of the terminal's.
 */
final class Watcher {
    /** One poll of the script, while it waits for the processes to end. */
    private static final long TICK_MILLIS = 100;

    private static final int TERMS_SHARE = 3;

    /**
     * The script. Its input: the token and the number of ticks from TERM to KILL; what to say; the pid; {@code ended}.
     *
     * <p>A process is known by its pid and the time of its start, so that none is ended that has got the number of one that
     * is gone. Between "about to be started" and its pid the command is looked for by its environment (on Linux): as a child
     * of the process that inherits orphans, like the watcher itself, with the token.
     *
     * <p>{@code $CHILDREN}, if set, is the pipe of {@link Children}: whoever has it open is ended as well.
     */
    private static final String SCRIPT = """
            trap '' HUP INT QUIT PIPE TERM USR1 USR2 TSTP TTIN TTOU
            set -f
            IFS=' '
            newline='
            '

            # A line for each process that lives: pid, parent, start.
            processes() {
                if [ -r "$PROC/self/stat" ]; then
                    (set +f && cat "$PROC"/[0-9]*/stat) |
                        sed -n 's/^\\([0-9]*\\) (.*) [^ZX] \\([0-9]*\\) \\([-0-9]* \\)\\{17\\}\\([0-9]*\\) .*/\\1 \\2 \\4/p'
                else
                    ps -A -o pid= -o ppid= -o stat= -o lstart= |
                        sed -n 's/^ *\\([0-9]*\\)  *\\([0-9]*\\)  *[^Z ][^ ]*  *\\(.*\\)/\\1 \\2 \\3/p'
                fi 2>/dev/null
            }

            split() {
                pid=${1%% *}
                parent=${1#* }
                start=${parent#* }
                parent=${parent%% *}
            }

            # Sets live to those of the members that live, with all that runs below them now, which become members.
            look() {
                now=$(processes)
                live='|'
                IFS=$newline
                before=
                until [ "$live" = "$before" ]; do
                    before=$live
                    for line in $now; do
                        split "$line"
                        case $live in *"|$pid|"*) continue ;; esac
                        case "$members/$live" in
                        *"|$pid $start|"* | */*"|$parent|"*) join ;;
                        *) [ -z "${CHILDREN:-}" ] || ! [ "/proc/$pid/fd/9" -ef "$CHILDREN" ] || join ;;
                        esac
                    done
                done
                IFS=' '
            }

            join() {
                live="$live$pid|"
                case $members in *"|$pid $start|"*) ;; *) members="$members$pid $start|" ;; esac
            }

            # Sends a signal to all that live; true if there is one.
            send() {
                IFS='|'
                set -- "$1" $live
                IFS=' '
                signal=$1
                shift
                any=1
                for each; do
                    [ -z "$each" ] || ! kill -"$signal" "$each" 2>/dev/null || any=0
                done
                return $any
            }

            # The command that was started in the last moment.
            find_started() {
                for pause in 0 0.2 1; do
                    sleep $pause 2>/dev/null
                    now=$(processes)
                    IFS=$newline
                    reaper=
                    for line in $now; do
                        split "$line"
                        [ "$pid" != $$ ] || reaper=$parent
                    done
                    for line in $now; do
                        split "$line"
                        if [ "$parent" = "$reaper" ] && [ "$pid" != $$ ] &&
                            tr '\\0' '\\n' <"/proc/$pid/environ" | grep -qx "HOLDFAST_TOKEN=$token"; then
                            members="|$pid $start|"
                            command=$pid
                            break 2
                        fi
                    done 2>/dev/null
                done
                IFS=' '
            }

            clear() {
                [ -z "${CHILDREN:-}" ] || { rm -f "$CHILDREN" && rmdir "${CHILDREN%/*}"; } 2>/dev/null
            }

            if ! read -r token ticks || ! read -r words; then
                clear
                exit 0
            fi
            read -r command
            [ "$command" != ended ] || exit 0
            if [ -n "$command" ]; then
                ! read -r end || exit 0
                IFS=$newline
                members='|'
                for line in $(processes); do
                    split "$line"
                    [ "$pid" != "$command" ] || members="|$pid $start|"
                done
                IFS=' '
            else
                members='|'
                find_started
            fi
            look
            if send TERM; then
                printf '%s (pid %s)\\n' "$words" "$command" >&2 &
                while [ "$ticks" -gt 0 ] && send 0; do
                    sleep 0.1 || sleep 1
                    ticks=$((ticks - 1))
                done
                # Again, for what they have started meanwhile.
                for round in 1 2 3 4 5; do
                    look
                    send KILL || break
                    sleep 0.1 || sleep 1
                done
            fi
            clear
            """;

    private final @Nullable Process process;
    private final @Nullable OutputStream pipe;

    private Watcher(@Nullable Process process) {
        this.process = process;
        this.pipe = process == null ? null : process.getOutputStream();
    }

    /**
     * Starts one. Where that cannot be done it is said, and the command then runs without.
     *
     * @param children what the command's descendants are known by, if the lock is held for them
     */
    static Watcher start(@Nullable Children children) {
        return start(Path.of("/proc"), children);
    }

    /**
     * Starts one.
     *
     * @param proc where Linux tells of processes; where there is nothing they are asked for with ps
     */
    static Watcher start(Path proc, @Nullable Children children) {
        // Its words do not name this program: whoever kills everything of that name does not mean to kill the one that
        // tidies up after it. The script is in the environment, so that lists of processes stay readable.
        ProcessBuilder builder = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "eval \"$SCRIPT\"",
                        "watcher-of",
                        Long.toString(ProcessHandle.current().pid()))
                .directory(new File("/"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        Map<String, String> environment = builder.environment();
        String path = environment.get("PATH");
        environment.clear(); // which may hold secrets
        environment.put("PATH", path == null ? "/usr/bin:/bin" : path);
        environment.put("PROC", proc.toString());
        environment.put("SCRIPT", SCRIPT);
        if (children != null) {
            environment.put("CHILDREN", children.path());
        }
        try {
            return new Watcher(builder.start());
        } catch (IOException e) {
            Say.failure("if holdfast is killed, the command will run on: cannot start /bin/sh, which would end it", e);
            return new Watcher(null);
        }
    }

    /**
     * To be called before the command is started.
     *
     * @param killAfter the time from TERM to KILL, at most; it is a third of the lease duration at most, so that all is over before
     *     another has the lock
     */
    void starting(String lock, long token, Duration killAfter, Duration term) {
        long ticks = Math.min(killAfter.toMillis(), term.toMillis() / TERMS_SHARE) / TICK_MILLIS;
        tell(token + " " + ticks + "\nholdfast: "
                + Say.printable("the holdfast that kept lock '" + lock + "' was killed; ending its command") + "\n");
    }

    /** To be called when it has been started. */
    void started(long pid) {
        tell(pid + "\n");
    }

    /**
     * The processes of which one lives for as long as the command, or anything below it that is to be ended with it: the
     * command can be gone long before what it has started.
     */
    long[] andIts(long command) {
        return process == null ? new long[] {command} : new long[] {command, process.pid()};
    }

    /** To be called when it has ended, or could not be started: the watcher ends. */
    void ended() {
        tell("ended\n");
    }

    private void tell(String lines) {
        if (pipe == null) {
            return;
        }
        try {
            pipe.write(lines.getBytes(StandardCharsets.UTF_8));
            pipe.flush();
        } catch (IOException e) {
            // Somebody has ended it; there is nothing to be done about that.
        }
    }

    /** Ends it as the end of this process would: with the command, if that has not been said to have ended. */
    void close() {
        if (pipe == null) {
            return;
        }
        try {
            pipe.close();
        } catch (IOException e) {
            // as good as closed
        }
    }
}
