package io.holdfast.model.world;

import io.holdfast.model.Model;
import io.holdfast.model.ModelRule;
import io.holdfast.model.Worlds;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Collects the worlds of one kind of lock; its rules are those of its scripts and those of clients.
 *
 * @param <R> a rule of its scripts
 */
public final class ClientWorlds<R extends Enum<R> & ModelRule> {
    private final String about;
    private final Class<R> scriptRules;
    private final Map<String, Worlds.World> worlds = new LinkedHashMap<>();

    public ClientWorlds(String about, Class<R> scriptRules) {
        this.about = about;
        this.scriptRules = scriptRules;
    }

    /**
     * Adds one.
     *
     * @param served whether everybody who lives is to be served in the end, which needs all states
     */
    public void add(String name, String text, boolean served, BiFunction<Set<R>, Set<ClientRule>, Model<?>> model) {
        worlds.put(
                name,
                new Worlds.World(
                        text,
                        served ? "everybody can be served" : "",
                        without -> model.apply(
                                ModelRule.allBut(scriptRules, without), ModelRule.allBut(ClientRule.class, without))));
    }

    public Worlds build() {
        Map<String, String> rules = ModelRule.meanings(scriptRules);
        rules.putAll(ModelRule.meanings(ClientRule.class));
        return new Worlds(about, worlds, rules);
    }
}
