package gamehost;

import java.util.List;
import java.util.Map;

/**
 * What you know when you decide.
 *
 * @param seat yours; the first one is 0
 * @param names of all players, by seat
 * @param n the number of the last thing that has happened at the table
 * @param position how the match stands for your seat: the {@code view} of the game in docs/wires/open.schema.json
 * @param begun the beginning of an action that you have chosen; empty: nothing is begun
 * @param why why the list of legal moves is empty although you may act: there are too many. Otherwise empty
 */
public record View(
        String game,
        int table,
        int seat,
        List<String> names,
        int n,
        Map<String, Object> position,
        String begun,
        String why) {}
