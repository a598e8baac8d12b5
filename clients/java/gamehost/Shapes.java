package gamehost;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** What is read of the host's messages. Each is checked before anything of it is used. */
final class Shapes {
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\u2028-\\u202e\\u2066-\\u2069]");

    /** Such texts reach terminals, so that they hold no control characters. */
    private static final Predicate<Object> TEXT =
            value -> value instanceof String text && !CONTROL.matcher(text).find();

    private static final Predicate<Object> COUNT =
            value -> value instanceof Long number && number >= 0 && number <= Integer.MAX_VALUE;
    private static final Predicate<Object> SECONDS = value -> value instanceof Number number && number.doubleValue() >= 0;
    private static final Predicate<Object> OBJECT = value -> value instanceof Map;
    private static final Predicate<Object> MOVE =
            value -> value instanceof Map<?, ?> move && TEXT.test(move.get("action")) && OBJECT.test(move.get("parts"));

    private record Key(String name, Predicate<Object> check, boolean needed) {}

    private static final Map<String, List<Key>> KEYS = new LinkedHashMap<>();

    static {
        Key table = needed("table", COUNT), n = needed("n", COUNT), seat = needed("seat", COUNT), why = needed("why", TEXT);
        KEYS.put("entered", List.of(maybe("key", TEXT), maybe("table", COUNT)));
        KEYS.put("sorry", List.of(why));
        KEYS.put("stopped", List.of(maybe("why", TEXT)));
        KEYS.put("bye", List.of(why, maybe("again", SECONDS)));
        KEYS.put("seated", List.of(table, needed("game", TEXT), seat, needed("names", listOf(TEXT)), n));
        KEYS.put("event", List.of(table, n));
        KEYS.put("back", List.of(table, n, seat));
        KEYS.put("replaced", List.of(table, n, seat, needed("name", TEXT)));
        KEYS.put("moves", List.of(table, n, needed("moves", listOf(MOVE)), maybe("why", TEXT), needed("view", OBJECT)));
        KEYS.put("refused", List.of(why));
        KEYS.put("over", List.of(table, needed("winners", listOf(COUNT)), needed("cause", TEXT), why));
        KEYS.put("suspended", List.of(table));
    }

    private Shapes() {}

    /**
     * The first key with a value that cannot be right; {@code null}: there is none.
     *
     * @param own the message {@code seated} of the own table; {@code null}: there is none
     * @param names of the players there
     */
    static String faultIn(String is, Map<String, Object> message, Map<String, Object> own, List<String> names) {
        for (Key key : KEYS.getOrDefault(is, List.of())) {
            boolean there = message.containsKey(key.name());
            if (there ? !key.check().test(message.get(key.name())) : key.needed()) {
                return key.name();
            }
        }
        if (message.containsKey("n") && !COUNT.test(message.get("n"))) {
            return "n";
        }
        if (is.equals("seated")) {
            return (Long) message.get("seat") < ((List<?>) message.get("names")).size() ? null : "seat";
        }
        if (own == null || !own.get("table").equals(message.get("table"))) {
            return null;
        }
        if (is.equals("replaced") || is.equals("back")) {
            return (Long) message.get("seat") < names.size() ? null : "seat";
        }
        boolean seats = !is.equals("over")
                || ((List<?>) message.get("winners")).stream().allMatch(one -> (Long) one < names.size());
        return seats ? null : "winners";
    }

    private static Key needed(String name, Predicate<Object> check) {
        return new Key(name, check, true);
    }

    private static Key maybe(String name, Predicate<Object> check) {
        return new Key(name, check, false);
    }

    private static Predicate<Object> listOf(Predicate<Object> each) {
        return value -> value instanceof List<?> list && list.stream().allMatch(each);
    }
}
