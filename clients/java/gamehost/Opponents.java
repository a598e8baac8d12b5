package gamehost;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Whom to play, and how. Each method gives a new value: {@code Opponents.house("easy").seats(3)}.
 *
 * @param keys those of the message {@code seek}, or of {@code join}
 */
public record Opponents(Map<String, Object> keys) {
    public Opponents {
        keys = Map.copyOf(keys);
    }

    /** Whoever comes. */
    public static Opponents anybody() {
        return new Opponents(Map.of());
    }

    /** House players of a level: {@code random}, {@code easy}, {@code medium}, {@code hard}. */
    public static Opponents house(String level) {
        return new Opponents(Map.of("house", level));
    }

    /** Those who wait at a table. */
    public static Opponents at(int table) {
        return new Opponents(Map.of("table", table));
    }

    /** Those who wait at a private table. */
    public static Opponents at(int table, String code) {
        return new Opponents(Map.of("table", table, "code", code));
    }

    /** How many play. */
    public Opponents seats(int seats) {
        return with("seats", seats);
    }

    /** {@code first}, {@code second} or {@code any}, in a game of two. */
    public Opponents seat(String seat) {
        return with("seat", seat);
    }

    /** A setting of the match: a text, a number, or true or false. */
    public Opponents setting(String name, Object value) {
        Map<String, Object> settings = new LinkedHashMap<>();
        if (keys.get("settings") instanceof Map<?, ?> before) {
            before.forEach((key, one) -> settings.put((String) key, one));
        }
        settings.put(name, value);
        return with("settings", settings);
    }

    /** Others need the code that the message {@code seeking} tells you. */
    public Opponents withCode() {
        return with("private", true);
    }

    private Opponents with(String key, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(keys);
        more.put(key, value);
        return new Opponents(more);
    }
}
