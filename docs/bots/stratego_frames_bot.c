/*
 * A first bot for Stratego as binary frames, in C with POSIX sockets. It plays at random. Start two of them:
 *
 *     cc -o stratego_frames_bot stratego_frames_bot.c
 *     ./stratego_frames_bot NAME [--host 127.0.0.1] [--port 8891] [--games 1]
 */
#define _POSIX_C_SOURCE 200809L
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SIGN_ON = 1, SETUP, READY, MOVE };
enum { WAIT = 1, CONNECTED, PLAYING = 5, MOVED, BOARD, MOVE_INVALID, BATTLE, GAME_OVER, ERROR = 15 };
enum { GIVE_UP = 20 }; /* seconds without a connection */

static int sock = -1;
static const char *name;
static char board[100]; /* y * 10 + x: own pieces by id, '#' for the enemy's, '.' empty, '~' lake */
static int low, setting_up, my_turn, signed_on, in_game, interrupted, games_over;

static void put16(unsigned char *at, unsigned value) { at[0] = value >> 8 & 255; at[1] = value & 255; }
static void put32(unsigned char *at, unsigned value) { put16(at, value >> 16); put16(at + 2, value); }

/* Sends a frame. If the connection is lost, the next read finds it out. */
static void send_frame(int kind, const unsigned char *payload, size_t size) {
    unsigned char frame[6 + 256] = {0x2A, (unsigned char)kind};
    put16(frame + 4, (unsigned)size);
    memcpy(frame + 6, payload, size);
    for (size_t sent = 0; sent < size + 6;) {
        ssize_t part = write(sock, frame + sent, size + 6 - sent);
        if (part <= 0) return;
        sent += (size_t)part;
    }
}

static void send_string(int kind, const char *text) {
    unsigned char payload[256];
    size_t size = strlen(text);
    put16(payload, (unsigned)size);
    memcpy(payload + 2, text, size);
    send_frame(kind, payload, size + 2);
}

static int read_all(unsigned char *to, size_t size) {
    for (size_t got = 0; got < size;) {
        ssize_t part = read(sock, to + got, size - got);
        if (part <= 0) return 0;
        got += (size_t)part;
    }
    return 1;
}

/* Places every piece that is not on the board yet, in any order, and is ready. */
static void place_missing(void) {
    char box[] = "F12334445555666677778888899999999SBBBBBB";
    int left = 40;
    in_game = 1;
    for (int square = low; square < low + 40; square++)
        if (board[square] != '.') *strchr(box, board[square]) = box[--left], box[left] = 0;
    for (int square = low; square < low + 40; square++) {
        if (board[square] != '.') continue;
        int drawn = rand() % left;
        unsigned char payload[10] = {0, (unsigned char)box[drawn]};
        board[square] = box[drawn];
        box[drawn] = box[--left];
        put32(payload + 2, (unsigned)(square % 10));
        put32(payload + 6, (unsigned)(square / 10));
        send_frame(SETUP, payload, sizeof payload);
    }
    send_string(READY, "ready");
}

/* One step of a piece that can move, onto an enemy piece if there is one in reach. */
static void move(void) {
    static const int ways[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    int steps[2000][4], count = 0;
    for (int square = 0; square < 100; square++) {
        if (!strchr("123456789S", board[square])) continue;
        for (int way = 0; way < 4; way++) {
            int x = square % 10, y = square / 10, to_x = x + ways[way][0], to_y = y + ways[way][1];
            if (to_x < 0 || to_x > 9 || to_y < 0 || to_y > 9) continue;
            char there = board[to_y * 10 + to_x];
            for (int times = there == '#' ? 5 : there == '.'; times > 0; times--, count++) {
                int step[4] = {x, y, to_x, to_y};
                memcpy(steps[count], step, sizeof step);
            }
        }
    }
    if (count == 0) return;
    unsigned char payload[16];
    int *step = steps[rand() % count];
    for (int field = 0; field < 4; field++) put32(payload + 4 * field, (unsigned)step[field]);
    send_frame(MOVE, payload, sizeof payload);
}

/* Acts on a frame. Gives 0 if the connection must be made anew. */
static int hear(int kind, const unsigned char *payload, size_t size, int games) {
    const char *text = (const char *)payload + 2; /* where the payload is a String */
    if (kind == ERROR) {
        printf("%s: refused: %s\n", name, text);
        if (strstr(text, "elsewhere")) { /* to sign on again would throw the other one off */
            fprintf(stderr, "%s is in use elsewhere, and ends here\n", name);
            exit(1);
        }
        /* The host has not noticed yet that we were cut off, or has us wait for our seat. */
        if (!signed_on && (strstr(text, "in use") || strstr(text, "try again"))) return 0;
        if (!signed_on && !strstr(text, "stopping")) exit(1);
        return 1;
    }
    signed_on = 1;
    /* Who waits is the first player, with the rows 0 to 3. Wait and Connected come again if the other player drops. */
    if (kind == WAIT && !setting_up) low = 0;
    if (kind == CONNECTED && !setting_up) {
        setting_up = 1;
        if (!interrupted) place_missing();
    }
    if (kind == PLAYING) {
        setting_up = interrupted = 0;
        my_turn = strcmp(text, name) == 0;
        printf("%s: playing; %s is to move\n", name, text);
    }
    if (kind == MOVED || kind == BATTLE) my_turn = !my_turn;
    if (kind == BATTLE && payload[size - 1] == 'F') my_turn = 0; /* the flag is taken: the game is over */
    if (kind == BOARD) for (int square = 0; square < 100; square++) board[square] = (char)payload[2 * square + 1];
    if (kind == BOARD && setting_up && interrupted) { /* what stands already, after a lost connection */
        interrupted = 0;
        for (int square = 0; square < 40; square++) if (strchr("123456789SFB", board[square])) low = 0;
        place_missing();
    }
    if (kind == GAME_OVER) {
        printf("%s: game %d won by %s\n", name, ++games_over, text);
        memset(board, '.', sizeof board);
        setting_up = my_turn = in_game = 0;
        low = 60;
        if (games_over < games) send_string(SIGN_ON, name);
    }
    if ((kind == BOARD || kind == MOVE_INVALID) && my_turn) move(); /* refused: try another move */
    return 1;
}

static int connect_to(const char *host, const char *port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    int one = 1;
    if (getaddrinfo(host, port, &hints, &found) != 0) return 0;
    sock = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    int connected = sock >= 0 && connect(sock, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    /* By default the system may hold a short frame back until the one before it is confirmed. That can cost 40 ms for
       each move. With TCP_NODELAY every frame is sent at once. */
    if (connected) setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return connected;
}

/* Reads the arguments. Gives 0 if they cannot be used. */
static int read_arguments(int count, char **words, const char **host, const char **port, int *games) {
    for (int place = 1; place < count; place++) {
        if (strncmp(words[place], "--", 2) != 0) {
            if (name) return 0;
            name = words[place];
            continue;
        }
        if (place + 1 == count) return 0;
        const char *option = words[place++] + 2;
        if (strcmp(option, "host") == 0) *host = words[place];
        else if (strcmp(option, "port") == 0) *port = words[place];
        else if (strcmp(option, "games") == 0) *games = atoi(words[place]);
        else return 0;
    }
    return name && strlen(name) <= 200 && *games > 0;
}

int main(int count, char **words) {
    const char *host = "127.0.0.1", *port = "8891";
    int games = 1;
    if (!read_arguments(count, words, &host, &port, &games))
        return fprintf(stderr, "%s NAME [--host HOST] [--port PORT] [--games NUMBER]\n", words[0]), 2;
    srand((unsigned)(time(NULL) ^ getpid()));
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    memset(board, '.', sizeof board);
    time_t last = time(NULL); /* when there was a connection */
    while (games_over < games && time(NULL) - last <= GIVE_UP) {
        if (connect_to(host, port)) {
            unsigned char header[6];
            static unsigned char payload[65537];
            signed_on = setting_up = 0;
            interrupted = in_game; /* a game that was interrupted goes on */
            if (!in_game) low = 60;
            send_string(SIGN_ON, name);
            while (games_over < games && read_all(header, sizeof header)) {
                size_t size = (size_t)header[4] << 8 | header[5];
                if (!read_all(payload, size)) break;
                payload[size] = 0;
                if (!hear(header[1], payload, size, games)) break;
            }
            last = time(NULL);
        }
        if (sock >= 0) close(sock);
        if (games_over == games) break;
        printf("%s: no connection to %s:%s: trying again\n", name, host, port);
        struct timespec pause = {0, 500 * 1000 * 1000};
        nanosleep(&pause, NULL);
    }
    if (games_over < games) return fprintf(stderr, "%s: the host cannot be reached\n", name), 1;
    return 0;
}
