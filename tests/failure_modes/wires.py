"""Rows 1 to 115: what comes over a wire. How to read it: `tests/failure_modes/rows.py`."""

LIST = """
1 a session that comes byte by byte
    gamehost.testing.wire_contract.WireContract.test_fuzz
    gamehost.testing.codec_contract.CodecContract.test_byte_by_byte_and_every_cut_hear_the_same
    tests.wires.test_transcripts.TranscriptTests.test_byte_by_byte
2 a hundred messages in one segment
    tests.net.test_move_rates.MoveRateTests.test_moves_of_one_segment_are_slowed_down
    tests.net.test_input.HearingTests.test_pipelined_messages_are_heard_in_order
    tests.net.test_input.TurnsTests.test_others_are_heard_after_64_messages
    tests.net.test_input.TurnsTests.test_who_says_one_thing_at_a_time_waits_for_nobody
    tests.tables.test_scheduler.TurnsTests.test_a_round_is_no_longer_than_its_share
    tests.wires.test_paper_soccer_catalogue.EveryWireTests.test_row_2_pipelined
3 64 KiB of line ends
    tests.net.test_input.HearingTests.test_flood_of_delimiters_ends_at_the_rate
    tests.net.test_input.HearingTests.test_bytes_that_make_no_message_end_at_their_rate
    tests.wires.test_framing.LineCutTests.test_work_grows_with_the_chunk_alone
    tests.wires.test_paper_soccer_catalogue.EveryWireTests.test_row_3_delimiters
4 a message that is too long, whole
    gamehost.testing.wire_contract.WireContract.test_too_long_message_is_closed_and_nothing_after_it_heard
    tests.wires.test_framing.LineTests.test_one_more_than_the_limit
5 a message that is too long and never ends
    gamehost.testing.wire_contract.WireContract.test_never_ending_message_is_closed_at_the_limit
    tests.wires.test_framing.LineTests.test_never_terminated
6 a command in the tail of a line that is too long
    gamehost.testing.wire_contract.WireContract.test_too_long_message_is_closed_and_nothing_after_it_heard
    tests.wires.test_framing.LineTests.test_the_tail_of_a_long_line_is_no_line
7 more in the segment after which the host hangs up
    tests.net.test_input.HearingTests.test_nothing_of_the_segment_is_heard_after_hanging_up
    gamehost.testing.wire_contract.WireContract.test_too_long_message_is_closed_and_nothing_after_it_heard
8 more in a later segment, under TLS as well
    gamehost.testing.wire_contract.WireContract.test_nothing_is_heard_after_a_hang_up_in_a_later_segment
    tests.net.test_tls.WaitingTests.test_nothing_is_heard_after_the_end
9 a client that connects and says nothing
    gamehost.testing.wire_contract.WireContract.test_silence_is_closed_at_ten_seconds
    tests.net.test_connection_costs.CostTests.test_silent_connection
    tests.net.test_connection.ClosingTests.test_a_client_that_has_begun_has_longer_to_log_in
10 one message, dripping
    tests.net.test_connection.ClosingTests.test_a_message_before_the_log_in_may_take_as_long
    gamehost.testing.wire_contract.WireContract.test_slow_drip_of_one_message_is_closed
11 whole messages, slowly, for ever
    tests.net.test_input.HearingTests.test_messages_at_the_long_run_rate_are_heard_for_ever
    gamehost.testing.wire_contract.WireContract.test_logged_in_may_be_silent
12 a client that never reads
    tests.net.test_output.ReadingTests.test_client_that_does_not_read_is_not_read
    tests.net.test_output.ReadingTests.test_slow_reader_is_bounded_and_cut_off
    tests.net.test_output.ReadingTests.test_stalled_reader_is_cut_off_after_ten_seconds
    tests.net.test_connection_costs.CostTests.test_first_byte_that_is_not_taken
    tests.net.test_output.WritingTests.test_a_dropped_players_seat_survives_being_cut_off
13 a thousand that never read
    tests.net.test_connection_costs.CostTests.test_clients_that_never_read
14 a cable that is pulled
    tests.net.test_connection_costs.CostTests.test_other_side_that_is_gone
    gamehost.testing.wire_contract.WireContract.test_nagle_is_off_and_keepalive_on
15 a move, and then the end of the stream
    tests.net.test_input.HearingTests.test_move_then_half_close_is_heard_first
    tests.wires.test_stratego_frames_rows.ComingBackTests.test_a_move_whose_answer_was_lost
16 a reset in the middle of a message
    gamehost.testing.wire_contract.WireContract.test_reset_in_mid_message_leaves_nothing
17 a reset between a move and its answer
    tests.wires.test_stratego_frames_rows.ComingBackTests.test_a_move_whose_answer_was_lost
    tests.wires.test_paper_soccer_catalogue.EveryWireTests.test_row_17_reset_after_a_move
18 one connection too many
    gamehost.testing.wire_contract.WireContract.test_too_many_connections_are_told_and_closed
    tests.net.test_connection.ClosingTests.test_connection_that_may_not_stay_hears_nothing
    tests.net.test_limiter.DoorkeeperTests.test_a_network_is_one_client
19 no file left to open
    tests.end_to_end.test_operating.FilesTests.test_no_file_left
    tests.storage.test_files.NoFilesTests.test_no_file_left
    tests.net.test_limiter.DoorkeeperTests.test_room
20 a storm of connections that come and go
    gamehost.testing.wire_contract.WireContract.test_lost_connections_leave_no_timers
    tests.net.test_limiter.DoorkeeperTests.test_a_storm_leaves_nothing_behind
    - measured: a thousand a second are a fifth of a core (docs/hosting.rst)
21 another protocol
    gamehost.testing.wire_contract.WireContract.test_other_protocols_get_at_most_one_error_and_no_echo
    tests.wires.test_framing.ForeignTests.test_openings
22 plain text where TLS is spoken; a handshake that does not come, or stops
    tests.net.test_tls.WaitingTests.test_plain_text
    tests.net.test_tls.WaitingTests.test_hello_that_never_comes
    tests.net.test_tls.WaitingTests.test_handshake_that_stops_in_the_middle
    tests.net.test_tls.WaitingTests.test_goodbye_that_is_not_answered
    tests.net.test_tls.WaitingTests.test_broken_session_of_a_client_that_does_not_read
23 old versions of TLS, a second handshake
    tests.net.test_tls.SpeakingTests.test_versions
    tests.net.test_tls.SpeakingTests.test_no_renegotiation
24 a PROXY header from somebody who is no proxy
    tests.net.test_haproxy.TrustTests.test_strangers_are_closed
    tests.net.test_haproxy.TrustTests.test_header_on_a_port_without_proxy
25 a PROXY header in pieces, or bent
    tests.net.test_haproxy_header.HeaderTests.test_sixty_thousand_bent_headers
    tests.net.test_haproxy_header.HeaderTests.test_headers_whole_and_byte_by_byte
    tests.net.test_haproxy.HeaderTests.test_refused
26 control characters in a text
    tests.wires.test_console_codec.TelnetTests.test_names_have_plain_letters_alone
    tests.wires.test_console_codec.TelnetTests.test_nothing_is_believed
    tests.wires.test_onitama.CatalogueTests.test_row_26_control_bytes_in_a_name_are_refused
    tests.wires.test_onitama.AnswersTests.test_no_answer_holds_control_bytes_or_what_was_sent
    tests.wires.test_paper_soccer_catalogue.EveryWireTests.test_row_26_control_characters
    tests.wires.test_eriantys_catalogue.LobbyTests.test_row_71_and_26_and_30_names
    tests.accounts.test_names.NameTests.test_refused_characters
27 telnet's line ends
    tests.wires.test_console_codec.TelnetTests.test_the_end_of_a_line_tells_it
    tests.wires.test_framing.LineTests.test_both_endings
    tests.wires.test_transcripts.TranscriptTests.test_telnet_line_ends
    tests.wires.test_onitama.CatalogueTests.test_row_27_carriage_returns_are_stripped_once
    tests.wires.test_eriantys_catalogue.LinesTests.test_row_27_carriage_returns_are_line_ends
28 blank lines
    tests.wires.test_paper_soccer_catalogue.EveryWireTests.test_row_27_and_28_line_ends
    tests.wires.test_onitama.AnswersTests.test_every_message_in_every_state
29 what is not UTF-8
    tests.wires.test_console_codec.TelnetTests.test_the_second_line_that_is_not_utf8
    tests.wires.test_onitama.CatalogueTests.test_row_29_second_line_that_is_not_utf8_ends_the_connection
    tests.wires.test_stratego_frames_codec.StringTests.test_malformed
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_104_other_encodings
30 names that look like another's
    tests.accounts.test_names.NameTests.test_letters_that_show_nothing
    tests.accounts.test_names.ScriptTests.test_letters_of_two_scripts_that_look_alike
    tests.accounts.test_names.KeyTests.test_the_same
    tests.wires.test_onitama.CatalogueTests.test_row_26_control_bytes_in_a_name_are_refused
    tests.wires.test_eriantys_catalogue.LobbyTests.test_row_71_and_26_and_30_names
31 frames of a type that no client sends
    tests.wires.test_stratego_frames_rows.FramingRowTests.test_row_31_types_that_clients_do_not_send
32 frames of a size that cannot be
    tests.wires.test_stratego_frames_rows.FramingRowTests.test_row_32_sizes
    tests.wires.test_stratego_frames_codec.HeaderTests.test_sizes
33 half a frame
    tests.wires.test_stratego_frames_rows.FramingRowTests.test_row_33_truncated_frame
34 a second Sign On
    tests.wires.test_stratego_frames_rows.SignOnRowTests.test_row_34_second_sign_on
35 placing and moving before Sign On
    tests.wires.test_stratego_frames_rows.SignOnRowTests.test_row_35_before_sign_on
36 placing off the board
    tests.wires.test_stratego_frames_rows.SetUpRowTests.test_row_36_squares_off_the_board
37 placing on the enemy's half, a lake, another piece
    tests.wires.test_stratego_frames_rows.SetUpRowTests.test_row_37_squares_of_others_and_taken_ones
38 a piece too many, or none at all
    tests.wires.test_stratego_frames_rows.SetUpRowTests.test_row_38_pieces
    tests.wires.test_stratego_frames_rows.SetUpRowTests.test_row_38_the_41st
39 ready without all pieces
    tests.wires.test_stratego_frames_rows.SetUpRowTests.test_row_39_ready_too_early
40 ready twice, and placing after it
    tests.wires.test_stratego_frames_rows.SetUpRowTests.test_row_40_ready_and_after
41 a move out of turn or out of play
    tests.wires.test_stratego_frames_rows.MoveRowTests.test_row_41_out_of_turn_or_out_of_play
42 moves that cannot be, and what a refusal tells of hidden pieces
    tests.wires.test_stratego_frames_rows.MoveRowTests.test_row_42_moves_that_cannot_be
    tests.wires.test_stratego_frames_rows.MoveRowTests.test_row_42_same_bytes_whatever_is_hidden
43 others than scouts that run, scouts that jump
    tests.wires.test_stratego_frames_rows.MoveRowTests.test_row_43_only_scouts_run_and_none_jumps
44 both at once
    tests.wires.test_stratego_frames_rows.TableRowTests.test_row_44_both_at_once
45 a third client
    tests.wires.test_stratego_frames_rows.TableRowTests.test_row_45_a_third
46 a name that is in use
    tests.wires.test_stratego_frames_rows.SignOnRowTests.test_row_46_names_in_use
47 an opponent who is gone during the set-up
    tests.wires.test_stratego_frames_rows.TableRowTests.test_row_47_gone_during_the_set_up
    tests.wires.test_stratego_frames_rows.TableRowTests.test_row_47_gone_for_good
48 numbers of another make
    tests.wires.test_stratego_frames_rows.MoveRowTests.test_row_48_numbers_of_another_make
49 a new name with a password
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_49_account_is_committed_before_auth_ok
    tests.accounts.test_login.QuotaTests.test_row_49_three_new_accounts_an_hour_from_an_address
    tests.accounts.test_login.QuotaTests.test_row_49_so_many_new_accounts_an_hour_in_all
50 a wrong password
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_50_wrong_password
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_50_owner_comes_back_from_home_in_spite_of_strangers
    tests.accounts.test_login.QuotaTests.test_row_50_more_than_five_guesses_a_minute_have_to_wait
    tests.accounts.test_login.QuotaTests.test_row_50_a_stranger_locks_nobody_out
    tests.accounts.test_login.OwnerTests.test_a_classmate_who_guesses_does_not_lock_the_owner_out
    tests.accounts.test_login.OwnerTests.test_forty_strangers_and_a_restart
    tests.accounts.test_login.OwnerPropertyTests.test_the_owner_is_never_refused
51 ten thousand names probed
    tests.accounts.test_login.QuotaTests.test_row_51_twenty_failures_an_hour_from_an_address
    - on this wire a free name is taken by whoever tries it: whether it is free cannot be hidden (the wire's page)
52 two who register one name
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_52_two_register_the_same_name_at_once
    tests.accounts.test_login.LogInTests.test_row_52_two_register_the_same_name_at_once
53 no name, no password, too long a password
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_53_no_password_no_name
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_53_blank_lines_before_the_name_are_nothing
54 a name in another case
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_54_case_is_the_same_account
55 a flood of log-ins
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_55_flood_of_log_ins
    tests.accounts.test_login.WorkTests.test_row_55_one_at_a_time_and_no_more_than_32_wait
    tests.accounts.test_login.OwnerTests.test_two_hundred_right_passwords_at_once
56 an account that comes in twice
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_56_newer_connection_takes_the_seat
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_56_what_the_older_connection_still_sends_is_not_heard
57 lines out of place
    tests.wires.test_stratego_lines_rows.LogInRows.test_row_57_lines_while_a_password_is_looked_at_are_refused
58 set-ups that cannot be
    tests.wires.test_stratego_lines_rows.SetUpRows.test_row_58_bad_set_ups
59 a set-up before there is a game
    tests.wires.test_stratego_lines_rows.SetUpRows.test_row_59_set_up_lines_before_new
60 three lines of a set-up, and silence
    tests.wires.test_stratego_lines_rows.SetUpRows.test_row_60_three_lines_and_silence
61 what is not a move
    tests.wires.test_stratego_lines_rows.MoveRows.test_row_61_what_is_not_a_move
62 a move that nobody asked for
    tests.wires.test_stratego_lines_rows.MoveRows.test_row_62_move_when_not_asked
63 two moves at once
    tests.wires.test_stratego_lines_rows.MoveRows.test_row_63_two_moves_in_one_packet
64 the server's own words
    tests.wires.test_stratego_lines_rows.MoveRows.test_row_64_words_of_the_server
65 a client that stays after the game
    tests.wires.test_stratego_lines_rows.MoveRows.test_row_65_who_stays_after_the_game_waits_again
66 a set-up the wrong way round
    tests.wires.test_stratego_lines_rows.SetUpRows.test_row_66_blue_s_lines_in_red_s_order_are_taken_as_sent
67 what is not JSON
    tests.wires.test_eriantys_codec.ParsingTests.test_row_67_not_json
    tests.wires.test_eriantys_catalogue.LinesTests.test_row_67_a_second_line_that_is_not_json_ends_the_connection
68 brackets without end
    tests.wires.test_eriantys_codec.ParsingTests.test_row_68_depth
    tests.wires.test_eriantys_catalogue.LinesTests.test_row_68_a_line_of_brackets_ends_the_connection
69 numbers that are none, or too large
    tests.wires.test_eriantys_codec.ParsingTests.test_row_69_numbers
70 a key twice
    tests.wires.test_eriantys_codec.ParsingTests.test_row_70_repeated_keys
71 half characters, and characters that show nothing
    tests.wires.test_eriantys_codec.ParsingTests.test_row_71_text_that_is_none
    tests.wires.test_eriantys_catalogue.LobbyTests.test_row_71_and_26_and_30_names
72 UTF-16
    tests.wires.test_eriantys_codec.ParsingTests.test_row_72_other_encodings
73 JSON that is no message
    tests.wires.test_eriantys_codec.ParsingTests.test_row_73_what_is_no_message
74 the server's own messages
    tests.wires.test_eriantys_codec.ParsingTests.test_row_74_messages_of_the_server
75 a second log-in, and a name that is taken
    tests.wires.test_eriantys_catalogue.LobbyTests.test_row_75_a_name_is_one_player_s
76 settings of a game that cannot be
    tests.wires.test_eriantys_catalogue.LobbyTests.test_row_76_settings
77 a game that cannot be joined
    tests.wires.test_eriantys_catalogue.LobbyTests.test_row_77_games_that_cannot_be_joined
78 choices that were not offered
    tests.wires.test_eriantys_catalogue.MatchTests.test_row_78_towers_and_wizards
    tests.wires.test_eriantys_catalogue.MatchTests.test_row_78_students_and_destinations
    tests.wires.test_eriantys_catalogue.MatchTests.test_row_78_steps_and_clouds
    tests.wires.test_eriantys_catalogue.MatchTests.test_row_78_other_phases_and_other_players
79 an assistant that another one has played
    tests.wires.test_eriantys_catalogue.MatchTests.test_row_79_assistants
80 pongs: none, too many, unasked
    tests.wires.test_eriantys_catalogue.ConnectionTests.test_row_80_pings
    tests.wires.test_eriantys_catalogue.ConnectionTests.test_row_80_and_81_floods
81 acknowledgements: none, too many
    tests.wires.test_eriantys_catalogue.ConnectionTests.test_row_81_never_acknowledged
    tests.wires.test_eriantys_catalogue.ConnectionTests.test_row_80_and_81_floods
82 more after Disconnect
    tests.wires.test_eriantys_catalogue.ConnectionTests.test_row_82_nothing_is_heard_after_disconnect
83 one of four is gone
    tests.wires.test_eriantys_catalogue.ConnectionTests.test_row_83_one_of_four_is_gone
84 islands that have grown together
    tests.wires.test_eriantys_catalogue.MatchTests.test_row_84_islands_are_those_of_the_present_circle
85 characters that cannot be used
    tests.wires.test_eriantys_catalogue.MatchTests.test_row_85_characters_that_cannot_be_used
    tests.games.test_eriantys_characters.PayingTests.test_not_enough_coins
    tests.games.test_eriantys_characters.RefusalTests.test_one_a_turn
    tests.games.test_eriantys_characters.RefusalTests.test_not_in_the_normal_game
86 the last student, tower, assistant
    tests.wires.test_eriantys_catalogue.MatchTests.test_row_86_the_last_student
    tests.games.test_eriantys_rules.WithRoundTests.test_students_have_run_out
    tests.games.test_eriantys_rules.WithRoundTests.test_assistants_are_used_up
    tests.games.test_eriantys_rules.AtOnceTests.test_last_tower
87 log-ins that cannot be
    tests.wires.test_onitama.CatalogueTests.test_row_87_third_malformed_login_ends_the_connection
88 commands in lower case, unknown, the server's own
    tests.wires.test_onitama.CatalogueTests.test_row_88_lower_case_unknown_and_server_commands_are_refused
89 moves with a field too many or too few
    tests.wires.test_onitama.CatalogueTests.test_rows_89_to_93_moves_that_cannot_be_played
90 a card that is not held
    tests.wires.test_onitama.CatalogueTests.test_rows_89_to_93_moves_that_cannot_be_played
91 squares that are none
    tests.wires.test_onitama.CatalogueTests.test_rows_89_to_93_moves_that_cannot_be_played
92 moves against the rules, or out of turn
    tests.wires.test_onitama.CatalogueTests.test_rows_89_to_93_moves_that_cannot_be_played
    tests.games.test_onitama_rules.MoveTests.test_why_not
93 an exchange of cards while a move is left
    tests.wires.test_onitama.CatalogueTests.test_rows_89_to_93_moves_that_cannot_be_played
94 the name of somebody who is there
    tests.wires.test_onitama.CatalogueTests.test_row_94_name_of_a_live_seat_is_refused
95 the name of somebody who is gone
    tests.wires.test_onitama.CatalogueTests.test_row_95_strangers_do_not_get_a_lost_seat
96 RECONNECT from a client
    tests.wires.test_onitama.CatalogueTests.test_row_96_reconnect_from_a_client_is_refused
97 coming back in the moment of a move
    tests.tables.test_table.LateJournalTests.test_coming_back_while_a_move_is_not_durable_shows_one_position
    tests.wires.test_onitama.ComingBackTests.test_back_at_any_moment_with_everything_right
98 both gone, and back in the other order
    tests.wires.test_onitama.CatalogueTests.test_row_98_both_come_back_in_the_other_order
99 an end that was missed
    tests.wires.test_onitama.CatalogueTests.test_row_99_a_match_whose_end_was_missed_is_over
100 bombs of entities
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_100_entity_bombs
101 document types
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_101_document_types
102 too deep, too many attributes or namespaces
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_102_depth_attributes_and_namespaces
103 an attribute without end
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_103_an_attribute_without_end
104 other encodings
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_104_other_encodings
105 comments, instructions, CDATA, stray text
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_105_comments_instructions_cdata_and_text
106 points that are none
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_106_points_that_are_none
107 numbers that are none
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_107_numbers_that_are_none
108 more points than lines on the pitch
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_108_too_many_points
109 a move without points
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_109_empty_moves
110 illegal moves, which lose
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_110_illegal_moves
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_110_recorded_illegal_moves
111 malformed or illegal
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_111_the_line_between_malformed_and_illegal
112 a move out of turn, which does not lose
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_112_out_of_turn
113 no line left
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_113_a_dead_end
114 goals of both kinds
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_114_goals
115 asking the host for moves
    tests.wires.test_paper_soccer_catalogue.CatalogueTests.test_row_115_asking_for_moves
"""
