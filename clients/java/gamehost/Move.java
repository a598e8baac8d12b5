package gamehost;

import java.util.Map;

/**
 * An action that may be taken now.
 *
 * @param action as the host wants it, such as {@code ox c1 c2}; what {@link Choose} returns
 * @param parts the same in parts, such as {@code {kind=move, card=ox, from=c1, to=c2}}
 * @param more it is the beginning of an action: {@link Choose} is called again with what can follow it
 */
public record Move(String action, Map<String, Object> parts, boolean more) {}
