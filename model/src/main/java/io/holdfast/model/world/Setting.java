package io.holdfast.model.world;

import java.util.function.Function;

/**
 * A look at whole clients.
 *
 * @param model made without the rule of a name; with all rules if there is none of it
 * @param served whether everybody who lives is to be served in the end, which needs all states
 */
public record Setting(String about, Function<String, Clients<?>> model, boolean served) {}
