package gamehost;

import java.util.List;

/**
 * How a match has ended.
 *
 * @param winners seats; empty: a draw, or not known
 * @param cause {@code rules}, {@code left}, {@code time}, {@code violation}; {@code suspended}: a fault of the host;
 *     {@code lost}: it has ended while there was no connection, and the host does not say how
 * @param why the same in words
 */
public record Result(
        String game, int table, int seat, List<String> names, List<Integer> winners, String cause, String why) {}
