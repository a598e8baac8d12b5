package gamehost;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes JSON (RFC 8259). Objects are maps in their order, arrays lists; whole numbers are {@link Long}, others
 * {@link Double}; texts, truth values and null are Java's own.
 *
 * <p>What the standard leaves open is refused: keys that come twice, whole numbers of more than 64 bits, more than
 * {@value #DEEPEST} values inside each other.
 */
public final class Json {
    private static final int DEEPEST = 64;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /**
     * The value that a text stands for.
     *
     * @throws IllegalArgumentException it is not JSON; the message says where, and what was expected
     */
    public static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.space();
        if (json.at < text.length()) {
            throw json.expected("nothing more");
        }
        return value;
    }

    /**
     * The JSON of a value, in one line.
     *
     * @throws IllegalArgumentException JSON has no such value
     */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    /**
     * The value of a key.
     *
     * @throws IllegalArgumentException it is missing, or of another type
     */
    public static <T> T get(Map<String, Object> object, String key, Class<T> type) {
        Object value = object.get(key);
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException("the key " + key + ": expected a " + type.getSimpleName());
        }
        return type.cast(value);
    }

    // -- reading

    private Object value() {
        space();
        char next = peek();
        switch (next) {
            case '{':
            case '[':
                if (++depth > DEEPEST) {
                    throw expected("at most " + DEEPEST + " values inside each other");
                }
                Object read = next == '{' ? object() : array();
                depth--;
                return read;
            case '"':
                return string();
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        at++;
        space();
        if (peek() == '}') {
            at++;
            return object;
        }
        do {
            space();
            if (peek() != '"') {
                throw expected("a key");
            }
            String key = string();
            if (object.containsKey(key)) {
                throw expected("each key once");
            }
            space();
            take(':');
            object.put(key, value());
            space();
        } while (more('}'));
        return object;
    }

    private List<Object> array() {
        List<Object> array = new ArrayList<>();
        at++;
        space();
        if (peek() == ']') {
            at++;
            return array;
        }
        do {
            array.add(value());
            space();
        } while (more(']'));
        return array;
    }

    private boolean more(char end) {
        if (peek() == end) {
            at++;
            return false;
        }
        if (peek() != ',') {
            throw expected("a comma or " + end);
        }
        at++;
        return true;
    }

    private String string() {
        StringBuilder read = new StringBuilder();
        at++;
        while (peek() != '"') {
            char next = text.charAt(at++);
            if (next < ' ') {
                at--;
                throw expected("no control character in a text");
            }
            read.append(next == '\\' ? escaped() : next);
        }
        at++;
        return read.toString();
    }

    private char escaped() {
        char next = peek();
        at++;
        int simple = "\"\\/bfnrt".indexOf(next);
        if (simple >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(simple);
        }
        if (next == 'u' && at + 4 <= text.length() && text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        at--;
        throw expected("an escape of JSON");
    }

    private Object number() {
        int begin = at;
        boolean whole = true;
        skip('-');
        if (!skip('0')) {
            digits();
        }
        if (skip('.')) {
            whole = false;
            digits();
        }
        if (skip('e') || skip('E')) {
            whole = false;
            if (!skip('-')) {
                skip('+');
            }
            digits();
        }
        String read = text.substring(begin, at);
        if (!whole) {
            return Double.valueOf(read);
        }
        try {
            return Long.valueOf(read);
        } catch (NumberFormatException error) {
            at = begin;
            throw expected("a number of at most 64 bits");
        }
    }

    private void digits() {
        int begin = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == begin) {
            throw expected("a value");
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw expected("a value");
        }
        at += word.length();
        return value;
    }

    private boolean skip(char one) {
        boolean there = at < text.length() && text.charAt(at) == one;
        if (there) {
            at++;
        }
        return there;
    }

    private void take(char one) {
        if (!skip(one)) {
            throw expected("" + one);
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw expected("more");
        }
        return text.charAt(at);
    }

    private void space() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException expected(String what) {
        return new IllegalArgumentException("JSON, character " + (at + 1) + ": expected " + what);
    }

    // -- writing

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> object) {
            String before = "{";
            for (Map.Entry<?, ?> entry : object.entrySet()) {
                out.append(before);
                write(String.valueOf(entry.getKey()), out);
                out.append(':');
                write(entry.getValue(), out);
                before = ",";
            }
            out.append(object.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> array) {
            String before = "";
            out.append('[');
            for (Object one : array) {
                out.append(before);
                write(one, out);
                before = ",";
            }
            out.append(']');
        } else if (value instanceof String string) {
            quote(string, out);
        } else if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer) {
            out.append(value);
        } else if (value instanceof Double number && !number.isNaN() && !number.isInfinite()) {
            out.append(number);
        } else {
            throw new IllegalArgumentException("JSON has no value for a " + value.getClass().getSimpleName());
        }
    }

    private static void quote(String string, StringBuilder out) {
        out.append('"');
        for (char one : string.toCharArray()) {
            if (one == '"' || one == '\\') {
                out.append('\\').append(one);
            } else if (one < ' ' || Character.isSurrogate(one)) {
                out.append(String.format("\\u%04x", (int) one));
            } else {
                out.append(one);
            }
        }
        out.append('"');
    }
}
