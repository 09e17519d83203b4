package io.holdfast.cli;

import io.holdfast.LockOptions;
import io.holdfast.cli.Documents.Command;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Completions for shells: commands, options, those of their values that are known, and names of locks, which clients report. A shell
 * asks for these only where {@code HOLDFAST_URL} names a server: none should start because somebody has typed a tab.
 */
final class Completions {
    private static final String NAME = "NAME";
    private static final String FROM = "Made from the help pages of holdfast; not to be changed by hand.";

    private Completions() {}

    /** Words that may stand behind an option; none if there are others, too. */
    private static List<String> choices(OptionSpec option) {
        return switch (option.paramLabel()) {
            case "KIND" -> Kinds.words();
            case "SIGNAL" -> Acquire.SIGNALS;
            case "ORDER" ->
                Stream.of(LockOptions.Order.FIFO, LockOptions.Order.LIFO, LockOptions.Order.RANDOM)
                        .map(each -> each.name().toLowerCase(Locale.ROOT))
                        .toList();
            default -> List.of();
        };
    }

    private static boolean hasValue(OptionSpec option) {
        return option.arity().max() > 0;
    }

    private static boolean isFile(OptionSpec option) {
        return hasValue(option) && option.paramLabel().equals("FILE");
    }

    private static String summary(OptionSpec option) {
        String words = option.description()[0];
        for (String end : List.of(". ", "; ")) {
            int at = words.indexOf(end);
            words = at < 0 ? words : words.substring(0, at);
        }
        return words.endsWith(".") ? words.substring(0, words.length() - 1) : words;
    }

    /** Those that begin with the name of a lock. */
    private static String named(List<Command> commands, String between) {
        return commands.stream()
                .filter(each -> each.spec().positionalParameters().stream()
                        .anyMatch(word -> word.paramLabel().equals(NAME)))
                .map(Command::name)
                .collect(Collectors.joining(between));
    }

    private static String names(List<Command> commands) {
        return commands.stream().map(Command::name).collect(Collectors.joining(" "));
    }

    private static List<OptionSpec> options(List<Command> commands) {
        return commands.stream().flatMap(each -> each.spec().options().stream()).toList();
    }

    // ---- bash

    static String bash(List<Command> commands) {
        StringBuilder cases = new StringBuilder();
        for (Command each : commands) {
            List<OptionSpec> options = each.spec().options();
            cases.append("    ")
                    .append(each.name())
                    .append(")\n        options='")
                    .append(allNames(options.stream()))
                    .append("'\n        valued='")
                    .append(allNames(options.stream().filter(Completions::hasValue)))
                    .append("'\n        ;;\n");
        }
        StringBuilder values = new StringBuilder();
        choicesByName(commands)
                .forEach((name, words) -> values.append("        ")
                        .append(name)
                        .append(") words='")
                        .append(String.join(" ", words))
                        .append("' ;;\n"));
        String files = options(commands).stream()
                .filter(Completions::isFile)
                .map(OptionSpec::longestName)
                .distinct()
                .collect(Collectors.joining(" | "));
        return """
                # Completion of holdfast for bash. %s

                # Names are of other programs: nothing in them is expanded.
                _holdfast_names() {
                    local name
                    [ -n "${HOLDFAST_URL-}" ] || return
                    while IFS= read -r name; do
                        case $name in
                        "$1"*) COMPREPLY+=("$(printf %%q "$name")") ;;
                        esac
                    done < <("${COMP_WORDS[0]}" ls --queued --names 2>/dev/null)
                }

                _holdfast() {
                    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= valued= words= i
                    local IFS=$'\\n'
                    COMPREPLY=()
                    if [ "$COMP_CWORD" -eq 1 ]; then
                        words='%s help --help --version'
                        COMPREPLY=($(IFS=' ' && compgen -W "$words" -- "$word"))
                        return
                    fi
                    # "--option=value" comes as three words.
                    if [ "$word" = = ]; then
                        word=
                    elif [ "$before" = = ]; then
                        before=${COMP_WORDS[COMP_CWORD - 2]}
                    fi
                    case ${COMP_WORDS[1]} in
                %s    help)
                        COMPREPLY=($(IFS=' ' && compgen -W '%s' -- "$word"))
                        return
                        ;;
                    *) return ;;
                    esac
                    case ${COMP_WORDS[1]} in
                    %s)
                        for ((i = 2; i < COMP_CWORD; i++)); do
                            [ "${COMP_WORDS[i]}" = -- ] || continue
                            if declare -F _command_offset >/dev/null; then
                                _command_offset $((i + 1))
                            elif [ $((i + 1)) -eq "$COMP_CWORD" ]; then
                                COMPREPLY=($(compgen -c -- "$word"))
                            else
                                COMPREPLY=($(compgen -f -- "$word"))
                            fi
                            return
                        done
                        ;;
                    esac
                    case " $valued " in
                    *" $before "*)
                        case $before in
                %s        %s)
                            compopt -o filenames 2>/dev/null
                            COMPREPLY=($(compgen -f -- "$word"))
                            return
                            ;;
                        esac
                        COMPREPLY=($(IFS=' ' && compgen -W "$words" -- "$word"))
                        return
                        ;;
                    esac
                    case $word in
                    -*)
                        COMPREPLY=($(IFS=' ' && compgen -W "$options" -- "$word"))
                        return
                        ;;
                    esac
                    case $COMP_CWORD/${COMP_WORDS[1]} in
                    2/%s) _holdfast_names "$word" ;;
                    esac
                }

                complete -F _holdfast holdfast
                """.formatted(
                        FROM,
                        names(commands),
                        cases,
                        names(commands),
                        commands.stream()
                                .filter(Command::runsAnother)
                                .map(Command::name)
                                .collect(Collectors.joining(" | ")),
                        values,
                        files,
                        named(commands, " | 2/"));
    }

    private static String allNames(Stream<OptionSpec> options) {
        return options.flatMap(each -> Stream.of(each.names())).collect(Collectors.joining(" "));
    }

    private static Map<String, List<String>> choicesByName(List<Command> commands) {
        Map<String, List<String>> byName = new LinkedHashMap<>();
        for (OptionSpec each : options(commands)) {
            if (hasValue(each) && !choices(each).isEmpty()) {
                byName.put(each.longestName(), choices(each));
            }
        }
        return byName;
    }

    // ---- zsh

    static String zsh(List<Command> commands) {
        StringBuilder cases = new StringBuilder();
        for (Command each : commands) {
            List<String> lines = new ArrayList<>();
            each.spec().options().forEach(option -> lines.add(zshOption(option)));
            List<PositionalParamSpec> words = each.spec().positionalParameters();
            for (int i = 0; i < words.size(); i++) {
                String label = words.get(i).paramLabel();
                lines.add("'" + (i + 1) + ":" + label + ":" + (label.equals(NAME) ? "_holdfast_names" : "") + "'");
            }
            cases.append("  ")
                    .append(each.name())
                    .append(")\n    _arguments -s : \\\n      ")
                    .append(String.join(" \\\n      ", lines))
                    .append("\n    ;;\n");
        }
        String described = commands.stream()
                .map(each ->
                        "    " + zshQuoted(each.name() + ":" + each.summary().replace(":", "\\:")))
                .collect(Collectors.joining("\n"));
        return """
                #compdef holdfast
                # Completion of holdfast for zsh. %s

                _holdfast_names() {
                  local -a names
                  [[ -n $HOLDFAST_URL ]] || return 1
                  names=("${(@f)$(_call_program names holdfast ls --queued --names 2>/dev/null)}")
                  compadd -a names
                }

                _holdfast() {
                  local curcontext=$curcontext dashes state line
                  local -A opt_args
                  local -a known
                  known=(
                %s
                    'help:shows more about one of these'
                  )
                  if (( CURRENT == 2 )); then
                    _arguments -s : '(- *)'{-h,--help}'[Show what there is]' '(- *)'{-V,--version}'[Show the version]' \\
                      '*: :->known'
                    _describe -t commands 'holdfast command' known
                    return
                  fi
                  shift words
                  (( CURRENT-- ))
                  case $words[1] in
                  %s)
                    dashes=${words[(i)--]}
                    if (( dashes < CURRENT )); then
                      shift $dashes words
                      (( CURRENT -= dashes ))
                      _normal
                      return
                    fi
                    ;;
                  esac
                  case $words[1] in
                %s  help)
                    (( CURRENT != 2 )) || _describe -t commands 'holdfast command' known
                    ;;
                  esac
                }

                if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
                  _holdfast "$@"
                else
                  compdef _holdfast holdfast
                fi
                """.formatted(
                        FROM,
                        described,
                        commands.stream()
                                .filter(Command::runsAnother)
                                .map(Command::name)
                                .collect(Collectors.joining("|")),
                        cases);
    }

    private static String zshOption(OptionSpec option) {
        String words =
                "[" + summary(option).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") + "]";
        String value = !hasValue(option)
                ? ""
                : ":" + option.paramLabel() + ":"
                        + (isFile(option)
                                ? "_files"
                                : choices(option).isEmpty() ? "" : "(" + String.join(" ", choices(option)) + ")");
        String repeated = option.isMultiValue() ? "*" : "";
        if (option.names().length == 1) {
            return zshQuoted(repeated + option.longestName() + (hasValue(option) ? "=" : "") + words + value);
        }
        return "'(" + String.join(" ", option.names()) + ")'{" + String.join(",", option.names()) + "}"
                + zshQuoted(words + value);
    }

    private static String zshQuoted(String words) {
        return "'" + words.replace("'", "'\\''") + "'";
    }

    // ---- fish

    static String fish(List<Command> commands) {
        StringBuilder lines = new StringBuilder();
        for (Command each : commands) {
            lines.append("complete -c holdfast -n __holdfast_first -a ")
                    .append(each.name())
                    .append(" -d ")
                    .append(fishQuoted(each.summary()))
                    .append('\n');
        }
        for (Command each : commands) {
            lines.append('\n');
            for (OptionSpec option : each.spec().options()) {
                lines.append("complete -c holdfast -n '__holdfast_is ")
                        .append(each.name())
                        .append('\'')
                        .append(fishOption(option))
                        .append('\n');
            }
        }
        return """
                # Completion of holdfast for fish. %s

                function __holdfast_first
                    test (count (commandline -opc)) -eq 1
                end

                # Whether one of these commands is meant, and its options may still come.
                function __holdfast_is
                    set -l words (commandline -opc)
                    test (count $words) -ge 2; and contains -- $words[2] $argv; and not contains -- -- $words
                end

                function __holdfast_runs
                    set -l words (commandline -opc)
                    test (count $words) -ge 3; and contains -- $words[2] %s; and contains -- -- $words
                end

                # What follows "--", completed as if it stood alone.
                function __holdfast_command
                    set -l words (commandline -opc)
                    set -l dashes (contains -i -- -- $words)
                    set -e words[1..$dashes]
                    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
                end

                function __holdfast_wants_name
                    set -l words (commandline -opc)
                    set -q HOLDFAST_URL; and test (count $words) -eq 2; and contains -- $words[2] %s
                end

                complete -c holdfast -f
                complete -c holdfast -n __holdfast_wants_name -a '(holdfast ls --queued --names 2>/dev/null)' -d lock
                complete -c holdfast -n __holdfast_runs -a '(__holdfast_command)'
                complete -c holdfast -n __holdfast_first -s h -l help -d 'Show what there is'
                complete -c holdfast -n __holdfast_first -s V -l version -d 'Show the version'
                complete -c holdfast -n __holdfast_first -a help -d 'shows more about one of these'
                complete -c holdfast -n '__holdfast_is help' -a '%s'
                %s""".formatted(
                        FROM,
                        commands.stream()
                                .filter(Command::runsAnother)
                                .map(Command::name)
                                .collect(Collectors.joining(" ")),
                        named(commands, " "),
                        names(commands),
                        lines);
    }

    private static String fishOption(OptionSpec option) {
        StringBuilder words = new StringBuilder();
        for (String name : option.names()) {
            words.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        if (isFile(option)) {
            words.append(" -rF");
        } else if (hasValue(option)) {
            words.append(" -x");
            if (!choices(option).isEmpty()) {
                words.append(" -a '").append(String.join(" ", choices(option))).append('\'');
            }
        }
        return words.append(" -d ").append(fishQuoted(summary(option))).toString();
    }

    private static String fishQuoted(String words) {
        return "'" + words.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
