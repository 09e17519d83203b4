package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How lengths, times, names and tables are written. */
final class WordsTest {
    @ParameterizedTest
    @CsvSource({
        "0,0s",
        "1,1ms",
        "999,999ms",
        "1000,1s",
        "59999,59s",
        "60000,1m",
        "61000,1m 1s",
        "3600000,1h",
        "3660000,1h 1m",
        "86399999,23h 59m",
        "86400000,1d",
        "90000000,1d 1h",
        "-5,0s"
    })
    void span_inWords_hasTwoUnitsAtMost(long millis, String expected) {
        assertEquals(expected, Span.inWords(Duration.ofMillis(millis)));
    }

    @ParameterizedTest
    @CsvSource({"300ms,300", "30s,30000", "5m,300000", "1h,3600000", "2d,172800000", "007s,7000"})
    void span_parsed_isItsLength(String text, long millis) {
        assertEquals(Duration.ofMillis(millis), Span.parse("--x", text, Duration.ZERO, Span.YEAR, ""));
    }

    @Test
    void age_ofAFutureInstant_isZero() {
        assertEquals(Duration.ZERO, Words.age(Instant.now().plusSeconds(100)));
    }

    @Test
    void time_ofAnotherDay_hasTheDate() {
        assertTrue(Words.time(Instant.now()).matches("\\d\\d:\\d\\d:\\d\\d"));
        assertTrue(
                Words.time(Instant.now().minusSeconds(100_000)).matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d"));
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/bin/backup.sh --all,backup.sh",
        "sh /opt/jobs/nightly.sh now,nightly.sh",
        "/usr/bin/python3 report.py,report.py",
        "python3 -m thing,thing",
        "python3.11 -u /opt/x.py a,x.py",
        "python3 -c print(1),python3",
        "perl -e x,perl",
        "bash -eu /opt/deploy.sh prod,deploy.sh",
        "bash -o pipefail deploy.sh,deploy.sh",
        "sh -s arg,sh",
        "/usr/bin/env foo --password=x,foo",
        "env -i A=secret -u B python3 x.py,x.py",
        "env A=secret,env",
        "sudo -u backup nice -n 10 /opt/backup.sh,backup.sh",
        "timeout -k 5s 1h make all,make",
        "nohup sh nightly.sh,nightly.sh",
        "java -Xmx1g -jar /opt/shop.jar,shop.jar",
        "java -cp x Main,java",
        "make deploy,make",
        "/,command",
        "dir/,dir",
        "bash,bash"
    })
    void commandName_isTheBaseName(String line, String expected) {
        assertEquals(expected, CommandName.of(List.of(line.split(" "))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/opt/report.sh --all|report.sh",
                "PASSWORD=secret exec /opt/report.sh|report.sh",
                "cd '/a b; c' && ./deploy.sh prod|deploy.sh",
                "set -e; umask 077; backup \"$1\"|backup",
                "if test -e x; then report; fi|report",
                "echo runs $TOKEN; read line|sh",
                "for i in a b; do report $i; done|sh",
                "x=$(cat secret); report|sh",
                "\"$PROGRAM\" 'a; secret'|sh",
                "cat <<END; secret|cat",
                "echo <<END; secret|sh",
                "echo 'a; secret|sh",
                "(secret)|sh",
                "./run me; (x)|run"
            })
    void commandName_ofAShellsText_isItsFirstProgram_neverAnArgument(String text, String expected) {
        assertEquals(expected, CommandName.of(List.of("/bin/sh", "-ec", text)));
    }

    @ParameterizedTest
    @CsvSource({
        "4711 (java) S 4000 4711 4000 34816 4711 4194304 0 0,true",
        "4711 (a ) b) S 4000 4711 4000 34816 4000 4194304 0 0,false",
        "4711 (java) S 4000 4711 4711 0 -1 4194304 0 0,false",
        "4711 (java) S 4000,false"
    })
    void foreground_isTheTerminalsGroup(String stat, boolean expected) {
        assertEquals(expected, Terminal.inForeground(stat));
    }

    @Test
    void table_alignsItsColumns_alsoForCharactersOfTwoUnits_twoColumns_orNone() {
        Table table = new Table("A", "B");
        table.add("😀😀", "x");
        table.add("c\td", "");
        table.add("日本語", "y");
        table.add("e\u0301\u200d", "z");
        table.add("각", "w");
        assertEquals(
                "A         B\n😀😀      x\nc\\u0009d\n日本語    y\ne\u0301\u200d         z\n각        w\n", table.text());
    }

    @Test
    void table_thatIsTooWide_isCutWhereItMay_andElsewhereWhole() {
        Table table = new Table("LOCK", "HELD BY", "TOKEN").cutting(0, 1);
        table.add("x".repeat(300), "backup.sh@a-rather-long-host-name", "1763705579123456");
        table.add("日本語".repeat(20), "b@h", "7");
        String narrow = table.text(50);
        assertEquals(
                "LOCK             HELD BY          TOKEN\n"
                        + "x".repeat(14) + "…  backup.sh@a-ra…  1763705579123456\n"
                        + "日本語日本語日…  b@h              7\n",
                narrow);
        assertTrue(narrow.lines().allMatch(line -> Columns.of(line) <= 50));
        assertEquals(
                "x".repeat(300) + "  backup.sh@a-rather-long-host-name  1763705579123456",
                table.text().lines().toList().get(1));
        assertTrue(table.text(20).lines().allMatch(line -> Columns.of(line) <= 20), table.text(20));
    }

    @Test
    void table_withoutHeadings_breaksItsLastColumnBetweenWords() {
        Table table = new Table();
        table.add("ok", "role", "a master with 2 replicas; one that takes over may not know the newest locks");
        table.add("fail", "x", "short");
        assertEquals(
                "ok    role  a master with 2 replicas;\n"
                        + "            one that takes over may not\n"
                        + "            know the newest locks\n"
                        + "fail  x     short\n",
                table.text(40));
    }

    @Test
    void table_withoutHeadings_showsAWideCellInTheMiddleWhole_andAWideFirstOneOnALineOfItsOwn() {
        String who = "settlement-of-invoices@worker-7.payments.example";
        Table queue = new Table();
        queue.add("  1", who, "since 2m", "waits");
        queue.add("  2", "b@h", "since 20779d 9h 15m 3s ago", "gone");
        assertEquals(
                "  1  " + who + "  since 2m                    waits\n" + "  2  b@h" + " ".repeat(who.length() - 3)
                        + "  since 20779d 9h 15m 3s ago  gone\n",
                queue.text());
        Table options = new Table();
        options.add("--an-option-with-a-long-name=WORD", "what it does");
        options.add("--short", "the same");
        assertEquals("--an-option-with-a-long-name=WORD\n         what it does\n--short  the same\n", options.text());
    }
}
