package io.holdfast.model;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The worlds of one model, by name, and the rules that it can be without: by this the command and the tests look at any model.
 *
 * @param about what is modelled
 * @param rules what each means, by name
 */
public record Worlds(String about, Map<String, World> worlds, Map<String, String> rules) {
    /**
     * A model with its bounds.
     *
     * @param goal what must be possible from each state, in words, where the model has goals; empty if nothing
     * @param model makes it without the rules of these names
     */
    public record World(String about, String goal, Function<Set<String>, Model<?>> model) {
        /** A look that has not begun; it tells a visitor of each state. */
        public Checker.Result look(Set<String> without, long most, Runnable visitor) {
            Checker<?> checker = new Checker<>(model.apply(without), most, state -> {
                visitor.run();
                return true;
            });
            return goal.isEmpty() ? checker.violations() : checker.canReach();
        }
    }

    /**
     * Looks at one of them.
     *
     * @throws IllegalArgumentException if it, or a rule, has no such name
     */
    public Checker.Result look(String name, Set<String> without, long most) {
        World world = worlds.get(name);
        if (world == null || !rules.keySet().containsAll(without)) {
            throw new IllegalArgumentException("no setting " + name + ", or no rule " + without + ", of " + about);
        }
        return world.look(without, most, () -> {});
    }

    /** The worlds of a model whose rules are an enum; none is there yet. */
    public static <R extends Enum<R> & ModelRule> Builder<R> of(String about, Class<R> rules) {
        return new Builder<>(about, rules);
    }

    /** Collects worlds. */
    public static final class Builder<R extends Enum<R> & ModelRule> {
        private final String about;
        private final Class<R> type;
        private final Map<String, World> worlds = new LinkedHashMap<>();

        private Builder(String about, Class<R> type) {
            this.about = about;
            this.type = type;
        }

        /** A world in which nothing need be possible. */
        public Builder<R> add(String name, String text, Function<Set<R>, Model<?>> model) {
            return add(name, text, "", model);
        }

        public Builder<R> add(String name, String text, String goal, Function<Set<R>, Model<?>> model) {
            worlds.put(name, new World(text, goal, without -> model.apply(ModelRule.allBut(type, without))));
            return this;
        }

        public Worlds build() {
            return new Worlds(about, worlds, ModelRule.meanings(type));
        }
    }
}
