"""Rows 161 to 176: HTTP and WebSocket. How to read it: `tests/failure_modes/rows.py`."""

LIST = """
161 frames that RFC 6455 forbids
    tests.wires.test_websocket.RuleTests.test_close_codes
    tests.wires.test_websocket.RuleTests.test_a_second_opinion
162 binary messages
    tests.web.test_upgrade.BadFrameTests.test_faults
163 text that is not UTF-8
    tests.web.test_upgrade.BadFrameTests.test_faults
    tests.wires.test_websocket.CodecTests.test_byte_by_byte_and_every_cut_hear_the_same
164 a message that is too long, in a frame, in fragments, or announced
    tests.wires.test_websocket.RuleTests.test_what_is_too_long_is_not_kept
    tests.web.test_socket_wire.WireTests.test_never_ending_message_is_closed_at_the_limit
165 fragments for ever
    tests.web.test_upgrade.BadFrameTests.test_fragments_for_ever
166 JSON that is none, and messages that are none
    tests.web.test_upgrade.BadFrameTests.test_wrong_messages_are_answered
    tests.web.test_socket_wire.WireTests.test_no_answer_holds_what_was_sent
167 a handshake that is none, or of another site
    tests.web.test_upgrade.HandshakeTests.test_what_is_no_handshake
    tests.web.test_upgrade.HandshakeTests.test_by_another_name
    tests.web.test_access.OriginTests.test_own_pages_and_programs
168 frames in the segment of the handshake
    tests.web.test_upgrade.HandshakeTests.test_frames_behind_the_handshake
169 half a request, idle connections, bodies, pipelined requests, tricks in paths
    tests.web.test_site.BadInputTests.test_half_a_request
    tests.web.test_bad_input.BadInputTests.test_thousands_of_idle_connections
    tests.web.test_site.BadInputTests.test_a_body_of_any_length
    tests.web.test_site.BadInputTests.test_a_client_that_reads_no_answers
    tests.web.test_site.BadInputTests.test_paths_that_lead_out
    tests.web.test_http_fuzz.FuzzTests.test_fuzz
170 acting at a table that is over, another's, or only looked at
    tests.web.test_bad_input.BadInputTests.test_acting_where_one_does_not_play
171 watching in a loop, or what is not there
    tests.web.test_bad_input.BadInputTests.test_watching_in_a_loop
    tests.web.test_bad_input.BadInputTests.test_watching_what_is_not_there
172 a watcher that does not read
    tests.web.test_bad_input.BadInputTests.test_a_watcher_that_does_not_read
173 a key of another, of a seat given up, guessed
    tests.web.test_bad_input.BadInputTests.test_keys_that_are_guessed
    tests.wires.test_open.KeyTests.test_the_key_is_honoured_anywhere_and_after_a_restart
174 names with marks, bidirectional tricks and many letters
    tests.web.test_bad_input.BadInputTests.test_names_with_marks_and_tricks
175 one player in two tabs
    tests.web.test_bad_input.BadInputTests.test_two_tabs
    tests.web.test_upgrade.ConversationTests.test_a_seat_comes_back_with_its_key
176 the host restarts under a page
    tests.wires.test_open.KeyTests.test_the_key_is_honoured_anywhere_and_after_a_restart
    tests.web.test_upgrade.ConversationTests.test_the_host_stops
"""
