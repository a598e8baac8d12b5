package gamehost;

import java.util.List;

/** What a bot is: it gives the action to take. */
@FunctionalInterface
public interface Choose {
    /**
     * Called for each decision.
     *
     * @param legal all that may be done now, without what the host has just refused
     * @return the action of a legal move, or another one that the game's page describes
     */
    String choose(View view, List<Move> legal);
}
