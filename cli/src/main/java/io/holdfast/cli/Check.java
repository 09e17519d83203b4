package io.holdfast.cli;

import java.io.IOException;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast check}: whether the lock of a ticket is still held; and, for {@link Release}, its giving back. */
final class Check implements Subcommand {
    static final String TICKET = "--ticket";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "check",
                        "holdfast check --ticket TICKET [--token] [--json] [-v]",
                        "Reports by its status whether a lock that holdfast acquire has obtained is still held, and why"
                                + " not if it is not. It asks the process that keeps the lock, not the server. The answer is true"
                                + " at this moment only; a write that must not happen without the lock needs the fencing token.",
                        Pages.statuses("0", "it is held", "76", "the lock is no longer held"))
                .addOption(Specs.value(TICKET, "TICKET", "What holdfast acquire has printed."))
                .addOption(Specs.flag("Print the fencing token.", "--token"));
        Specs.examples(
                spec,
                "  Before a step that must not happen twice:",
                "    holdfast check --ticket \"$ticket\" && ./step.sh");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String text = given.matchedOptionValue(TICKET, null);
        if (text == null) {
            throw new UsageException("which lock? " + TICKET + " is missing");
        }
        return ask(Ticket.parse(text), "check", given);
    }

    /** Asks the keeper, and tells what it has answered. */
    static int ask(Ticket ticket, String question, ParseResult given) {
        Ticket.Answer answer;
        try {
            answer = ticket.ask(question);
        } catch (Ticket.GoneException e) {
            answer = new Ticket.Answer("lost", 0, 0, "", String.valueOf(e.getMessage()));
        } catch (IOException e) {
            Say.failure("the process that keeps the lock gave no answer: " + e.getMessage(), e);
            return ExitStatus.LOST;
        }
        Ticket.Answer told = answer;
        boolean lost = told.word().equals("lost");
        if (given.hasMatchedOption("--json")) {
            Json.print(json -> {
                json.text("lock", told.lock().isEmpty() ? null : told.lock())
                        .text("state", told.word())
                        .text("why", lost ? told.why() : null);
                if (told.token() == 0) {
                    json.nothing("token");
                } else {
                    json.number("token", told.token());
                }
                json.millis("remaining", told.word().equals("held") ? Duration.ofMillis(told.millis()) : null);
            });
        } else if (lost) {
            Say.line(told.lock().isEmpty() ? told.why() : "lock '" + told.lock() + "' was lost: " + told.why());
        } else if (told.word().equals("unconfirmed")) {
            Say.line(Words.unconfirmed(told.lock(), Duration.ofMillis(told.millis())));
        } else if (question.equals("check") && given.hasMatchedOption("--token")) {
            System.out.println(told.token());
        } else if (given.hasMatchedOption("--verbose")) {
            System.out.println("'" + told.lock() + "' is " + told.word() + ", with token " + told.token() + ".");
        }
        return lost ? ExitStatus.LOST : 0;
    }
}
